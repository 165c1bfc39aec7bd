"""SectionEditor: one section as text in a notebook, saved only if it is still as it was read."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from traitlets import Enum, Int, List, Unicode, observe

from jupyter_kb.errors import ConflictError, KBError
from jupyter_kb.models import SectionRef
from jupyter_kb.render.lines import visible_lines
from jupyter_kb.widgets import section_shown as shown
from jupyter_kb.widgets.base import Latest, NotesWidget, sentence
from jupyter_kb.widgets.front_end import script, style
from jupyter_kb.widgets.places import read_name
from jupyter_kb.widgets.section_shown import STATES, Outcome
from jupyter_kb.widgets.section_text import Text, changed_at, clock, read_text, save_text, sides

if TYPE_CHECKING:
    from pathlib import Path

    from jupyter_kb.magics.session import Session
    from jupyter_kb.models import SectionContent
    from jupyter_kb.operations import Operations


@dataclass(frozen=True, kw_only=True)
class Draft:
    """Unsaved text of a section, and what stood there when its editing began."""

    text: str
    base: Text


class SectionEditor(NotesWidget):
    """An editor for one section. Saving writes only this section, and only if nobody changed it since it was read.

    Parameters
    ----------
    note : the note, in any way that `%kb get` takes; it may name the section, too: `NOTE > HEADING`.
    section : the heading, or the end of its path.
    vault : what `jupyter_kb.connect` gave, the name of a vault or a folder; by default the vault that `%kb` uses.

    Examples
    --------
    ``editor = SectionEditor("inbox", "Ideas")``, then ``editor.text += "- One more.\\n"`` and ``editor.save()``.
    """

    _esm = script("section_text", "section_editor")
    _css = style("section_editor")

    section = Unicode(
        help="The section, as `%kb get` takes it: `NOTE > HEADING`. Setting it shows another one; unsaved text is kept."
    ).tag(sync=True)
    text = Unicode(help="The text below the heading, as it stands in the editor.").tag(sync=True)
    state = Enum(STATES, "none", help="How the text and the note stand to each other.").tag(sync=True)
    file = Unicode(help="The note's path in its vault.").tag(sync=True)
    heading_path = Unicode(help="The headings down to the section, joined by ` > `.").tag(sync=True)
    first_line = Int(1, help="The line of the note in which the section begins, from 1.").tag(sync=True)
    drafts = List(Unicode(), help="Other sections that have unsaved text here.").tag(sync=True)

    _head = Unicode(help="The heading as it is written, with the blank lines below it.").tag(sync=True)
    _revision = Int(help="Counts how often the text was replaced otherwise than by typing.").tag(sync=True)
    _time = Unicode().tag(sync=True)
    _message = Unicode().tag(sync=True)
    _sides: List[Any] = List().tag(sync=True)
    _preview = Unicode().tag(sync=True)
    _root = Unicode().tag(sync=True)

    def __init__(
        self,
        note: str = "",
        section: str = "",
        *,
        vault: Session | Operations | str | Path | None = None,
        **traits: Any,
    ) -> None:
        self._base: Text | None = None
        self._theirs: SectionContent | None = None
        self._kept: dict[str, Draft] = {}
        self._shown = ""
        self._loading = True
        self._writing = threading.Lock()
        super().__init__(vault=vault, **traits)
        self._latest, self._latest_page, self._latest_save = Latest(self), Latest(self), Latest(self)
        self._on("save", lambda message: self._save_from_page(str(message.get("text", self.text))))
        self._on("look", lambda _: self._look())
        self._on("revert", lambda _: self.revert())
        self._on("mine", lambda message: self.use_mine(str(message.get("text", self.text))))
        self._on("theirs", lambda _: self.use_theirs())
        self._on("preview", lambda message: self._render(str(message.get("text", self.text))))
        wanted = " > ".join(filter(None, (note or self.section, section)))
        if wanted:
            self.section = wanted
            self._now(lambda: self._show(wanted, self._read(wanted)))
        self._loading = False

    # ── what programs use ───────────────────────────────────────────────────────────────────────

    @property
    def dirty(self) -> bool:
        """Whether there is text here that the note does not have."""
        return self._base is not None and self.text != self._base.below

    def save(self) -> Outcome:
        """Write the text, if the section is still as it was read, and tell what became of it.

        A refusal is no exception: the text stays here, `state` and the answer say why.
        """
        return self._store(self.text)

    def revert(self) -> None:
        """Read the section anew; what was not saved is dropped."""
        name = self._shown
        if not name:
            return
        self._latest_save.drop()
        self._kept.pop(name, None)
        self._latest(lambda: self._read(name), lambda found: self._show(name, found), self._unread)

    def use_mine(self, text: str | None = None) -> None:
        """After a refusal: the text here (or this one) holds what both want, and may be saved over what is there."""
        if self._theirs is not None:
            self._take_text(self.text if text is None else text)
            self._base, self._theirs = Text.of(self._theirs, self._reference()), None
            self._apply(state="dirty" if self.dirty else "clean", _message="", _sides=[])

    def use_theirs(self) -> None:
        """After a refusal: show what stands in the note; the text here is dropped."""
        if self._theirs is not None:
            self._show(self._shown, Text.of(self._theirs, self._reference()))

    # ── reading ─────────────────────────────────────────────────────────────────────────────────

    def _read(self, name: str) -> Text:
        return read_text(self.kb, read_name(self.kb, name))

    def _show(self, name: str, found: Text) -> None:
        """Put a section into the editor, with the unsaved text that was kept of it."""
        draft = self._kept.pop(name, None)
        base = draft.base if draft else found
        self._base, self._shown, self._theirs = base, name, None
        content = found.content
        state, message = shown.opened(self.kb.status().read_only, found)
        self._loading = True
        self._apply(
            text=draft.text if draft else found.below,
            file=content.file,
            heading_path=content.heading_path,
            first_line=content.line_range.start,
            state="dirty" if draft else state,
            drafts=list(self._kept),
            problem="",
            _head=found.head,
            _revision=self._revision + 1,
            _message=message,
            _sides=[],
            _time="",
            _preview="",
            _root=self._session.root,
        )
        self._loading = False

    @observe("section")
    def _another(self, _: object) -> None:
        if self._loading or not self.section or self.section == self._shown:
            return
        self._latest_save.drop()
        if self._shown and self.dirty and self._base is not None:
            self._kept[self._shown] = Draft(text=self.text, base=self._base)
        name = self.section
        self._latest(lambda: self._read(name), lambda found: self._show(name, found), self._missing)

    def _unread(self, error: Exception) -> None:
        state, message = shown.state_of(error)
        self._apply(state=state, _message=message, problem=sentence(error), _sides=[])

    def _missing(self, error: Exception) -> None:
        kept = self._kept.pop(self._shown, None)
        self._apply(problem=sentence(error), _message=sentence(error), drafts=list(self._kept))
        if kept is None and not self._shown:
            self._apply(state="none")

    @observe("text")
    def _typed(self, _: object) -> None:
        if self._loading or self._base is None:
            return
        if self.state in ("clean", "saved", "updated") and self.dirty:
            self._apply(state="dirty")
        elif self.state == "dirty" and not self.dirty:
            self._apply(state="clean")

    def _look(self) -> None:
        """Somebody begins to type: is the section still as it was read?"""
        base, name = self._base, self._shown
        if base is None or self.state in ("conflict", "changed", "readonly", "saving"):
            return

        def take(found: Text) -> None:
            if found.content.content_hash == base.content.content_hash or self._base is not base:
                return
            time = changed_at(found.content)
            if not self.dirty:
                self._show(name, found)
                self._apply(state="updated", _time=time)
            else:
                self._differ("changed", found.content, time)

        self._latest(lambda: read_text(self.kb, base.reference), take, lambda _: None)

    def _render(self, text: str) -> None:
        head, file = self._head, self.file
        self._latest_page(lambda: self.kb.render(head + text, file=file).html, lambda page: self._apply(_preview=page))

    # ── saving ──────────────────────────────────────────────────────────────────────────────────

    def _save_from_page(self, text: str) -> None:
        self._take_text(text)
        if self._base is not None and self.state != "readonly":
            self._apply(state="saving", _message="")
            self._latest_save(lambda: self._store(text), lambda _: None)

    def _take_text(self, text: str) -> None:
        self._loading = True
        self._apply(text=text)
        self._loading = False

    def _store(self, text: str) -> Outcome:
        with self._writing:
            base = self._base
            if base is None:
                return Outcome(self, "none", text)
            try:
                saved = save_text(self._session, base, text)
            except (KBError, OSError) as error:
                self._forget(error)
                return self._refused(error, text)
            self._base, self._theirs = saved, None
            typed_on = self.text != text
            self._apply(
                state="dirty" if typed_on else "saved", _time=clock(), _message="", _sides=[], problem="",
                first_line=saved.content.line_range.start,
            )  # fmt: skip
            return Outcome(self, "saved", text)

    def _refused(self, error: Exception, text: str) -> Outcome:
        if isinstance(error, ConflictError) and self._base is not None:
            try:
                now = read_text(self.kb, self._base.reference).content
            except KBError as gone:
                error = gone
            else:
                self._differ("conflict", now, changed_at(now))
                return Outcome(self, "conflict", text, theirs=self._theirs)
        self._unread(error)
        return Outcome(self, self.state, text)

    def _differ(self, state: str, theirs: SectionContent, time: str) -> None:
        self._theirs = theirs
        below = visible_lines(Text.of(theirs, self._reference()).below)
        self._apply(
            state=state, _time=time, _message=shown.changed(state, time), _sides=sides(below, self.text), problem=""
        )

    def _reference(self) -> SectionRef:
        assert self._base is not None
        return self._base.reference

    # ── where no widget is shown ────────────────────────────────────────────────────────────────

    def _plain(self) -> str:
        return shown.plain(self)

    def _markdown(self) -> str:
        return shown.markdown(self)

    def _html(self) -> str:
        return shown.html(self)
