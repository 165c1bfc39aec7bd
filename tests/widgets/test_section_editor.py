"""SectionEditor: saved under the guard of what was read, and no typed text is ever lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from jupyter_kb.errors import ServerUnreachableError
from jupyter_kb.kb import KnowledgeBase
from jupyter_kb.models import EditResult, SectionEdit
from jupyter_kb.settings import Settings
from jupyter_kb.widgets import SectionEditor
from tests.widgets.front import Front, until


@pytest.fixture
def note(demo_vault: Path) -> Path:
    """The note that is edited."""
    return demo_vault / "inbox.md"


@pytest.fixture
def editor(kb: KnowledgeBase, front: Front) -> SectionEditor:
    """An editor on its section of ideas."""
    return SectionEditor("inbox", "Ideas", vault=kb)


def test_it_shows_the_text_below_the_heading_with_the_notes_own_lines(editor: SectionEditor, note: Path) -> None:
    lines = note.read_text().split("\n")

    assert lines[editor.first_line - 1] == "## Ideas"
    assert editor._head + editor.text == "\n".join(lines[editor.first_line - 1 :]).rstrip("\n")
    assert (editor.state, editor.file, editor.heading_path) == ("clean", "inbox.md", "Inbox > Ideas")


def test_typing_makes_it_dirty_and_saving_writes_this_section_only(
    editor: SectionEditor, front: Front, note: Path
) -> None:
    before = note.read_text()
    front.set(editor, text=editor.text + "\n\n- One more.")
    assert editor.state == "dirty"
    front.tell(editor, "save", text=editor.text)
    until(lambda: editor.state == "saved")

    assert note.read_text() == before.rstrip("\n") + "\n\n- One more.\n"
    assert not editor.dirty


def test_of_two_editors_the_second_is_refused_and_keeps_its_text(kb: KnowledgeBase, note: Path) -> None:
    first, second = (SectionEditor("inbox > Ideas", vault=kb) for _ in range(2))
    first.text, second.text = "from the first", "from the second"
    saved, refused = first.save(), second.save()

    assert saved.saved
    assert (refused.saved, refused.state, second.state) == (False, "conflict", "conflict")
    assert second._message.startswith("Changed on disk")
    assert second._message.endswith("after it was read here. Your text is kept.")
    assert second.text == "from the second"
    assert "from the first" in note.read_text()
    assert refused.theirs is not None
    assert "from the first" in refused.theirs
    shown = refused._repr_mimebundle_()
    assert "Your text is kept." in shown["text/plain"]
    assert "from the second" in shown["text/html"]
    assert second._sides == [["from the first", "from the second", False]]


def test_after_comparing_mine_may_be_saved(kb: KnowledgeBase, front: Front, note: Path) -> None:
    editor = SectionEditor("inbox > Ideas", vault=kb)
    note.write_text(note.read_text().replace("Hanne suggests", "Idris suggests"))
    editor.text = "mine"
    assert editor.save().state == "conflict"
    front.tell(editor, "mine", text="both of us suggest")
    assert editor.state == "dirty"

    assert editor.save().saved
    assert "both of us suggest" in note.read_text()


def test_after_comparing_theirs_may_be_taken(editor: SectionEditor, front: Front, note: Path) -> None:
    note.write_text(note.read_text().replace("Hanne suggests", "Idris suggests"))
    editor.text = "mine"
    editor.save()
    front.tell(editor, "theirs")

    assert editor.text.startswith("Idris suggests")
    assert editor.state == "clean"


def test_mine_is_refused_again_where_the_note_changed_meanwhile(
    editor: SectionEditor, front: Front, note: Path
) -> None:
    text = note.read_text()
    note.write_text(text.replace("Hanne suggests", "Idris suggests"))
    editor.text = "mine"
    editor.save()
    front.tell(editor, "mine", text="mine")
    note.write_text(text.replace("Hanne suggests", "Yuki suggests"))

    assert editor.save().state == "conflict"
    assert "Yuki suggests" in note.read_text()


def test_another_section_keeps_unsaved_text_for_the_way_back(editor: SectionEditor, front: Front) -> None:
    home = editor.section
    front.set(editor, text="not saved yet")
    front.set(editor, section="inbox > To be written")
    until(lambda: editor.heading_path.endswith("To be written"))
    assert editor.drafts == [home]
    assert editor.state == "clean"
    front.set(editor, section=home)
    until(lambda: editor.heading_path.endswith("Ideas"))

    assert (editor.text, editor.state, editor.drafts) == ("not saved yet", "dirty", [])
    assert editor.save().saved


def test_a_change_on_disk_is_shown_when_somebody_begins_to_type(
    editor: SectionEditor, front: Front, note: Path
) -> None:
    note.write_text(note.read_text().replace("Hanne suggests", "Idris suggests"))
    front.tell(editor, "look")
    until(lambda: editor.state == "updated")
    assert editor.text.startswith("Idris suggests")
    front.set(editor, text="mine")
    note.write_text(note.read_text().replace("Idris suggests", "Yuki suggests"))
    front.tell(editor, "look")
    until(lambda: editor.state == "changed")

    assert editor.text == "mine"
    assert "Saving will ask you to merge." in editor._message


def test_a_section_that_is_gone_leaves_the_text_here(editor: SectionEditor, note: Path) -> None:
    editor.text = "mine"
    note.write_text("# Inbox\n")
    outcome = editor.save()

    assert outcome.state == editor.state == "gone"
    assert editor.text == "mine"
    assert "no longer in the note" in editor._message


class Unreachable:
    """A vault whose server stopped; with `after`, its answer to an edit was lost on the way."""

    def __init__(self, kb: KnowledgeBase, *, after: bool = False) -> None:
        self._kb, self._after, self.there = kb, after, True

    def __getattr__(self, name: str) -> Any:
        return getattr(self._kb, name)

    def edit_section(self, edit: SectionEdit, **options: Any) -> EditResult:
        if self.there:
            return self._kb.edit_section(edit, **options)
        if self._after:
            self._kb.edit_section(edit, **options)
        raise ServerUnreachableError("no answer from the server", sent=self._after)


@pytest.mark.parametrize("after", [False, True])
def test_a_server_that_does_not_answer_costs_no_text(kb: KnowledgeBase, note: Path, after: bool) -> None:
    vault = Unreachable(kb, after=after)
    editor = SectionEditor("inbox > Ideas", vault=vault)
    editor.text = "kept"
    vault.there = False
    outcome = editor.save()
    assert outcome.state == "offline"
    assert editor._message == "Not saved: no answer from the server. Your text is kept here."
    vault.there = True

    assert editor.save().saved
    assert note.read_text().count("kept") == 1


def test_text_that_would_end_its_section_is_refused_and_kept(editor: SectionEditor, note: Path) -> None:
    before = note.read_text()
    editor.text = "# Another\n"
    outcome = editor.save()

    assert outcome.state == "refused"
    assert note.read_text() == before
    assert editor.text == "# Another\n"


def test_a_read_only_vault_is_only_shown(demo_vault: Path) -> None:
    with KnowledgeBase.open(demo_vault, settings=Settings(model="none", read_only=True), in_memory=True) as kb:
        editor = SectionEditor("inbox > Ideas", vault=kb)
        assert (editor.state, editor._message) == ("readonly", "This note is read-only.")


def test_bytes_that_no_text_field_holds_are_only_shown(kb: KnowledgeBase, demo_vault: Path) -> None:
    (demo_vault / "odd.md").write_bytes(b"# Odd\n\nA\xff and \x07\n")
    editor = SectionEditor("odd > Odd", vault=kb)

    assert editor.state == "readonly"
    editor._repr_mimebundle_()[0]["text/html"].encode()


def test_line_ends_of_the_file_stay_its_own(kb: KnowledgeBase, demo_vault: Path) -> None:
    note = demo_vault / "windows.md"
    note.write_bytes(b"# A\r\n\r\none\r\n\r\n# B\r\n")
    editor = SectionEditor("windows > A", vault=kb)
    assert editor.text == "one"
    editor.text = "one\ntwo"

    assert editor.save().saved
    assert note.read_bytes() == b"# A\r\n\r\none\r\ntwo\r\n\r\n# B\r\n"


def test_revert_reads_the_section_anew(editor: SectionEditor, front: Front) -> None:
    text, revision = editor.text, editor._revision
    front.set(editor, text="nonsense")
    front.tell(editor, "revert")
    until(lambda: editor.state == "clean")

    assert editor.text == text
    assert editor._revision > revision


def test_the_preview_is_made_by_the_safe_renderer(editor: SectionEditor, front: Front) -> None:
    front.tell(editor, "preview", text="See [[kestrel]] <script>alert(1)</script>")
    until(lambda: editor._preview)

    assert 'data-kb-file="instruments/kestrel.md"' in editor._preview
    assert "<script>" not in editor._preview


def test_a_saved_notebook_shows_the_text(editor: SectionEditor) -> None:
    shown = editor._repr_mimebundle_()[0]

    assert editor.text in shown["text/plain"]
    assert "```markdown\n## Ideas\n\n" in shown["text/markdown"]
    assert "<button" not in shown["text/html"]
