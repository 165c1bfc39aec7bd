"""The diagnostics tab: checks, problems with their repairs, the report, the index."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Browser, Locator, expect

from tests.browser.lab import Lab, opened
from tests.server.jupyter import Jupyter


def shown(lab: Lab, theme: str = "light") -> Locator:
    with lab.page.expect_response(re.compile(r"kb/api/vaults/[^/]+/status")):
        lab.open(theme=theme)
    lab.run("application:toggle-left-area")
    lab.run("jupyter-kb:open-diagnostics")
    view = lab.page.locator(".jp-kb-diagnostics-view")
    expect(view.locator(".jp-kb-problems")).to_have_attribute("aria-busy", "false")
    return view


def with_problems(vault: Path, server: Jupyter) -> None:
    (vault / "broken.md").write_text(
        "---\ntags: [x\n---\n# Broken\n\n[[No such note]] [[kestrel#No such heading]]\n\n"
        + "".join(f"- [[Missing {number}]]\n" for number in range(5))
    )
    name = server.api("vaults")["vaults"][0]["name"]
    server.until(
        lambda total: total >= 7, lambda: server.api(f"vaults/{name}/diagnostics?path=broken.md&limit=0")["total"]
    )


def test_each_check_says_how_it_stands(lab: Lab) -> None:
    view = shown(lab)
    checks = view.get_by_role("list", name="Checks")
    for name in ("Notes folder", "Text index", "Meaning search", "Watching for changes", "Editing", "Versions"):
        expect(checks.get_by_role("listitem").filter(has_text=name)).to_be_visible()
    expect(checks).to_contain_text("up to date")
    expect(checks).to_contain_text("jupyter_kb")


def test_problems_come_by_kind_three_at_first(lab: Lab, vault: Path, server: Jupyter) -> None:
    with_problems(vault, server)
    view = shown(lab)
    broken = view.get_by_role("region", name="Broken links")
    expect(broken.locator(".jp-kb-problem")).to_have_count(4)  # three, and "Show more"
    broken.get_by_role("button", name=re.compile("Show . more")).click()
    expect(broken).to_contain_text("“kestrel” has no heading “No such heading”")
    expect(view.get_by_role("region", name="Properties not readable")).to_contain_text("broken.md")
    view.get_by_role("searchbox").fill("missing 3")
    expect(view.locator(".jp-kb-problem")).to_have_count(1)


def test_a_missing_note_can_be_made_from_its_problem(lab: Lab, vault: Path, server: Jupyter) -> None:
    with_problems(vault, server)
    view = shown(lab)
    view.get_by_role("searchbox").fill("no such note")
    view.get_by_role("button", name="Create note").click()
    dialog = lab.page.get_by_role("dialog")
    dialog.get_by_role("button", name=re.compile("Create")).click()
    expect(view.locator(".jp-kb-problem")).to_have_count(0)
    assert (vault / "No such note.md").is_file()


def test_another_heading_can_be_chosen_for_a_link(lab: Lab, vault: Path, server: Jupyter) -> None:
    (vault / "heading.md").write_text("# Heading\n\nSee [[kestrel#Gone]].\n")
    name = server.api("vaults")["vaults"][0]["name"]
    server.until(
        lambda total: total == 1, lambda: server.api(f"vaults/{name}/diagnostics?path=heading.md&limit=0")["total"]
    )
    view = shown(lab)
    view.get_by_role("searchbox").fill("heading.md")
    view.get_by_role("button", name="Choose heading").click()
    lab.page.locator(".lm-Menu").get_by_text("Cuvette").click()
    expect(view.locator(".jp-kb-problem")).to_have_count(0)
    assert (vault / "heading.md").read_text() == "# Heading\n\nSee [[kestrel#Cuvette]].\n"


def test_the_report_names_no_note_unless_that_is_ticked(lab: Lab, vault: Path, server: Jupyter) -> None:
    lab.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    view = shown(lab)
    view.get_by_role("button", name="Copy report").click()
    dialog = lab.page.get_by_role("dialog", name="Copy report")
    expect(dialog).to_contain_text(re.compile(r"notes \d+, sections \d+"))
    expect(dialog).not_to_contain_text(".md")
    expect(dialog).not_to_contain_text(str(vault))
    dialog.get_by_role("checkbox").check()
    expect(dialog).to_contain_text(re.compile(r"\w+\.md:\d+: "))
    dialog.get_by_role("button", name="Copy").click()
    expect(dialog).to_have_count(0)
    assert re.search(r"\w+\.md:\d+: ", lab.page.evaluate("() => navigator.clipboard.readText()"))


def test_updating_the_index_asks_first(lab: Lab) -> None:
    view = shown(lab)
    view.get_by_role("button", name="Update index…").click()
    dialog = lab.page.get_by_role("dialog", name="Update the index?")
    expect(dialog).to_contain_text("compared with all")
    expect(dialog.get_by_role("button", name="Update")).to_be_focused()
    lab.page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    view.get_by_role("button", name="Update index…").click()
    with lab.page.expect_response(re.compile("/reindex")) as answer:
        dialog.get_by_role("button", name="Update").click()
    assert answer.value.ok


def test_pictures_and_accessibility_in_both_themes(browser: Browser, vault: Path, server: Jupyter) -> None:
    with_problems(vault, server)
    for theme in ("light", "dark"):
        with opened(browser, server) as lab:
            view = shown(lab, theme)
            expect(view.get_by_role("region", name="Broken links")).to_be_visible()
            assert lab.axe(".jp-kb-diagnostics-view") == []
            lab.shot(f"diagnostics-{theme}", lab.page.locator("#jp-main-dock-panel"))
    lab.settings("@jupyterlab/apputils-extension:themes", {})
