"""Pages that are not too large to send: a list ends early, and what it counts tells the caller to go on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any

from jupyter_kb import wire
from jupyter_kb.models import BacklinkPage, DiagnosticPage, Graph, LinkPage, MentionPage, NotePage, SearchResults

LARGEST = 256 * 1024
"""Bytes of JSON in one page."""


def fitted(value: Any) -> Any:
    """The value with so many entries, at least one, as fit into a page; one that is no page as it is."""
    cut = _CUTS.get(type(value))
    return value if cut is None else cut(value)


def _fitting(sizes: Sequence[int], room: int = LARGEST - 4096) -> int:
    """How many entries of these sizes fit, commas included; some room is left for what stands around the list."""
    return max(1, sum(1 for total in accumulate(size + 1 for size in sizes) if total <= room))


def _size(value: Any) -> int:
    return len(wire.encode(wire.dump(value)))


def _list(name: str, **more: Any) -> Callable[[Any], Any]:
    def cut(page: Any) -> Any:
        entries = getattr(page, name)
        kept = entries[: _fitting([_size(entry) for entry in entries])]
        return page if len(kept) == len(entries) else replace(page, **{name: kept}, **more)

    return cut


def _graph(graph: Graph) -> Graph:
    """A graph with fewer nodes, and without the edges of those that are left out."""
    order = {node.file: place for place, node in enumerate(graph.nodes)}
    weight: Counter[int] = Counter({place: _size(node) for place, node in enumerate(graph.nodes)})
    for edge in graph.edges:  # an edge goes with the later of its nodes; the other may be on an earlier page
        weight[max(order.get(edge.source, 0), order.get(edge.target, 0))] += _size(edge) + 1
    kept = _fitting([weight[place] for place in range(len(graph.nodes))])
    edges = (edge for edge in graph.edges if max(order.get(edge.source, 0), order.get(edge.target, 0)) < kept)
    return replace(graph, nodes=graph.nodes[:kept], edges=tuple(edges))


_CUTS: dict[type, Callable[[Any], Any]] = {
    SearchResults: _list("hits", has_more=True),
    NotePage: _list("notes"),
    LinkPage: _list("links"),
    MentionPage: _list("mentions"),
    BacklinkPage: _list("backlinks"),
    DiagnosticPage: _list("diagnostics"),
    Graph: _graph,
}
