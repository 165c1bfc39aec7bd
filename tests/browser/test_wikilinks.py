"""Wikilinks in JupyterLab: completed while they are typed, shown in rendered Markdown, followed, previewed, repaired."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.lab import Lab

SOURCE = "() => window.jupyterapp.shell.currentWidget.content.editor.model.sharedModel.getSource()"
CURSOR_LINE = """wanted => {
  const editor = window.jupyterapp.shell.currentWidget?.content?.editor;
  return editor?.getLine(editor.getCursorPosition().line) === wanted;
}"""
READY = "() => window.jupyterapp.commands.hasCommand('jupyter-kb:create-note')"
THEMES = "@jupyterlab/apputils-extension:themes"


def opened(lab: Lab, path: str, *, theme: str = "light") -> Lab:
    """JupyterLab with a file in front, once the extension knows the vault."""
    with lab.page.expect_response(re.compile(r"kb/api/vaults/[^/]+/status")):
        lab.open(path, theme=theme)
    lab.page.wait_for_function(READY)
    lab.page.locator(".jp-FileEditor .cm-content, .jp-Notebook .jp-Cell").first.wait_for()
    return lab


def cursor_is_on(lab: Lab, line: str) -> None:
    """Wait until an editor is in front whose cursor stands on a line with this text."""
    lab.page.wait_for_function(CURSOR_LINE, arg=line)


def editor(lab: Lab) -> Locator:
    """The text of the file editor in front, the cursor at its end on a line of its own."""
    content = lab.page.locator(".jp-FileEditor:visible .cm-content")
    content.click()
    lab.page.keyboard.press("Control+End")
    lab.page.keyboard.press("Enter")
    return content


def last_line(lab: Lab) -> str:
    return str(lab.page.evaluate(SOURCE)).rsplit("\n", 1)[-1]


def rows(lab: Lab, kind: str) -> Locator:
    return lab.page.locator(f".jp-kb-completion .jp-kb-mod-{kind}")


def preview(lab: Lab, path: str) -> Locator:
    """A note in JupyterLab's preview, its links settled."""
    lab.run("docmanager:open", {"path": path, "factory": "Markdown Preview"})
    shown = lab.page.locator(".jp-MarkdownViewer:visible")
    expect(shown.locator("a.kb-link[data-kb-file]").first).to_be_visible()
    return shown


@pytest.fixture
def note(vault: Path) -> Iterator[Path]:
    """A note to write in; it lies in a folder with others."""
    path = vault / "methods" / "draft.md"
    path.write_text("# Draft\n\nA first line.\n", encoding="utf-8")
    yield path
    path.unlink()


def test_a_link_is_completed_from_its_brackets_on(lab: Lab, note: Path) -> None:
    opened(lab, "methods/draft.md")
    editor(lab)
    lab.page.keyboard.type("see [[")
    expect(rows(lab, "note").first).to_be_visible()  # what was changed last, before anything is typed
    lab.page.keyboard.type("calib")
    expect(rows(lab, "note").first).to_have_text(re.compile("Calibrating the fluorometer"))
    expect(rows(lab, "heading").first).to_contain_text("Calibration")
    expect(rows(lab, "create")).to_have_text("Create note “calib”")
    expect(lab.page.locator(".jp-kb-completion-pane")).to_contain_text("methods / fluorometer-calibration.md")
    assert rows(lab, "note").count() + rows(lab, "heading").count() <= 20
    lab.page.keyboard.press("Enter")
    expect(lab.page.locator(".jp-kb-completion")).to_have_count(0)
    lab.page.keyboard.type(".")
    assert last_line(lab) == "see [[fluorometer-calibration]]."


