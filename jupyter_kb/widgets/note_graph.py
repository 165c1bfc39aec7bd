"""NoteGraph: the notes around a note and the links between them, as a picture and as a list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from traitlets import Int, List, Unicode, observe

from jupyter_kb.models import Graph, GraphNode
from jupyter_kb.render import html as pages
from jupyter_kb.render import markdown as lists
from jupyter_kb.render.elements import Html, element
from jupyter_kb.render.frames import frame
from jupyter_kb.render.lines import count, visible
from jupyter_kb.widgets.base import Latest, NotesWidget
from jupyter_kb.widgets.front_end import script, style

if TYPE_CHECKING:
    from pathlib import Path

    from jupyter_kb.magics.session import Session
    from jupyter_kb.operations import Operations

_MOST = 150


class NoteGraph(NotesWidget):
    """The neighbourhood of a note. A click chooses a note, a double click or Enter puts it into the middle.

    Parameters
    ----------
    note : the note in the middle, in any way that `%kb outline` takes.
    vault : what `jupyter_kb.connect` gave, the name of a vault or a folder; by default the vault that `%kb` uses.

    Examples
    --------
    ``traitlets.link((graph, "selected"), (browser, "file"))`` shows the outline of the chosen note.
    """

    _esm = script("graph_layout", "note_graph")
    _css = style("note_graph")

    file = Unicode(help="The note in the middle. Setting it shows another one.").tag(sync=True)
    depth = Int(1, min=1, max=3, help="So many links away at most.").tag(sync=True)
    limit = Int(_MOST, min=1, max=_MOST, help="So many notes at most, the nearest.").tag(sync=True)
    selected = Unicode(help="The chosen note's path in its vault.").tag(sync=True)
    total = Int(help="How many notes there are within `depth` links.").tag(sync=True)

    _center = Unicode().tag(sync=True)
    _nodes: List[Any] = List().tag(sync=True)
    _edges: List[Any] = List().tag(sync=True)

    def __init__(
        self, note: str = "", *, vault: Session | Operations | str | Path | None = None, **traits: Any
    ) -> None:
        self._graph: Graph | None = None
        self._shown = (0, 0)  # the depth and the limit of what is shown
        self._ready = False
        super().__init__(vault=vault, **traits)
        self._latest = Latest(self)
        wanted = note or self.file
        if wanted:
            self._take(self._now(lambda: self._read(wanted)))
        self._ready = True

    @property
    def graph(self) -> Graph | None:
        """What is shown, as `graph()` of a vault gives it."""
        return self._graph

    @observe("file", "depth", "limit")
    def _changed(self, _: object) -> None:
        if self._ready and self.file and (self.file != self._center or self._shown != (self.depth, self.limit)):
            name = self.file
            self._latest(lambda: self._read(name), self._take)

    def _read(self, name: str) -> tuple[str, tuple[int, int], Graph]:
        file, asked = self.kb.find_note(name), (self.depth, self.limit)
        return file, asked, self.kb.graph(file, depth=asked[0], limit=asked[1])

    def _take(self, found: tuple[str, tuple[int, int], Graph]) -> None:
        file, self._shown, self._graph = found
        self._apply(
            _nodes=[_node(node) for node in self._graph.nodes],
            _edges=[[edge.source, edge.target] for edge in self._graph.edges],
            total=self._graph.total,
            problem="",
            _center=file,
            file=file,
        )

    # ── where no widget is shown ────────────────────────────────────────────────────────────────

    def _title(self) -> str:
        if self._graph is None:
            return "No note is chosen"
        around = self._graph.total - 1
        return f"{count(around, 'note')} within {count(self._shown[0], 'link')} of {visible(self._center)}"

    def _plain(self) -> str:
        nodes = self._graph.nodes if self._graph else ()
        listed = "".join(f"{'  ' * (node.distance or 0)}{_said(node)}\n" for node in nodes)
        return f"{self._title()}\n{listed}"

    def _markdown(self) -> str:
        nodes = self._graph.nodes if self._graph else ()
        listed = "".join(
            f"{'  ' * (node.distance or 0)}- "
            + (f"{lists.escaped(node.file)} (no such note)" if node.missing else lists.wikilink(node.file))
            + "\n"
            for node in nodes
        )
        return f"{lists.escaped(self._title())}\n\n{listed}"

    def _html(self) -> Html:
        if self._graph is None:
            return pages.message("No note is chosen")
        rows = []
        for node in self._graph.nodes:
            depth = [element("span", class_="kb-depth")] * (node.distance or 0)
            rows.append(element("li", element("div", *depth, _link(node, self._session.address(node.file)))))
        return frame(self._title(), element("ul", *rows, class_="kb-rows kb-tree kb-padded"))


def _node(node: GraphNode) -> dict[str, Any]:
    return {
        "file": node.file,
        "title": visible(node.title),
        "folder": visible(node.folder),
        "degree": node.degree,
        "distance": node.distance or 0,
        "missing": node.missing,
    }


def _said(node: GraphNode) -> str:
    return visible(node.title) + ("  (no such note)" if node.missing else f"  {visible(node.file)}")


def _link(node: GraphNode, address: str | None) -> Html:
    if node.missing:
        return element("span", f"{node.title} (no such note)", class_="kb-muted")
    return element("a", element("bdi", node.title), class_="kb-link", href=address, data_kb_file=node.file)
