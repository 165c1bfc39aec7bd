"""NoteGraph: the notes around a note, another one in the middle, and the same as a list."""

from __future__ import annotations

from pathlib import Path

from jupyter_kb.kb import KnowledgeBase
from jupyter_kb.widgets import NoteGraph
from tests.widgets.front import Front, until


def test_it_shows_the_notes_around_a_note(kb: KnowledgeBase) -> None:
    graph = NoteGraph("npq-protocol", vault=kb)
    expected = kb.graph("methods/npq-protocol.md", depth=1)

    assert [node["file"] for node in graph._nodes] == [node.file for node in expected.nodes]
    assert graph._nodes[0]["file"] == graph.file == "methods/npq-protocol.md"
    assert graph.total == expected.total


def test_another_note_and_another_depth_are_read(kb: KnowledgeBase, front: Front) -> None:
    graph = NoteGraph("npq-protocol", vault=kb)
    few = graph.total
    front.set(graph, depth=2)
    until(lambda: graph.total > few)
    front.set(graph, file="instruments/kestrel.md")
    until(lambda: graph._center == "instruments/kestrel.md")

    assert graph.graph is not None
    assert graph.graph.nodes[0].file == "instruments/kestrel.md"


def test_only_the_nearest_are_shown_of_many(kb: KnowledgeBase) -> None:
    graph = NoteGraph("npq-protocol", depth=3, limit=5, vault=kb)

    assert len(graph._nodes) == 5
    assert graph.total > 5


def test_a_saved_notebook_shows_a_list(kb: KnowledgeBase, demo_vault: Path) -> None:
    (demo_vault / "lonely.md").write_text("# <b>Lonely</b>\n\n[[no such note]] [[kestrel]]\n")
    shown = NoteGraph("lonely", vault=kb)._repr_mimebundle_()[0]

    assert "- [[instruments/kestrel]]" in shown["text/markdown"]
    assert "no such note" in shown["text/plain"]
    assert "<b>" not in shown["text/html"]
