"""The whole window as the documentation shows it, and the names that its reference gives to commands."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, expect

from docs._ext.kb_interface import commands
from tests.browser.lab import Lab

THEMES = ("light", "dark")
SIDE = 40
"""Pixels by which each sidebar is wider than JupyterLab makes it."""
QUESTION = "how long must the cells stay in the dark"


@pytest.mark.parametrize("theme", THEMES)
def test_the_window_shows_search_note_and_its_links(lab: Lab, theme: str) -> None:
    lab.settings("@jupyterlab/apputils-extension:notification", {"fetchNews": "false"})
    lab.open(theme=theme)
    lab.run("jupyter-kb:search")
    panel = lab.page.locator("#jupyter-kb-search")
    panel.get_by_role("searchbox").fill(QUESTION)
    panel.get_by_role("radio", name="Text").click()
    first = panel.get_by_role("treeitem", name=re.compile("Dark adaptation time")).first
    first.click()
    expect(lab.page.locator(".jp-FileEditor:visible .cm-line", has_text="## Dark adaptation time")).to_be_visible()
    lab.run("jupyter-kb:show-note-panel")
    note = lab.page.locator("#jupyter-kb-note-panel")
    expect(note.get_by_role("treeitem", name=re.compile("Dark adaptation time"))).to_have_attribute(
        "aria-current", "true"
    )
    expect(note.get_by_text("Linked from")).to_be_visible()
    expect(lab.page.locator(".jp-kb-search-pending")).to_have_count(0)
    dragged(lab, lab.page.locator("#jp-main-split-panel > .lm-SplitPanel-handle:visible").first, SIDE)
    dragged(lab, lab.page.locator("#jp-main-split-panel > .lm-SplitPanel-handle:visible").last, -SIDE)
    lab.shot(f"window-{theme}")


def dragged(lab: Lab, handle: Locator, by: int) -> None:
    """Move a border between the sidebars and the main area."""
    box = handle.bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + 300
    lab.page.mouse.move(x, y)
    lab.page.mouse.down()
    lab.page.mouse.move(x + by, y, steps=4)
    lab.page.mouse.up()
    lab.page.mouse.move(lab.page.viewport_size["width"] / 2 if lab.page.viewport_size else 0, 12)


def test_the_reference_names_the_commands_as_jupyterlab_does(lab: Lab) -> None:
    lab.open()
    lab.page.wait_for_function("() => window.jupyterapp.commands.hasCommand('jupyter-kb:create-note')")
    labels = lab.page.evaluate(
        "() => Object.fromEntries(window.jupyterapp.commands.listCommands()"
        ".filter(id => id.startsWith('jupyter-kb:')).map(id => [id, window.jupyterapp.commands.label(id)]))"
    )
    documented = {command.id: command.labels for command in commands()}
    assert documented.keys() == labels.keys()
    assert {id: label for id, label in labels.items() if label not in documented[id]} == {}
