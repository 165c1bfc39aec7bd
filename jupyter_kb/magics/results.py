"""What the magics give for reading: lists and texts that Python can index, iterate and turn into a table."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from jupyter_kb.magics.places import Place
from jupyter_kb.magics.showing import Result
from jupyter_kb.models import Hit, LinkPage, LinkTarget, ResolvedLink
from jupyter_kb.render import html, markdown, text
from jupyter_kb.render.lines import count, plain, visible, visible_lines

if TYPE_CHECKING:
    from pandas import DataFrame

    from jupyter_kb.magics.session import Session
    from jupyter_kb.models import Outline, OutlineNode, SearchResults, SectionContent

T = TypeVar("T")


class Rows(Result, Sequence[T], Generic[T]):
    """A result that is a list; a slice of it is one of the same kind."""

    def __init__(self, items: Sequence[T]) -> None:
        self._items = tuple(items)

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[T]:
        return iter(self._items)

    @overload
    def __getitem__(self, index: int) -> T: ...

    @overload
    def __getitem__(self, index: slice) -> Rows[T]: ...

    def __getitem__(self, index: int | slice) -> T | Rows[T]:
        if isinstance(index, slice):
            return self._part(index)
        return self._items[index]

    @abstractmethod
    def _part(self, part: slice) -> Rows[T]: ...

    @abstractmethod
    def _records(self) -> list[dict[str, Any]]: ...

    def to_frame(self) -> DataFrame:
        """The list as a pandas DataFrame, an item a row.

        Raises
        ------
        ImportError : pandas is not installed.
        """
        try:
            from pandas import DataFrame
        except ImportError as error:
            raise ImportError("to_frame() needs pandas, which is not installed here: `%pip install pandas`") from error
        return DataFrame(self._records(), columns=list(self._columns))

    _columns: tuple[str, ...] = ()


# ── finding ─────────────────────────────────────────────────────────────────────────────────────


class Found(Place):
    """A section that a search found. `hit` holds all that the search told of it; `text` is read from the note."""

    def __init__(self, session: Session, hit: Hit) -> None:
        super().__init__(session, hit.file, hit.heading_path, hit.line_range.start)
        self.hit = hit

    @property
    def title(self) -> str:
        """The note's title."""
        return self.hit.title

    @property
    def score(self) -> float:
        """Its score, to be compared within one search only."""
        return self.hit.score

    @property
    def snippet(self) -> str:
        """The best passage, shortened."""
        return self.hit.snippet

    @property
    def passage(self) -> str:
        """The best passage at full length, at most 1,000 characters."""
        return self.hit.text


class Hits(Rows[Found]):
    """What a search found, best first. `total` counts all hits, `query` and `mode` say how it was searched."""

    _columns = ("file", "title", "heading_path", "line", "score", "snippet", "content_hash")

    def __init__(self, session: Session, results: SearchResults, *, explain: bool = False) -> None:
        super().__init__([Found(session, hit) for hit in results.hits])
        self.results = results
        self._session = session
        self._explain = explain

    @property
    def total(self) -> int:
        """How many there are, those included that are not in this list."""
        return self.results.total

    @property
    def query(self) -> str:
        """What was asked."""
        return self.results.query

    @property
    def mode(self) -> str:
        """How it was searched."""
        return self.results.mode

    def __repr__(self) -> str:
        return f"<Hits: {html.search_title(self.results)}>"

    def _part(self, part: slice) -> Hits:
        results = replace(self.results, hits=self.results.hits[part])
        hits = Hits(self._session, results, explain=self._explain)
        hits._items = self._items[part]  # the same objects: what was looked at stays looked at
        return hits

    def _records(self) -> list[dict[str, Any]]:
        return [
            {
                "file": hit.file,
                "title": hit.title,
                "heading_path": hit.heading_path,
                "line": hit.line_range.start,
                "score": hit.score,
                "snippet": hit.snippet,
                "content_hash": hit.content_hash,
            }
            for hit in self.results.hits
        ]

    def _html(self) -> str:
        return html.search(self.results, explain=self._explain, address=self._session.address)

    def _markdown(self) -> str:
        return markdown.search(self.results) or html.search_title(self.results) + "\n"

    def _plain(self) -> str:
        remarks = "".join(f"Note: {visible(remark)}\n" for remark in html.search_remarks(self.results))
        listed = plain(text.ranked(self.results, explain=self._explain))
        return f"{html.search_title(self.results)}\n{listed}{remarks}"


# ── reading ─────────────────────────────────────────────────────────────────────────────────────


