#!/usr/bin/env bash
# make demo: index the demo vault, find a section, edit it, and run into a conflict.
# Everything happens on a copy in a temporary folder; the checkout is not changed.
set -euo pipefail

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

note=methods/npq-protocol.md
section="Dark adaptation time"
hash_of_section() { jupyter kb get "$note" "$section" --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["content_hash"])'; }

say "A folder of notes becomes searchable; nothing is written into it."
run "jupyter kb index ."

say "A question in plain words finds sections, not files."
run "jupyter kb search 'how long must the cells stay in the dark' --limit 3"

say "A section is read byte for byte. Its hash is the key to editing it."
run "jupyter kb get $note '$section'"
seen=$(hash_of_section)
printf '\nhash: %s\n' "$seen"

say "An edit names the hash of the text it replaces."
run "echo 'Twenty minutes; thirty for cells from strong light. ^dark-time' | jupyter kb edit $note '$section' --expected-hash $seen --body-file -"

say "Meanwhile somebody saves the note in another editor."
current=$(hash_of_section)
run "sed -i 's/^Twenty minutes;/Exactly 20 minutes;/' $note"

say "An edit based on the older text is refused. It comes with the text as it is now."
run "echo 'Half an hour. ^dark-time' | jupyter kb edit $note '$section' --expected-hash $current --body-file -"

say "With the hash of today's text the edit goes through."
run "echo 'Exactly 20 minutes; 30 for cells from strong light. ^dark-time' | jupyter kb edit $note '$section' --expected-hash $(hash_of_section) --body-file -"

say "Compared with the notes as they were, that one paragraph is all that differs."
printf '\n$ diff -r ../as-it-was .\n'
diff -r ../as-it-was . || true # 1 means: there are differences
