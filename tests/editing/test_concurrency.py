"""Several writers of one note, and writers that are killed: no edit is lost, no file is half written."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from jupyter_kb.markdown.document import parse
from jupyter_kb.settings import Settings
from jupyter_kb.vault.vault import Vault
from tests.editing.notes import FILE, Note

Record = Callable[[str, object], None]
HERE = Path(__file__).parents[2]

PRELUDE = """
import os, signal, sys
from jupyter_kb.editing.section import edit_section
from jupyter_kb.errors import ConflictError
from jupyter_kb.markdown.document import parse
from jupyter_kb.models import SectionEdit, SectionRef
from jupyter_kb.settings import Settings
from jupyter_kb.vault.vault import Vault

vault = Vault(sys.argv[1], Settings(lock_timeout=120))

def read(heading):
    return parse(vault.read("n.md")).find(heading, exact=True).content_hash

def append(heading, expected, token):
    section = SectionRef(file="n.md", heading_path=heading)
    edit_section(vault, SectionEdit(section=section, expected_hash=expected, operation="append", body="- " + token))
"""

# Reads, waits until the other one has read too, and only then writes: a race at every step.
RACE = (
    PRELUDE
    + """
heading, name, count = sys.argv[2], sys.argv[3], int(sys.argv[4])
done = attempts = 0
print("ready", flush=True)
sys.stdin.readline()
while done < count:
    token = f"{name}-{attempts}"
    attempts += 1
    try:
        append(heading, read(heading), token)
    except ConflictError:
        print("conflict", token, flush=True)
    else:
        print("success", token, flush=True)
        done += 1
"""
)


def race(note: Note, count: int, *headings: str) -> tuple[list[str], list[str]]:
    """Let one process a heading append `count` lines each; what they reported as written and as refused."""
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", RACE, str(note.vault.root), heading, f"p{number}", str(count)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=HERE,
        )
        for number, heading in enumerate(headings)
    ]
    for racer in racers:
        assert racer.stdout is not None
        assert racer.stdout.readline() == "ready\n"
    for racer in racers:
        assert racer.stdin is not None
        racer.stdin.write("go\n")
        racer.stdin.flush()
    reports = [racer.communicate()[0].split("\n")[:-1] for racer in racers]
    assert [racer.returncode for racer in racers] == [0] * len(racers)
    lines = [line.split(" ") for report in reports for line in report]
    return [token for kind, token in lines if kind == "success"], [token for kind, token in lines if kind == "conflict"]


def tokens(note: Note) -> list[str]:
    return [line[2:] for line in note.data.decode().split("\n") if line.startswith("- p")]


@pytest.mark.parametrize("count", [60, pytest.param(500, marks=pytest.mark.slow)])
def test_of_two_processes_on_one_section_every_success_is_in_the_file_and_every_conflict_is_not(
    tmp_path: Path, count: int, record_testsuite_property: Record
) -> None:
    note = Note(tmp_path, "---⏎t: x⏎---⏎# Log⏎⏎- start⏎⏎# End⏎⏎untouched⏎")
    done, refused = race(note, count, "Log", "Log")
    record_testsuite_property(f"conflicts of 2 × {count} edits", len(refused))
    assert len(done) == 2 * count
    assert sorted(tokens(note)) == sorted(done)
    assert not set(refused) & set(tokens(note))
    for racer in ("p0", "p1"):  # each one's lines stand in the order in which it wrote them
        numbers = [int(token.partition("-")[2]) for token in tokens(note) if token.startswith(racer)]
        assert numbers == sorted(numbers)
    assert note.data.endswith(b"\n\n# End\n\nuntouched\n")
    assert os.listdir(tmp_path) == [FILE]


@pytest.mark.parametrize("count", [60, pytest.param(500, marks=pytest.mark.slow)])
def test_two_processes_on_two_sections_never_get_into_each_others_way(tmp_path: Path, count: int) -> None:
    note = Note(tmp_path, "# A⏎⏎- start⏎⏎# B⏎⏎- start⏎")
    done, refused = race(note, count, "A", "B")
    assert refused == []
    assert sorted(tokens(note)) == sorted(done)
    assert len(done) == 2 * count


# ── killed writers ──────────────────────────────────────────────────────────────────────────────

# Forks a child for each system call that an edit makes, and kills it in front of that call.
DIE_EVERYWHERE = (
    PRELUDE
    + """