def test_the_hash_lists_the_headings_of_the_note_and_the_pipe_ends_the_list(lab: Lab, note: Path) -> None:
    opened(lab, "methods/draft.md")
    editor(lab)
    lab.page.keyboard.type("[[kestrel#gain")
    expect(rows(lab, "heading").first).to_contain_text("Gain steps")
    lab.page.keyboard.press("ArrowDown")
    expect(rows(lab, "heading").nth(1)).to_have_attribute("aria-selected", "true")
    lab.page.keyboard.press("Tab")
    assert last_line(lab) == "[[kestrel#Choosing a gain]]"
    lab.page.keyboard.type(" [[kestrel")
    expect(lab.page.locator(".jp-kb-completion")).to_be_visible()
    lab.page.keyboard.type("|the instrument")
    expect(lab.page.locator(".jp-kb-completion")).to_have_count(0)
    assert last_line(lab) == "[[kestrel#Choosing a gain]] [[kestrel|the instrument"


def test_aliases_and_parts_of_chinese_names_are_found_and_escape_leaves_the_text(lab: Lab, note: Path) -> None:
    opened(lab, "methods/draft.md")
    editor(lab)
    lab.page.keyboard.type("[[standard NPQ")
    expect(rows(lab, "note").first).to_contain_text("standard NPQ protocol")
    lab.page.keyboard.press("Enter")
    assert last_line(lab) == "[[npq-protocol|standard NPQ protocol]]"
    lab.page.keyboard.type(" [[荧光测量")
    expect(rows(lab, "note").first).to_contain_text("叶绿素荧光测量笔记")
    lab.page.keyboard.press("Escape")
    expect(lab.page.locator(".jp-kb-completion")).to_have_count(0)
    assert last_line(lab) == "[[npq-protocol|standard NPQ protocol]] [[荧光测量"


def test_brackets_that_are_there_are_not_doubled_and_code_has_no_list(lab: Lab, note: Path) -> None:
    opened(lab, "methods/draft.md")
    editor(lab)
    lab.page.keyboard.type("[[]]")
    lab.page.keyboard.press("ArrowLeft")
    lab.page.keyboard.press("ArrowLeft")
    lab.page.keyboard.type("turbido")
    expect(rows(lab, "note").first).to_contain_text("Turbidostat")
    lab.page.keyboard.press("Enter")
    assert last_line(lab) == "[[turbidostat]]"
    lab.page.keyboard.type(" `[[tur")
    lab.page.keyboard.press("Control+Space")
    expect(lab.page.locator(".jp-kb-completion")).to_have_count(0)


def test_a_note_that_is_missing_is_made_while_its_link_is_typed(lab: Lab, note: Path) -> None:
    opened(lab, "methods/draft.md")
    editor(lab)
    lab.page.keyboard.type("[[Bleaching correction")
    rows(lab, "create").click()
    dialog = lab.page.get_by_role("dialog")
    expect(dialog.get_by_label("Name")).to_have_value("Bleaching correction")
    expect(dialog.get_by_label("Folder")).to_have_value("methods")
    expect(dialog).to_contain_text("methods/Bleaching correction.md")
    assert lab.axe(".jp-Dialog") == []
    dialog.get_by_role("button", name="Create note").click()
    expect(dialog).to_have_count(0)
    made = note.parent / "Bleaching correction.md"
    assert made.read_text(encoding="utf-8") == "# Bleaching correction\n"
    assert last_line(lab) == "[[Bleaching correction]]"
    expect(lab.page.locator(".jp-FileEditor:visible .cm-content")).to_be_focused()
    made.unlink()


def test_a_name_that_is_taken_is_refused_under_its_field(lab: Lab) -> None:
    opened(lab, "inbox.md")
    lab.page.evaluate(
        "() => void window.jupyterapp.commands.execute('jupyter-kb:create-note', {name: 'index', folder: ''})"
    )
    dialog = lab.page.get_by_role("dialog")
    dialog.get_by_role("button", name="Create note").click()
    expect(dialog.get_by_role("alert")).to_have_text("There is a note with this name already.")
    expect(dialog.get_by_label("Name")).to_be_focused()
    lab.page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    lab.errors[:] = [error for error in lab.errors if "409" not in error]  # the browser's own line on the refusal


