"""What is refused because the result would change more than its section."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_kb.errors import UnverifiedEditError
from jupyter_kb.models import Operation
from tests.editing.notes import FILE, Note, raw

REFUSED: list[tuple[str, str, Operation, bool, str | None, str]] = [
    # before, heading path, operation, hash of the own text only, heading, body
    ("# A⏎⏎x⏎⏎# B⏎", "A", "replace", False, None, "```⏎code"),
    ("# A⏎⏎x⏎⏎# B⏎", "A", "replace", False, None, "~~~~⏎~~~"),
    ("# A⏎⏎x⏎⏎# B⏎", "A", "replace", False, None, "<!-- never closed"),
    ("# A⏎⏎x⏎⏎# B⏎", "A", "replace", False, None, "<script>"),
    ("# A⏎⏎x⏎⏎# B⏎", "A", "append", False, None, "```"),
    ("# A⏎⏎x⏎⏎# B⏎", "A", "insert_after", False, "N", "```"),
    ("# A⏎⏎x⏎⏎# B⏎", "A", "insert_child", False, "N", "<!--"),
    ("# A⏎⏎x⏎⏎## B⏎⏎y⏎", "A", "replace", True, None, "```"),
    ("# A⏎⏎x⏎", "A", "prepend", False, None, "```"),
    ("# A⏎⏎x⏎", "A", "prepend", False, None, "<!-- "),
    ("# A⏎⏎```⏎code⏎", "A", "append", False, None, "text"),
    ("# A⏎⏎<!-- open⏎", "A", "append", False, None, "text"),
    ("# A⏎⏎```⏎code⏎", "A", "insert_after", False, "N", "text"),
    ("# A⏎⏎```⏎code⏎", "A", "insert_child", False, "N", ""),
    ("# A⏎⏎- item⏎", "A", "append", False, None, "      not code any more"),
    ("# A⏎⏎- item⏎⏎## B⏎", "A", "append", True, None, "     code"),
    ("# A⏎⏎  text⏎", "A", "prepend", False, None, "- item"),
    ("# A⏎⏎  - b⏎", "A", "prepend", False, None, "- a"),
    ("# A⏎⏎x⏎⏎[r]: u⏎", "A", "replace", False, None, "```"),  # would swallow the definition unseen
    ("# A⏎⏎x⏎⏎## B⏎⏎y⏎", "A", "replace", True, None, "new⏎⏎## B"),  # the old B would become B[2]
    ("# A⏎⏎x⏎⏎### B⏎⏎y⏎", "A", "replace", True, None, "new⏎⏎## N"),  # B would become a child of N
    ("words⏎⏎# A⏎⏎---⏎", "Preamble", "replace", False, None, "---⏎⏎words"),  # would become front matter
    ("words⏎⏎# A⏎⏎---⏎⏎x⏎", "Preamble", "prepend", False, None, "---"),
]


@pytest.mark.parametrize(("before", "path", "operation", "own", "heading", "body"), REFUSED)
def test_what_cannot_be_verified_is_refused_and_nothing_is_written(
    tmp_path: Path, before: str, path: str, operation: Operation, own: bool, heading: str | None, body: str
) -> None:
    note = Note(tmp_path, before)
    stat = note.vault.stat(FILE)
    with pytest.raises(UnverifiedEditError, match="edit rejected, file unmodified"):
        note.edit(path, operation, body, own=own, heading=heading)
    assert (note.vault.stat(FILE), note.data) == (stat, raw(before))


ACCEPTED: list[tuple[str, str, Operation, str, str]] = [
    # traps that splice gets right: before, heading path, operation, body, after
    ("# A⏎```⏎x⏎```⏎B⏎===⏎", "A", "replace", "text", "# A⏎text⏎⏎B⏎===⏎"),
    ("# A⏎⏎x⏎⏎B⏎===⏎", "A", "append", "text", "# A⏎⏎x⏎⏎text⏎⏎B⏎===⏎"),
    ("# A⏎[r]: u⏎", "A", "replace", "text", "# A⏎⏎text⏎⏎[r]: u⏎"),
    ("# A⏎⏎- a⏎⏎B⏎===⏎", "A", "append", "- b", "# A⏎⏎- a⏎- b⏎⏎B⏎===⏎"),
    ("# A⏎⏎x⏎", "A", "replace", "```⏎never closed, but nothing follows", "# A⏎⏎```⏎never closed, but nothing follows⏎"),
    ("# A⏎⏎x⏎", "A", "append", "```⏎code", "# A⏎⏎x⏎⏎```⏎code⏎"),
    ("# A⏎⏎x⏎⏎# B⏎", "A", "replace", "<div>⏎⏎text⏎⏎</div>", "# A⏎⏎<div>⏎⏎text⏎⏎</div>⏎⏎# B⏎"),
    ("# A⏎⏎- a⏎", "A", "append", "text", "# A⏎⏎- a⏎⏎text⏎"),
    ("# A⏎⏎- a⏎", "A", "append", "   text⏎⏎   more", "# A⏎⏎- a⏎⏎text⏎⏎   more⏎"),
    ("# A⏎⏎- a⏎", "A", "append", "⏎␠⏎  text", "# A⏎⏎- a⏎⏎text⏎"),
    ("# A⏎⏎- a⏎", "A", "append", "  - b", "# A⏎⏎- a⏎  - b⏎"),
    ("# A⏎⏎a⏎", "A", "append", "   text", "# A⏎⏎a⏎⏎   text⏎"),
    ("# A⏎⏎a⏎", "A", "append", "    code", "# A⏎⏎a⏎⏎    code⏎"),
    ("# A⏎⏎| a |⏎|---|⏎| b |⏎", "A", "append", "| c |⏎|---|", "# A⏎⏎| a |⏎|---|⏎| b |⏎⏎| c |⏎|---|⏎"),
    ("# A⏎⏎| a |⏎|---|⏎| b |⏎", "A", "prepend", "| c |⏎|---|", "# A⏎⏎| c |⏎|---|⏎⏎| a |⏎|---|⏎| b |⏎"),
    ("# A␍⏎␍⏎| a⏎", "A", "append", "| b", "# A␍⏎␍⏎| a␍⏎␍⏎| b⏎"),
    ("# A⏎⏎> q⏎", "A", "append", "> r", "# A⏎⏎> q⏎⏎> r⏎"),
    ("# A⏎⏎text⏎", "A", "prepend", "---", "# A⏎⏎---⏎⏎text⏎"),
]


@pytest.mark.parametrize(("before", "path", "operation", "body", "after"), ACCEPTED)
def test_neighbours_are_kept_apart(
    tmp_path: Path, before: str, path: str, operation: Operation, body: str, after: str
) -> None:
    note = Note(tmp_path, before)
    note.edit(path, operation, body)
    assert note.data.decode() == raw(after).decode()


EQUAL = "# X⏎⏎1⏎⏎# X⏎⏎2⏎⏎## Y⏎⏎# X⏎⏎3⏎"


def test_later_equal_headings_get_other_numbers_where_one_comes_or_goes(tmp_path: Path) -> None:
    note = Note(tmp_path, EQUAL)
    outcome = note.edit("X", "delete", expected=note.hash("X"))
    assert [section.heading_path for section in outcome.after.sections] == ["X", "X > Y", "X[2]"]
    note = Note(tmp_path, EQUAL)
    outcome = note.edit(line=1, operation="rename", heading="Z")
    assert [section.heading_path for section in outcome.after.sections] == ["Z", "X", "X > Y", "X[2]"]
    note = Note(tmp_path, EQUAL)
    outcome = note.edit(line=1, operation="insert_after", heading="X")
    assert [section.heading_path for section in outcome.after.sections] == ["X", "X[2]", "X[3]", "X[3] > Y", "X[4]"]
    assert outcome.section is outcome.after.sections[1]


def test_an_emptied_preamble_gives_its_name_free(tmp_path: Path) -> None:
    note = Note(tmp_path, "words⏎⏎# Preamble⏎⏎x⏎")
    outcome = note.edit(line=1, body="")
    assert [section.heading_path for section in outcome.after.sections] == ["Preamble"]
    assert note.data == b"# Preamble\n\nx\n"
