"""OutlineBrowser: the headings of a note, the chosen one as a page, and links between widgets."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from traitlets import link

from jupyter_kb.kb import KnowledgeBase
from jupyter_kb.magics.refusal import MagicError
from jupyter_kb.widgets import NoteGraph, OutlineBrowser, SectionEditor
from tests.widgets.front import Front, until


def test_a_note_is_found_by_any_of_its_names(kb: KnowledgeBase) -> None:
    browser = OutlineBrowser("npq-protocol", "Sequence", vault=kb)

    assert browser.file == "methods/npq-protocol.md"
    assert browser.selected == "methods/npq-protocol.md > NPQ protocol > Sequence"
    assert browser.section is not None
    assert browser.section.text.startswith("## Sequence")
    assert "<ol>" in browser._preview
    assert browser._counted.startswith(f"{len(browser._nodes)} headings, ")


def test_the_choice_drives_an_editor(kb: KnowledgeBase, front: Front) -> None:
    browser, editor = OutlineBrowser("npq-protocol", vault=kb), SectionEditor(vault=kb)
    link((browser, "selected"), (editor, "section"))
    front.set(browser, selected=browser._nodes[-1]["ref"])
    until(lambda: editor.heading_path == browser._nodes[-1]["heading_path"])
    until(lambda: "Keep the cuvette" in browser._preview)

    assert editor.text.startswith("Keep the cuvette")


def test_a_section_named_shortly_is_found_in_the_outline(kb: KnowledgeBase, front: Front) -> None:
    browser = OutlineBrowser("npq-protocol", vault=kb)
    browser.selected = "kestrel > Daily check"
    until(lambda: browser.selected == "instruments/kestrel.md > Kestrel > Operation > Daily check")
    until(lambda: "Daily check" in browser._preview)

    assert browser.title == "Kestrel"


def test_a_link_in_the_page_is_followed(kb: KnowledgeBase, front: Front) -> None:
    browser = OutlineBrowser("npq-protocol", vault=kb)
    front.tell(browser, "follow", file="instruments/kestrel.md", heading="Kestrel > Operation > Daily check")
    until(lambda: browser._key == "instruments/kestrel.md")

    until(lambda: browser.section is not None and browser.section.heading_path.endswith("Daily check"))


def test_the_graphs_choice_drives_the_outline(kb: KnowledgeBase, front: Front) -> None:
    graph, browser = NoteGraph("npq-protocol", vault=kb), OutlineBrowser("npq-protocol", vault=kb)
    link((graph, "selected"), (browser, "file"))
    front.set(graph, selected="instruments/kestrel.md")

    until(lambda: browser.title == "Kestrel")


def test_headings_that_are_called_the_same_are_told_apart(kb: KnowledgeBase, front: Front, demo_vault: Path) -> None:
    (demo_vault / "twins.md").write_text("# A\n\n## B\n\nfirst\n\n## B\n\nsecond\n\n##\n\nnameless\n")
    browser = OutlineBrowser("twins", vault=kb)
    refs = [node["ref"] for node in browser._nodes]
    assert len(set(refs)) == 4
    for ref, text in zip(refs[1:], ("first", "second", "nameless"), strict=True):
        front.set(browser, selected=ref)
        until(partial(_shows, browser, text))
        assert SectionEditor(ref, vault=kb).text == text


def _shows(browser: OutlineBrowser, text: str) -> bool:
    return text in browser._preview


def test_a_wrong_name_is_told_in_a_line_with_what_was_meant(kb: KnowledgeBase) -> None:
    with pytest.raises(MagicError, match="npq-protocol"):
        OutlineBrowser("npq-protocl", vault=kb)


def test_a_wrong_choice_later_is_told_in_the_widget(kb: KnowledgeBase, front: Front) -> None:
    browser = OutlineBrowser("npq-protocol", vault=kb)
    browser.selected = "npq-protocol > Nowhere"
    until(lambda: browser.problem)

    assert browser.title == "NPQ protocol"


def test_a_saved_notebook_shows_the_outline(kb: KnowledgeBase) -> None:
    shown = OutlineBrowser("npq-protocol", vault=kb)._repr_mimebundle_()[0]

    assert "Acceptance of a cuvette" in shown["text/plain"]
    assert "- [[methods/npq-protocol#Sequence|" in shown["text/markdown"]
    assert "<button" not in shown["text/html"]