@pytest.fixture
def notebook(vault: Path) -> Iterator[str]:
    """A notebook beside the notes: a Markdown cell, a code cell."""
    cells = [
        {"cell_type": "markdown", "id": "a", "metadata": {}, "source": "See [[kestrel#Gain steps]] and `[[kestrel]]`."},
        {"cell_type": "code", "id": "b", "metadata": {}, "source": "", "outputs": [], "execution_count": None},
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    path = vault / "report.ipynb"
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    path.write_text(json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}))
    yield path.name
    path.unlink()


def test_a_markdown_cell_of_a_notebook_has_links_and_completes_them(lab: Lab, notebook: str) -> None:
    opened(lab, notebook)
    cell = lab.page.locator(".jp-MarkdownCell").first
    expect(cell.locator("a.kb-link")).to_have_attribute("data-kb-heading", "Kestrel > Electronics > Gain steps")
    expect(cell.locator("code")).to_have_text("[[kestrel]]")
    cell.locator(".jp-RenderedMarkdown p").dblclick(position={"x": 2, "y": 5})
    cell.locator(".cm-content").click()
    lab.page.keyboard.press("Control+End")
    lab.page.keyboard.type(" Also [[npq")
    expect(rows(lab, "note").first).to_contain_text("NPQ protocol")
    lab.page.keyboard.press("Enter")
    expect(cell.locator(".cm-content")).to_contain_text("Also [[npq-protocol]]")
    lab.page.keyboard.type(" [[ligh")
    expect(lab.page.locator(".jp-kb-completion")).to_be_visible()
    lab.page.keyboard.press("Escape")  # closes the list, not the cell
    expect(lab.page.locator(".jp-kb-completion")).to_have_count(0)
    expect(cell.locator(".cm-content")).to_be_focused()
    code = lab.page.locator(".jp-CodeCell .cm-content")
    code.click()
    lab.page.keyboard.type("x = [[npq")
    expect(code).to_contain_text("x = [[npq")
    expect(lab.page.locator(".jp-kb-completion")).to_have_count(0)
    lab.run("docmanager:save")


def test_a_rendered_link_opens_its_note_at_the_section(lab: Lab) -> None:
    opened(lab, "inbox.md")
    shown = preview(lab, "methods/npq-protocol.md")
    shown.locator("a.kb-link", has_text="Daily check").click()
    cursor_is_on(lab, "### Daily check")
    link = preview(lab, "methods/npq-protocol.md").locator("a.kb-link", has_text="run 12")
    expect(link).to_have_attribute("data-kb-file", "experiments/run-12.md")
    link.click(modifiers=["Control"])
    expect(lab.page.locator(".jp-FileEditor:visible .cm-content", has_text="# Run 12")).to_be_visible()
    expect(shown).to_be_visible()  # beside it


def test_code_is_left_alone_and_tables_keep_their_links(lab: Lab) -> None:
    opened(lab, "inbox.md")
    shown = preview(lab, "methods/npq-protocol.md")
    expect(shown.locator("pre", has_text="[[step]]").first).to_be_visible()
    assert shown.locator("pre a.kb-link").count() == 0
    table = preview(lab, "projects/photoprotection.md").locator("table")
    expect(table.locator("a.kb-link", has_text="run 12 (gain error)")).to_have_attribute(
        "data-kb-file", "experiments/run-12.md"
    )