class Heading(Place):
    """A heading of an outline."""

    def __init__(self, session: Session, file: str, node: OutlineNode) -> None:
        super().__init__(session, file, node.heading_path, node.line_range.start)
        self.node = node

    @property
    def heading(self) -> str:
        """Its words."""
        return self.node.heading

    @property
    def level(self) -> int:
        """1 to 6; 0 for the text before the first heading."""
        return self.node.level


class Headings(Rows[Heading]):
    """The headings of a note from its beginning to its end. `outline` holds them as a tree."""

    _columns = ("level", "heading", "heading_path", "line", "size", "content_hash")

    def __init__(self, session: Session, outline: Outline) -> None:
        super().__init__([Heading(session, outline.file, node) for node in _nodes(outline.sections)])
        self.outline = outline
        self._session = session

    def __repr__(self) -> str:
        return f"<Headings: {count(len(self), 'heading')} of {visible(self.outline.file)}>"

    def _part(self, part: slice) -> Headings:
        chosen = self._items[part]
        flat = tuple(replace(item.node, children=()) for item in chosen)
        headings = Headings(self._session, replace(self.outline, sections=flat))
        headings._items = chosen
        return headings

    def _records(self) -> list[dict[str, Any]]:
        return [
            {
                "level": item.level,
                "heading": item.heading,
                "heading_path": item.heading_path,
                "line": item.line,
                "size": item.node.size,
                "content_hash": item.node.content_hash,
            }
            for item in self
        ]

    def _html(self) -> str:
        return html.outline(self.outline, address=self._session.address)

    def _markdown(self) -> str:
        return markdown.outline(self.outline)

    def _plain(self) -> str:
        return plain(text.outline(self.outline)) + plain(text.diagnostics(self.outline.diagnostics))


class Section(Place, Result):
    """A section that was read: its exact text, and where it stands."""

    def __init__(
        self, session: Session, content: SectionContent, *, own: bool = False, rendered: str | None = None
    ) -> None:
        super().__init__(session, content.file, content.heading_path, content.line_range.start)
        self._content, self._seen = content, content.content_hash
        self._shown = content
        self._own = own
        self._rendered = rendered

    @property
    def content_hash(self) -> str:
        """The hash of the text."""
        return self.content.content_hash

    def _html(self) -> str:
        return html.section(self._shown, own=self._own, rendered=self._rendered, address=self._session.address)

    def _markdown(self) -> str:
        return visible_lines(self._shown.content)

    def _plain(self) -> str:
        lines = self._shown.line_range
        place = f"{visible(self.file)}" + (f" > {visible(self.heading_path)}" if self.heading_path else "")
        facts = f"lines {lines.start}-{lines.end}  hash {self._shown.content_hash[:16]}"
        return f"{place}  {facts}\n\n{visible_lines(self._shown.content)}"


class Linked(Place):
    """A link, as the section that it stands in. `link` holds all that is known of it."""

    def __init__(self, session: Session, link: ResolvedLink) -> None:
        super().__init__(session, link.source.file, link.source.heading_path, link.line)
        self.link = link


class Links(Rows[Linked]):
    """Links, in the order of the notes that they stand in. `total` counts all of them."""

    _columns = (
        "file",
        "heading_path",
        "line",
        "kind",
        "raw_target",
        "status",
        "target_file",
        "target_heading_path",
        "context",
    )

    def __init__(self, session: Session, page: LinkPage, title: str, asked: LinkTarget | None = None) -> None:
        super().__init__([Linked(session, link) for link in page.links])
        self.page = page
        self._session = session
        self._title = title
        self._asked = asked

    @property
    def total(self) -> int:
        """How many there are, those included that are not in this list."""
        return self.page.total

    def __repr__(self) -> str:
        return f"<Links: {visible(self._title)}>"

    def _part(self, part: slice) -> Links:
        page = replace(self.page, links=self.page.links[part])
        links = Links(self._session, page, self._title, self._asked)
        links._items = self._items[part]
        return links

    def _records(self) -> list[dict[str, Any]]:
        return [
            {
                "file": link.source.file,
                "heading_path": link.source.heading_path,
                "line": link.line,
                "kind": link.kind,
                "raw_target": link.raw_target,
                "status": link.status,
                "target_file": link.target.file if link.target else None,
                "target_heading_path": link.target.heading_path if link.target else None,
                "context": link.context,
            }
            for link in self.page.links
        ]

    def _html(self) -> str:
        return html.links(self.page, self._title, asked=self._asked, address=self._session.address)

    def _markdown(self) -> str:
        return markdown.links(self.page) or visible(self._title) + "\n"

    def _plain(self) -> str:
        return f"{visible(self._title)}\n{plain(text.links(self.page, asked=self._asked))}"


def _nodes(nodes: Sequence[OutlineNode]) -> Iterator[OutlineNode]:
    for node in nodes:
        yield node
        yield from _nodes(node.children)
