"""An indexing process that is killed at any moment leaves an index that opens, and is right after the next scan."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from jupyter_kb.index.database import Database
from jupyter_kb.index.indexer import BATCH_NOTES
from tests.index.vaults import content, indexed

PROGRAM = """
import sys
from jupyter_kb.kb import KnowledgeBase
with KnowledgeBase.open(sys.argv[1], index_dir=sys.argv[2]) as kb:
    assert kb.location, kb.note
    print("open", flush=True)
    kb.scan(lambda done, total: print(done, total, flush=True))
    print("scanned", flush=True)
"""
NOTES = 2 * BATCH_NOTES + 100  # three batches: a kill falls between them and within them


def write(root: Path, number: int, edition: int) -> None:
    links = f"[[note-{(number + 1) % NOTES}#Part 1|next]] and [[note-{number - 1}]]"
    parts = "".join(f"## Part {part}\n\nEdition {edition} of number {number}. {links}\n\n" for part in range(6))
    (root / f"note-{number}.md").write_text(f"---\ntags: [t{number % 7}]\n---\n\n# Note {number}\n\n{parts}")


def run_and_kill(root: Path, index: Path, after_line: int, pause: float) -> bool:
    """Start the program and kill it `pause` seconds after so many lines of progress; whether it was killed in time."""
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(root), str(index)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    with process, process.stdout:
        for _ in range(after_line):
            process.stdout.readline()
        time.sleep(pause)  # not a wait for anything: the moment of the kill is what is drawn at random
        process.kill()
        return process.wait() == -signal.SIGKILL


@pytest.mark.parametrize("kills", [6, pytest.param(15, marks=pytest.mark.slow)])
def test_a_scan_that_is_killed_leaves_an_index_that_the_next_scan_makes_whole(tmp_path: Path, kills: int) -> None:
    root, index = tmp_path / "vault", tmp_path / "index"
    root.mkdir()
    draw = random.Random(kills)
    for number in range(NOTES):
        write(root, number, 0)
    killed = 0
    for edition in range(1, kills + 1):
        killed += run_and_kill(root, index, draw.randrange(5), draw.random() * 0.3)
        for number in draw.sample(range(NOTES), NOTES // 2):
            write(root, number, edition)
        (root / f"note-{edition}.md").unlink(missing_ok=True)
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(root), str(index)], capture_output=True, text=True, check=True
    )

    assert killed > kills // 2, "most kills must fall into the scan"
    assert run.stdout.endswith("scanned\n")
    with Database(next(index.iterdir()) / "index.duckdb") as database:
        assert not database.rebuilt, "a kill is no damage"
        found = content(database)
    with indexed(tmp_path / "other", {path.name: path.read_bytes() for path in root.iterdir()}) as fresh:
        expected = content(fresh.database)
    for table in expected:
        assert found[table] == expected[table], table
