"""Pages end where they would grow too large to send, and all pages together are the whole."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jupyter_kb import wire
from jupyter_kb.kb import KnowledgeBase
from jupyter_kb.models import (
    BacklinkPage,
    Graph,
    GraphEdge,
    GraphNode,
    LinkPage,
    MentionPage,
    NotePage,
    Outline,
    SearchResults,
)
from jupyter_kb.rest.paging import LARGEST, fitted
from tests.rest.asking import Host, content, direct


@pytest.fixture
def large(kb: KnowledgeBase) -> KnowledgeBase:
    """The demo vault with a note to which two thousand links lead, some from notes with long names."""
    for number in range(20):
        text = "".join(f"## {'Heading ' * 12}{number} {line}\n\n[[hub]] word\n\n" for line in range(100))
        Path(kb.vault.root, f"{'long name ' * 10}{number}.md").write_text(text)
    Path(kb.vault.root, "hub.md").write_text("# Hub\n")
    kb.scan()
    return kb


def pages(host: Host, kind: Any, resource: str, query: dict[str, Any], entries: Callable[[Any], Any]) -> list[Any]:
    """All pages of a resource, each asked for where the one before it ended."""
    found: list[Any] = []
    offset = 0
    while not found or offset < found[-1].total:
        answer = direct(host)("GET", resource, {**query, "limit": 100_000, "offset": offset})
        assert len(answer.body) <= LARGEST
        found.append(wire.load(kind, content(answer)))
        assert entries(found[-1]), "a page without entries would never end"
        offset += len(entries(found[-1]))
    assert len(found) > 1, "this was meant to be too large for one page"
    return found


def test_backlinks_come_in_pages_that_can_be_sent(host: Host, large: KnowledgeBase) -> None:
    found = pages(host, BacklinkPage, "backlinks", {"file": "hub.md"}, lambda page: page.backlinks)

    assert tuple(link for page in found for link in page.backlinks) == large.backlinks("hub.md")


def test_links_come_in_pages_that_can_be_sent(host: Host, large: KnowledgeBase) -> None:
    found = pages(host, LinkPage, "links", {"file": "hub.md"}, lambda page: page.links)

    assert tuple(link for page in found for link in page.links) == large.links("hub.md", limit=100_000).links


def test_mentions_come_in_pages_that_can_be_sent(host: Host, large: KnowledgeBase) -> None:
    Path(large.vault.root, "many.md").write_text("".join(f"{'the words around a hub ' * 40}{n}\n" for n in range(20)))

    found = pages(host, MentionPage, "mentions", {"file": "hub.md"}, lambda page: page.mentions)

    mentions = tuple(mention for page in found for mention in page.mentions)
    assert mentions == large.mentions("hub.md", limit=100_000).mentions
    assert len(mentions) >= 20 * 40


def test_hits_come_in_pages_that_can_be_sent(host: Host, large: KnowledgeBase) -> None:
    query = {"q": "word", "mode": "text", "path": "long name*"}

    found = pages(host, SearchResults, "search", query, lambda page: page.hits)

    places = [(hit.file, hit.heading_path) for page in found for hit in page.hits]
    assert len(places) == len(set(places)) == found[0].total == 2_000
    assert [page.has_more for page in found] == [True] * (len(found) - 1) + [False]


def test_a_small_page_is_whole() -> None:
    graph = Graph(nodes=(GraphNode(file="a", title="A"),), edges=(), total=1)

    assert fitted(graph) == graph
    assert fitted("anything else") == "anything else"


def test_a_graph_that_is_cut_keeps_the_edges_of_the_nodes_that_stay() -> None:
    nodes = tuple(GraphNode(file=f"{number:05}", title="x" * 200) for number in range(3_000))
    edges = tuple(GraphEdge(source=f"{number:05}", target=f"{number // 2:05}") for number in range(1, 3_000))
    earlier = (GraphEdge(source="00007", target="on an earlier page"), GraphEdge(source="02999", target="there too"))

    cut = fitted(Graph(nodes=nodes, edges=edges + earlier, total=9_000))

    kept = len(cut.nodes)
    assert 100 < kept < 3_000
    assert len(wire.encode(wire.dump(cut))) <= LARGEST
    assert cut.edges == (*edges[: kept - 1], earlier[0])
    assert cut.total == 9_000


def test_one_entry_is_sent_however_large_it_is() -> None:
    page = NotePage(notes=(), total=0)
    node = GraphNode(file="a", title="x" * LARGEST)

    assert fitted(page) == page
    assert len(fitted(Graph(nodes=(node, node), edges=(), total=2)).nodes) == 1


def test_what_is_no_list_is_sent_whole(host: Host, kb: KnowledgeBase) -> None:
    Path(kb.vault.root, "tall.md").write_text("".join(f"# Heading {number}\n" for number in range(2_000)))

    answer = direct(host)("GET", "outline", {"file": "tall.md"})

    assert len(answer.body) > LARGEST
    assert len(wire.load(Outline, content(answer)).sections) == 2_000
