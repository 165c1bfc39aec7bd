"""The graph: around a note and of the whole vault, drawn and as a list."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Locator, expect

from tests.browser.lab import Lab, opened
from tests.server.jupyter import Jupyter

NOTE = "experiments/run-14.md"
TITLE = "Run 14: temperature and the remaining NPQ"
MODEL = "[...window.jupyterapp.shell.widgets('main')].find(one => one.id === 'jupyter-kb-graph').content.model"


def shown(lab: Lab, command: str = "jupyter-kb:open-graph", arguments: Mapping[str, Any] | None = None) -> Locator:
    """The graph once it is drawn and laid out."""
    lab.run(command, arguments)
    graph = lab.page.locator(".jp-kb-graph")
    expect(graph.locator("canvas.sigma-labels")).to_be_visible()
    lab.page.wait_for_function(f"() => !{MODEL}.pending")
    return graph


def started(lab: Lab, theme: str = "light") -> Lab:
    with lab.page.expect_response(re.compile(r"kb/api/vaults/[^/]+/status")):
        lab.open(theme=theme)
    lab.page.wait_for_function("() => window.jupyterapp.commands.isEnabled('jupyter-kb:open-whole-graph')")
    lab.run("application:toggle-left-area")
    return lab


def place_of(lab: Lab, file: str) -> tuple[float, float]:
    """Where a node is drawn, in the window: its menu opens there."""
    lab.page.evaluate(f"file => {MODEL}.select(file)", file)
    lab.page.get_by_role("application").focus()
    lab.page.keyboard.press("Shift+F10")
    box = lab.page.locator(".lm-Menu").bounding_box()
    lab.page.keyboard.press("Escape")
    lab.page.evaluate(f"() => {MODEL}.select(null)")
    assert box
    return box["x"], box["y"]


def test_the_graph_opens_around_a_note_with_its_numbers(lab: Lab) -> None:
    graph = shown(started(lab), arguments={"file": NOTE})
    expect(lab.page.locator(".lm-TabBar-tabLabel", has_text=f"Graph: {TITLE}")).to_be_visible()
    expect(graph.get_by_role("heading", name=f"Around {TITLE}")).to_be_visible()
    expect(graph.get_by_role("application")).to_have_accessible_name(re.compile(rf"Graph of \d+ notes around {TITLE}"))
    expect(graph.locator(".jp-kb-graph-foot")).to_contain_text(re.compile(r"\d+ notes, \d+ links"))
    expect(graph.locator(".jp-kb-graph-foot")).to_contain_text("more notes within 3 steps")
    expect(graph.get_by_role("radio", name="2", exact=True)).to_be_checked()
    expect(graph.get_by_role("region", name="Note under the pointer")).to_contain_text("Linked from")


def test_the_steps_say_how_far_it_reaches(lab: Lab) -> None:
    graph = shown(started(lab), arguments={"file": NOTE})
    sizes = []
    for steps in "123":
        graph.get_by_role("radio", name=steps, exact=True).click()
        lab.page.wait_for_function(f"steps => !{MODEL}.pending && {MODEL}.centre.steps === steps", arg=int(steps))
        sizes.append(lab.page.evaluate(f"() => {MODEL}.picture.total"))
    assert sizes[0] < sizes[1] <= sizes[2]


def test_keys_go_from_note_to_note_centre_it_go_back_and_open_it(lab: Lab) -> None:
    graph = shown(started(lab), arguments={"file": NOTE})
    canvas = graph.get_by_role("application")
    canvas.focus()
    lab.page.keyboard.press("ArrowDown")
    selected = lab.page.evaluate(f"() => {MODEL}.selected")
    assert selected not in (None, NOTE)
    title = lab.page.evaluate(f"() => {MODEL}.shown.title")
    expect(graph.get_by_role("region", name="Note under the pointer")).to_contain_text(title)
    lab.page.keyboard.press("Enter")
    expect(graph.get_by_role("heading", name=f"Around {title}")).to_be_visible()
    canvas.focus()
    lab.page.keyboard.press("Backspace")
    expect(graph.get_by_role("heading", name=f"Around {TITLE}")).to_be_visible()
    lab.page.wait_for_function(f"() => !{MODEL}.pending")
    canvas.focus()
    lab.page.keyboard.press("o")
    expect(lab.page.locator(".lm-mod-current .lm-TabBar-tabLabel", has_text="run-14.md")).to_be_visible()


def test_the_pointer_lights_a_note_and_a_double_click_centres_it(lab: Lab) -> None:
    graph = shown(started(lab), arguments={"file": NOTE})
    other = "instruments/kestrel.md"
    x, y = place_of(lab, other)
    lab.page.mouse.move(x, y)
    lab.page.wait_for_function(f"file => {MODEL}.hovered === file", arg=other)
    expect(graph.get_by_role("region", name="Note under the pointer")).to_contain_text("Kestrel")
    lab.page.mouse.dblclick(x, y)
    expect(graph.get_by_role("heading", name="Around Kestrel")).to_be_visible()


def test_the_list_shows_the_same_notes_and_opens_them(lab: Lab) -> None:
    graph = shown(started(lab), arguments={"file": NOTE})
    nodes = lab.page.evaluate(f"() => {MODEL}.picture.nodes.size")
    graph.get_by_role("radio", name="List").click()
    tree = graph.get_by_role("tree", name="Notes of the graph")
    expect(tree.get_by_role("treeitem")).to_have_count(nodes)
    tree.get_by_role("treeitem").first.focus()
    lab.page.keyboard.press("ArrowDown")
    lab.page.keyboard.press("Enter")
    expect(lab.page.locator(".jp-FileEditor .cm-content")).to_be_visible()


def test_the_filter_leaves_only_names_with_its_text(lab: Lab) -> None:
    graph = shown(started(lab), arguments={"file": NOTE})
    graph.get_by_role("radio", name="List").click()
    graph.get_by_role("searchbox", name="Show only names with").fill("npq protocol")
    tree = graph.get_by_role("tree", name="Notes of the graph")
    expect(tree.get_by_role("treeitem")).to_have_count(
        2
    )  # the note in the centre, which leads there, and the one found
    expect(tree.get_by_role("treeitem").last).to_have_accessible_name(re.compile("NPQ protocol"))


def test_a_note_without_links_says_how_to_make_one(lab: Lab, vault: Path, server: Jupyter) -> None:
    (vault / "alone.md").write_text("# Alone\n\nNo links.\n")
    name = server.api("vaults")["vaults"][0]["name"]
    server.until(
        lambda code: code == 200, lambda: server.ask("GET", f"api/vaults/{name}/outline?file=alone.md").status_code
    )
    graph = shown(started(lab), arguments={"file": "alone.md"})
    expect(graph).to_contain_text("No links yet")
    expect(graph).to_contain_text("Type [[ in this note to make the first one.")


def test_the_whole_vault_shows_missing_notes_and_colours_by_folder(lab: Lab) -> None:
    graph = shown(started(lab), "jupyter-kb:open-whole-graph")
    expect(graph.get_by_role("heading", name="Whole vault")).to_be_visible()
    expect(graph.locator(".jp-kb-graph-foot")).to_contain_text("1 missing note")
    graph.get_by_role("button", name="Graph settings").click()
    lab.page.locator(".lm-Menu").get_by_text("Colour by Folder").click()
    expect(graph.get_by_role("group", name="Legend")).to_contain_text("instruments")
    lab.page.wait_for_function(
        f"""() => new Set([...{MODEL}.picture.nodes.values()].map(node => node.folder)).size > 3"""
    )


def test_what_a_search_found_is_lit_in_the_graph(lab: Lab) -> None:
    started(lab)
    shown(lab, "jupyter-kb:open-whole-graph")
    before = lab.page.locator("canvas.sigma-labels").screenshot()
    lab.run("jupyter-kb:search", {"query": "cuvette", "mode": "text"})
    expect(lab.page.get_by_role("tree", name="Search results").get_by_role("treeitem").first).to_be_visible()
    lab.run("application:toggle-left-area")
    assert lab.page.locator("canvas.sigma-labels").screenshot() != before


def test_a_browser_without_webgl_gets_the_list(browser: Browser, server: Jupyter) -> None:
    with opened(browser, server) as lab:
        lab.page.add_init_script(
            "const get = HTMLCanvasElement.prototype.getContext;"
            "HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {"
            "  return /webgl/.test(kind) ? null : get.call(this, kind, ...rest); }"
        )
        started(lab)
        lab.run("jupyter-kb:open-graph", {"file": NOTE})
        expect(lab.page.get_by_role("tree", name="Notes of the graph")).to_be_visible()
        expect(lab.page.locator(".jp-kb-graph")).to_contain_text("WebGL is off")


def test_pictures_and_accessibility_in_both_themes(browser: Browser, server: Jupyter) -> None:
    for theme in ("light", "dark"):
        with opened(browser, server) as lab:
            started(lab, theme)
            graph = shown(lab, arguments={"file": NOTE})
            graph.get_by_role("application").focus()
            lab.page.keyboard.press("ArrowUp")
            expect(graph.get_by_role("region", name="Note under the pointer")).to_contain_text("Linked from")
            assert lab.axe(".jp-kb-graph") == []
            lab.shot(f"graph-{theme}", lab.page.locator("#jp-main-dock-panel"))
            graph.get_by_role("radio", name="List").click()
            assert lab.axe(".jp-kb-graph") == []
    lab.settings("@jupyterlab/apputils-extension:themes", {})
