"""The widgets in a notebook: search, outline that drives an editor, a provoked conflict, the graph, progress."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.lab import Lab, opened, served
from tests.browser.notebooks import Notebook
from tests.conftest import DEMO_VAULT

pytestmark = pytest.mark.slow

THEMES = ("light", "dark")
SETUP = "%load_ext jupyter_kb\nimport traitlets\nfrom jupyter_kb.widgets import *"


@pytest.mark.parametrize("theme", THEMES)
def test_a_search_shows_ranked_sections_in_a_frame(lab: Lab, theme: str) -> None:
    notebook = Notebook(lab, "found.ipynb", [SETUP, "%kb search why does the gain matter --limit 5"], theme=theme)
    notebook.run()
    found = notebook.output(1)
    expect(found.locator(".kb-frame-title")).to_contain_text("5 of ")
    assert found.locator(".kb-hits > li").count() == 5
    assert found.locator("mark").count() > 2
    lab.shot(f"nb-search-{theme}", lab.page.locator(".jp-NotebookPanel-notebook"))


@pytest.mark.parametrize("theme", THEMES)
def test_the_search_box_finds_while_one_types(lab: Lab, theme: str) -> None:
    notebook = Notebook(lab, "box.ipynb", [SETUP, "box = SearchBox(mode='text')\nbox"], theme=theme)
    notebook.run()
    box = notebook.widget("Search notes")
    box.get_by_role("searchbox").press_sequentially("dark adapt")
    rows = box.get_by_role("option")
    expect(rows.first).to_be_visible()
    expect(box.get_by_role("status")).to_contain_text("sections")
    box.get_by_role("searchbox").press_sequentially("ation time")
    box.get_by_role("searchbox").press("Enter")
    expect(rows.first).to_be_focused()
    expect(rows.first).to_contain_text("Dark adaptation time")
    lab.page.keyboard.press("ArrowDown")
    expect(rows.nth(1)).to_be_focused()
    lab.page.keyboard.press("ArrowUp")
    lab.page.keyboard.press("Enter")
    expect(rows.first).to_have_attribute("aria-selected", "true")
    notebook.until("box.selected.endswith('Dark adaptation time') and 'Twenty minutes' in box.section.text")
    assert lab.axe(".kb-w") == []
    lab.shot(f"nb-search-box-{theme}", lab.page.locator(".jp-NotebookPanel-notebook"))


@pytest.mark.parametrize("theme", THEMES)
def test_the_outline_drives_the_editor(lab: Lab, theme: str) -> None:
    cells = [
        SETUP,
        "browser = OutlineBrowser('npq-protocol', 'Dark adaptation time')\nbrowser",
        "editor = SectionEditor()\ntraitlets.link((browser, 'selected'), (editor, 'section'))\neditor",
    ]
    notebook = Notebook(lab, "outline.ipynb", cells, theme=theme)
    notebook.run()
    outline, editor = notebook.widget("Outline"), notebook.widget("Section editor")
    expect(outline.get_by_role("treeitem", name="Dark adaptation time")).to_have_attribute("aria-current", "true")
    expect(outline.locator(".kb-page")).to_contain_text("Twenty minutes")
    assert lab.axe(".kb-w") == []
    lab.shot(f"nb-outline-{theme}", notebook.output(1))
    outline.get_by_role("treeitem", name="Acceptance of a cuvette").click()
    expect(outline.locator(".kb-page")).to_contain_text("Keep the cuvette")
    expect(editor.locator(".kb-crumbs")).to_contain_text("Acceptance of a cuvette")
    outline.get_by_role("treeitem", name="Acceptance of a cuvette").press("ArrowUp")
    lab.page.keyboard.press("Enter")
    expect(editor.locator(".kb-crumbs")).to_contain_text("Sequence")
    notebook.until("browser.selected == editor.section == 'methods/npq-protocol.md > NPQ protocol > Sequence'")


@pytest.mark.parametrize("theme", THEMES)
def test_an_edit_is_saved_and_a_conflict_is_shown(lab: Lab, theme: str) -> None:
    note = Path(lab.server.root) / "inbox.md"
    note.write_bytes((DEMO_VAULT / "inbox.md").read_bytes())
    cells = [SETUP, "editor = SectionEditor('inbox', 'Ideas')\neditor", "editor.save()"]
    notebook = Notebook(lab, "edit.ipynb", cells, theme=theme)
    notebook.run()
    editor = notebook.widget("Section editor")
    text = editor.get_by_role("textbox")
    text.press("Control+End")
    text.press_sequentially("\n\n- Compare the two lamps with [[kestrel#Daily check]].")
    expect(editor.locator(".kb-state")).to_have_text("Unsaved changes")
    lab.shot(f"nb-section-editor-dirty-{theme}", notebook.output(1))
    editor.get_by_role("button", name="Save").click()
    expect(editor.locator(".kb-state")).to_contain_text("Saved ")
    assert note.read_text().endswith("- Compare the two lamps with [[kestrel#Daily check]].\n")
    text.press_sequentially(" Twice.")
    note.write_text(note.read_text().replace("Hanne suggests", "Hanne and Idris suggest"))
    text.press("Control+s")
    expect(editor.locator(".kb-state")).to_have_text("Not saved")
    expect(editor.get_by_role("alert")).to_contain_text("after it was read here. Your text is kept.")
    assert "Twice." in text.input_value()
    assert "Twice." not in note.read_text()
    lab.page.locator(".jp-CodeCell").nth(2).locator(".cm-content").click()
    lab.page.keyboard.press("Control+Enter")
    expect(notebook.output(2)).to_contain_text("Not saved")
    expect(notebook.output(2)).to_contain_text("Your text is kept.")
    assert lab.axe(".kb-w") == []
    lab.shot(f"nb-section-editor-{theme}", lab.page.locator(".jp-NotebookPanel-notebook"))
    editor.get_by_role("button", name="Compare and merge").click()
    expect(editor.locator(".kb-theirs").first).to_contain_text("Hanne and Idris")
    lab.shot(f"nb-section-editor-compare-{theme}", notebook.output(1))
    editor.get_by_role("button", name="Use mine").click()
    expect(editor.locator(".kb-state")).to_have_text("Unsaved changes")
    editor.get_by_role("button", name="Save").click()
    expect(editor.locator(".kb-state")).to_contain_text("Saved ")
    assert "Twice." in note.read_text()
    editor.get_by_role("button", name="Preview").click()
    expect(editor.locator(".kb-page a.kb-link").first).to_be_visible()


@pytest.mark.parametrize("theme", THEMES)
def test_a_click_in_the_graph_chooses_a_note(lab: Lab, theme: str) -> None:
    notebook = Notebook(lab, "graph.ipynb", [SETUP, "graph = NoteGraph('npq-protocol')\ngraph"], theme=theme)
    notebook.run()
    graph = notebook.widget("Links of a note")
    node = graph.locator("svg [data-row='instruments/kestrel.md']")
    node.click()
    expect(node).to_have_attribute("aria-selected", "true")
    expect(graph.get_by_role("status")).to_contain_text("Kestrel: ")
    notebook.until("graph.selected == 'instruments/kestrel.md'")
    lab.page.mouse.move(5, 5)
    lab.shot(f"nb-graph-{theme}", notebook.output(1))
    node.press("Enter")
    expect(graph.locator(".kb-head")).to_contain_text("Kestrel")
    notebook.until("graph.file == 'instruments/kestrel.md'")
    graph.get_by_role("radio", name="List").click()
    expect(graph.get_by_role("option", name="NPQ protocol")).to_be_visible()
    assert lab.axe(".kb-w") == []
    lab.shot(f"nb-graph-list-{theme}", notebook.output(1))


@pytest.mark.parametrize("theme", THEMES)
def test_progress_ends_as_one_line(lab: Lab, theme: str) -> None:
    notebook = Notebook(lab, "progress.ipynb", [SETUP, "progress = IndexProgress()\nprogress"], theme=theme)
    notebook.run()
    progress = notebook.widget("Progress of the index")
    expect(progress).to_contain_text("Index ready: 46 notes, 236 sections")
    lab.shot(f"nb-progress-{theme}", notebook.output(1))


def test_results_open_their_note_in_jupyterlab(lab: Lab) -> None:
    cells = [SETUP, "%kb search dark adaptation time --mode text -n 3", "graph = NoteGraph('npq-protocol')\ngraph"]
    notebook = Notebook(lab, "opens.ipynb", cells)
    notebook.run()
    lab.page.wait_for_function("() => (document.body.dataset.jupyterKb ?? '').includes('open')")
    graph = notebook.widget("Links of a note")
    graph.locator("svg [data-row='instruments/kestrel.md']").click()
    expect(graph.get_by_text("Open note")).to_be_visible()
    notebook.output(1).get_by_role("link", name="NPQ protocol").first.click()
    line = lab.page.locator(".jp-FileEditor .cm-line", has_text="## Dark adaptation time")
    expect(line.first).to_be_visible()


@pytest.fixture
def seven(browser: Browser, vault: Path, tmp_path: Path) -> Iterator[Lab]:
    """A page of Notebook 7."""
    loaded = {"jupyter_kb": True, "jupyterlab": True, "notebook": True, "notebook_shim": True, "jupyter_lsp": True}
    config: dict[str, dict[str, object]] = {
        "ServerApp": {"jpserver_extensions": {**loaded, "jupyter_server_ydoc": False}},
        "JupyterNotebookApp": {"expose_app_in_browser": True},
    }
    with served(tmp_path, vault, config) as server, opened(browser, server) as lab:
        server.indexed(server.api("vaults")["vaults"][0]["name"])
        yield lab
        # Notebook reports this by itself, also without any extension.
        lab.errors[:] = [error for error in lab.errors if "reading 'schema'" not in error]


def test_the_widgets_work_in_notebook_7(seven: Lab) -> None:
    cells = [SETUP, "browser = OutlineBrowser('npq-protocol', 'Sequence')\nbrowser", "SectionEditor('inbox', 'Ideas')"]
    notebook = Notebook(seven, "seven.ipynb", cells, classic=True)
    notebook.run()
    outline = notebook.widget("Outline")
    outline.get_by_role("treeitem", name="Acceptance of a cuvette").click()
    expect(outline.locator(".kb-page")).to_contain_text("Keep the cuvette")
    expect(notebook.widget("Section editor").locator(".kb-state")).to_have_text("Up to date")
    notebook.until("browser.selected.endswith('Acceptance of a cuvette')")