def test_embeds_are_shown_in_their_place(lab: Lab, note: Path) -> None:
    note.write_text(
        "# Draft\n\n![[kestrel#Gain steps]]\n\n![[kestrel-light-path.svg|200]]\n\n![[draft]]\n", encoding="utf-8"
    )
    opened(lab, "inbox.md")
    shown = preview(lab, "methods/draft.md")
    frame = shown.locator(".jp-kb-embed").first
    expect(frame.locator("table")).to_be_visible()
    expect(frame.locator(".jp-kb-embed-title")).to_have_text("kestrel › Gain steps")
    image = shown.locator("> .jp-RenderedMarkdown > p > img, p > img").first
    expect(image).to_have_js_property("width", 200)
    lab.page.wait_for_function("image => image.complete && image.naturalWidth > 0", arg=image.element_handle())
    inner = shown.locator(".jp-kb-embed", has_text="draft").last
    expect(inner.locator("a.jp-kb-mod-not-embedded")).to_be_visible()  # a note within itself ends there
    frame.locator(".jp-kb-embed-title a").click()
    cursor_is_on(lab, "### Gain steps")


def test_a_broken_link_makes_its_note_and_is_whole_after_that(lab: Lab, vault: Path) -> None:
    opened(lab, "inbox.md")
    shown = preview(lab, "inbox.md")
    broken = shown.locator("a.kb-link.kb-missing", has_text="low-temperature-spectra")
    broken.click()
    dialog = lab.page.get_by_role("dialog")
    expect(dialog.get_by_label("Name")).to_have_value("low-temperature-spectra")
    dialog.get_by_role("button", name="Create note").click()
    expect(lab.page.locator(".jp-FileEditor:visible .cm-content", has_text="# low-temperature-spectra")).to_be_visible()
    shown = preview(lab, "inbox.md")
    expect(shown.locator("a.kb-link", has_text="low-temperature-spectra")).not_to_have_class(re.compile("kb-missing"))
    (vault / "low-temperature-spectra.md").unlink()


def test_the_card_of_a_link_opens_under_the_pointer_and_closes_after_it(lab: Lab) -> None:
    opened(lab, "inbox.md")
    shown = preview(lab, "methods/npq-protocol.md")
    shown.locator("a.kb-link", has_text="Daily check").hover()
    card = lab.page.get_by_role("dialog", name="Kestrel")
    expect(card).to_contain_text("instruments / kestrel.md › Operation › Daily check")
    expect(card).to_contain_text("notes link here")
    box = card.bounding_box()
    assert box and box["width"] == 320
    card.hover()  # over the card it stays
    expect(card.get_by_role("button", name="Open", exact=True)).to_be_visible()
    assert lab.axe(".jp-kb-card") == []
    lab.page.mouse.move(5, 5)
    expect(card).to_have_count(0)


def test_the_card_of_a_broken_link_offers_the_closest_name(lab: Lab, note: Path) -> None:
    note.write_text("# Draft\n\nSee [[turbidostatt#Foam|the foam]].\n", encoding="utf-8")
    opened(lab, "methods/draft.md")
    link = lab.page.locator(".jp-FileEditor:visible .jp-kb-wikilink")
    link.hover()
    card = lab.page.get_by_role("dialog", name="Missing note")
    expect(card).to_contain_text("No note has this name. Closest: “turbidostat”.")
    assert lab.axe(".jp-kb-card") == []
    card.get_by_role("button", name="Link to “turbidostat”").click()
    expect(lab.page.locator(".jp-FileEditor:visible .cm-content")).to_contain_text("See [[turbidostat#Foam|the foam]].")


def test_a_key_opens_the_card_of_the_link_at_the_cursor(lab: Lab, note: Path) -> None:
    note.write_text("# Draft\n\nSee [[kestrel#Gain steps]].\n", encoding="utf-8")
    opened(lab, "methods/draft.md")
    content = lab.page.locator(".jp-FileEditor:visible .cm-content")
    content.click()
    lab.page.keyboard.press("Control+Home")
    for _ in range(2):
        lab.page.keyboard.press("ArrowDown")
    for _ in range(8):
        lab.page.keyboard.press("ArrowRight")
    lab.page.keyboard.press("Alt+.")
    card = lab.page.get_by_role("dialog", name="Kestrel")
    expect(card).to_be_visible()
    lab.page.keyboard.press("Tab")
    expect(card.get_by_role("button", name="Open", exact=True)).to_be_focused()
    lab.page.keyboard.press("Escape")
    expect(card).to_have_count(0)
    expect(content).to_be_focused()
    lab.run("jupyter-kb:follow-link")
    cursor_is_on(lab, "### Gain steps")


