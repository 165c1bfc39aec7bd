"""The note panel: it follows the note in front, shows what it is tied to, and mends broken links."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.lab import Lab

NOTE = "instruments/kestrel.md"
BROKEN = "methods/optics-notes.md"
OPTICS = """\
---
title: Optics notes
tags: [method/optical, draft]
status: in review
aliases: [optics page]
source: https://doi.org/10.5555/optics.2026
---

# Optics notes

## Filters

The long-pass filter is the one of [[kestrl]], see also [[kestrel#Detectors]]. The code `[[kestrl]]` is no link.

## Lamps

Lamps are described in [[npq-protocol]].
"""


@pytest.fixture(scope="module")
def vault(vault: Path) -> Path:
    """The demo vault, with a note whose links are broken and one that names another without a link."""
    (vault / BROKEN).write_text(OPTICS)
    (vault / "daily/2026-09-23.md").write_text("# Wednesday\n\nRead the Optics notes again before the talk.\n")
    return vault


@pytest.fixture(autouse=True)
def as_written(vault: Path) -> Iterator[None]:
    """Each test finds the broken links again."""
    yield
    if (vault / BROKEN).read_text() != OPTICS:
        (vault / BROKEN).write_text(OPTICS)


def started(lab: Lab, file: str | None = NOTE, *, workspace: str | None = None, **place: object) -> Locator:
    """JupyterLab with the panel open and a note in front."""
    lab.open(workspace=workspace)
    lab.page.wait_for_function("() => window.jupyterapp.commands.hasCommand('jupyter-kb:open')")
    lab.run("jupyter-kb:refresh")
    lab.run("jupyter-kb:show-note-panel")
    panel = lab.page.get_by_role("region", name="Note", exact=True)
    panel.wait_for()
    widened(lab, 300)
    if file:
        lab.run("jupyter-kb:open", {"file": file, **place})
    return panel


def row(panel: Locator, name: str) -> Locator:
    return panel.get_by_role("tree", name="Outline").get_by_role("treeitem", name=name, exact=True)


def section(panel: Locator, name: str) -> Locator:
    return panel.get_by_role("region", name=name, exact=True)


def opened(panel: Locator, name: str) -> Locator:
    """A section of the panel, opened if need be."""
    title = section(panel, name).get_by_role("button", name=re.compile(f"^{name}"))
    if title.get_attribute("aria-expanded") != "true":
        title.click()
    return section(panel, name)


def widened(lab: Lab, width: int) -> None:
    """Drag the edge of the right sidebar until the panel is so wide."""
    handle = lab.page.locator("#jp-main-split-panel > .lm-SplitPanel-handle:visible").last.bounding_box()
    panel = lab.page.locator(".jp-kb-note").bounding_box()
    assert handle
    assert panel
    x, y = handle["x"] + handle["width"] / 2, handle["y"] + 200
    lab.page.mouse.move(x, y)
    lab.page.mouse.down()
    lab.page.mouse.move(x + panel["width"] - width, y, steps=3)
    lab.page.mouse.up()


def cursor_at(lab: Lab, text: str) -> None:
    """Wait until the cursor of the note in front is in a line that begins so."""
    lab.page.wait_for_function(
        """text => {
          const editor = window.jupyterapp.shell.currentWidget?.content?.editor;
          return editor && (editor.getLine(editor.getCursorPosition().line) ?? '').startsWith(text);
        }""",
        arg=text,
    )


def test_an_empty_panel_says_what_it_is_for(lab: Lab) -> None:
    panel = started(lab, None)
    expect(panel.get_by_role("heading", name="Open a note to see its links")).to_be_visible()
    lab.shot("note-panel-empty-light", panel)
    assert lab.axe(".jp-kb-note") == []


def test_the_outline_follows_the_cursor(lab: Lab) -> None:
    panel = started(lab, NOTE, line=28)
    expect(row(panel, "Levels")).to_have_attribute("aria-current", "true")
    expect(row(panel, "Levels")).to_contain_text("words")
    lab.page.locator(".jp-FileEditor .cm-content").press("Control+End")
    expect(row(panel, "September")).to_have_attribute("aria-current", "true")
    expect(row(panel, "September")).to_be_in_viewport()
    assert panel.locator("[aria-current=true]").count() == 1


def test_a_click_on_a_heading_goes_there_every_time(lab: Lab) -> None:
    panel = started(lab)
    for _ in range(2):
        row(panel, "Daily check").click()
        cursor_at(lab, "### Daily check")
        lab.page.locator(".jp-FileEditor .cm-content").press("Control+Home")
        cursor_at(lab, "---")


def test_headings_are_filtered_and_folded(lab: Lab) -> None:
    panel = started(lab)
    tree = panel.get_by_role("tree", name="Outline")
    expect(tree.get_by_role("treeitem")).to_have_count(31)
    panel.get_by_role("button", name="Collapse all").click()
    expect(tree.get_by_role("treeitem")).to_have_count(1)
    panel.get_by_role("button", name="Expand all").click()
    panel.get_by_role("button", name="Filter headings").click()
    panel.get_by_role("searchbox", name="Filter headings").fill("gain")
    names = ["Kestrel", "Electronics", "Gain steps", "Choosing a gain"]
    expect(tree.get_by_role("treeitem")).to_have_text(names)
    lab.page.keyboard.press("Escape")
    expect(tree.get_by_role("treeitem")).to_have_count(31)
    assert lab.page.evaluate("() => document.activeElement.getAttribute('role')") == "treeitem"


def test_a_backlink_opens_the_other_note_at_the_link(lab: Lab) -> None:
    panel = started(lab, "methods/npq-protocol.md")
    links = opened(panel, "Linked from")
    links.get_by_role("button", name=re.compile("^Show \\d+ more notes$")).click()
    links.get_by_role("treeitem", name=re.compile("Consequences.*lower bound")).click()
    expect(lab.page.locator(".lm-TabBar-tab.jp-mod-current", has_text="run-12.md")).to_be_visible()
    cursor_at(lab, "3. The protocol has a lower")
    expect(panel.locator(".jp-kb-note-name")).to_contain_text("Run 12")


def test_backlinks_come_by_note_most_recently_edited_first(lab: Lab, vault: Path) -> None:
    panel = started(lab, "methods/npq-protocol.md")
    links = opened(panel, "Linked from")
    expect(links.locator("[aria-level='1']").first).to_contain_text("Optics notes")
    note = vault / "people/idris-okafor.md"
    note.write_text(note.read_text() + "\nAsk him about the [[npq-protocol]] again.\n")
    expect(links.locator("[aria-level='1']").first).to_contain_text("Idris Okafor")
    marked = links.locator("[aria-level='2']").first.locator("mark")
    expect(marked.first).to_have_text("[[npq-protocol]]")


def test_links_from_the_note_lead_to_the_notes_they_name(lab: Lab) -> None:
    panel = started(lab, BROKEN)
    links = opened(panel, "Links from here")
    links.get_by_role("treeitem", name=re.compile("NPQ protocol")).click()
    expect(panel.locator(".jp-kb-note-name")).to_contain_text("NPQ protocol")


def test_mending_a_broken_link_writes_exactly_this_link(lab: Lab, vault: Path) -> None:
    panel = started(lab, BROKEN)
    broken = opened(panel, "Broken links")
    expect(broken.get_by_role("listitem")).to_have_count(2)
    expect(broken.get_by_role("listitem").first).to_contain_text("No note has this name.")
    expect(broken.get_by_role("listitem").last).to_contain_text("The note exists, the heading does not.")
    broken.get_by_role("button", name="Choose a heading…").click()
    lab.page.get_by_role("menuitem", name="Detection filter").click()
    expect(broken.get_by_role("listitem")).to_have_count(1)
    assert (vault / BROKEN).read_text() == OPTICS.replace("kestrel#Detectors", "kestrel#Detection filter")


def test_a_link_that_cannot_be_told_from_code_is_not_touched(lab: Lab, vault: Path) -> None:
    panel = started(lab, BROKEN)
    broken = opened(panel, "Broken links")
    broken.get_by_role("button", name="Link to “kestrel” instead").click()
    dialog = lab.page.get_by_role("dialog")
    expect(dialog).to_contain_text("Line 13 was not changed")
    dialog.get_by_role("button").last.click()
    assert (vault / BROKEN).read_text() == OPTICS


def test_a_near_name_replaces_a_missing_one(lab: Lab, vault: Path) -> None:
    (vault / BROKEN).write_text(OPTICS.replace(" The code `[[kestrl]]` is no link.", ""))
    panel = started(lab, BROKEN)
    opened(panel, "Broken links").get_by_role("button", name="Link to “kestrel” instead").click()
    expect(opened(panel, "Broken links").get_by_role("listitem")).to_have_count(1)
    wanted = OPTICS.replace(" The code `[[kestrl]]` is no link.", "").replace("[[kestrl]]", "[[kestrel]]")
    assert (vault / BROKEN).read_text() == wanted


def test_properties_are_shown_and_edited_at_the_top_of_the_note(lab: Lab) -> None:
    panel = started(lab, BROKEN, line=17)
    properties = opened(panel, "Properties")
    expect(properties.locator("dt")).to_have_text(["Tags", "Status", "Aliases", "Source"])
    expect(properties.get_by_text("#method/optical")).to_be_visible()
    source = properties.get_by_role("link", name="doi.org/10.5555/optics.2026")
    assert source.get_attribute("href") == "https://doi.org/10.5555/optics.2026"
    assert source.get_attribute("rel") == "noopener noreferrer"
    properties.get_by_role("button", name="Edit properties").click()
    cursor_at(lab, "---")


def test_a_mention_becomes_a_link(lab: Lab, vault: Path) -> None:
    panel = started(lab, BROKEN)
    title = section(panel, "Mentioned without a link").get_by_role("button")
    expect(title).to_have_text("Mentioned without a link")
    mentions = opened(panel, "Mentioned without a link")
    mentions.get_by_role("button", name="Link it").click()
    expect(mentions.get_by_text("No other note mentions this name.")).to_be_visible()
    text = (vault / "daily/2026-09-23.md").read_text()
    assert text == "# Wednesday\n\nRead the [[optics-notes|Optics notes]] again before the talk.\n"


def test_a_pinned_note_stays(lab: Lab) -> None:
    panel = started(lab, BROKEN)
    expect(panel.locator(".jp-kb-note-name")).to_contain_text("Optics notes")
    pin = panel.get_by_role("button", name="Keep showing this note")
    pin.click()
    lab.run("jupyter-kb:open", {"file": NOTE})
    expect(lab.page.locator(".lm-TabBar-tab.jp-mod-current", has_text="kestrel.md")).to_be_visible()
    expect(panel.locator(".jp-kb-note-name")).to_contain_text("Optics notes")
    pin.click()
    expect(panel.locator(".jp-kb-note-name")).to_contain_text("Kestrel")


def test_a_note_can_be_chosen_by_its_name(lab: Lab) -> None:
    panel = started(lab, None)
    panel.get_by_role("button", name="More").click()
    lab.page.get_by_role("menuitem", name="Choose Note…").click()
    field = lab.page.get_by_role("combobox", name="Name of the note")
    expect(field).to_be_focused()
    field.fill("npq")
    expect(lab.page.get_by_role("option").first).to_contain_text("NPQ protocol")
    lab.page.keyboard.press("Enter")
    expect(panel.locator(".jp-kb-note-name")).to_contain_text("NPQ protocol")
    expect(row(panel, "Sequence")).to_be_visible()


def test_what_is_open_is_remembered(lab: Lab) -> None:
    panel = started(lab, workspace="remembered")
    row(panel, "Kestrel").wait_for()
    section(panel, "Outline").get_by_role("button", name=re.compile("^Outline")).click()
    opened(panel, "Links from here")
    edge = panel.get_by_role("separator", name="Height of “Links from here”")
    edge.focus()
    with lab.page.expect_response(lambda answer: "/api/workspaces/" in answer.url and answer.request.method == "PUT"):
        lab.page.keyboard.press("ArrowDown")
    height = edge.get_attribute("aria-valuenow")
    panel = started(lab, workspace="remembered")
    outline = section(panel, "Outline").get_by_role("button", name=re.compile("^Outline"))
    expect(outline).to_have_attribute("aria-expanded", "false")
    edge = panel.get_by_role("separator", name="Height of “Links from here”")
    expect(edge).to_have_attribute("aria-valuenow", height or "")


def test_the_keyboard_is_enough(lab: Lab) -> None:
    panel = started(lab)
    row(panel, "Kestrel").wait_for()
    lab.page.locator(".jp-FileEditor .cm-content").focus()
    lab.page.keyboard.press("Alt+Shift+K")
    expect(row(panel, "Kestrel")).to_be_focused()
    lab.page.keyboard.press("ArrowDown")
    lab.page.keyboard.press("ArrowDown")
    expect(row(panel, "Measuring light")).to_be_focused()
    lab.page.keyboard.press("Enter")
    cursor_at(lab, "### Measuring light")
    lab.page.keyboard.press("Alt+Shift+K")
    expect(row(panel, "Measuring light")).to_be_focused()
    lab.page.keyboard.press("Shift+F10")
    expect(lab.page.get_by_role("menuitem", name="Rename Section…")).to_be_visible()
    lab.page.keyboard.press("Escape")
    expect(row(panel, "Measuring light")).to_be_focused()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_panel_looks_right(lab: Lab, theme: str, vault: Path) -> None:
    text = (vault / NOTE).read_text()
    try:
        broken = "### Detection filter\n\nSee [[fluorometr-calibration]] and [[npq-protocol#Residual]].\n"
        (vault / NOTE).write_text(text.replace("### Detection filter\n", broken))
        lab.settings("@jupyterlab/apputils-extension:themes", {"theme": f"JupyterLab {theme.title()}"})
        lab.settings("@jupyterlab/apputils-extension:notification", {"fetchNews": "false"})
        lab.page.set_viewport_size({"width": 1400, "height": 1250})
        panel = started(lab, NOTE, headingPath="Kestrel > Electronics > Gain steps")
        for folded in ("Service record", "Faults", "Operation", "Optics"):
            row(panel, folded).locator(".jp-kb-caret").click()
        expect(opened(panel, "Broken links").get_by_role("listitem")).to_have_count(2)
        expect(row(panel, "Gain steps")).to_contain_text("words")
        opened(panel, "Properties")
        lab.page.locator(".jp-FileEditor .cm-content").focus()
        row(panel, "Temperature").hover()
        assert lab.axe(".jp-kb-note") == []
        lab.shot(f"note-panel-{theme}", panel)
        widened(lab, 222)
        opened(panel, "Properties").get_by_role("button", name=re.compile("^Properties")).click()
        expect(panel.get_by_role("button", name="Filter headings")).to_be_hidden()
        assert panel.evaluate("node => node.scrollWidth <= node.clientWidth")
        assert lab.axe(".jp-kb-note") == []
        lab.shot(f"note-panel-narrow-{theme}", panel)
        if theme == "dark":
            lab.open()
            lab.run("jupyter-kb:show-note-panel")
            lab.shot("note-panel-empty-dark", panel)
    finally:
        (vault / NOTE).write_text(text)
        lab.settings("@jupyterlab/apputils-extension:themes", {"theme": "JupyterLab Light"})


def test_nothing_is_asked_while_the_panel_is_hidden(lab: Lab) -> None:
    panel = started(lab)
    row(panel, "Kestrel").wait_for()
    lab.run("application:toggle-right-area")
    expect(panel).to_be_hidden()
    asked: list[str] = []
    lab.page.on("request", lambda request: asked.append(request.url))
    lab.run("jupyter-kb:open", {"file": "methods/npq-protocol.md"})
    expect(lab.page.locator(".jp-FileEditor:visible .cm-line").first).to_be_visible()
    lab.run("jupyter-kb:refresh")
    assert not [url for url in asked if "/links" in url or "/outline" in url], json.dumps(asked)
    lab.run("jupyter-kb:show-note-panel")
    expect(panel.locator(".jp-kb-note-name")).to_contain_text("NPQ protocol")
