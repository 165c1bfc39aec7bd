"""Notes in the menus of the file browser, of editors and of notebooks."""

from __future__ import annotations

import json
import re
from pathlib import Path

from playwright.sync_api import Locator, expect

from tests.browser.lab import Lab

CURSOR_LINE = """wanted => {
  const editor = window.jupyterapp.shell.currentWidget?.content?.editor;
  return editor?.getLine(editor.getCursorPosition().line) === wanted;
}"""
READY = "() => window.jupyterapp.commands.hasCommand('jupyter-kb:copy-section-link')"


def opened(lab: Lab, path: str = "") -> Lab:
    """JupyterLab once the extension knows the vault."""
    with lab.page.expect_response(re.compile(r"kb/api/vaults/[^/]+/status")):
        lab.open(path)
    lab.page.wait_for_function(READY)
    if path:
        lab.page.locator(".jp-FileEditor .cm-content, .jp-Notebook .jp-Cell").first.wait_for()
    return lab


def cursor_is_on(lab: Lab, line: str) -> None:
    """Wait until an editor is in front whose cursor stands on a line with this text."""
    lab.page.wait_for_function(CURSOR_LINE, arg=line)


def menu_of(lab: Lab, on: Locator) -> Locator:
    on.click(button="right")
    menu = lab.page.locator(".lm-Menu")
    expect(menu).to_be_visible()
    return menu


def file_row(lab: Lab, name: str) -> Locator:
    return lab.page.locator(".jp-DirListing-item", has=lab.page.get_by_text(name, exact=True))


def copied(lab: Lab) -> Locator:
    return lab.page.locator(".Toastify__toast", has_text="Copied")


def test_notes_have_commands_in_the_file_browser_and_other_files_have_none(lab: Lab, vault: Path) -> None:
    (vault / "data.csv").write_text("a,b\n1,2\n")
    opened(lab)
    menu = menu_of(lab, file_row(lab, "glossary.md"))
    expect(menu.get_by_text("Open in Knowledge Base")).to_be_visible()
    expect(menu.get_by_text("Copy Section Link")).to_be_visible()
    expect(menu.get_by_text("Insert Section into Notebook")).to_be_hidden()  # no notebook is open
    lab.page.keyboard.press("Escape")
    menu = menu_of(lab, file_row(lab, "data.csv"))
    expect(menu.get_by_text("Open in Knowledge Base")).to_be_hidden()
    lab.page.keyboard.press("Escape")
    (vault / "data.csv").unlink()


def test_a_note_is_opened_from_the_file_browser(lab: Lab) -> None:
    opened(lab)
    menu_of(lab, file_row(lab, "glossary.md")).get_by_text("Open in Knowledge Base").click()
    expect(lab.page.locator(".jp-FileEditor:visible .cm-content")).to_contain_text("# Glossary")


def test_a_link_to_a_section_is_chosen_and_copied(lab: Lab) -> None:
    opened(lab)
    menu_of(lab, file_row(lab, "glossary.md")).get_by_text("Copy Section Link").click()
    dialog = lab.page.get_by_role("dialog")
    expect(dialog.get_by_role("option", name=re.compile("Quantum yield"))).to_be_visible()
    assert lab.axe(".jp-Dialog") == []
    dialog.get_by_role("combobox").fill("quantum")
    expect(dialog.get_by_role("option")).to_have_count(1)
    lab.page.keyboard.press("Enter")
    expect(copied(lab)).to_contain_text("Copied [[glossary#Quantum yield]]")


def test_an_editor_copies_the_link_to_the_section_at_its_cursor(lab: Lab) -> None:
    opened(lab, "glossary.md")
    line = lab.page.locator(".jp-FileEditor:visible .cm-line", has_text=re.compile("^## Quantum yield$"))
    line.click()
    cursor_is_on(lab, "## Quantum yield")
    menu_of(lab, line).get_by_text("Copy Section Link").click()
    expect(copied(lab)).to_contain_text("Copied [[glossary#Quantum yield]]")


def test_a_section_goes_into_the_notebook_in_front_with_a_line_on_where_it_is_from(lab: Lab, vault: Path) -> None:
    cells = [{"cell_type": "markdown", "id": "a", "metadata": {}, "source": "First"}]
    notebook = vault / "report.ipynb"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    notebook.write_text(json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}))
    opened(lab, "report.ipynb")
    cell = lab.page.locator(".jp-MarkdownCell").first
    menu_of(lab, cell).get_by_text("Insert Section into Notebook").click()
    dialog = lab.page.get_by_role("dialog")
    dialog.get_by_role("combobox").fill("kestrel#gain")
    expect(dialog.get_by_role("option", name=re.compile("Gain steps"))).to_be_visible()
    lab.page.keyboard.press("Enter")
    made = lab.page.locator(".jp-MarkdownCell").nth(1)
    expect(made.locator("h3")).to_contain_text("Gain steps")
    expect(made.locator("table")).to_be_visible()
    source = made.locator("a.kb-link", has_text="kestrel > Gain steps")
    expect(source).to_have_attribute("data-kb-heading", "Kestrel > Electronics > Gain steps")
    lab.run("docmanager:save")
    lab.page.wait_for_function("() => !window.jupyterapp.shell.currentWidget.context.model.dirty")
    saved = json.loads(notebook.read_text(encoding="utf-8"))
    assert saved["cells"][1]["source"][-1] == "*From [[kestrel#Gain steps]]*"
    source.click()
    cursor_is_on(lab, "### Gain steps")
    notebook.unlink()


def test_the_commands_are_in_the_palette(lab: Lab) -> None:
    opened(lab, "inbox.md")
    lab.page.locator(".jp-FileEditor:visible .jp-kb-wikilink").first.click()
    lab.page.evaluate("() => void window.jupyterapp.commands.execute('apputils:activate-command-palette')")
    field = lab.page.locator(".lm-CommandPalette-input")
    for label in ("Create Note…", "Copy Section Link", "Open in Knowledge Base", "Follow Link", "Preview Link"):
        field.fill(label)
        expect(lab.page.locator(".lm-CommandPalette-itemLabel", has_text=label).first).to_be_visible()