def test_a_link_in_an_editor_is_followed_with_the_control_key(lab: Lab, note: Path) -> None:
    note.write_text("# Draft\n\nSee [[run-12#Cause]].\n", encoding="utf-8")
    opened(lab, "methods/draft.md")
    lab.page.locator(".jp-FileEditor:visible .jp-kb-wikilink").click(modifiers=["Control"])
    cursor_is_on(lab, "## Cause")


def test_a_narrow_editor_has_the_list_alone(lab: Lab, note: Path) -> None:
    lab.page.set_viewport_size({"width": 860, "height": 700})
    opened(lab, "methods/draft.md")
    editor(lab)
    lab.page.keyboard.type("[[calib")
    expect(rows(lab, "note").first).to_be_visible()
    expect(lab.page.locator(".cm-completionInfo.jp-kb-mod-hidden")).to_have_count(1)
    expect(lab.page.locator(".jp-kb-completion-pane")).to_be_hidden()


def test_links_can_be_left_as_text(lab: Lab) -> None:
    lab.settings("jupyter-kb:session", {"renderWikilinks": False})
    try:
        opened(lab, "inbox.md")
        lab.run("docmanager:open", {"path": "methods/npq-protocol.md", "factory": "Markdown Preview"})
        shown = lab.page.locator(".jp-MarkdownViewer:visible")
        expect(shown).to_contain_text("[[kestrel]]")
        assert shown.locator("a.kb-link").count() == 0
    finally:
        lab.settings("jupyter-kb:session", {})


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_completion_and_card_in_both_themes(lab: Lab, note: Path, theme: str) -> None:
    note.write_text(
        "# Calibration notes\n\n## Detection limit\n\nThe block is read first, as described in [[kestrel#Daily check|Daily check]],"
        " then the extract of\n[[叶绿素荧光测量笔记]]. The dark offset comes off as in [[turbidostatt]].\n\n## Gain\n\n"
        "Readings near full scale are repeated one step lower. The effect on the\nline is discussed in ",
        encoding="utf-8",
    )
    try:
        opened(lab, "methods/draft.md", theme=theme)
        lab.page.locator(".jp-FileEditor:visible .cm-content").click()
        lab.page.keyboard.press("Control+End")
        lab.page.keyboard.type("[[calib")
        expect(rows(lab, "note").first).to_be_visible()
        expect(lab.page.locator(".jp-kb-completion-pane")).to_contain_text("link here")
        expect(lab.page.locator(".jp-kb-completion-foot")).to_be_visible()
        assert lab.axe(".jp-kb-completion") == []
        lab.shot(f"wikilink-completion-{theme}")
        lab.page.keyboard.press("Escape")
        for _ in range(len("[[calib")):
            lab.page.keyboard.press("Backspace")
        shown = preview(lab, "methods/draft.md")
        expect(shown.locator("a.kb-missing")).to_be_visible()
        assert lab.axe(".jp-MarkdownViewer a.kb-link") == []
        shown.locator("a.kb-link").first.hover()
        expect(lab.page.get_by_role("dialog", name="Kestrel")).to_contain_text("link here")
        assert lab.axe(".jp-kb-card") == []
        lab.shot(f"hover-card-{theme}")
        shown.locator("a.kb-missing").hover()
        expect(lab.page.get_by_role("dialog", name="Missing note")).to_be_visible()
        assert lab.axe(".jp-kb-card") == []
        lab.shot(f"hover-card-missing-{theme}")
    finally:
        lab.settings(THEMES, {})
