"""The item of the status bar, its card, and pausing search by meaning."""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, FloatRect, Locator, expect

from tests.browser.lab import Lab, opened, served
from tests.server.jupyter import Jupyter


def item(lab: Lab) -> Locator:
    return lab.page.locator(".jp-kb-status-button")


@pytest.fixture(scope="module")
def without(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Jupyter]:
    """JupyterLab whose server part is switched off."""
    root = tmp_path_factory.mktemp("bare")
    # an installed package is switched on by its own configuration, so it has to be switched off by name
    loaded = {"jupyterlab": True, "jupyter_kb": False, "jupyter_server_ydoc": False, "jupyter_server_fileid": False}
    with served(tmp_path_factory.mktemp("home"), root, {"ServerApp": {"jpserver_extensions": loaded}}) as server:
        yield server


def test_the_item_says_how_many_notes_there_are(lab: Lab, server: Jupyter) -> None:
    lab.open()
    name = server.api("vaults")["vaults"][0]["name"]
    expect(item(lab)).to_have_text(f"{server.api(f'vaults/{name}/status')['notes']} notes")


def test_the_card_opens_closes_by_escape_and_gives_the_focus_back(lab: Lab, vault: Path) -> None:
    lab.open()
    expect(item(lab)).to_contain_text("notes")
    item(lab).click()
    card = lab.page.get_by_role("dialog", name="Knowledge base status")
    expect(card).to_contain_text("Text index")
    expect(card).to_contain_text("stays on this computer")
    expect(card).to_contain_text(vault.name)
    expect(item(lab)).to_have_attribute("aria-expanded", "true")
    box = card.bounding_box()
    assert round((box or {"width": 0})["width"]) == 320
    lab.page.keyboard.press("Escape")
    expect(card).to_have_count(0)
    expect(item(lab)).to_be_focused()


def test_the_card_leads_to_the_diagnostics(lab: Lab) -> None:
    lab.open()
    expect(item(lab)).to_contain_text("notes")
    item(lab).click()
    lab.page.get_by_role("button", name="Open diagnostics").last.click()
    expect(lab.page.get_by_role("heading", name="Diagnostics", exact=True)).to_be_visible()
    expect(lab.page.get_by_role("dialog", name="Knowledge base status")).to_have_count(0)


def test_pausing_and_resuming_is_told_by_the_server_and_in_the_card(lab: Lab, server: Jupyter) -> None:
    lab.open()
    expect(item(lab)).to_contain_text("notes")
    name = server.api("vaults")["vaults"][0]["name"]
    lab.run("jupyter-kb:pause-embedding")
    server.until(bool, lambda: server.api(f"vaults/{name}/status")["model"]["paused"])
    item(lab).click()
    resume = lab.page.get_by_role("button", name="Resume")
    expect(resume).to_be_visible()
    resume.click()
    server.until(operator.not_, lambda: server.api(f"vaults/{name}/status")["model"]["paused"])
    expect(resume).to_have_count(0)


def test_problems_are_counted_where_the_setting_asks_for_it(lab: Lab) -> None:
    lab.settings("jupyter-kb:session", {"showProblems": True})
    try:
        lab.open()
        expect(item(lab)).to_have_text(re.compile(r"^\d+ notes · \d+ problems?$"))
    finally:
        lab.settings("jupyter-kb:session", {})


def test_the_item_says_that_the_server_part_is_off(browser: Browser, without: Jupyter) -> None:
    with opened(browser, without) as lab:
        lab.open()
        expect(item(lab)).to_have_text("Knowledge base off")
        item(lab).click()
        card = lab.page.get_by_role("dialog", name="Knowledge base status")
        expect(card).to_contain_text("The server part is not running")
        expect(card).to_contain_text("Your notes are not affected")
        lab.errors[:] = [error for error in lab.errors if "/kb/api/" not in error]  # 404 is what is tested


def test_pictures_and_accessibility_in_both_themes(browser: Browser, server: Jupyter) -> None:
    for theme in ("light", "dark"):
        with opened(browser, server) as lab:
            lab.open(theme=theme)
            expect(item(lab)).to_contain_text("notes")
            item(lab).click()
            expect(lab.page.get_by_role("dialog", name="Knowledge base status")).to_be_visible()
            assert lab.axe(".jp-kb-status-card") == []
            assert lab.axe(".jp-kb-status") == []
            lab.shot(f"status-bar-{theme}", clip=FloatRect(x=0, y=640, width=900, height=260))
    lab.settings("@jupyterlab/apputils-extension:themes", {})
