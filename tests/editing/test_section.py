"""Every operation of a guarded edit, with the bytes that it gives."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_kb.errors import (
    AmbiguousSectionError,
    FileTooLargeError,
    InvalidBodyError,
    InvalidRequestError,
    ReadOnlyError,
    SectionNotFoundError,
)
from jupyter_kb.models import Operation
from jupyter_kb.settings import Settings
from tests.editing.notes import FILE, Note, raw

TREE = "# A⏎⏎a⏎⏎## B⏎⏎b⏎⏎## C⏎⏎c⏎⏎# D⏎⏎d⏎"

CASES: list[tuple[str, str, Operation, bool, str | None, str, str]] = [
    # before, heading path, operation, hash of the own text only, heading, body, after
    ("# A⏎⏎x⏎", "A", "replace", False, None, "new", "# A⏎⏎new⏎"),
    ("# A⏎x⏎", "A", "replace", False, None, "⏎⏎new⏎⏎", "# A⏎new⏎"),
    ("# A␍⏎␍⏎x␍⏎", "A", "replace", False, None, "p⏎q", "# A␍⏎␍⏎p␍⏎q␍⏎"),
    ("# A⏎⏎x", "A", "replace", False, None, "new⏎", "# A⏎⏎new"),
    ("# A⏎⏎x⏎⏎⏎", "A", "replace", False, None, "", "# A⏎⏎⏎"),
    (TREE, "A", "replace", False, None, "new", "# A⏎⏎new⏎⏎# D⏎⏎d⏎"),
    (TREE, "A", "replace", True, None, "new", TREE.replace("a⏎", "new⏎")),
    (TREE, "A", "replace", True, None, "", "# A⏎⏎## B⏎⏎b⏎⏎## C⏎⏎c⏎⏎# D⏎⏎d⏎"),
    (TREE, "A > B", "replace", False, None, "new⏎⏎### E", TREE.replace("b⏎", "new⏎⏎### E⏎")),
    (TREE, "A", "append", True, None, "more", TREE.replace("a⏎", "a⏎⏎more⏎")),
    (TREE, "A", "append", False, None, "more", TREE.replace("c⏎", "c⏎⏎more⏎")),
    (TREE, "A", "append", False, None, "## E⏎⏎e", TREE.replace("c⏎", "c⏎⏎## E⏎⏎e⏎")),
    ("# A⏎⏎- a⏎", "A", "append", False, None, "- b", "# A⏎⏎- a⏎- b⏎"),
    ("# A⏎⏎| a |⏎|---|⏎| b |⏎", "A", "append", False, None, "| c |⏎| d |", "# A⏎⏎| a |⏎|---|⏎| b |⏎| c |⏎| d |⏎"),
    ("# A⏎", "A", "append", False, None, "new", "# A⏎⏎new⏎"),
    (TREE, "A", "prepend", False, None, "first", TREE.replace("a⏎", "first⏎⏎a⏎")),
    (TREE, "A", "prepend", True, None, "first", TREE.replace("a⏎", "first⏎⏎a⏎")),
    ("# A⏎⏎- a⏎", "A", "prepend", False, None, "- b", "# A⏎⏎- b⏎- a⏎"),
    ("# A⏎⏎---⏎", "A", "prepend", False, None, "text", "# A⏎⏎text⏎⏎---⏎"),
    (TREE, "A > B", "insert_before", False, "E", "e", TREE.replace("## B", "## E⏎⏎e⏎⏎## B")),
    (TREE, "A > C", "insert_before", False, "E", "", TREE.replace("## C", "## E⏎⏎## C")),
    (TREE, "A", "insert_before", True, "E", "e", "# E⏎⏎e⏎⏎" + TREE),
    ("---⏎t: x⏎---⏎# A⏎x⏎# B", "A", "insert_before", False, "E", "e", "---⏎t: x⏎---⏎# E⏎e⏎# A⏎x⏎# B"),
    ("words␍⏎␍⏎A␍⏎=␍⏎", "A", "insert_before", False, "E", "e⏎f", "words␍⏎␍⏎# E␍⏎␍⏎e␍⏎f␍⏎␍⏎A␍⏎=␍⏎"),
    (TREE, "A > B", "insert_after", False, "E", "e", TREE.replace("b⏎", "b⏎⏎## E⏎⏎e⏎")),
    (TREE, "A", "insert_after", True, "E", "e", TREE.replace("c⏎", "c⏎⏎# E⏎⏎e⏎")),
    (TREE, "D", "insert_after", False, "E", "", TREE + "⏎# E⏎"),
    (TREE, "A", "insert_child", False, "E", "e", TREE.replace("c⏎", "c⏎⏎## E⏎⏎e⏎")),
    (TREE, "A > C", "insert_child", False, "E", "e", TREE.replace("c⏎", "c⏎⏎### E⏎⏎e⏎")),
    (TREE, "A", "rename", True, "Z `code`", "", TREE.replace("# A", "# Z `code`", 1)),
    ("## A ##⏎x⏎", "A", "rename", False, "B", "", "## B ##⏎x⏎"),
    ("A⏎=⏎x⏎", "A", "rename", False, "Long name", "", "Long name⏎=========⏎x⏎"),
    ("A⏎---⏎x⏎", "A", "rename", False, "- item", "", "## - item⏎x⏎"),
    ("# A⏎x⏎", "A", "rename", False, "C #", "", "# C \\#⏎x⏎"),
    (TREE, "A > B", "delete", False, None, "", "# A⏎⏎a⏎⏎## C⏎⏎c⏎⏎# D⏎⏎d⏎"),
    (TREE, "A", "delete", False, None, "", "# D⏎⏎d⏎"),
    (TREE, "D", "delete", False, None, "", "# A⏎⏎a⏎⏎## B⏎⏎b⏎⏎## C⏎⏎c⏎"),
    ("---⏎t: x⏎---⏎# A⏎x⏎", "A", "delete", False, None, "", "---⏎t: x⏎---⏎"),
    ("# A⏎⏎a␠␠⏎⏎# B⏎⏎b␠␠⏎⏎# C⏎", "B", "delete", False, None, "", "# A⏎⏎a␠␠⏎⏎# C⏎"),
    ("# A⏎⏎a␠␠⏎⏎# B⏎⏎b␠␠⏎", "A", "append", False, None, "c", "# A⏎⏎a␠␠⏎⏎c⏎⏎# B⏎⏎b␠␠⏎"),
    ("one⏎⏎two⏎⏎# A⏎", "Preamble", "replace", False, None, "new", "new⏎⏎# A⏎"),
    ("one⏎⏎# A⏎", "Preamble", "replace", False, None, "", "# A⏎"),
    ("one⏎⏎# A⏎", "Preamble", "append", False, None, "two", "one⏎⏎two⏎⏎# A⏎"),
    ("---⏎t: x⏎---⏎one⏎# A⏎", "Preamble", "prepend", False, None, "zero", "---⏎t: x⏎---⏎zero⏎⏎one⏎# A⏎"),
    ("one⏎", "Preamble", "append", False, None, "two", "one⏎⏎two⏎"),
    ("one⏎⏎# A⏎", "Preamble", "delete", False, None, "", "# A⏎"),
    ("one⏎⏎## A⏎", "Preamble", "insert_after", False, "B", "b", "one⏎⏎## B⏎⏎b⏎⏎## A⏎"),
]


@pytest.mark.parametrize(("before", "path", "operation", "own", "heading", "body", "after"), CASES)
def test_an_operation_gives_these_bytes(
    tmp_path: Path,
    before: str,
    path: str,
    operation: Operation,
    own: bool,
    heading: str | None,
    body: str,
    after: str,
) -> None:
    note = Note(tmp_path, before)
    outcome = note.edit(path, operation, body, heading=heading, own=own)
    assert note.data.decode() == raw(after).decode()
    assert outcome.after.data == note.data
    assert outcome.before.data == raw(before)
    assert outcome.written
    assert (outcome.section is None) == (operation == "delete" or (path == "Preamble" and not body and not heading))


def test_the_section_of_the_outcome_is_the_edited_or_the_new_one(tmp_path: Path) -> None:
    note = Note(tmp_path, TREE)
    for path, operation, heading, expected in [
        ("A > B", "append", None, "A > B"),
        ("A > C", "insert_before", "E0", "A > E0"),
        ("A > B", "insert_after", "B", "A > B[2]"),
        ("A", "insert_child", "E", "A > E"),
        ("A > C", "rename", "Z", "A > Z"),
        ("D", "insert_after", "F", "F"),
    ]:
        body = "" if operation == "rename" else "text"
        outcome = note.edit(path, operation, body, heading=heading)  # type: ignore[arg-type]
        assert outcome.section is not None
        assert outcome.section.heading_path == expected
        assert outcome.section.content_hash == note.hash(expected)


def test_what_changed_is_listed_with_all_that_holds_it(tmp_path: Path) -> None:
    note = Note(tmp_path, TREE)
    assert note.edit("A > B", body="new").changed == ("A", "A > B")
    assert note.edit("D", "append", "new").changed == ("D",)
    assert note.edit("A", "rename", heading="Z").changed == ("Z", "Z > B", "Z > C")
    assert note.edit("Z > B", "delete").changed == ("Z",)


def test_a_rehearsal_shows_everything_and_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    note = Note(tmp_path, TREE, Settings(read_only=True))
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
    stat = note.vault.stat(FILE)
    outcome = note.edit("A > B", body="new", dry_run=True)
    assert not outcome.written
    assert outcome.section is not None
    assert outcome.changed == ("A", "A > B")
    assert "\n-b\n+new\n" in outcome.diff
    assert (note.data, note.vault.stat(FILE)) == (raw(TREE), stat)
    assert not (tmp_path / "runtime").exists()  # not even a lock
    with pytest.raises(ReadOnlyError):
        note.edit("A > B", body="new")
    assert note.data == raw(TREE)


def test_bytes_that_are_not_text_survive_and_can_be_sent_back(tmp_path: Path) -> None:
    note = Note(tmp_path, b"# A\n\nx \xff y\n\n# B\n\n\xc3\x28\n")
    outcome = note.edit("A", body="x \udcff z")
    assert note.data == b"# A\n\nx \xff z\n\n# B\n\n\xc3\x28\n"
    assert "-x \udcff y\n+x \udcff z\n" in outcome.diff


@pytest.mark.parametrize("text", ["\ud800", "a\udc7fb"])
def test_half_a_character_is_refused_and_not_replaced(tmp_path: Path, text: str) -> None:
    note = Note(tmp_path, TREE)
    from jupyter_kb.editing.section import edit_section
    from jupyter_kb.models import SectionEdit, SectionRef

    for operation, body, heading in (("replace", text, None), ("rename", "", text)):
        edit = SectionEdit(
            section=SectionRef(file=FILE, heading_path="D"),
            expected_hash=note.hash("D"),
            operation=operation,  # type: ignore[arg-type]
            body=body,
            heading=heading,
        )
        with pytest.raises(InvalidRequestError, match="half a character"):
            edit_section(note.vault, edit)
    assert note.data == raw(TREE)


# ── naming the section ──────────────────────────────────────────────────────────────────────────


def test_a_section_is_named_by_path_list_suffix_or_line(tmp_path: Path) -> None:
    note = Note(tmp_path, TREE)
    note.edit(("A", "B"), body="one")
    note.edit("C", body="two")
    note.edit(line=5, body="three")
    assert note.data == raw(TREE.replace("b⏎", "three⏎").replace("c⏎", "two⏎"))


def test_equal_headings_are_never_guessed_between(tmp_path: Path) -> None:
    text = "# A⏎⏎## X⏎⏎1⏎⏎# B⏎⏎## X⏎⏎2⏎⏎# C⏎⏎c⏎⏎# C⏎⏎d⏎"
    note = Note(tmp_path, text)
    with pytest.raises(AmbiguousSectionError) as raised:
        note.edit("X", body="new", expected="0" * 12)
    assert raised.value.details["candidates"] == [
        {"heading_path": "A > X", "line": 3},
        {"heading_path": "B > X", "line": 9},
    ]
    assert note.data == raw(text)
    note.edit("B > X", body="new")
    note.edit("C[2]", body="newer")
    note.edit(line=13, body="first")
    assert note.data == raw(text.replace("2⏎", "new⏎").replace("d⏎", "newer⏎").replace("c⏎", "first⏎"))


def test_a_path_of_equal_siblings_is_refused_where_the_hash_fits_another_than_the_first(tmp_path: Path) -> None:
    text = "# A⏎⏎## X⏎⏎same⏎⏎## X⏎⏎same⏎⏎## X⏎⏎other⏎"
    note = Note(tmp_path, text)
    first, _, third = [section for section in note.document.sections if section.level == 2]
    for expected in (first.content_hash, third.content_hash):
        with pytest.raises(AmbiguousSectionError) as raised:
            note.edit("A > X", body="new", expected=expected)
        assert [candidate["line"] for candidate in raised.value.details["candidates"]] == [3, 7, 11]
    assert note.data == raw(text)
    note.edit(line=7, body="new", expected=first.content_hash)
    note.edit("A > X", body="newer", expected=first.content_hash)
    assert note.data == raw(text.replace("same", "newer", 1).replace("same", "new"))


def test_paths_that_collide_are_told_apart_by_line(tmp_path: Path) -> None:
    text = "# G⏎⏎1⏎⏎# G[2]⏎⏎2⏎⏎# G⏎⏎3⏎"
    note = Note(tmp_path, text)
    with pytest.raises(AmbiguousSectionError):
        note.edit("G[2]", body="new", expected="0" * 12)
    note.edit(line=9, body="new")
    assert note.data == raw(text.replace("3⏎", "new⏎"))


def test_an_unknown_heading_gets_near_ones(tmp_path: Path) -> None:
    note = Note(tmp_path, TREE)
    with pytest.raises(SectionNotFoundError, match=r"heading path 'A > X' was not found in file 'n\.md'") as raised:
        note.edit("A > X", body="new", expected="0" * 12)
    assert raised.value.details["suggestions"][:2] == ["A > B", "A > C"]


def test_a_line_without_a_section_is_refused(tmp_path: Path) -> None:
    note = Note(tmp_path, "---⏎a: b⏎---⏎# A⏎x⏎")
    for line in (0, 2, 6, -1):
        with pytest.raises(SectionNotFoundError):
            note.edit(line=line, body="new", expected="0" * 12)


# ── requests that no file could satisfy ─────────────────────────────────────────────────────────

NONSENSE: list[tuple[Operation, str | None, str, str]] = [
    ("rename", None, "", "needs a heading"),
    ("rename", "  ", "", "needs a heading"),
    ("insert_after", None, "x", "needs a heading"),
    ("insert_child", "a\nb", "x", "one line"),
    ("rename", "a\rb", "", "one line"),
    ("rename", "## B", "", "leave|begins with"),
    ("replace", "B", "x", "takes no heading"),
    ("delete", "B", "", "takes no heading"),
    ("delete", None, "x", "takes no body"),
    ("rename", "B", "x", "takes no body"),
    ("append", None, " \n", "needs a body"),
    ("prepend", None, "", "needs a body"),
    ("insert_before", None, "x", "needs a heading"),
    ("move", None, "", "needs a target"),
    ("move", "B", "", "takes no heading"),
]


@pytest.mark.parametrize(("operation", "heading", "body", "message"), NONSENSE)
def test_what_an_operation_does_not_take_is_refused(
    tmp_path: Path, operation: Operation, heading: str | None, body: str, message: str
) -> None:
    note = Note(tmp_path, TREE)
    with pytest.raises(InvalidRequestError, match=message):
        note.edit("D", operation, body, heading=heading)
    assert note.data == raw(TREE)


def test_the_section_must_be_named(tmp_path: Path) -> None:
    note = Note(tmp_path, TREE)
    with pytest.raises(InvalidRequestError, match="name the section"):
        note.edit(body="new", expected="0" * 12)


def test_nothing_is_inserted_before_the_preamble(tmp_path: Path) -> None:
    note = Note(tmp_path, "words⏎⏎# A⏎")
    with pytest.raises(InvalidRequestError, match="stands before all sections"):
        note.edit("Preamble", "insert_before", heading="X")


def test_the_preamble_has_no_heading_to_rename_and_no_children(tmp_path: Path) -> None:
    note = Note(tmp_path, "words⏎⏎# A⏎")
    for operation in ("rename", "insert_child"):
        with pytest.raises(InvalidRequestError, match="preamble"):
            note.edit("Preamble", operation, heading="X")
    assert note.data == raw("words⏎⏎# A⏎")


def test_there_is_no_level_seven(tmp_path: Path) -> None:
    note = Note(tmp_path, "###### A⏎")
    with pytest.raises(InvalidRequestError, match="level 6"):
        note.edit("A", "insert_child", heading="X")


def test_a_note_never_grows_over_the_limit(tmp_path: Path) -> None:
    note = Note(tmp_path, "# A⏎", Settings(max_file_bytes=100))
    with pytest.raises(FileTooLargeError):
        note.edit("A", body="x" * 100)
    assert note.data == b"# A\n"


ESCAPES: list[tuple[str, Operation, str | None, str, str]] = [
    ("A > B", "replace", None, "# X", "heading 'X' at level 1, which would escape section 'A > B' at level 2"),
    ("A > B", "append", None, "## X", "heading 'X' at level 2, which would escape section 'A > B' at level 2"),
    ("A > B", "prepend", None, "text⏎---", "heading 'text' at level 2, which would escape section 'A > B'"),
    ("A > B", "insert_after", "N", "## X", "heading 'X' at level 2, which would escape section 'N' at level 2"),
    ("A > B", "insert_child", "N", "### X", "heading 'X' at level 3, which would escape section 'N' at level 3"),
    ("A > B", "replace", None, "---⏎⏎# X", "heading 'X' at level 1"),
]


@pytest.mark.parametrize(("path", "operation", "heading", "body", "message"), ESCAPES)
def test_no_heading_in_the_new_text_may_end_its_section(
    tmp_path: Path, path: str, operation: Operation, heading: str | None, body: str, message: str
) -> None:
    note = Note(tmp_path, TREE)
    with pytest.raises(InvalidBodyError, match=message):
        note.edit(path, operation, body, heading=heading)
    assert note.data == raw(TREE)


def test_the_heading_line_in_the_body_is_explained(tmp_path: Path) -> None:
    note = Note(tmp_path, TREE)
    with pytest.raises(InvalidBodyError) as raised:
        note.edit("D", body="# D⏎⏎new")
    assert "leave the heading line itself out" in (raised.value.hint or "")


@pytest.mark.parametrize("operation", ["replace", "append", "prepend"])
def test_a_preamble_takes_no_heading_of_any_level(tmp_path: Path, operation: Operation) -> None:
    note = Note(tmp_path, "words⏎⏎# A⏎")
    with pytest.raises(InvalidBodyError, match="before the first heading can hold none"):
        note.edit("Preamble", operation, "###### X")
    assert note.data == raw("words⏎⏎# A⏎")