CALLS = "open close read write fsync replace fchmod fstat stat lstat listdir unlink access".split()

def arm(left):
    def wrap(real):
        def call(*arguments, **more):
            nonlocal left
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*arguments, **more)
        return call
    for name in CALLS:
        setattr(os, name, wrap(getattr(os, name)))

path = vault.root / "n.md"
old = path.read_bytes()
append("A", read("A"), "new")
new = path.read_bytes()
for number in range(1, 1000):
    path.write_bytes(old)
    expected = read("A")
    child = os.fork()
    if child == 0:
        arm(number)
        append("A", expected, "new")
        os._exit(0)
    killed = os.WIFSIGNALED(os.waitpid(child, 0)[1])
    now = path.read_bytes()
    state = "old" if now == old else "new" if now == new else "broken"
    left_over = [name for name in os.listdir(vault.root) if name != "n.md"]
    print("killed" if killed else "lived", state, *left_over, flush=True)
    for name in left_over:
        os.unlink(vault.root / name)
    if not killed:
        break
"""
)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_writer_killed_before_any_of_its_system_calls_leaves_the_old_note_or_the_new_one(tmp_path: Path) -> None:
    filler = "words ⏎" * 2_000
    note = Note(tmp_path, f"# A⏎⏎- old⏎⏎# B⏎⏎{filler}")
    command = [sys.executable, "-c", DIE_EVERYWHERE, str(note.vault.root)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=HERE)
    *killed, last = [line.split(" ") for line in done.stdout.split("\n")[:-1]]
    assert last == ["lived", "new"]
    assert len(killed) > 20
    states = [state for _, state, *_ in killed]
    assert states == ["old"] * states.count("old") + ["new"] * states.count("new")
    assert states.count("new") > 0
    left_over = [names for _, _, *names in killed if names]
    assert left_over  # some died with a temporary file in place, which no vault takes for a note
    assert all(
        len(names) == 1 and names[0].startswith(".n.md.") and names[0].endswith(".kb-tmp") for names in left_over
    )


RELENTLESS = (
    PRELUDE
    + """
number = int(sys.argv[2])
while True:
    append("Log", read("Log"), f"p-{number}")
    print(number, flush=True)
    number += 1
"""
)


@pytest.mark.parametrize("edits", [pytest.param(200, marks=pytest.mark.slow), 20])
def test_writers_killed_at_random_lose_nothing_that_they_reported(
    tmp_path: Path, edits: int, record_testsuite_property: Record
) -> None:
    chance = random.Random(20260101)
    filler = "words ⏎" * 5_000
    note = Note(tmp_path, f"# Log⏎⏎- start⏎⏎# Filler⏎⏎{filler}")
    tail = note.data.partition(b"# Filler")[2]
    number = kills = unreported = 0
    while number < edits:
        command = [sys.executable, "-c", RELENTLESS, str(note.vault.root), str(number)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=HERE) as writer:
            assert writer.stdout is not None
            reported = number
            for _ in range(chance.randrange(1, 8)):
                reported = int(writer.stdout.readline()) + 1
            for _ in range(chance.randrange(400_000)):
                pass  # somewhere in the middle of the next edit
            writer.kill()
            for line in writer.stdout:
                reported = int(line) + 1
        kills += 1
        data = note.data
        written = [f"p-{done}" for done in range(reported)]
        assert tokens(note) in (written, [*written, f"p-{reported}"])
        assert data.partition(b"# Filler")[2] == tail
        assert [section.heading_path for section in parse(data).sections] == ["Log", "Filler"]
        number = len(tokens(note))
        unreported += number - reported
        assert [file.key for file in Vault(tmp_path, Settings(hidden=True)).list()] == [FILE]
    left_over = [name for name in os.listdir(tmp_path) if name != FILE]
    record_testsuite_property(f"{edits} edits", f"{kills} kills, {unreported} unreported, {len(left_over)} left over")
    assert all(name.endswith(".kb-tmp") for name in left_over)
