"""The search panel: found, narrowed, opened with the keyboard; and what it says when it cannot."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, expect

from jupyter_kb.testing import HashingEmbedder
from tests.browser.lab import Lab, opened, served
from tests.conftest import DEMO_VAULT
from tests.embedding.servers import serving
from tests.server.jupyter import Jupyter

WIDE, NARROW = 300, 250
SELECTED = "[role=treeitem][aria-selected=true]"
TREE = ".jp-kb-search [role=tree]"
QUERY = "dark offset calibration"


def ready(lab: Lab, *, theme: str = "light", width: int = WIDE) -> Locator:
    """JupyterLab with the search panel in front, so wide, and the focus in its field."""
    lab.open(theme=theme)
    lab.page.locator(".jp-Launcher, .jp-FileEditor").first.wait_for()
    resize(lab, width)
    lab.page.keyboard.press("Alt+k")
    expect(field(lab)).to_be_focused()
    return panel(lab)


def resize(lab: Lab, width: int) -> None:
    lab.page.evaluate(
        "width => { const shell = window.jupyterapp.shell; shell.expandLeft();"
        " const all = shell.node.querySelector('#jp-main-split-panel').offsetWidth;"
        " shell._hsplitPanel.setRelativeSizes([width, all - width, 0]); }",
        width,
    )


def panel(lab: Lab) -> Locator:
    return lab.page.locator(".jp-kb-search")


def field(lab: Lab) -> Locator:
    return lab.page.get_by_role("searchbox", name="Search notes")


def rows(lab: Lab) -> Locator:
    return lab.page.locator(f"{TREE} [role=treeitem]")


def searched(lab: Lab, query: str) -> None:
    """Type a query and wait for its answer."""
    with lab.page.expect_response(lambda response: "/search" in response.url and response.request.method == "POST"):
        field(lab).fill(query)
    expect(rows(lab).or_(lab.page.locator(".jp-kb-search-none")).first).to_be_visible()


def forget(lab: Lab, *parts: str) -> None:
    """Errors of the console that are what the test is about."""
    lab.errors[:] = [error for error in lab.errors if not any(part in error for part in parts)]


# ── finding and opening ─────────────────────────────────────────────────────────────────────────


def test_a_section_is_found_looked_at_and_opened_with_the_keyboard_alone(lab: Lab) -> None:
    ready(lab)
    lab.page.keyboard.type(QUERY)
    expect(rows(lab).first).to_be_visible()
    expect(lab.page.locator(".jp-kb-search-summary")).to_contain_text("sections in")
    for _ in range(3):
        lab.page.keyboard.press("ArrowDown")
    row = lab.page.locator(SELECTED)
    expect(row).to_be_focused()
    name = row.get_attribute("aria-label") or ""
    heading = row.locator(".jp-kb-search-place").inner_text().split(" › ")[-1]

    lab.page.keyboard.press("Space")
    tab = lab.page.locator("#jp-main-dock-panel .jp-kb-peek")
    expect(tab).to_have_count(1)
    expect(row).to_be_focused()
    lab.page.keyboard.press("Enter")
    expect(lab.page.locator(".jp-FileEditor .cm-content")).to_be_focused()
    expect(lab.page.locator(".jp-FileEditor .cm-line", has_text=heading).first).to_be_in_viewport()
    expect(tab).to_have_count(0)
    expect(panel(lab).locator(".jp-kb-search-opened")).to_have_count(1)

    lab.page.keyboard.press("Alt+k")
    expect(field(lab)).to_be_focused()
    lab.page.keyboard.press("Alt+k")
    expect(lab.page.locator(".jp-FileEditor .cm-content")).to_be_focused()
    assert name


def test_the_selected_text_is_the_query_and_escape_leads_back(lab: Lab) -> None:
    ready(lab)
    lab.run("jupyter-kb:open", {"file": "methods/fluorometer-calibration.md", "headingPath": ""})
    text = lab.page.locator(".jp-FileEditor .cm-content")
    expect(text).to_be_focused()
    lab.page.locator(".jp-FileEditor .cm-line", has_text="## Block check").dblclick(position={"x": 40, "y": 8})
    lab.page.wait_for_function("() => window.getSelection().toString().trim() === 'Block'")
    selected = "Block"

    lab.page.keyboard.press("Alt+k")
    expect(field(lab)).to_have_value(selected)
    expect(rows(lab).first).to_be_visible()
    lab.page.keyboard.press("Escape")
    expect(field(lab)).to_have_value("")
    lab.page.keyboard.press("Escape")
    expect(text).to_be_focused()
    assert lab.page.evaluate("() => window.getSelection().toString()").strip() == selected


def test_a_search_by_meaning_says_of_each_hit_that_it_is_one(lab: Lab) -> None:
    ready(lab)
    searched(lab, "lamp drift")
    with lab.page.expect_response(lambda response: "/search" in response.url):
        lab.page.get_by_role("radio", name="Meaning").click()
    hits = lab.page.locator(f"{TREE} .jp-kb-search-hit")
    expect(hits.first.locator(".jp-kb-search-why")).to_be_visible()
    expect(lab.page.locator(f"{TREE} .jp-kb-search-hit:not(:has(.jp-kb-search-why))")).to_have_count(0)
    assert hits.count() > 0


def test_a_result_list_follows_the_notes_without_losing_the_place(lab: Lab, vault: Path) -> None:
    ready(lab)
    searched(lab, "zirconium")
    expect(lab.page.get_by_text("Nothing close enough").or_(rows(lab).first)).to_be_visible()
    lab.page.get_by_role("radio", name="Text").click()
    expect(lab.page.get_by_text("Nothing matches")).to_be_visible()
    (vault / "new.md").write_text("# New\n\nzirconium\n", encoding="utf-8")
    expect(rows(lab)).to_have_count(2)
    row = lab.page.get_by_role("treeitem", name="New, new").or_(rows(lab).nth(1))
    row.first.focus()
    (vault / "newer.md").write_text("# Newer\n\nzirconium zirconium\n", encoding="utf-8")
    expect(rows(lab)).to_have_count(4)
    expect(lab.page.locator(f"{TREE} {SELECTED}")).to_be_focused()
    for name in ("new.md", "newer.md"):
        (vault / name).unlink()
    expect(lab.page.get_by_text("Nothing matches")).to_be_visible()


def test_recent_searches_stay_over_a_reload(lab: Lab) -> None:
    ready(lab)
    lab.page.keyboard.type("npq protocol")
    with lab.page.expect_request(lambda request: "recent-searches" in (request.post_data or "")):
        lab.page.keyboard.press("Enter")
    expect(rows(lab).first).to_be_visible()
    lab.page.reload()
    lab.page.wait_for_function("() => window.jupyterapp?.restored")
    lab.page.evaluate("() => window.jupyterapp.restored.then(() => null)")
    recent = panel(lab).get_by_role("button", name="npq protocol")
    expect(recent).to_be_visible()
    field(lab).focus()
    lab.page.keyboard.press("ArrowDown")
    expect(recent).to_be_focused()
    lab.page.keyboard.press("Enter")
    expect(rows(lab).first).to_be_visible()
    expect(field(lab)).to_have_value("npq protocol")


# ── narrowing ───────────────────────────────────────────────────────────────────────────────────


def test_filters_are_added_and_removed_with_the_keyboard(lab: Lab) -> None:
    ready(lab)
    searched(lab, "calibration")
    add = lab.page.get_by_role("button", name="Filter", exact=True)
    add.focus()
    lab.page.keyboard.press("Enter")
    lab.page.get_by_role("combobox", name="Find a filter").wait_for()
    lab.page.keyboard.type("methods")
    with lab.page.expect_response(lambda response: "/search" in response.url):
        lab.page.keyboard.press("Enter")
    chip = lab.page.get_by_role("button", name="Remove filter methods")
    expect(chip).to_be_visible()
    folders = lab.page.locator(f"{TREE} .jp-kb-search-note")
    expect(folders.first).to_have_attribute("title", "methods/fluorometer-calibration.md")
    titles = [folders.nth(place).get_attribute("title") or "" for place in range(folders.count())]
    assert all(title.startswith("methods/") for title in titles)
    chip.focus()
    lab.page.keyboard.press("Delete")
    expect(chip).to_have_count(0)
    expect(add).to_be_focused()


def test_operators_in_the_query_narrow_it_too(lab: Lab) -> None:
    ready(lab)
    searched(lab, "calibration in:daily")
    expect(lab.page.locator(f"{TREE} .jp-kb-search-note").first).to_have_attribute("title", "daily/2026-09-14.md")
    searched(lab, "in:people")
    expect(lab.page.locator(".jp-kb-search-summary")).to_contain_text("notes")


# ── states and pictures ─────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_panel_can_be_read_by_everyone_in_each_theme(lab: Lab, theme: str) -> None:
    side = ready(lab, theme=theme)
    for query in ("gain switch", "tag:npq in:experiments", "叶绿素 荧光"):
        field(lab).fill(query)
        lab.page.keyboard.press("Enter")
        expect(rows(lab).first).to_be_visible()
    field(lab).fill("")
    expect(side.get_by_role("button", name="gain switch")).to_be_visible()
    expect(side.get_by_role("heading", name="Search in a folder")).to_be_visible()
    assert lab.axe(".jp-kb-search") == []
    lab.shot(f"search-idle-{theme}", side)

    searched(lab, QUERY)
    for _ in range(3):
        lab.page.keyboard.press("ArrowDown")
    expect(lab.page.locator(SELECTED)).to_be_focused()
    assert lab.axe(".jp-kb-search") == []
    lab.shot(f"search-results-{theme}", side)

    lab.page.get_by_role("button", name="Filter", exact=True).click()
    expect(lab.page.get_by_role("listbox")).to_be_visible()
    assert lab.axe(".jp-kb-search") == []
    lab.shot(f"search-filter-{theme}", side)
    lab.page.keyboard.press("Escape")

    add_filter(lab, "people")
    add_filter(lab, "npq")
    lab.page.get_by_role("radio", name="Text").click()
    searched(lab, "flux capacitor tuning")
    expect(lab.page.get_by_text("Nothing matches")).to_be_visible()
    expect(side).to_contain_text("No note has any of these words, in the folder “people”, with the tag #npq.")
    assert lab.axe(".jp-kb-search") == []
    field(lab).focus()
    lab.shot(f"search-none-{theme}", side)


def add_filter(lab: Lab, name: str) -> None:
    lab.page.get_by_role("button", name="Filter", exact=True).click()
    lab.page.get_by_role("combobox", name="Find a filter").fill(name)
    lab.page.keyboard.press("Enter")
    expect(lab.page.get_by_role("dialog", name="Add a filter")).to_have_count(0)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_narrow_panel_folds_and_shows_that_a_search_is_going_on(lab: Lab, theme: str) -> None:
    side = ready(lab, theme=theme, width=NARROW)
    searched(lab, QUERY)
    release = threading.Event()
    lab.page.route("**/kb/api/vaults/*/search*", lambda route: release.is_set() and route.continue_())
    field(lab).fill(f"{QUERY} gain")
    expect(lab.page.get_by_role("progressbar", name="Searching")).to_be_visible()
    expect(rows(lab).first).to_be_visible()
    expect(lab.page.get_by_role("button", name="Refresh")).to_have_count(0)
    expect(lab.page.get_by_role("button", name="Filters")).to_be_visible()
    assert lab.axe(".jp-kb-search") == []
    lab.shot(f"search-narrow-{theme}", side)
    release.set()
    lab.page.unroute_all(behavior="ignoreErrors")
    fits = "node => node.scrollWidth <= node.clientWidth"
    assert panel(lab).locator(".jp-kb-panel").evaluate(fits)
    assert panel(lab).locator(".jp-kb-panel-body").evaluate(fits)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_server_without_the_extension_is_told_of_with_what_to_do(
    browser: Browser, tmp_path: Path, theme: str
) -> None:
    without = {"ServerApp": {"jpserver_extensions": {"jupyter_kb": False, "jupyterlab": True}}}
    with served(tmp_path, tmp_path, without) as server, opened(browser, server) as lab:
        lab.open(theme=theme)
        resize(lab, WIDE)
        lab.run("jupyter-kb:search")
        side = panel(lab)
        expect(side.get_by_role("alert")).to_contain_text("The server part is not running")
        expect(field(lab)).to_be_disabled()
        assert lab.axe(".jp-kb-search") == []
        lab.shot(f"search-error-{theme}", side)
        side.get_by_role("button", name="Check again").click()
        expect(side.get_by_role("alert")).to_contain_text("The server part is not running")
        forget(lab, "/kb/api/")


def test_a_server_that_stops_leaves_what_was_found(browser: Browser, tmp_path: Path) -> None:
    root = Path(shutil.copytree(DEMO_VAULT, tmp_path / "vault"))
    with served(tmp_path / "home", root) as server, opened(browser, server) as lab:
        server.indexed(server.api("vaults")["vaults"][0]["name"])
        ready(lab)
        searched(lab, QUERY)
        server.ends()
        field(lab).fill("another question")
        expect(panel(lab).get_by_role("alert")).to_contain_text("No answer from the server.")
        expect(rows(lab).first).to_be_visible()
        lab.errors.clear()  # JupyterLab itself misses its server


@contextmanager
def half_embedded(tmp_path: Path) -> Iterator[Jupyter]:
    """A server whose provider of vectors stops answering after most of the notes."""
    embedder, gate = HashingEmbedder(), threading.Event()
    gate.set()

    def answer(body: dict[str, Any]) -> tuple[int, Any]:
        gate.wait(timeout=60)
        texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
        vectors = embedder.embed(texts, "passage").tolist()
        return 200, {"data": [{"index": place, "embedding": vector} for place, vector in enumerate(vectors)]}

    late = ("daily", "experiments", "people")
    root = Path(shutil.copytree(DEMO_VAULT, tmp_path / "vault", ignore=shutil.ignore_patterns(*late)))
    with serving(answer, path="/v1/embeddings") as provider:
        config = {"JupyterKB": {"embedding_url": f"{provider.url}/v1", "model": "slow"}}
        with served(tmp_path / "home", root, config) as server:
            name = server.api("vaults")["vaults"][0]["name"]

            def status() -> Any:
                return server.api(f"vaults/{name}/status")

            server.until(
                lambda now: now["last_scan"] and 0 < now["model"]["chunks"] == now["model"]["embedded"], status
            )
            gate.clear()
            for folder in late:
                shutil.copytree(DEMO_VAULT / folder, root / folder)
            server.until(lambda now: now["model"]["embedded"] < now["model"]["chunks"], status)
            yield server
            gate.set()


def test_search_goes_on_while_vectors_are_made(browser: Browser, tmp_path: Path) -> None:
    with half_embedded(tmp_path) as server, opened(browser, server) as lab:
        for theme in ("light", "dark"):
            side = ready(lab, theme=theme)
            expect(side.get_by_text("Preparing meaning search", exact=True)).to_be_visible()
            expect(side.get_by_role("progressbar", name="Preparing meaning search")).to_be_visible()
            expect(lab.page.get_by_role("radio", name="Meaning, Still being prepared")).to_be_visible()
            searched(lab, QUERY)
            expect(rows(lab).first).to_be_visible()
            assert lab.axe(".jp-kb-search") == []
            lab.shot(f"search-embedding-{theme}", side)
        side.get_by_role("button", name="Pause").click()
        expect(side.get_by_text("Meaning search paused", exact=True)).to_be_visible()
        side.get_by_role("button", name="Resume").click()
        expect(side.get_by_text("Preparing meaning search", exact=True)).to_be_visible()
