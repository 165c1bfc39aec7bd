"""What changed on both sides is decided difference by difference; nothing is overwritten and nothing lost."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.lab import Lab
from tests.browser.section_editor import NOTE, Editor, note, tolerate

BASE = NOTE.replace("- entropy falls early, [[Experiment log 2026-11]]\n", "").replace(
    "$$ \\mathrm{Var}(q \\cdot k) = d $$\n", "Measured on run 31: the entropy stays above 3 for the first steps.\n"
)
MINE = BASE.replace(
    "- gradients vanish for all but one key", "- entropy falls early, [[Experiment log 2026-11]]"
).replace("above 3 for the first steps", "above 3.1 for the first 2k steps")
THEIRS = (
    BASE.replace("- gradients vanish for all but one key", "- gradients vanish for all keys")
    .replace("above 3 for the first steps", "above 2.9 for the first 1k steps")
    .replace("Without the factor", "Lacking the factor")
)
SAVED = re.compile(r"Saved \d\d:\d\d")


def section(text: str) -> str:
    """The edited section of one of the notes above."""
    return text[text.index("### Why") : text.index("\n\n### After")]


def refused(lab: Lab, vault: Path, name: str) -> tuple[Editor, Path]:
    """An editor with `MINE` typed into it, refused because the note on disk is `THEIRS` by now."""
    path = note(vault, name, BASE)
    editor = Editor(lab).open(f"papers/{name}")
    editor.text.click()
    lab.page.keyboard.press("Control+a")
    lab.page.keyboard.insert_text(section(MINE))
    editor.says("Unsaved changes")
    path.write_text(THEIRS)
    editor.bar("Saving will ask you to merge.")
    lab.page.keyboard.press("Control+s")
    expect(editor.merge).to_be_visible()
    editor.says("Not saved")
    return editor, path


def test_each_difference_is_decided_and_the_result_is_saved(lab: Lab, vault: Path) -> None:
    editor, path = refused(lab.open(), vault, "decided.md")
    merge = editor.merge
    expect(merge.get_by_text("2 differences left to decide")).to_be_visible()
    expect(merge.get_by_text("1 other change was merged")).to_be_visible()
    save = merge.get_by_role("button", name="Save result")
    expect(save).to_be_disabled()
    first = merge.get_by_role("group", name=re.compile("Difference 1 of 2"))
    expect(first).to_be_focused()
    lab.page.keyboard.press("b")
    expect(first).to_contain_text("decided: mine, then theirs")
    lab.page.keyboard.press("F8")
    expect(merge.get_by_role("group", name=re.compile("Difference 2 of 2"))).to_be_focused()
    lab.page.keyboard.press("t")
    expect(merge.get_by_text("All differences are decided")).to_be_visible()
    assert path.read_text() == THEIRS
    lab.page.keyboard.press("Control+s")
    expect(editor.state).to_have_text(SAVED)
    expect(merge).to_have_count(0)
    both = "- entropy falls early, [[Experiment log 2026-11]]\n- gradients vanish for all keys"
    assert path.read_text() == THEIRS.replace("- gradients vanish for all keys", both)
    expect(editor.text).to_contain_text("Lacking the factor")
    tolerate(lab, "412")


def test_a_file_that_changes_again_keeps_the_decisions_that_still_apply(lab: Lab, vault: Path) -> None:
    editor, path = refused(lab.open(), vault, "again.md")
    merge = editor.merge
    lab.page.keyboard.press("m")
    lab.page.keyboard.press("Shift+F8")
    lab.page.keyboard.press("t")
    expect(merge.get_by_text("All differences are decided")).to_be_visible()
    again = THEIRS.replace("above 2.9", "above 2.8")
    path.write_text(again)
    expect(merge.get_by_text("1 difference left to decide")).to_be_visible()
    expect(merge.get_by_role("region", name="Theirs").locator(".cm-content")).to_contain_text("above 2.8")
    merge.get_by_role("button", name="Use all theirs").click()
    merge.get_by_role("radiogroup", name="Difference 1").get_by_role("radio", name="Mine").click()
    # refused twice: the file changes before the editor hears of it
    lab.page.route("**/events/**", lambda route: route.abort())
    merge.get_by_role("button", name="Save result").click()
    expect(editor.state).to_have_text(SAVED)
    expected = again.replace("- gradients vanish for all keys", "- entropy falls early, [[Experiment log 2026-11]]")
    assert path.read_text() == expected
    tolerate(lab, "412")


def test_words_typed_into_the_result_decide(lab: Lab, vault: Path) -> None:
    editor, path = refused(lab.open(), vault, "typed.md")
    merge = editor.merge
    placeholder = merge.get_by_text("Choose mine, theirs or both, or type the line you want.")
    expect(placeholder).to_have_count(2)
    result = merge.get_by_role("region", name="Result")
    result.locator(".cm-line", has=lab.page.locator(".jp-kb-placeholder")).first.click()
    lab.page.keyboard.type("- my own words")
    expect(merge.get_by_text("decided: typed here")).to_be_visible()
    expect(merge.get_by_text("1 difference left to decide")).to_be_visible()
    lab.page.keyboard.press("F8")
    lab.page.keyboard.press("F8")
    merge.get_by_role("radiogroup", name="Difference 2").get_by_role("radio", name="Mine").click()
    lab.page.keyboard.press("Control+s")
    expect(editor.state).to_have_text(SAVED)
    expected = THEIRS.replace("- gradients vanish for all keys", "- my own words").replace(
        "above 2.9 for the first 1k steps", "above 3.1 for the first 2k steps"
    )
    assert path.read_text() == expected
    tolerate(lab, "412")


def test_my_text_becomes_a_section_of_its_own(lab: Lab, vault: Path) -> None:
    editor, path = refused(lab.open(), vault, "own.md")
    editor.merge.get_by_role("button", name="Save mine as a new section").click()
    expect(editor.state).to_have_text(SAVED)
    mine = section(MINE).replace("√d", "√d (mine)", 1)
    assert path.read_text() == THEIRS.replace("\n\n### After", f"\n\n{mine}\n\n### After")
    tolerate(lab, "412")


def test_my_changes_are_discarded_only_when_that_is_meant(lab: Lab, vault: Path) -> None:
    editor, path = refused(lab.open(), vault, "discarded.md")
    discard = editor.merge.get_by_role("button", name="Discard my changes…")
    discard.click()
    dialog = lab.page.get_by_role("alertdialog", name="Discard your changes?")
    expect(dialog).to_contain_text(re.compile(r"The version saved on disk at \d\d:\d\d stays\."))
    dialog.get_by_role("button", name="Keep editing").click()
    expect(discard).to_be_focused()
    discard.click()
    dialog.get_by_role("button", name="Discard").click()
    expect(editor.merge).to_have_count(0)
    expect(editor.text).to_contain_text("above 2.9")
    expect(editor.text).to_be_focused()
    assert path.read_text() == THEIRS
    tolerate(lab, "412")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pictures_of_a_merge(lab: Lab, vault: Path, theme: str) -> None:
    lab.page.set_viewport_size({"width": 900, "height": 760})
    lab.open(theme=theme)
    lab.page.evaluate("() => window.jupyterapp.shell.collapseLeft()")
    editor, _ = refused(lab, vault, f"conflict-{theme}.md")
    lab.page.keyboard.press("b")
    lab.page.keyboard.press("F8")
    expect(editor.merge.get_by_role("group", name=re.compile("Difference 2 of 2"))).to_be_focused()
    assert lab.axe(".jp-kb-editor") == []
    lab.shot(f"section-conflict-{theme}")
    lab.page.set_viewport_size({"width": 560, "height": 760})
    lab.shot(f"section-conflict-narrow-{theme}")
    lab.settings("@jupyterlab/apputils-extension:themes", {"theme": "JupyterLab Light"})
    tolerate(lab, "412")
