"""The hash: which part of a section it stands for, and that nothing is written without it or against it."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_kb.errors import ConflictError, HashRequiredError, InvalidRequestError
from jupyter_kb.models import Operation
from tests.editing.notes import FILE, Note, raw

TREE = "# A⏎⏎a⏎⏎## B⏎⏎b⏎⏎# D⏎⏎d⏎"
OPERATIONS: list[tuple[Operation, str, str | None]] = [
    ("insert_before", "new", "N"),
    ("replace", "new", None),
    ("append", "new", None),
    ("prepend", "new", None),
    ("insert_after", "new", "N"),
    ("insert_child", "new", "N"),
    ("rename", "", "N"),
    ("delete", "", None),
]


@pytest.mark.parametrize(("operation", "body", "heading"), OPERATIONS)
@pytest.mark.parametrize("expected", ["0" * 64, "0" * 12, "of another section", "of the old text", "of the wrong part"])
def test_a_stale_or_foreign_hash_never_writes(
    tmp_path: Path, operation: Operation, body: str, heading: str | None, expected: str
) -> None:
    note = Note(tmp_path, TREE)
    if expected == "of another section":
        expected = note.hash("D")
    elif expected == "of the old text":
        expected = note.hash("A")
        note.path.write_bytes(note.data.replace(b"b\n", b"B\n"))
    elif expected == "of the wrong part":
        expected = note.hash("A > B")
    stat, data = note.vault.stat(FILE), note.data
    with pytest.raises(ConflictError, match="changed since it was read"):
        note.edit("A", operation, body, heading=heading, expected=expected)
    assert (note.vault.stat(FILE), note.data) == (stat, data)


@pytest.mark.parametrize(("operation", "body", "heading"), OPERATIONS)
def test_without_a_hash_there_is_no_edit(tmp_path: Path, operation: Operation, body: str, heading: str | None) -> None:
    note = Note(tmp_path, TREE)
    with pytest.raises(HashRequiredError):
        note.edit("A", operation, body, heading=heading, expected="")
    assert note.data == raw(TREE)


def test_twelve_digits_are_enough_and_eleven_are_not(tmp_path: Path) -> None:
    note = Note(tmp_path, TREE)
    full = note.hash("D")
    for bad in (full[:11], full[:16].upper(), full[:16] + "g", full + "0", " " + full, full[:16] + "…"):
        with pytest.raises(InvalidRequestError, match="first 12 digits"):
            note.edit("D", body="new", expected=bad)
    assert note.data == raw(TREE)
    note.edit("D", body="new", expected=full[:12])
    note.edit("D", body="newer", expected=note.hash("D")[:40])
    assert note.data == raw(TREE.replace("d⏎", "newer⏎"))


def test_the_part_whose_hash_was_given_is_the_part_that_is_replaced(tmp_path: Path) -> None:
    note = Note(tmp_path, TREE)
    note.edit("A", body="mine", expected=note.hash("A", own=True)[:16])
    assert note.data == raw(TREE.replace("a⏎", "mine⏎"))
    note.edit("A", body="all", expected=note.hash("A")[:16])
    assert note.data == raw("# A⏎⏎all⏎⏎# D⏎⏎d⏎")


def test_nobody_deletes_sub_sections_that_they_never_saw(tmp_path: Path) -> None:
    note = Note(tmp_path, TREE)
    with pytest.raises(InvalidRequestError, match="has sub-sections, which the hash does not cover"):
        note.edit("A", "delete", own=True)
    assert note.data == raw(TREE)


def test_only_a_change_of_the_addressed_part_is_a_conflict(tmp_path: Path) -> None:
    note = Note(tmp_path, "---⏎t: x⏎---⏎" + TREE)
    own, child, other = note.hash("A", own=True), note.hash("A > B"), note.hash("D")
    note.path.write_bytes(b"---\nt: y\nu: z\n---\nNew words before.\n\n" + raw(TREE.replace("b⏎", "b⏎⏎changed⏎")))
    note.edit("A", body="mine", expected=own)  # a sub-section changed, the own text did not
    note.edit("D", body="other", expected=other)  # moved, not changed
    with pytest.raises(ConflictError):
        note.edit("A > B", body="child", expected=child)
    assert note.data == b"---\nt: y\nu: z\n---\nNew words before.\n\n" + raw("# A⏎⏎mine⏎⏎## B⏎⏎b⏎⏎changed⏎⏎# D⏎⏎other⏎")


def test_a_conflict_brings_all_that_the_next_attempt_needs(tmp_path: Path) -> None:
    note = Note(tmp_path, TREE)
    with pytest.raises(ConflictError) as raised:
        note.edit("A", body="new", expected="0" * 16)
    details = raised.value.details
    assert details == {
        "current_hash": note.hash("A"),
        "current_content": "# A\n\na\n\n## B\n\nb",
        "current_own_hash": note.hash("A", own=True),
        "current_version": note.document.version,
        "current_modified": note.path.stat().st_mtime_ns / 1e9,
    }
    note.edit("A", body="new", expected=details["current_hash"])
    assert note.data == raw("# A⏎⏎new⏎⏎# D⏎⏎d⏎")


def test_what_another_program_writes_during_the_edit_is_kept_or_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import os
    import stat

    flush = os.fsync
    foreign: list[bytes] = []

    def flush_and_write(handle: int) -> None:
        flush(handle)
        if stat.S_ISREG(os.fstat(handle).st_mode) and foreign:
            note.path.write_bytes(foreign.pop())

    monkeypatch.setattr(os, "fsync", flush_and_write)
    note = Note(tmp_path, TREE)
    foreign.append(raw(TREE.replace("d⏎", "theirs⏎")))
    outcome = note.edit("A > B", body="ours")
    assert note.data == raw(TREE.replace("d⏎", "theirs⏎").replace("b⏎", "ours⏎"))
    assert outcome.before.data == raw(TREE.replace("d⏎", "theirs⏎"))  # the diff shows our part alone
    foreign.append(raw(TREE.replace("b⏎", "theirs⏎")))
    with pytest.raises(ConflictError, match="changed since it was read"):
        note.edit("A > B", body="again")
    assert note.data == raw(TREE.replace("b⏎", "theirs⏎"))
    assert os.listdir(tmp_path) == [FILE]
