"""A section is edited in the main area: saved alone, kept through everything that may happen meanwhile."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.lab import Lab, opened, served
from tests.browser.section_editor import NOTE, SECTION, Editor, note, tolerate
from tests.conftest import DEMO_VAULT

SAVED = re.compile(r"Saved \d\d:\d\d")


def test_saving_writes_the_section_and_no_other_byte(lab: Lab, vault: Path) -> None:
    crlf = NOTE.replace("\n", "\r\n").replace("More.\r\n", "More.\n")
    path = note(vault, "saving.md", crlf)
    editor = Editor(lab.open()).open("papers/saving.md")
    editor.says("Up to date")
    lab.run("jupyter-kb:save-section")
    assert path.read_bytes() == crlf.encode()
    editor.type_at_end("\n\nMeasured on run 31.")
    editor.says("Unsaved changes")
    expect(lab.page.locator(".lm-TabBar-tab.jp-mod-dirty")).to_have_text("Why divide by √d")
    lab.page.keyboard.press("Control+s")
    expect(editor.state).to_have_text(SAVED)
    expected = crlf.replace("= d $$\r\n", "= d $$\r\n\r\nMeasured on run 31.\r\n")
    assert path.read_bytes() == expected.encode()
    expect(lab.page.locator(".lm-TabBar-tab.jp-mod-dirty")).to_have_count(0)


def test_a_heading_that_is_typed_anew_is_followed(lab: Lab, vault: Path) -> None:
    path = note(vault, "heading.md")
    editor = Editor(lab.open()).open("papers/heading.md")
    editor.text.click()
    lab.page.keyboard.press("Control+Home")
    lab.page.keyboard.press("End")
    lab.page.keyboard.insert_text(" indeed")
    editor.root.get_by_role("button", name="Save", exact=True).click()
    expect(editor.state).to_have_text(SAVED)
    expect(lab.page.locator(".lm-TabBar-tab.lm-mod-current", has_text="Why divide by √d indeed")).to_be_visible()
    editor.type_at_end("\n\nMore of it.")
    lab.page.keyboard.press("Control+s")
    expect(editor.root.locator(".jp-kb-tool.jp-kb-mod-primary")).to_have_count(0)
    assert path.read_text() == NOTE.replace("√d\n", "√d indeed\n").replace("= d $$\n", "= d $$\n\nMore of it.\n")


def test_the_preview_follows_the_text(lab: Lab, vault: Path) -> None:
    note(vault, "preview.md")
    editor = Editor(lab.open()).open("papers/preview.md")
    preview = lab.page.get_by_role("region", name="Preview")
    expect(preview.locator("mjx-container, .MathJax").first).to_be_visible()
    editor.type_at_end("\n\n**Bold** <img src=x onerror=window.hacked=1>")
    expect(preview.locator("strong")).to_have_text("Bold")
    assert lab.page.evaluate("() => window.hacked") is None
    lab.page.keyboard.press("Alt+v")
    expect(editor.text).to_be_hidden()
    lab.page.keyboard.press("Alt+v")
    expect(preview).to_be_hidden()
    lab.page.keyboard.press("Alt+v")
    tolerate(lab, "404")  # the picture that is none


def test_a_change_elsewhere_is_taken_in_place_and_the_cursor_stays(lab: Lab, vault: Path) -> None:
    path = note(vault, "elsewhere.md")
    editor = Editor(lab.open()).open("papers/elsewhere.md", line=15)
    path.write_text(NOTE.replace("Without the factor", "Without it"))
    expect(editor.state).to_have_text(re.compile(r"Updated \d\d:\d\d"))
    expect(editor.text).to_contain_text("Without it")
    lab.page.keyboard.insert_text("HERE")
    assert "HERE- the softmax" in editor.text.inner_text()
    lab.page.keyboard.press("Control+s")
    expect(editor.state).to_have_text(SAVED)


def test_unsaved_text_is_offered_after_a_reload(lab: Lab, vault: Path) -> None:
    path = note(vault, "draft.md")
    editor = Editor(lab.open(workspace="draft")).open("papers/draft.md")
    editor.type_at_end("\n\nNot saved.")
    lab.page.wait_for_function("() => Object.keys(localStorage).some(key => key.includes('draft:'))")
    lab.open(workspace="draft")
    bar = editor.bar("You have unsaved text from")
    expect(editor.text).not_to_contain_text("Not saved.")
    bar.get_by_role("button", name="Restore").click()
    expect(editor.text).to_contain_text("Not saved.")
    editor.says("Unsaved changes")
    lab.run("jupyter-kb:save-section")
    expect(editor.state).to_have_text(SAVED)
    assert path.read_text() == NOTE.replace("= d $$\n", "= d $$\n\nNot saved.\n")
    assert lab.page.evaluate("() => Object.keys(localStorage).filter(key => key.includes('draft:'))") == []


def test_a_section_that_is_gone_is_written_as_a_new_one(lab: Lab, vault: Path) -> None:
    path = note(vault, "gone.md")
    editor = Editor(lab.open()).open("papers/gone.md")
    editor.type_at_end("\n\nMine.")
    start, end = NOTE.index("### Why"), NOTE.index("### After")
    path.write_text(NOTE[:start] + NOTE[end:])
    bar = editor.bar("This section is no longer in the note.")
    bar.get_by_role("button", name="Save mine as a new section").click()
    expect(editor.state).to_have_text(SAVED)
    assert path.read_text() == NOTE[:start] + NOTE[end:] + "\n" + NOTE[start:end] + "Mine.\n"
    tolerate(lab, "404")


def test_closing_asks_before_text_is_dropped(lab: Lab, vault: Path) -> None:
    path = note(vault, "closing.md")
    editor = Editor(lab.open()).open("papers/closing.md")
    editor.type_at_end("\n\nMine.")
    close = lab.page.locator(".lm-TabBar-tab.lm-mod-current .lm-TabBar-tabCloseIcon")
    close.click()
    dialog = lab.page.get_by_role("alertdialog", name="Discard your changes?")
    expect(dialog.get_by_role("button", name="Keep editing")).to_be_focused()
    lab.page.keyboard.press("Enter")
    expect(editor.text).to_contain_text("Mine.")
    close.click()
    dialog.get_by_role("button", name="Discard").click()
    expect(editor.root).to_have_count(0)
    assert path.read_text() == NOTE
    assert lab.page.evaluate("() => Object.keys(localStorage).filter(key => key.includes('draft:'))") == []


def test_the_whole_note_is_edited_without_a_heading_path(lab: Lab, vault: Path) -> None:
    path = note(vault, "whole.md")
    editor = Editor(lab.open()).open("papers/whole.md", None)
    expect(editor.text).to_contain_text("title: Attention")
    editor.type_at_end("")
    lab.page.keyboard.type("\n# Another\n")
    lab.page.keyboard.press("Control+s")
    expect(editor.state).to_have_text(SAVED)
    assert path.read_text() == NOTE + "\n# Another\n"


def test_the_note_panel_follows_the_cursor_of_the_editor(lab: Lab, vault: Path) -> None:
    note(vault, "follow.md")
    lab.open()
    editor = Editor(lab).open("papers/follow.md", None, line=23)
    lab.run("jupyter-kb:show-note-panel")
    current = lab.page.get_by_role("tree", name="Outline").locator("[aria-current=true]")
    expect(current).to_contain_text("After it")
    editor.open("papers/follow.md", None, line=11)  # it is open already
    expect(current).to_contain_text("Why divide by √d")
    expect(lab.page.locator(".jp-kb-editor")).to_have_count(1)


def test_a_section_is_renamed_and_another_inserted_from_the_editor(lab: Lab, vault: Path) -> None:
    path = note(vault, "renamed.md")
    editor = Editor(lab.open()).open("papers/renamed.md")
    lab.page.keyboard.press("F2")
    lab.page.get_by_role("dialog", name="Rename section").get_by_role("textbox").fill("Why scale")
    lab.page.keyboard.press("Enter")
    expect(editor.root.get_by_role("button", name="Why scale")).to_be_visible()
    expect(editor.text).to_contain_text("### Why scale")
    editor.text.click()
    lab.page.keyboard.press("Alt+Enter")
    lab.page.get_by_role("dialog", name="New section").get_by_role("textbox").fill("Another")
    lab.page.keyboard.press("Enter")
    expect(editor.text).to_have_text("### Another")
    renamed = NOTE.replace("Why divide by √d", "Why scale")
    assert path.read_text() == renamed.replace("= d $$\n", "= d $$\n\n### Another\n")


def test_it_works_by_keys_alone_and_axe_finds_nothing(lab: Lab, vault: Path) -> None:
    note(vault, "keys.md")
    editor = Editor(lab.open()).open("papers/keys.md")
    assert editor.focused() == "Section source"
    lab.page.keyboard.press("Control+End")
    lab.page.keyboard.insert_text("\n\nMine.")
    lab.page.keyboard.press("Control+s")
    expect(editor.state).to_have_text(SAVED)
    lab.page.keyboard.press("Escape")
    lab.page.keyboard.press("Tab")
    assert editor.focused() == "Preview"
    lab.page.keyboard.press("Shift+Tab")
    lab.page.keyboard.press("Escape")
    lab.page.keyboard.press("Shift+Tab")
    assert lab.page.evaluate("() => document.activeElement.getAttribute('role')") == "radio"
    lab.page.keyboard.press("ArrowRight")
    expect(editor.text).to_be_hidden()
    assert lab.axe(".jp-kb-editor") == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pictures_of_the_editor(browser: Browser, lab: Lab, vault: Path, theme: str) -> None:
    path = note(vault, "attention.md", NOTE + "\n" + "\n".join(f"Line {line}.\n" for line in range(80)))
    lab.page.set_viewport_size({"width": 900, "height": 540})
    lab.open(theme=theme)
    lab.page.evaluate("() => window.jupyterapp.shell.collapseLeft()")
    lab.run("jupyter-kb:open", {"file": "papers/attention.md"})
    editor = Editor(lab).open("papers/attention.md")
    editor.type_at_end("\n\nMeasured on run 31: with the factor the entropy stays above 3.1 for the first 2k steps.\n")
    expect(lab.page.get_by_role("region", name="Preview")).to_contain_text("Measured on run 31")
    assert lab.axe(".jp-kb-editor") == []
    lab.page.mouse.move(0, 0)
    expect(lab.page.get_by_role("dialog")).to_have_count(0)  # no card over a link
    lab.shot(f"section-editor-{theme}")
    lab.page.keyboard.press("Control+s")
    expect(editor.state).to_have_text(SAVED)
    editor.root.get_by_role("button", name="Insert").click()
    lab.shot(f"section-editor-saved-{theme}")
    assert "Measured on run 31" in path.read_text()
    lab.settings("@jupyterlab/apputils-extension:themes", {"theme": "JupyterLab Light"})


def test_a_narrow_editor_folds_its_labels(lab: Lab, vault: Path) -> None:
    note(vault, "narrow.md")
    lab.page.set_viewport_size({"width": 560, "height": 700})
    lab.open()
    lab.page.evaluate("() => window.jupyterapp.shell.collapseLeft()")
    editor = Editor(lab).open("papers/narrow.md")
    expect(editor.root.get_by_role("radio", name="Split")).to_have_count(0)
    expect(editor.root.get_by_role("radio", name="Source")).to_have_attribute("aria-checked", "true")
    save = editor.root.get_by_role("button", name="Save", exact=True)
    assert save.inner_text().strip() == ""
    assert lab.page.evaluate("() => document.querySelector('.jp-kb-editor').scrollWidth <= innerWidth")


@pytest.fixture
def own_vault(tmp_path: Path) -> Path:
    """A vault for one test."""
    return Path(shutil.copytree(DEMO_VAULT, tmp_path / "root" / "vault"))


def test_text_is_kept_while_the_server_is_away(browser: Browser, own_vault: Path, tmp_path: Path) -> None:
    path = note(own_vault, "away.md")
    server = served(tmp_path / "home", own_vault)
    with server, opened(browser, server) as lab:
        editor = Editor(lab.open()).open("papers/away.md")
        editor.type_at_end("\n\nMine.")
        lab.page.route("**/kb/api/**", lambda route: route.abort())
        lab.page.keyboard.press("Control+s")
        bar = editor.bar("Not saved: no answer from the server. Your text is kept here.")
        editor.says("Not saved")
        expect(editor.text).to_contain_text("Mine.")
        lab.page.unroute("**/kb/api/**")
        bar.get_by_role("button", name="Try again").click()
        expect(editor.state).to_have_text(SAVED)
        assert "Mine." in path.read_text()
        tolerate(lab, "ERR_FAILED", "Failed to load resource")


def test_a_note_of_a_read_only_vault_is_not_edited(browser: Browser, own_vault: Path, tmp_path: Path) -> None:
    note(own_vault, "fixed.md")
    config = {"JupyterKB": {"read_only": True}}
    with served(tmp_path / "home", own_vault, config) as server, opened(browser, server) as lab:
        editor = Editor(lab.open()).open("papers/fixed.md")
        editor.says("This note is read-only.")
        editor.type_at_end("Mine.")
        expect(editor.text).not_to_contain_text("Mine.")
        expect(editor.root.get_by_role("button", name="Save", exact=True)).to_be_disabled()
        assert SECTION.endswith(editor.root.get_by_role("button", name="Why divide by √d").inner_text())
