"""Graphs of notes: who is a node, who is near, and pages that together hold each edge once."""

from __future__ import annotations

import time
from collections.abc import Mapping

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jupyter_kb.errors import NoteNotFoundError
from jupyter_kb.graph.picture import Pictures
from jupyter_kb.models import Graph, GraphNode
from tests.graph.conftest import MakeVault
from tests.graph.vaults import IndexedVault


def picture(make_vault: MakeVault, files: Mapping[str, str]) -> Pictures:
    vault = make_vault(files)
    return Pictures(vault.database, vault.vault)


def edges(graph: Graph) -> dict[tuple[str, str], int]:
    return {(edge.source, edge.target): edge.count for edge in graph.edges}


def files(graph: Graph) -> list[str]:
    return [node.file for node in graph.nodes]


CHAIN = {
    "a.md": "[[b]]\n",
    "b.md": "[[c]] [[b]]\n",
    "c.md": "[[d]]\n",
    "d.md": "# D\n",
    "alone.md": "# Alone\n",
}


def test_the_whole_vault_has_its_most_linked_notes_first(make_vault: MakeVault) -> None:
    graph = picture(make_vault, CHAIN).graph()

    assert files(graph) == ["b.md", "c.md", "a.md", "d.md", "alone.md"]
    assert edges(graph) == {("a.md", "b.md"): 1, ("b.md", "c.md"): 1, ("c.md", "d.md"): 1}
    assert {node.distance for node in graph.nodes} == {None}
    assert graph.total == 5


def test_a_neighbourhood_goes_so_many_links_in_either_direction(make_vault: MakeVault) -> None:
    pictures = picture(make_vault, CHAIN)

    distances = [
        {node.file: node.distance for node in pictures.graph("b.md", depth=depth).nodes} for depth in (0, 1, 2, 9)
    ]

    assert distances == [
        {"b.md": 0},
        {"b.md": 0, "c.md": 1, "a.md": 1},
        {"b.md": 0, "c.md": 1, "a.md": 1, "d.md": 2},
        {"b.md": 0, "c.md": 1, "a.md": 1, "d.md": 2},
    ]
    assert edges(pictures.graph("b.md")) == {("a.md", "b.md"): 1, ("b.md", "c.md"): 1}
    assert files(pictures.graph("alone.md")) == ["alone.md"]


def test_a_node_says_what_the_note_is(make_vault: MakeVault) -> None:
    notes = {
        "x/y/a.md": "---\ntags: [one, two/three]\ntitle: The A\n---\n[[gone]] [[x/y/b|twice]] [b](b.md)\n",
        "x/y/b.md": "",
    }

    graph = picture(make_vault, notes).graph()

    assert graph.nodes[0] == GraphNode(
        file="x/y/a.md", title="The A", folder="x/y", tags=("one", "two/three"), degree=3
    )
    assert edges(graph)["x/y/a.md", "x/y/b.md"] == 2


def test_a_name_that_no_note_has_is_one_node_however_it_is_written(make_vault: MakeVault) -> None:
    notes = {"a.md": "[[Ghost]] [[ghost.md#x]] ![[GHOST]]\n", "f/b.md": "[g](../ghost.md) [h](ghost.md) [[./Ghost]]\n"}

    graph = picture(make_vault, notes).graph()

    missing = [node for node in graph.nodes if node.missing]
    assert [(node.file, node.title, node.degree) for node in missing] == [
        ("Ghost", "Ghost", 4),
        ("f/ghost", "ghost", 2),
    ]
    assert edges(graph) == {("a.md", "Ghost"): 3, ("f/b.md", "Ghost"): 1, ("f/b.md", "f/ghost"): 2}


def test_links_to_headings_and_aliases_lead_to_their_note(make_vault: MakeVault) -> None:
    notes = {"a.md": "[[b#No such]] [[The B]] [[b#^id]]\n", "b.md": "---\naliases: [The B]\n---\n"}

    assert edges(picture(make_vault, notes).graph()) == {("a.md", "b.md"): 3}


def test_an_ambiguous_link_leads_to_each_note_that_it_may_mean(make_vault: MakeVault) -> None:
    notes = {"a.md": "[[same]]\n", "x/same.md": "", "y/same.md": ""}

    assert edges(picture(make_vault, notes).graph()) == {("a.md", "x/same.md"): 1, ("a.md", "y/same.md"): 1}


def test_files_that_are_no_notes_are_left_out(make_vault: MakeVault) -> None:
    vault = make_vault(
        {"a.md": "![[pic.png]] ![x](gone.png) [[doc.pdf]] [w](https://w.example) [up](../up.md) [[#A]]\n"}
    )
    (vault.root / "pic.png").write_bytes(b"")

    graph = Pictures(vault.database, vault.vault).graph()

    assert files(graph) == ["a.md"]
    assert graph.edges == ()


def test_a_note_that_is_not_there_is_not_found_with_near_names(make_vault: MakeVault) -> None:
    with pytest.raises(NoteNotFoundError) as caught:
        picture(make_vault, CHAIN).graph("alon.md")

    assert caught.value.details["suggestions"][0] == "alone.md"


def test_a_change_is_in_the_next_picture(make_vault: MakeVault) -> None:
    vault = make_vault(CHAIN)
    pictures = Pictures(vault.database, vault.vault)
    before = pictures.graph()

    vault.write({"alone.md": "[[a]]\n"})

    assert ("alone.md", "a.md") not in edges(before)
    assert edges(pictures.graph())["alone.md", "a.md"] == 1


@given(links=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 12)), max_size=30), size=st.integers(1, 7))
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_all_pages_together_hold_each_node_and_each_edge_once(
    make_vault: MakeVault, links: list[tuple[int, int]], size: int
) -> None:
    pictures = picture(
        make_vault,
        {f"{one}.md": " ".join(f"[[{other}]]" for source, other in links if source == one) for one in range(10)},
    )

    for start in (None, "0.md"):
        whole = pictures.graph(start, depth=3, limit=100)
        pages = [pictures.graph(start, depth=3, limit=size, offset=at) for at in range(0, whole.total, size)]

        assert tuple(node for page in pages for node in page.nodes) == whole.nodes
        found = [(edge.source, edge.target, edge.count) for page in pages for edge in page.edges]
        assert sorted(found) == [(edge.source, edge.target, edge.count) for edge in whole.edges]
        known: set[str] = set()
        for page in pages:
            known |= set(files(page))
            assert all({edge.source, edge.target} <= known for edge in page.edges)


@pytest.mark.data
@pytest.mark.slow
def test_the_graph_of_thousands_of_notes_is_drawn_at_once(hub: IndexedVault) -> None:
    pictures = Pictures(hub.database, hub.vault)
    started = time.process_time()

    graph = pictures.graph(limit=100_000)

    assert time.process_time() - started < 2.5
    assert graph.total > 6_500
    assert len(graph.edges) > 20_000
