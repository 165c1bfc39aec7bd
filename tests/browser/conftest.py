"""Fixtures of the browser tests: one browser for all, a server with a copy of the demo vault for each module."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser.lab import Lab, opened, served
from tests.conftest import DEMO_VAULT
from tests.server.jupyter import Jupyter


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that take pictures, so that `make shots` runs no others."""
    for item in items:
        if isinstance(item, pytest.Function) and "shot" in item.function.__code__.co_names:
            item.add_marker("pictures")


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Debian's Chromium. Gone before other tests begin: Playwright keeps an event loop running in this thread."""
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    assert path, "Chromium was not found. On Debian or Ubuntu: sudo apt install chromium fonts-dejavu-core"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--disable-dev-shm-usage", "--enable-unsafe-swiftshader"]
        )
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the demo vault, one for each module."""
    return Path(shutil.copytree(DEMO_VAULT, tmp_path_factory.mktemp("root") / "vault"))


@pytest.fixture(scope="module")
def server(vault: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Jupyter]:
    """JupyterLab whose root is the vault, indexed."""
    with served(tmp_path_factory.mktemp("home"), vault) as server:
        server.indexed(server.api("vaults")["vaults"][0]["name"])
        yield server


@pytest.fixture
def lab(browser: Browser, server: Jupyter) -> Iterator[Lab]:
    """A page; open it with `lab.open()`."""
    with opened(browser, server) as lab:
        yield lab
