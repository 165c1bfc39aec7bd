"""Notes and the links between them, for a picture."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class GraphNode:
    """A note, or (`missing`) a name that links point to and no note has.

    `degree` counts its links in the whole vault, both ways; `distance` is counted in links from the note asked for,
    0 for itself, None in a graph of the whole vault.
    """

    file: str
    title: str
    folder: str = ""
    tags: tuple[str, ...] = ()
    degree: int = 0
    distance: int | None = None
    missing: bool = False


@dataclass(frozen=True, kw_only=True)
class GraphEdge:
    """`count` links from one node to another, named by their `file`."""

    source: str
    target: str
    count: int = 1


@dataclass(frozen=True, kw_only=True)
class Graph:
    """A window on a graph: nodes nearest (then most linked) first, and the edges between those shown so far.

    `total` counts the nodes before paging. The edges of a page are those of its nodes to its own and to earlier pages'
    nodes, so that all pages together hold each edge once.
    """

    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]
    total: int
