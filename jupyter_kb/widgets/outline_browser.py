"""OutlineBrowser: the headings of a note, and the chosen section as a page."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from traitlets import List, Unicode, observe

from jupyter_kb.errors import SectionNotFoundError
from jupyter_kb.magics.places import Place
from jupyter_kb.models import Outline, SectionRef
from jupyter_kb.render import html, markdown, text
from jupyter_kb.render.lines import count, plain, visible
from jupyter_kb.widgets.base import Latest, NotesWidget
from jupyter_kb.widgets.front_end import script, style
from jupyter_kb.widgets.places import Row, named, read_name, rows

if TYPE_CHECKING:
    from pathlib import Path

    from jupyter_kb.magics.session import Session
    from jupyter_kb.operations import Operations

_WORDS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_]+(?:['’-][^\W_]+)*")
"""A word, or one character of a script that is written without blanks."""


@dataclass(frozen=True, kw_only=True)
class _Note:
    outline: Outline
    rows: list[Row]
    words: int


class OutlineBrowser(NotesWidget):
    """The outline of a note with a preview of the chosen section.

    Parameters
    ----------
    note : the note, in any way that `%kb outline` takes; it may name a section: `NOTE > HEADING`.
    section : the heading to choose at first.
    vault : what `jupyter_kb.connect` gave, the name of a vault or a folder; by default the vault that `%kb` uses.

    Examples
    --------
    ``traitlets.link((browser, "selected"), (editor, "section"))`` lets the choice drive an editor.
    """

    _esm = script("outline_browser")
    _css = style("outline_browser")

    file = Unicode(help="The note. Setting it shows another one; any way of naming it will do.").tag(sync=True)
    selected = Unicode(help="The chosen section, as `%kb get` takes it: `NOTE > HEADING`.").tag(sync=True)
    title = Unicode(help="The note's title.").tag(sync=True)

    _key = Unicode(help="The note's path in its vault.").tag(sync=True)
    _nodes: List[Any] = List().tag(sync=True)
    _preview = Unicode().tag(sync=True)
    _counted = Unicode().tag(sync=True)

    def __init__(
        self,
        note: str = "",
        section: str = "",
        *,
        vault: Session | Operations | str | Path | None = None,
        **traits: Any,
    ) -> None:
        self._note: _Note | None = None
        self._ready = False
        super().__init__(vault=vault, **traits)
        self._latest, self._latest_page = Latest(self), Latest(self)
        self._on("follow", lambda message: self._go(str(message.get("file")), str(message.get("heading") or "")))
        wanted = " > ".join(filter(None, (note or self.file, section)))
        if wanted:
            self._now(lambda: self._open(wanted))
        self._ready = True

    @property
    def outline(self) -> Outline | None:
        """The outline that is shown."""
        return self._note.outline if self._note else None

    @property
    def section(self) -> Place | None:
        """The chosen section, with its `text` and the guarded `edit`; None before one is chosen."""
        node = self._chosen()
        if node is None or self._note is None:
            return None
        return Place(self._session, self._note.outline.file, node.node.heading_path, node.node.line_range.start)

    def _chosen(self) -> Row | None:
        return next((row for row in (self._note.rows if self._note else ()) if row.ref == self.selected), None)

    # ── opening and choosing ────────────────────────────────────────────────────────────────────

    @observe("file")
    def _another(self, _: object) -> None:
        if self._ready and self.file and not (self._note and self.file == self._note.outline.file):
            name = self.file
            self._latest(lambda: self._read(self.kb.find_note(name)), self._show)

    @observe("selected")
    def _choice(self, _: object) -> None:
        if not self._ready or not self.selected:
            return
        name = self.selected
        self._latest_page(lambda: self._find(name), lambda found: self._arrive(name, *found))

    def _go(self, file: str, heading_path: str) -> None:
        """Follow a link in the page."""
        self.selected = named(file, heading_path)

    def _open(self, name: str) -> None:
        note, ref = self._find(name)
        ready, self._ready = self._ready, False
        try:
            self._show(note)
            self.selected = ref or (note.rows[0].ref if note.rows else "")
            self._apply(_preview=self._render(note, self.selected))
        finally:
            self._ready = ready

    def _find(self, name: str) -> tuple[_Note, str]:
        """The note that a text names, and the name of its section as the outline has it."""
        wanted = read_name(self.kb, name)
        note = self._read(wanted.file)
        return note, _in_outline(self.kb, note, wanted)

    def _arrive(self, name: str, note: _Note, ref: str) -> None:
        self._show(note)
        if ref and ref != name and self.selected == name:
            self.selected = ref  # the whole path, so that the outline knows it again
            return
        page = self._render(note, ref)
        self._apply(_preview=page)

    def _read(self, file: str) -> _Note:
        outline = self.kb.outline(file)
        whole = self.kb.get_section(SectionRef(file=file)).content
        return _Note(outline=outline, rows=rows(file, outline.sections), words=len(_WORDS.findall(whole)))

    def _show(self, note: _Note) -> None:
        self._note = note
        self._apply(
            file=note.outline.file,
            title=visible(note.outline.title),
            problem="",
            _key=note.outline.file,
            _nodes=[_node(row) for row in note.rows],
            _counted=f"{count(len(note.rows), 'heading')}, {count(note.words, 'word')}",
        )

    def _render(self, note: _Note, ref: str) -> str:
        if not ref:
            return ""
        content = self.kb.get_section(read_name(self.kb, ref))
        return self.kb.render(content.content, file=note.outline.file).html

    # ── where no widget is shown ────────────────────────────────────────────────────────────────

    def _plain(self) -> str:
        return plain(text.outline(self.outline)) if self.outline else "OutlineBrowser: no note is chosen"

    def _markdown(self) -> str:
        return markdown.outline(self.outline) if self.outline else "No note is chosen"

    def _html(self) -> str:
        if self.outline is None:
            return html.message("No note is chosen")
        return html.outline(self.outline, address=self._session.address)


def _in_outline(kb: Operations, note: _Note, wanted: SectionRef) -> str:
    """The name that the outline gives to a section."""
    if wanted.heading_path is None and wanted.line is None:
        return note.rows[0].ref if note.rows else ""
    found = kb.get_section(wanted)
    for row in note.rows:
        if row.node.line_range.start == found.line_range.start and row.node.level == found.level:
            return row.ref
    raise SectionNotFoundError(f"there is no section '{found.heading_path}' in {found.file} any more")


def _node(row: Row) -> dict[str, Any]:
    return {
        "ref": row.ref,
        "heading": visible(row.node.heading),
        "heading_path": visible(row.node.heading_path),
        "depth": row.depth,
        "parent": bool(row.node.children),
    }
