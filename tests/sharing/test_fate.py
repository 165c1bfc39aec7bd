"""What became of an edit whose answer was lost: seen from the note, also where others went on writing in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from jupyter_kb.editing.creation import create_note
from jupyter_kb.editing.section import edit_section
from jupyter_kb.errors import NoteExistsError
from jupyter_kb.models import SectionEdit, SectionRef
from jupyter_kb.sharing import fate
from jupyter_kb.vault.vault import Vault

NOTE = "# One\n\nfirst\n\n## Below\n\ndeep\n\n# Two\n\nsecond\n"

EDITS: dict[str, dict[str, Any]] = {
    "replace": {"body": "new\n"},
    "append": {"body": "more"},
    "prepend": {"body": "more"},
    "insert_before": {"heading": "Zero", "body": "new"},
    "insert_after": {"heading": "Between", "body": "new"},
    "insert_child": {"heading": "Child", "body": "new"},
    "rename": {"heading": "Uno"},
    "delete": {},
    "move": {"target": "Two"},
}


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    (tmp_path / "a.md").write_text(NOTE)
    return Vault(tmp_path)


def edit(vault: Vault, operation: str, path: str = "One", **fields: Any) -> SectionEdit:
    section = edit_target(vault, path)
    values = {**EDITS[operation], **fields}
    return SectionEdit(
        section=SectionRef(file="a.md", heading_path=path),
        expected_hash=section,
        operation=operation,  # type: ignore[arg-type]
        **values,
    )


def edit_target(vault: Vault, path: str, *, own: bool = False) -> str:
    from jupyter_kb.markdown.document import parse

    document = parse(vault.read("a.md"))
    section = document.find(path)
    return section.own_hash if own else section.content_hash


@pytest.mark.parametrize("operation", EDITS)
def test_an_edit_that_was_done_is_known_and_its_result_is_what_it_would_have_been(vault: Vault, operation: str) -> None:
    wanted = edit(vault, operation)
    planned = fate.plan(vault, wanted)
    before = fate.settled(vault, wanted, planned)
    done = edit_section(vault, wanted).result()

    assert before is None
    assert fate.settled(vault, wanted, planned) == done


@pytest.mark.parametrize("operation", EDITS)
def test_it_is_known_where_others_changed_another_section_since(vault: Vault, operation: str, tmp_path: Path) -> None:
    wanted = edit(vault, operation)
    planned = fate.plan(vault, wanted)
    edit_section(vault, wanted)
    edit_section(vault, edit(vault, "append", "Two", body="theirs"))

    found = fate.settled(vault, wanted, planned)

    assert found is not None
    assert found.written
    assert "theirs" in (tmp_path / "a.md").read_text()
    assert found.version == fate.plan(vault, edit(vault, "append", "Two", body="x")).before.version
    assert found.diff == planned.diff


@pytest.mark.parametrize("operation", EDITS)
def test_it_is_not_done_where_only_others_wrote(vault: Vault, operation: str) -> None:
    wanted = edit(vault, operation)
    planned = fate.plan(vault, wanted)
    edit_section(vault, edit(vault, "append", "Two", body="theirs"))

    assert fate.settled(vault, wanted, planned) is None


def test_a_note_that_was_made_is_known(vault: Vault, tmp_path: Path) -> None:
    key = fate.place(vault, "new/b.md")

    assert fate.created(vault, key, "# New\n") is None
    made = create_note(vault, "new/b.md", "# New\n")
    assert fate.created(vault, key, "# New\n") == made
    assert fate.created(vault, key, "# Other\n") is None
    with pytest.raises(NoteExistsError):
        fate.place(vault, "new/b.md")


def test_a_renaming_with_its_links_is_known_though_the_section_holds_some_of_them(vault: Vault, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(NOTE.replace("first", "[[#One]]"))
    wanted = edit(vault, "rename", update_links=True)
    planned = fate.plan(vault, wanted)
    assert fate.settled(vault, wanted, planned) is None
    edit_section(vault, edit(vault, "append", "Two", body="theirs"))
    assert fate.settled(vault, wanted, planned) is None
    (tmp_path / "a.md").write_text(NOTE.replace("first", "[[#Uno]]").replace("# One", "# Uno"))

    found = fate.settled(vault, wanted, planned)

    assert found is not None
    assert found.heading_path == "Uno"
    assert "not known" in found.links_left[0].reason


def test_an_equal_section_that_was_there_before_is_no_proof(vault: Vault) -> None:
    for _ in range(2):  # the second insertion looks like the first
        wanted = edit(vault, "insert_after", "Two")
        planned = fate.plan(vault, wanted)
        edit_section(vault, edit(vault, "append", "One > Below", body="theirs"))
        assert fate.settled(vault, wanted, planned) is None
        edit_section(vault, wanted)
        assert fate.settled(vault, wanted, planned) is not None


def test_an_edit_of_the_own_text_is_known_where_others_changed_what_is_below(vault: Vault) -> None:
    wanted = SectionEdit(
        section=SectionRef(file="a.md", heading_path="One"),
        expected_hash=edit_target(vault, "One", own=True),
        body="own text",
    )
    planned = fate.plan(vault, wanted)
    edit_section(vault, wanted)
    edit_section(vault, edit(vault, "append", "One > Below", body="theirs"))

    assert fate.settled(vault, wanted, planned) is not None


def test_what_changes_nothing_may_be_done_again(vault: Vault) -> None:
    wanted = edit(vault, "replace", "Two", body="second\n")
    planned = fate.plan(vault, wanted)
    edit_section(vault, wanted)

    assert fate.settled(vault, wanted, planned) is None


def test_a_note_that_is_gone_tells_nothing(vault: Vault, tmp_path: Path) -> None:
    wanted = edit(vault, "append")
    planned = fate.plan(vault, wanted)
    (tmp_path / "a.md").unlink()

    assert fate.settled(vault, wanted, planned) is None
