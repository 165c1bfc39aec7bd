"""Sections are inserted, renamed, moved and deleted from the outline, guarded by the hash of what was seen."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.lab import Lab
from tests.browser.test_note_panel import cursor_at, row, started

NOTE = "projects/rig.md"
RIG = """\
# Rig

## Parts

One line.

### Lamp

Bright.

## Wiring

Red is plus.
"""
LINKING = "See [[rig#Wiring]] and [[rig#Wiring|the wires]], but not [[rig]].\n"


@pytest.fixture(scope="module")
def vault(vault: Path) -> Path:
    """The demo vault with a note of a few sections, and two that link to one of them."""
    _write(vault)
    return vault


@pytest.fixture(autouse=True)
def as_written(vault: Path) -> None:
    """Each test finds the notes as they were."""
    _write(vault)


def _write(vault: Path) -> None:
    for file, text in {
        NOTE: RIG,
        "projects/first.md": f"# First\n\n{LINKING}",
        "projects/second.md": "# Second\n\nAlso [[rig#Wiring]].\n",
    }.items():
        if not (vault / file).exists() or (vault / file).read_text() != text:
            (vault / file).write_text(text)


def menu(lab: Lab, panel: Locator, heading: str, entry: str) -> None:
    row(panel, heading).click(button="right")
    lab.page.get_by_role("menuitem", name=entry).click()


def dialog(lab: Lab, name: str) -> Locator:
    return lab.page.locator(f".jp-kb-dialog[aria-label='{name}']")


def test_a_section_is_inserted_after_another(lab: Lab, vault: Path) -> None:
    panel = started(lab, NOTE)
    menu(lab, panel, "Parts", "Insert Section After…")
    asked = dialog(lab, "New section")
    expect(asked).to_contain_text("Level 2, after “Parts”")
    expect(asked.get_by_role("textbox", name="Heading")).to_be_focused()
    lab.page.keyboard.type("Sources")
    lab.page.keyboard.press("Enter")
    expect(row(panel, "Sources")).to_be_visible()
    assert (vault / NOTE).read_text() == RIG.replace("## Wiring", "## Sources\n\n## Wiring")


def test_sections_are_inserted_before_and_below(lab: Lab, vault: Path) -> None:
    panel = started(lab, NOTE)
    menu(lab, panel, "Parts", "Insert Section Before…")
    dialog(lab, "New section").get_by_role("textbox", name="Heading").fill("Aim")
    lab.page.keyboard.press("Enter")
    expect(row(panel, "Aim")).to_be_visible()
    menu(lab, panel, "Wiring", "Insert Subsection…")
    expect(dialog(lab, "New subsection")).to_contain_text("Level 3, in “Wiring”")
    dialog(lab, "New subsection").get_by_role("textbox", name="Heading").fill("Plugs")
    lab.page.keyboard.press("Enter")
    expect(row(panel, "Plugs")).to_have_attribute("aria-level", "3")
    text = (vault / NOTE).read_text()
    assert [line for line in text.splitlines() if line.startswith("#")] == [
        "# Rig",
        "## Aim",
        "## Parts",
        "### Lamp",
        "## Wiring",
        "### Plugs",
    ]


def test_renaming_takes_the_links_along_and_can_be_undone(lab: Lab, vault: Path) -> None:
    panel = started(lab, NOTE)
    menu(lab, panel, "Wiring", "Rename Section…")
    asked = dialog(lab, "Rename section")
    expect(asked.get_by_label("Update 3 links to this heading")).to_be_checked()
    expect(asked).to_contain_text("in First and Second")
    asked.get_by_role("textbox", name="Heading").fill("Cables")
    asked.get_by_role("button", name="Rename").click()
    expect(row(panel, "Cables")).to_be_visible()
    toast = lab.page.locator(".Toastify__toast", has_text="3 links updated in 2 notes")
    expect(toast).to_be_visible()
    first = vault / "projects/first.md"
    assert first.read_text() == "# First\n\nSee [[rig#Cables]] and [[rig#Cables|the wires]], but not [[rig]].\n"
    toast.get_by_role("button", name="Undo").click()
    expect(row(panel, "Wiring")).to_be_visible()
    assert (vault / NOTE).read_text() == RIG
    assert first.read_text() == f"# First\n\n{LINKING}"


def test_a_heading_that_cannot_be_is_refused_under_the_field(lab: Lab, vault: Path) -> None:
    panel = started(lab, NOTE)
    menu(lab, panel, "Wiring", "Rename Section…")
    asked = dialog(lab, "Rename section")
    asked.get_by_role("textbox", name="Heading").fill(" ")
    expect(asked.get_by_role("button", name="Rename")).to_be_disabled()
    lab.page.keyboard.press("Escape")
    expect(asked).to_be_hidden()
    assert (vault / NOTE).read_text() == RIG


def test_deleting_names_what_goes_with_the_section(lab: Lab, vault: Path) -> None:
    panel = started(lab, NOTE)
    menu(lab, panel, "Parts", "Delete Section…")
    asked = dialog(lab, "Delete “Parts”?")
    expect(asked).to_contain_text("Its subsection goes with it, 7 lines in all.")
    expect(asked.get_by_role("button", name="Cancel")).to_be_focused()
    lab.page.keyboard.press("Enter")
    expect(asked).to_be_hidden()
    assert (vault / NOTE).read_text() == RIG
    menu(lab, panel, "Wiring", "Delete Section…")
    asked = dialog(lab, "Delete “Wiring”?")
    expect(asked).to_contain_text("3 links in 2 notes point here and will be listed under Broken links.")
    asked.get_by_role("button", name="Delete section").click()
    expect(row(panel, "Wiring")).to_be_hidden()
    assert "Wiring" not in (vault / NOTE).read_text()


def test_a_section_moves_with_the_keys_and_keeps_the_focus(lab: Lab, vault: Path) -> None:
    panel = started(lab, NOTE)
    row(panel, "Wiring").focus()
    lab.page.keyboard.press("Alt+ArrowUp")
    expect(row(panel, "Rig").locator("xpath=following-sibling::*[1]")).to_have_attribute("aria-label", "Wiring")
    expect(row(panel, "Wiring")).to_be_focused()
    text = (vault / NOTE).read_text()
    assert text.index("## Wiring") < text.index("## Parts")
    lab.page.keyboard.press("Alt+ArrowDown")
    expect(row(panel, "Rig").locator("xpath=following-sibling::*[1]")).to_have_attribute("aria-label", "Parts")
    assert (vault / NOTE).read_text() == RIG


def test_a_section_is_dragged_to_another_place(lab: Lab, vault: Path) -> None:
    panel = started(lab, NOTE)
    target = row(panel, "Parts").locator(".jp-kb-outline-row")
    row(panel, "Wiring").locator(".jp-kb-outline-row").drag_to(target, target_position={"x": 60, "y": 4})
    expect(row(panel, "Rig").locator("xpath=following-sibling::*[1]")).to_have_attribute("aria-label", "Wiring")
    text = (vault / NOTE).read_text()
    assert text.index("## Wiring") < text.index("## Parts")


def test_a_stale_hash_is_refused_and_shown(lab: Lab, vault: Path) -> None:
    panel = started(lab, NOTE)
    menu(lab, panel, "Wiring", "Rename Section…")
    asked = dialog(lab, "Rename section")
    asked.get_by_role("textbox", name="Heading").fill("Cables")
    changed = RIG.replace("Red is plus.", "Red is minus.")
    (vault / NOTE).write_text(changed)
    asked.get_by_role("button", name="Rename").click()
    told = dialog(lab, "This section changed on disk")
    expect(told).to_contain_text("Nothing has been overwritten.")
    expect(told.locator("pre")).to_have_text("− Red is plus.\n+ Red is minus.\n", use_inner_text=True)
    assert (vault / NOTE).read_text() == changed
    told.get_by_role("button", name="Look again").click()
    cursor_at(lab, "## Wiring")
    # a refusal is no fault of the page
    lab.errors[:] = [error for error in lab.errors if "412" not in error]


def test_the_commands_work_from_the_place_of_the_cursor(lab: Lab, vault: Path) -> None:
    panel = started(lab, NOTE, line=9)
    expect(row(panel, "Lamp")).to_have_attribute("aria-current", "true")
    lab.page.evaluate("() => void window.jupyterapp.commands.execute('jupyter-kb:rename-section')")
    expect(dialog(lab, "Rename section").get_by_role("textbox", name="Heading")).to_have_value("Lamp")
    lab.page.keyboard.press("Escape")


def test_a_link_to_a_section_goes_to_the_clipboard(lab: Lab) -> None:
    lab.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    panel = started(lab, NOTE)
    menu(lab, panel, "Wiring", "Copy Section Link")
    expect(lab.page.locator(".Toastify__toast", has_text="Copied [[rig#Wiring]]")).to_be_visible()
    assert lab.page.evaluate("() => navigator.clipboard.readText()") == "[[rig#Wiring]]"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_dialogs_look_right(lab: Lab, theme: str) -> None:
    try:
        lab.settings("@jupyterlab/apputils-extension:themes", {"theme": f"JupyterLab {theme.title()}"})
        panel = started(lab, NOTE)
        menu(lab, panel, "Wiring", "Rename Section…")
        asked = dialog(lab, "Rename section")
        expect(asked.get_by_role("checkbox")).to_be_visible()
        assert lab.axe(".jp-kb-dialog") == []
        lab.shot(f"dialogs-{theme}", asked.locator(".jp-Dialog-content"))
        lab.page.keyboard.press("Escape")
        menu(lab, panel, "Wiring", "Delete Section…")
        asked = dialog(lab, "Delete “Wiring”?")
        expect(asked).to_contain_text("3 links")
        assert lab.axe(".jp-kb-dialog") == []
        lab.shot(f"dialogs-delete-{theme}", asked.locator(".jp-Dialog-content"))
    finally:
        lab.settings("@jupyterlab/apputils-extension:themes", {"theme": "JupyterLab Light"})
