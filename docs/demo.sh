#!/usr/bin/env bash
# make demo: index the demo vault, find a section, edit it, and run into a conflict.
# Everything happens on a copy in a temporary folder; the checkout is not changed.
set -euo pipefail
exec 2>&1 # a refusal stays where it belongs, also in a pipe or a file

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
vault=$(dirname "${BASH_SOURCE[0]}")/../notebooks/vault
cp -r "$vault" "$work/lab-notes"
cp -r "$vault" "$work/as-it-was"
export JUPYTER_DATA_DIR="$work/jupyter" # the demo's index, away from your own
cd "$work/lab-notes"

say() { printf '\n── %s\n' "$*"; }
run() { # print a command, then run it as if it had been typed
    printf '\n$ %s\n' "$1"
    eval "$1" || printf '(exit status %s)\n' "$?"
}
# The hash of a section, from the JSON that `jupyter kb get` prints.
hash_of() { jupyter kb get "$1" "$2" --json | python -c 'import json, sys; print(json.load(sys.stdin)["content_hash"])'; }

say "A folder of notes becomes searchable. Nothing is written into it."
run "jupyter kb index ."

say "A question in plain words finds sections, not whole files."
run "jupyter kb search 'how long must the cells stay in the dark' --limit 3"
run "jupyter kb search 'second rack cold room' --limit 1"

say "A section is read byte for byte. Its hash is what an edit has to name."
note=daily/2026-09-22.md
run "jupyter kb get $note Thursday; echo"
seen=$(hash_of $note Thursday)
printf '\nhash: %s\n' "$seen"

say "Tick off the first task; the edit names the hash of the text that it replaces."
jupyter kb get $note Thursday | sed -e 1,2d -e 's/\[ \] Second/[x] Second/' >"$work/ticked.txt"
run "jupyter kb edit $note Thursday --expected-hash $seen --body-file ../ticked.txt"

say "Meanwhile somebody adds a task in an editor that knows nothing of this program."
stale=$(hash_of $note Thursday)
sed -e 's/\[ \] Dry/[x] Dry/' "$work/ticked.txt" >"$work/both.txt"
run "echo '- [ ] Lamp of the UV-Vis: 1 900 hours, order one' >> $note"

say "Ticking off the second task from the text as it was read would delete the new one. It is refused."
run "jupyter kb edit $note Thursday --expected-hash $stale --body-file ../both.txt"

say "Read again, edit again: now both changes are kept."
jupyter kb get $note Thursday | sed -e 1,2d -e 's/\[ \] Dry/[x] Dry/' >"$work/both.txt"
run "jupyter kb edit $note Thursday --expected-hash $(hash_of $note Thursday) --body-file ../both.txt"

say "In the whole vault nothing else has changed."
printf '\n$ diff -r ../as-it-was .\n'
diff -r ../as-it-was . || true # 1 means that there are differences
