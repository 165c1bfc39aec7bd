"""The structural rules of an edit: the literal splice, the order of the checks, and messages that clients may match."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_kb.editing.section import edit_section
from jupyter_kb.errors import (
    ConflictError,
    InvalidBodyError,
    InvalidPathError,
    InvalidRequestError,
    KBError,
    NoteNotFoundError,
    ReadOnlyError,
    SectionNotFoundError,
    UnverifiedEditError,
)
from jupyter_kb.models import SectionEdit, SectionRef
from jupyter_kb.settings import Settings
from tests.editing.notes import FILE, Note, raw

SPLICES = [
    # before, heading path, body, after
    ("# A⏎x", "A", "new", "# A⏎new"),
    ("# A⏎x⏎", "A", "new⏎", "# A⏎new⏎"),
    ("# A⏎x⏎⏎⏎", "A", "new⏎⏎", "# A⏎new⏎⏎⏎"),
    ("# A⏎⏎x⏎", "A", "new", "# A⏎new⏎"),
    ("# A⏎⏎x⏎", "A", "⏎new", "# A⏎⏎new⏎"),
    ("# A⏎⏎x⏎", "A", "⏎⏎⏎new", "# A⏎⏎⏎⏎new⏎"),
    ("# A⏎# B⏎", "A", "new", "# A⏎new⏎# B⏎"),
    ("# A⏎x⏎", "A", "", "# A⏎"),
    ("# A⏎x⏎⏎⏎", "A", "␠␠⏎", "# A⏎⏎⏎"),
    ("# A␍⏎x␍⏎", "A", "p⏎q", "# A␍⏎p⏎q␍⏎"),
    ("# A⏎x⏎", "A", "a⏎b␠␠␠", "# A⏎a⏎b⏎"),
    ("# A⏎x⏎⏎[r]: u⏎", "A", "new", "# A⏎new⏎⏎[r]: u⏎"),
    ("# A⏎x⏎## B⏎y⏎# C⏎", "A", "new", "# A⏎new⏎# C⏎"),
    ("# A⏎x⏎## B⏎y⏎# C⏎", "A > B", "## no⏎", None),
    ("# A⏎x⏎## B⏎y⏎# C⏎", "A > B", "### deep⏎", "# A⏎x⏎## B⏎### deep⏎# C⏎"),
    ("A⏎===⏎⏎x⏎", "A", "new", "A⏎===⏎new⏎"),
    ("---⏎a: b⏎---⏎# A⏎x⏎", "A", "---⏎c: d⏎---", "---⏎a: b⏎---⏎# A⏎---⏎c: d⏎---⏎"),
    ("# A⏎x⏎# A⏎y⏎", "A", "new", "# A⏎new⏎# A⏎y⏎"),
    ("# A⏎x⏎# A⏎y⏎", "A[2]", "new", "# A⏎x⏎# A⏎new⏎"),
    ("# A⏎x⏎", "A", "```⏎# code", "# A⏎```⏎# code⏎"),  # never closed, but nothing follows
    ("# A⏎x⏎", "A", "> # B⏎⏎- # C⏎⏎    # D", "# A⏎> # B⏎⏎- # C⏎⏎    # D⏎"),
    ("# A⏎x", "A", "x", "# A⏎x"),
    ("#⏎x⏎", "", "new", "#⏎new⏎"),
]


@pytest.mark.parametrize(("before", "path", "body", "after"), SPLICES)
def test_the_body_is_spliced_literally(tmp_path: Path, before: str, path: str, body: str, after: str | None) -> None:
    note = Note(tmp_path, before)
    if after is None:
        with pytest.raises(InvalidBodyError):
            note.edit_strictly(path, body)
        after = before
    else:
        outcome = note.edit_strictly(path, body)
        assert outcome.written
        assert outcome.after.data == raw(after)
    assert note.data == raw(after)


REFUSALS: list[tuple[str, str, str, str | None, type[KBError], str, dict[str, object]]] = [
    # before, heading path, body, hash (None: the right one), error, message, details
    (
        "# A⏎x⏎",
        "a",
        "",
        "",
        SectionNotFoundError,
        "heading path 'a' was not found in file 'n.md'",
        {"suggestions": ["A"]},
    ),
    (
        "words⏎⏎# A⏎",
        "Preamble",
        "x",
        "wrong",
        InvalidRequestError,
        "the preamble of 'n.md' has no heading and cannot be edited with edit_section",
        {},
    ),
    (
        "# A⏎x⏎## B⏎y⏎",
        "A > B",
        "# B⏎",
        "wrong",
        ConflictError,
        "section 'A > B' in 'n.md' changed since it was read: expected hash wrong,"
        " current hash 5bfe5bdc7cbe4ffa4f71dca8f78b3d1d0a31c33c5c4b6c9a7d8aeb36dbf5a6b5",
        {},
    ),
    (
        "# A⏎x⏎## B⏎y⏎",
        "A > B",
        "text⏎# H *em*⏎",
        None,
        InvalidBodyError,
        "new body contains heading 'H em' at level 1, which would escape section 'A > B' at level 2;"
        " use headings deeper than level 2 or edit a higher-level section",
        {},
    ),
    (
        "# A⏎x⏎## B⏎y⏎",
        "A > B",
        "text⏎---⏎",
        None,
        InvalidBodyError,
        "new body contains heading 'text' at level 2, which would escape section 'A > B' at level 2;"
        " use headings deeper than level 2 or edit a higher-level section",
        {},
    ),
    (
        "# A⏎x⏎# B⏎",
        "A",
        "```⏎",
        None,
        UnverifiedEditError,
        "the edit would change sections outside 'A' (for example by merging into an adjacent section);"
        " edit rejected, file unmodified",
        {},
    ),
    (
        "# A⏎```⏎x⏎```⏎B⏎===⏎",
        "A",
        "text",
        None,
        UnverifiedEditError,
        "the edit would change sections outside 'A' (for example by merging into an adjacent section);"
        " edit rejected, file unmodified",
        {},
    ),
]


@pytest.mark.parametrize(("before", "path", "body", "expected", "kind", "message", "details"), REFUSALS)
def test_a_refusal_says_why_in_the_words_that_clients_know(
    tmp_path: Path,
    before: str,
    path: str,
    body: str,
    expected: str | None,
    kind: type[KBError],
    message: str,
    details: dict[str, object],
) -> None:
    note = Note(tmp_path, before)
    stat = note.vault.stat(FILE)
    if kind is ConflictError:
        message = message.rpartition(" ")[0] + " " + note.hash(path)
    with pytest.raises(kind) as raised:
        note.edit_strictly(path, body, expected=expected)
    assert raised.value.message == str(raised.value) == message
    assert details.items() <= raised.value.details.items()
    assert note.vault.stat(FILE) == stat
    assert note.data == raw(before)


def test_a_conflict_carries_the_current_hash_and_text(tmp_path: Path) -> None:
    note = Note(tmp_path, "# A⏎x⏎")
    with pytest.raises(ConflictError) as raised:
        note.edit_strictly("A", "new", expected="0" * 64)
    assert raised.value.details == {
        "current_hash": note.hash("A"),
        "current_content": "# A\nx",
        "current_version": note.document.version,
        "current_modified": note.path.stat().st_mtime_ns / 1e9,
    }


def test_only_the_whole_hash_of_the_whole_section_counts(tmp_path: Path) -> None:
    note = Note(tmp_path, "# A⏎x⏎## B⏎y⏎")
    full = note.hash("A")
    for expected in (full[:63], full[:16], full.upper(), full + " ", "", note.hash("A", own=True)):
        with pytest.raises(ConflictError):
            note.edit_strictly("A", "new", expected=expected)
    assert note.data == b"# A\nx\n## B\ny\n"


@pytest.mark.parametrize("file", ["../n.md", "a/../n.md", "..", "..\\n.md"])
def test_a_path_that_leads_out_is_refused_first(tmp_path: Path, file: str) -> None:
    note = Note(tmp_path, "# A⏎x⏎")
    with pytest.raises(InvalidPathError) as raised:
        note.edit_strictly("none", "new", file=file, expected="")
    assert raised.value.message == f"file '{file}' is not a vault-relative path"
    assert "suggestions" not in raised.value.details


def test_a_missing_file_is_named_as_it_was_given_with_suggestions(tmp_path: Path) -> None:
    note = Note(tmp_path, "# A⏎x⏎")
    with pytest.raises(NoteNotFoundError) as raised:
        note.edit_strictly("A", "new", file="./m.md")
    assert raised.value.message == "file './m.md' could not be read: No such file or directory"
    assert raised.value.details["suggestions"] == ["n.md"]


def test_a_name_with_slashes_and_dots_is_the_same_note(tmp_path: Path) -> None:
    note = Note(tmp_path, "# A⏎x⏎")
    assert note.edit_strictly("A", "new", file="./\\n.md").file == "n.md"
    assert note.data == b"# A\nnew\n"


def test_the_disk_decides_not_what_was_read_before(tmp_path: Path) -> None:
    note = Note(tmp_path, "# A⏎x⏎")
    old = note.hash("A")
    note.path.write_bytes(b"# A\ny\n")
    with pytest.raises(ConflictError):
        note.edit_strictly("A", "new", expected=old)
    assert note.data == b"# A\ny\n"


def test_the_same_body_succeeds_with_the_same_hash(tmp_path: Path) -> None:
    note = Note(tmp_path, "# A⏎x⏎")
    outcome = note.edit_strictly("A", "x")
    assert outcome.written
    assert outcome.section is not None
    assert outcome.section.content_hash == note.hash("A")
    assert (outcome.diff, outcome.changed) == ("", ())


def test_only_replacing_is_part_of_these_rules(tmp_path: Path) -> None:
    note = Note(tmp_path, "# A⏎x⏎")
    edit = SectionEdit(
        section=SectionRef(file=FILE, heading_path="A"), expected_hash=note.hash("A"), operation="delete", strict=True
    )
    with pytest.raises(InvalidRequestError, match="not part of the structural rules"):
        edit_section(note.vault, edit)


def test_a_read_only_vault_refuses(tmp_path: Path) -> None:
    note = Note(tmp_path, "# A⏎x⏎", Settings(read_only=True))
    with pytest.raises(ReadOnlyError):
        note.edit_strictly("A", "new")
    assert note.data == b"# A\nx\n"


def test_a_fence_that_swallows_a_heading_and_exposes_another_of_its_name_is_refused(tmp_path: Path) -> None:
    text = "# A⏎⏎x⏎⏎# Usage⏎⏎```⏎# Usage⏎run it⏎```⏎"
    note = Note(tmp_path, text)
    section = note.document.find("A", exact=True)
    edit = SectionEdit(
        section=SectionRef(file=FILE, heading_path="A", exact=True),
        expected_hash=section.content_hash,
        body="```\nnever closed",
        strict=True,
    )
    with pytest.raises(UnverifiedEditError):
        edit_section(note.vault, edit)
    assert note.data == raw(text)
