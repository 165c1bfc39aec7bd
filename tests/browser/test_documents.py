"""A note that is open in JupyterLab's own editor while it is changed on disk, without and with collaboration."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.browser.lab import Lab, opened, served
from tests.conftest import DEMO_VAULT
from tests.server.jupyter import Jupyter

LONG = "# Long\n\n" + "\n".join(f"Line {number}.\n" for number in range(200)) + "\n## Last\n\nThe end.\n"


@pytest.fixture(autouse=True)
def note(vault: Path) -> Path:
    """A note that is longer than the window."""
    file = vault / "long.md"
    file.write_text(LONG)
    return file


def edit(server: Jupyter, body: str, heading: str = "Long > Last") -> None:
    """What an agent does."""
    vault = server.api("vaults")["vaults"][0]["name"]
    shown = server.api(f"vaults/{vault}/section", params={"file": "long.md", "heading_path": heading})
    answer = server.ask(
        "PATCH",
        f"api/vaults/{vault}/section",
        json={"section": {"file": "long.md", "heading_path": heading}, "operation": "replace", "body": body},
        headers={"If-Match": f'"{shown["content_hash"]}"'},
    )
    assert answer.status_code == 200, answer.text


def open_note(lab: Lab) -> Locator:
    """JupyterLab's editor with the note, and the cursor at its last line."""
    lab.open()
    lab.page.evaluate(
        "() => window.jupyterapp.commands.execute('docmanager:open', {path: 'long.md', factory: 'Editor'})"
    )
    editor = lab.page.locator(".jp-FileEditor .cm-content")
    editor.locator(".cm-line", has_text="Line 0.").wait_for()
    editor.click()
    lab.page.keyboard.press("Control+End")
    editor.locator(".cm-line", has_text="The end.").wait_for()
    return editor


def test_a_clean_document_is_read_anew_and_keeps_its_place(lab: Lab, server: Jupyter) -> None:
    editor = open_note(lab)
    lab.page.keyboard.press("ArrowUp")
    before = lab.page.locator(".jp-FileEditor .cm-scroller").evaluate("node => node.scrollTop")
    edit(server, "Written by an agent.")

    expect(editor.locator(".cm-line", has_text="Written by an agent.")).to_be_visible()
    after = lab.page.locator(".jp-FileEditor .cm-scroller").evaluate("node => node.scrollTop")
    assert abs(after - before) < 60
    assert before > 1000
    expect(lab.page.locator(".jp-mod-dirty")).to_have_count(0)


def test_a_document_with_unsaved_text_is_kept_and_warned_of_once(lab: Lab, server: Jupyter, note: Path) -> None:
    editor = open_note(lab)
    lab.page.keyboard.type("Mine.")
    edit(server, "Written by an agent.")

    notice = lab.page.locator(".Toastify__toast", has_text="changed on disk at")
    expect(notice).to_have_count(1)
    expect(editor.locator(".cm-line", has_text="Mine.")).to_be_visible()
    notice.get_by_role("button", name="Compare").click()
    dialog = lab.page.get_by_role("dialog")
    expect(dialog.locator(".jp-kb-mod-mine", has_text="The end.")).to_be_visible()
    expect(dialog.locator(".jp-kb-mod-theirs", has_text="Written by an agent.")).to_be_visible()
    lab.shot("document-comparison-light")
    assert lab.axe(".jp-kb-comparison") == []
    dialog.get_by_role("button", name="Reload").click()

    expect(editor.locator(".cm-line", has_text="Written by an agent.")).to_be_visible()
    expect(editor.locator(".cm-line", has_text="Mine.")).to_have_count(0)
    expect(lab.page.locator(".Toastify__toast", has_text="changed on disk at")).to_have_count(0)
    assert "Written by an agent." in note.read_text()


def test_a_document_that_saves_its_own_text_is_not_warned_of(lab: Lab, note: Path, server: Jupyter) -> None:
    editor = open_note(lab)
    lab.page.keyboard.type("Mine.")
    lab.page.keyboard.press("Control+s")
    server.until(lambda text: "Mine." in text, note.read_text)
    vault = server.api("vaults")["vaults"][0]["name"]
    found = lambda: server.api(f"vaults/{vault}/search", params={"q": "Mine", "fresh": False})["hits"]  # noqa: E731
    server.until(lambda hits: any(hit["file"] == "long.md" for hit in hits), found)
    lab.page.keyboard.type("More.")

    expect(editor.locator(".cm-line", has_text="Mine.More.")).to_be_visible()
    expect(lab.page.locator(".Toastify__toast", has_text="changed on disk")).to_have_count(0)
    expect(lab.page.get_by_role("dialog")).to_have_count(0)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Jupyter]:
    """A server with collaboration on."""
    pytest.importorskip("jupyter_server_ydoc", reason="jupyter-collaboration is not installed")
    root = Path(shutil.copytree(DEMO_VAULT, tmp_path_factory.mktemp("shared") / "vault"))
    (root / "long.md").write_text(LONG)
    home = tmp_path_factory.mktemp("home")
    (home / "data").mkdir()
    with served(home, root, collaboration=True) as server:
        server.indexed(server.api("vaults")["vaults"][0]["name"])
        yield server


def test_with_collaboration_an_edit_appears_beside_what_is_being_typed(browser: Browser, shared: Jupyter) -> None:
    with opened(browser, shared) as lab:
        editor = open_note(lab)
        for key in ("Control+Home", "ArrowDown", "ArrowDown", "End"):
            lab.page.keyboard.press(key)
        lab.page.keyboard.type(" typed before", delay=5)
        edit(shared, "Written by an agent.")
        lab.page.keyboard.type(" and after", delay=5)

        expect(editor.locator(".cm-line").nth(2)).to_have_text("Line 0. typed before and after")
        lab.page.keyboard.press("Control+End")
        expect(editor.locator(".cm-line", has_text="Written by an agent.")).to_be_visible()
        file = shared.root / "long.md"
        shared.until(lambda text: "Line 0. typed before and after\n" in text, file.read_text)
        assert "Written by an agent." in file.read_text()
        expect(lab.page.locator(".Toastify__toast", has_text="changed on disk")).to_have_count(0)
