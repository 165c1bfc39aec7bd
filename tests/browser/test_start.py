"""JupyterLab starts with the extension, and the extension finds the vault."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.lab import Lab


def test_the_extension_loads_without_an_error(lab: Lab) -> None:
    lab.open()
    plugins = lab.page.evaluate("() => window.jupyterapp.listPlugins().filter(id => id.startsWith('jupyter-kb:'))")
    assert "jupyter-kb:session" in plugins
    inactive = lab.page.evaluate(
        "() => window.jupyterapp.listPlugins().filter(id => id.startsWith('jupyter-kb:'))"
        ".filter(id => !window.jupyterapp.isPluginActivated(id))"
    )
    assert inactive == []


def test_a_command_opens_a_note_at_its_section(lab: Lab) -> None:
    lab.open()
    lab.page.wait_for_function("() => window.jupyterapp.commands.hasCommand('jupyter-kb:open')")
    lab.run("jupyter-kb:refresh")
    lab.run("jupyter-kb:open", {"file": "daily/2026-09-22.md", "headingPath": "Tuesday, 22 September 2026 > Thursday"})
    line = lab.page.locator(".jp-FileEditor .cm-line", has_text="## Thursday")
    line.wait_for()
    lab.page.wait_for_function(
        "() => window.jupyterapp.shell.currentWidget.content.editor.getCursorPosition().line === 12"
    )


def test_a_panel_that_is_put_back_leaves_the_focus_where_it_is(lab: Lab) -> None:
    space = "put-back"
    lab.open(workspace=space)
    expect(lab.page.locator(".jp-Launcher")).to_be_visible()  # it comes a little later, and takes the focus
    with lab.page.expect_response(lambda answer: "lab/api/workspaces" in answer.url and answer.request.method == "PUT"):
        lab.run("jupyter-kb:search")
    field = lab.page.get_by_role("searchbox", name="Search notes")
    expect(field).to_be_focused()
    lab.open(workspace=space)
    expect(field).to_be_visible()
    expect(field).not_to_be_focused()
    lab.page.keyboard.press("Alt+k")
    expect(field).to_be_focused()
