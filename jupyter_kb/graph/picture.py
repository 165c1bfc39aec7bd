"""The notes of a vault and the links between them, as nodes and edges: around one note, or all."""

from __future__ import annotations

import threading
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from jupyter_kb.graph.attachments import Attachments
from jupyter_kb.graph.catalog import Catalog, Note, bare
from jupyter_kb.graph.resolve import Resolution, VaultResolver, WrittenLink, is_attachment, joined
from jupyter_kb.graph.rows import indexed_note, syntax_of
from jupyter_kb.index.links import fold
from jupyter_kb.models import Graph, GraphEdge, GraphNode

if TYPE_CHECKING:
    from jupyter_kb.index.database import Database
    from jupyter_kb.vault.vault import Vault


@dataclass(frozen=True, kw_only=True)
class _Picture:
    """The whole vault: nodes by name, how many links lead from one to another, and who is linked to whom."""

    nodes: dict[str, GraphNode]
    edges: Counter[tuple[str, str]]
    near: dict[str, set[str]]


class Pictures:
    """Draws graphs of one vault; keeps the whole one until the index changes. Safe to use from several threads."""

    def __init__(self, database: Database, vault: Vault) -> None:
        self._database = database
        self._vault = vault
        self._drawing = threading.Lock()
        self._drawn: tuple[int | None, _Picture] | None = None

    def graph(self, file: str | None = None, *, depth: int = 1, limit: int = 150, offset: int = 0) -> Graph:
        """A page of the nodes around a note, at most `depth` links away in either direction, or of all.

        A link to a heading counts as one to its note, an ambiguous link as one to each note that it may mean. Links of
        a note to itself, and to files that are no notes, are left out.

        Raises
        ------
        NoteNotFoundError : the note is not in the index.
        """
        if file is not None:
            with self._database.snapshot():
                file = indexed_note(Catalog(self._database), file).path
        picture = self._picture()
        if file is None:
            nodes = list(picture.nodes.values())
        else:
            nodes = [replace(picture.nodes[name], distance=far) for name, far in _around(picture, file, depth)]
        nodes.sort(key=lambda node: (node.distance or 0, -node.degree, node.file))
        ranks = {node.file: rank for rank, node in enumerate(nodes)}
        page = nodes[offset : offset + limit]
        return Graph(nodes=tuple(page), edges=tuple(_edges(picture, ranks, page)), total=len(nodes))

    def _picture(self) -> _Picture:
        with self._drawing:
            if self._drawn is None or self._drawn[0] != self._database.generation:
                with self._database.snapshot() as generation:
                    self._drawn = generation, _draw(self._database, self._vault)
            return self._drawn[1]


def _around(picture: _Picture, file: str, depth: int) -> Iterator[tuple[str, int]]:
    """The nodes at most `depth` links away from a note, with their distance."""
    seen, ring = {file}, [file]
    for distance in range(depth + 1):
        yield from ((name, distance) for name in ring)
        ring = list(dict.fromkeys(near for name in ring for near in picture.near.get(name, ()) if near not in seen))
        seen.update(ring)
        if not ring:
            return


def _edges(picture: _Picture, ranks: dict[str, int], page: list[GraphNode]) -> list[GraphEdge]:
    """The edges of a page's nodes to each other and to those before them."""
    found = []
    for node in page:
        rank = ranks[node.file]
        for other in picture.near.get(node.file, ()):
            if ranks.get(other, rank) < rank:
                found += [pair for pair in ((node.file, other), (other, node.file)) if pair in picture.edges]
    return [
        GraphEdge(source=source, target=target, count=picture.edges[source, target]) for source, target in sorted(found)
    ]


# ── drawing ─────────────────────────────────────────────────────────────────────────────────────

# What tells the two syntaxes of embeds apart is read for embeds only: all other links of a note to a name are one row.
_LINKS = """
    SELECT n.note_id, n.path, n.stem, l.kind, l.file_part, count(*),
           CASE WHEN l.kind = 'embed' THEN l.raw_target ELSE '' END,
           CASE WHEN l.kind = 'embed' THEN l.text END AS text,
           CASE WHEN l.kind = 'embed' THEN l.end_byte - l.start_byte ELSE 0 END AS length
    FROM links l JOIN notes n USING (note_id)
    WHERE l.file_part <> ''
    GROUP BY ALL ORDER BY n.path, min(l.position)
"""
_NOTES = """
    SELECT path, title, tags FROM notes
    LEFT JOIN (SELECT note_id, list(tag ORDER BY tag) AS tags FROM tags GROUP BY note_id) USING (note_id)
"""


def _draw(database: Database, vault: Vault) -> _Picture:
    catalog = Catalog(database)
    catalog.load_names()
    resolver = VaultResolver(catalog, Attachments(vault))
    notes = {path: (title, tuple(tags or ())) for path, title, tags in database.query(_NOTES)}
    edges: Counter[tuple[str, str]] = Counter()
    missing: dict[str, str] = {}  # by folded name: as it was written first
    source: Note | None = None
    for note_id, path, stem, kind, file_part, count, raw, text, length in database.query(_LINKS):
        if source is None or source.note_id != note_id:
            source = Note(note_id=note_id, path=path, stem=stem)
        link = WrittenLink(
            source=source,
            kind=kind,
            syntax=syntax_of(kind, raw, text, length),
            raw_target=raw,
            file_part=file_part,
            fragment=None,
        )
        for target in _targets(link, resolver.resolve(link), missing):
            if target != path and (target in notes or not is_attachment(target)):
                edges[path, target] += count
    near: defaultdict[str, set[str]] = defaultdict(set)
    degrees: Counter[str] = Counter()
    for (one, other), count in edges.items():
        near[one].add(other)
        near[other].add(one)
        degrees[one] += count
        degrees[other] += count
    nodes = {
        path: GraphNode(file=path, title=title, folder=_folder(path), tags=tags, degree=degrees[path])
        for path, (title, tags) in notes.items()
    }
    for name in near.keys() - notes.keys():
        nodes[name] = GraphNode(file=name, title=name.rpartition("/")[2], degree=degrees[name], missing=True)
    return _Picture(nodes=nodes, edges=edges, near=dict(near))


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _targets(link: WrittenLink, resolution: Resolution, missing: dict[str, str]) -> list[str]:
    """What a link leads to: paths of files, or the name that none has."""
    if resolution.status == "ambiguous":
        return list(dict.fromkeys(candidate.file for candidate in resolution.candidates))
    if resolution.target is not None:
        return [resolution.target.file]
    name = bare(link.file_part.strip())
    if link.syntax == "markdown" or name.startswith(("./", "../")):
        folder = "" if name.startswith("/") else _folder(link.source.path)
        inside = joined(folder, name)
        if inside is None:
            return []
        name = inside
    name = name.strip("/")
    return [missing.setdefault(fold(name), name)] if name else []
