"""What a section editor says: its states in words, and how it looks where no widget is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jupyter_kb.errors import NotFoundError, ReadOnlyError, ServerUnreachableError
from jupyter_kb.magics.showing import Result
from jupyter_kb.render import html as pages
from jupyter_kb.render import markdown as lists
from jupyter_kb.render.comparison import side_by_side
from jupyter_kb.render.elements import Html, element
from jupyter_kb.render.frames import crumbs, frame
from jupyter_kb.render.lines import visible_lines
from jupyter_kb.widgets.base import sentence
from jupyter_kb.widgets.section_text import Text

if TYPE_CHECKING:
    from jupyter_kb.models import SectionContent
    from jupyter_kb.widgets.section_editor import SectionEditor

STATES = (
    *("none", "clean", "dirty", "saving", "saved", "updated"),
    *("changed", "conflict", "gone", "offline", "refused", "readonly"),
)
_NAMES = {
    "clean": "Up to date",
    "dirty": "Unsaved changes",
    "changed": "Unsaved changes",
    "saving": "Saving…",
    "saved": "Saved",
    "updated": "Updated",
    "readonly": "Read-only",
    "none": "",
}


def name(state: str) -> str:
    """A state in two words."""
    return _NAMES.get(state, "Not saved")


def opened(read_only: bool, text: Text) -> tuple[str, str]:
    """The state of a section that was just read, and what is to be said of it."""
    if read_only:
        return "readonly", "This note is read-only."
    if not text.exact:
        return "readonly", "It holds characters that a text field cannot hold; jupyter kb edit can edit it."
    return "clean", ""


def changed(state: str, time: str) -> str:
    """That the section is another one than the one that was read."""
    at = f" at {time}" if time else ""
    if state == "conflict":
        return f"Changed on disk{at}, after it was read here. Your text is kept."
    return f"Changed on disk{at}. Saving will ask you to merge."


def state_of(error: Exception) -> tuple[str, str]:
    """The state after a refusal, and what is to be said of it."""
    if isinstance(error, ServerUnreachableError):
        return "offline", "Not saved: no answer from the server. Your text is kept here."
    if isinstance(error, NotFoundError):
        return "gone", "This section is no longer in the note. Your text is kept."
    if isinstance(error, ReadOnlyError):
        return "refused", "This note is read-only. Your text is kept."
    return "refused", f"{sentence(error)} Your text is kept."


class Outcome(Result):
    """What became of a text that was to be saved. `saved` says whether it was, `state` why not.

    Where the section changed meanwhile, `theirs` is the text that stands in the note.
    """

    def __init__(self, editor: SectionEditor, state: str, text: str, *, theirs: SectionContent | None = None) -> None:
        self.state = state
        self.text = text
        self.theirs = theirs.content if theirs else None
        self.message = "" if state == "saved" else editor._message
        self.time = editor._time
        self._place = (editor.file, editor.heading_path)
        self._below = Text.of(theirs, editor._reference()).below if theirs else None

    @property
    def saved(self) -> bool:
        """Whether the text is in the note."""
        return self.state == "saved"

    def __repr__(self) -> str:
        return f"<Outcome: {self._said()}>"

    def _said(self) -> str:
        return f"Saved {self.time}" if self.saved else f"Not saved. {self.message}"

    def _plain(self) -> str:
        return f"{' > '.join(filter(None, self._place))}: {self._said()}"

    def _markdown(self) -> str:
        return f"**{lists.escaped(' > '.join(filter(None, self._place)))}**: {lists.escaped(self._said())}"

    def _html(self) -> str:
        failed = None if self.saved else "kb-failed"
        state = element("span", f"Saved {self.time}" if self.saved else "Not saved", class_=failed)
        parts: list[str] = []
        if self.message:
            parts.append(element("div", self.message, class_="kb-line-of-text kb-alarm"))
        if self._below is not None:
            both = side_by_side(self._below, self.text, "In the note now", "Your text, not saved")
            parts.append(element("details", element("summary", "Compare"), both, class_="kb-line-of-text"))
        return frame(crumbs(*self._place), *parts, beside=state)


def plain(editor: SectionEditor) -> str:
    """The text with its place."""
    if not editor.file:
        return "SectionEditor: no section is chosen"
    place = " > ".join(filter(None, (editor.file, editor.heading_path)))
    return f"{place}  {name(editor.state)}\n\n{editor._head}{editor.text}"


def markdown(editor: SectionEditor) -> str:
    """The text as it stands in the editor, under its place."""
    if not editor.file:
        return "No section is chosen"
    link = lists.wikilink(editor.file, editor.heading_path.rsplit(" > ", 1)[-1])
    return f"{link}\n\n{lists.fenced(editor._head + editor.text, 'markdown')}"


def html(editor: SectionEditor) -> Html:
    """The text in a frame with its place and state."""
    if not editor.file:
        return pages.message("No section is chosen")
    text = element("pre", visible_lines(editor._head + editor.text))
    message = [element("div", editor._message, class_="kb-line-of-text kb-alarm")] if editor._message else []
    state = element("span", name(editor.state), class_="kb-failed" if editor.state == "conflict" else "kb-small")
    return frame(crumbs(editor.file, editor.heading_path), *message, text, beside=state)
