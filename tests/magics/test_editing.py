"""Writing from a notebook: guarded by what it saw, never unseen."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import pytest

from jupyter_kb.errors import ConflictError, HashRequiredError
from jupyter_kb.magics.reports import Edit
from tests.magics.shells import Notebook

IDEAS = "inbox > Ideas"


def _inbox(vault: Path) -> str:
    return (vault / "inbox.md").read_text(encoding="utf-8")


def test_a_section_that_was_read_is_replaced(notebook: Notebook, demo_vault: Path) -> None:
    before = _inbox(demo_vault)
    notebook.run(f"%kb get {IDEAS}")
    edit = notebook.run(f"%%kb edit {IDEAS}\n- Compare the two lamps.\n")

    assert isinstance(edit, Edit)
    assert edit.written
    assert "+- Compare the two lamps.\n" in edit.diff
    assert edit.content_hash is not None
    assert edit.content_hash[:16] in edit._repr_mimebundle_()["text/html"]
    head, _, _ = before.partition("## Ideas")
    assert _inbox(demo_vault).startswith(f"{head}## Ideas\n\n- Compare the two lamps.")


def test_a_section_that_was_not_read_is_shown_and_not_written(notebook: Notebook, demo_vault: Path) -> None:
    before = _inbox(demo_vault)
    told = notebook.fails(f"%%kb edit {IDEAS}\n- mine")

    assert "this notebook has not read 'Ideas'" in told
    assert "`%kb get inbox.md > Inbox > Ideas`" in told
    assert "Hanne suggests" in notebook.shown[0]["text/plain"]
    assert _inbox(demo_vault) == before
    # having been shown it by a refusal is not having read it: the cell does not write at the second run either
    notebook.fails(f"%%kb edit {IDEAS}\n- mine")
    assert _inbox(demo_vault) == before


def test_a_hash_stands_for_having_read(notebook: Notebook, demo_vault: Path) -> None:
    told = notebook.fails(f"%%kb edit {IDEAS}\n- mine")
    digits = told.rpartition(" ")[2]
    notebook.run(f"%%kb edit {IDEAS} --hash {digits}\n- mine")

    assert "- mine" in _inbox(demo_vault)


def test_a_wrong_hash_is_a_conflict(notebook: Notebook, demo_vault: Path) -> None:
    before = _inbox(demo_vault)
    notebook.fails(f"%%kb edit {IDEAS} --hash {'0' * 16}\n- mine")

    assert _inbox(demo_vault) == before


def test_a_conflict_shows_both_texts_and_writes_nothing(notebook: Notebook, demo_vault: Path) -> None:
    notebook.run(f"%kb get {IDEAS}")
    theirs = _inbox(demo_vault).replace("Hanne suggests", "Yuki suggests")
    (demo_vault / "inbox.md").write_text(theirs, encoding="utf-8")
    told = notebook.fails(f"%%kb edit {IDEAS}\n- mine")

    assert told.startswith("not written: 'Ideas' changed since it was read")
    shown = notebook.shown[0]
    assert "Yuki suggests" in shown["text/plain"]
    assert "- mine" in shown["text/plain"]
    table = _Columns.of(shown["text/html"])
    assert table.rows[0] == ["In the note now", "Your text, not written"]
    assert any("Yuki suggests" in row[0] and row[1] == "- mine" for row in table.rows[1:] if len(row) == 2)
    assert "What changed since it was read" in shown["text/html"]
    assert _inbox(demo_vault) == theirs


def test_after_a_conflict_reading_again_opens_the_way(notebook: Notebook, demo_vault: Path) -> None:
    notebook.run(f"%kb get {IDEAS}")
    path = demo_vault / "inbox.md"
    path.write_text(_inbox(demo_vault).replace("Hanne suggests", "Yuki suggests"), encoding="utf-8")
    notebook.fails(f"%%kb edit {IDEAS}\n- mine")
    notebook.run(f"%kb get {IDEAS}")
    notebook.run(f"%%kb edit {IDEAS}\n- mine")

    assert "- mine" in _inbox(demo_vault)


def test_a_dry_run_shows_the_difference_only(notebook: Notebook, demo_vault: Path) -> None:
    before = _inbox(demo_vault)
    notebook.run(f"%kb get {IDEAS}")
    edit = notebook.run(f"%%kb edit {IDEAS} --dry-run\n- mine")

    assert not edit.written
    assert "+- mine" in edit._repr_mimebundle_()["text/plain"]
    assert _inbox(demo_vault) == before


def test_the_same_cell_may_run_twice(notebook: Notebook) -> None:
    notebook.run(f"%kb get {IDEAS}")
    notebook.run(f"%%kb edit {IDEAS}\n- mine")
    again = notebook.run(f"%%kb edit {IDEAS}\n- mine")

    assert again.diff == ""
    assert "no change" in again._repr_mimebundle_()["text/plain"]


def test_what_was_appended_is_not_appended_again_by_accident(notebook: Notebook, demo_vault: Path) -> None:
    notebook.run(f"%kb get {IDEAS}")
    notebook.run(f"%%kb edit {IDEAS} --operation append\n- one more")
    notebook.fails(f"%%kb edit {IDEAS} --operation append\n- one more")

    assert _inbox(demo_vault).count("- one more") == 1
    assert "Hanne suggests" in _inbox(demo_vault)


def test_reading_a_note_is_reading_its_sections(notebook: Notebook, demo_vault: Path) -> None:
    notebook.run("%kb get inbox")
    notebook.run(f"%%kb edit {IDEAS}\n- mine")
    notebook.run("%%kb edit inbox > To be written\n- yours")

    assert "- mine" in _inbox(demo_vault)
    assert "- yours" in _inbox(demo_vault)


def test_a_larger_section_must_be_read_again_after_an_edit_in_it(notebook: Notebook) -> None:
    notebook.run("%kb get inbox > Inbox")
    notebook.run(f"%%kb edit {IDEAS}\n- mine")

    assert "has not read 'Inbox'" in notebook.fails("%%kb edit inbox > Inbox\nall new")


def test_own_text_is_edited_without_the_sub_sections(notebook: Notebook, demo_vault: Path) -> None:
    notebook.run("%kb get inbox > Inbox --own")
    for text in ("Anything.", "Anything else."):
        notebook.run(f"%%kb edit inbox > Inbox\n{text}")

    assert "# Inbox\n\nAnything else.\n\n## To be written" in _inbox(demo_vault)


def test_the_heading_may_stand_above_the_text(notebook: Notebook, demo_vault: Path) -> None:
    notebook.run(f"%kb get {IDEAS}")
    notebook.run(f"%%kb edit {IDEAS}\n## Ideas\n\n- mine")

    assert _inbox(demo_vault).count("## Ideas") == 1
    assert "## Ideas\n\n- mine" in _inbox(demo_vault)


def test_another_heading_of_that_level_is_refused(notebook: Notebook, demo_vault: Path) -> None:
    before = _inbox(demo_vault)
    notebook.run(f"%kb get {IDEAS}")

    assert "would escape section" in notebook.fails(f"%%kb edit {IDEAS}\n## Thoughts\n\n- mine")
    assert _inbox(demo_vault) == before


def test_an_empty_cell_takes_nothing_away_unasked(notebook: Notebook, demo_vault: Path) -> None:
    before = _inbox(demo_vault)
    notebook.run(f"%kb get {IDEAS}")

    assert "add --empty" in notebook.fails(f"%%kb edit {IDEAS}\n\n")
    assert _inbox(demo_vault) == before
    notebook.run(f"%%kb edit {IDEAS} --empty\n\n")
    assert "Hanne suggests" not in _inbox(demo_vault)


def test_an_edit_names_a_section(notebook: Notebook) -> None:
    assert "name the section: NOTE > HEADING" in notebook.fails("%%kb edit inbox\nx")


def test_a_section_is_put_into_a_cell_and_written_back(notebook: Notebook, demo_vault: Path) -> None:
    before = _inbox(demo_vault)
    notebook.run(f"%kb edit {IDEAS}")
    cell = notebook.next_input
    assert cell is not None
    assert cell.startswith(f"%%kb edit {IDEAS}\nHanne suggests")

    notebook.run(cell)
    assert _inbox(demo_vault) == before
    notebook.run(cell + "\n\nAnd a line.")
    assert "\n\nAnd a line." in _inbox(demo_vault)


def test_windows_line_ends_survive_the_way_through_a_cell(notebook: Notebook, demo_vault: Path) -> None:
    path = demo_vault / "crlf.md"
    path.write_bytes(b"# A\r\n\r\none\r\ntwo\r\n\r\n# B\r\n")
    notebook.run("%kb edit crlf > A")
    assert notebook.next_input == "%%kb edit crlf > A\none\ntwo"
    notebook.run(notebook.next_input + "\nthree")

    assert path.read_bytes() == b"# A\r\n\r\none\r\ntwo\r\nthree\r\n\r\n# B\r\n"


def test_undecodable_text_is_not_put_into_a_cell(notebook: Notebook, demo_vault: Path) -> None:
    (demo_vault / "bytes.md").write_bytes(b"# A\n\n\xff\xfe\n")

    assert "characters that a cell cannot hold" in notebook.fails("%kb edit bytes > A")
    assert notebook.next_input is None


# ── in Python ───────────────────────────────────────────────────────────────────────────────────


def test_a_hit_is_edited_once_its_text_was_looked_at(notebook: Notebook, demo_vault: Path) -> None:
    (hit,) = notebook.run("%kb search Hanne suggests standing sample -n 1")
    with pytest.raises(HashRequiredError, match="was not looked at"):
        hit.edit("- mine")

    assert hit.text.startswith("## Ideas")
    assert hit.edit(hit.body.replace("Hanne", "Yuki")).written
    assert "Yuki suggests" in _inbox(demo_vault)
    assert hit.edit("- last").written
    assert hit.text == "## Ideas\n\n- last"


def test_a_hit_is_not_edited_over_somebody_elses_change(notebook: Notebook, demo_vault: Path) -> None:
    (hit,) = notebook.run("%kb search Hanne suggests standing sample -n 1")
    assert hit.text
    theirs = _inbox(demo_vault).replace("Hanne suggests", "Yuki suggests")
    (demo_vault / "inbox.md").write_text(theirs, encoding="utf-8")

    with pytest.raises(ConflictError):
        hit.edit("- mine")
    assert _inbox(demo_vault) == theirs


def test_an_edit_in_python_counts_for_the_magic(notebook: Notebook, demo_vault: Path) -> None:
    notebook.run(f"section = %kb get {IDEAS}")
    notebook.run("section.edit('- by Python')")
    notebook.run(f"%%kb edit {IDEAS}\n- by the magic")

    assert "- by the magic" in _inbox(demo_vault)


class _Columns(HTMLParser):
    """The text of each cell of the first table."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self._inside = False
        self._tables = 0

    @classmethod
    def of(cls, html: str) -> _Columns:
        parser = cls()
        parser.feed(html)
        return parser

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self._tables += tag == "table"
        if self._tables != 1:
            return
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
            self._inside = True

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self._inside = False

    def handle_data(self, data: str) -> None:
        if self._inside and self._tables == 1:
            self.rows[-1][-1] += data
