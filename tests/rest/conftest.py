"""What the tests of the API share: a knowledge base over the demo vault, and both ways to ask it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from jupyter_kb.kb import KnowledgeBase
from jupyter_kb.rest.loopback import LoopbackServer
from jupyter_kb.settings import Settings
from tests.conftest import DEMO_VAULT
from tests.rest.asking import SECRET, Ask, Host, direct, over


@pytest.fixture
def kb(demo_vault: Path, tmp_path: Path) -> Iterator[KnowledgeBase]:
    settings = Settings(model="hashing:64")
    with KnowledgeBase.open(demo_vault, settings=settings, index_dir=tmp_path / "index") as opened:
        yield opened


@pytest.fixture
def host(kb: KnowledgeBase) -> Host:
    return Host(kb)


@pytest.fixture
def server(host: Host) -> Iterator[LoopbackServer]:
    with LoopbackServer(host, SECRET, patience=5.0) as running:
        yield running


@pytest.fixture(scope="module")
def still_host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    """A host of the demo vault for tests that change nothing in it: opened once a module."""
    folder = tmp_path_factory.mktemp("still")
    root = Path(shutil.copytree(DEMO_VAULT, folder / "vault"))
    with KnowledgeBase.open(root, settings=Settings(model="hashing:64"), index_dir=folder / "index") as opened:
        opened.scan()
        yield Host(opened)


@pytest.fixture(scope="module")
def still_server(still_host: Host) -> Iterator[LoopbackServer]:
    with LoopbackServer(still_host, SECRET, patience=5.0) as running:
        yield running


@pytest.fixture(params=["functions", "loopback"])
def ask_still(request: pytest.FixtureRequest, still_host: Host) -> Ask:
    """Both ways to ask the vault that stays as it is."""
    if request.param == "functions":
        return direct(still_host)
    return over(request.getfixturevalue("still_server"))


@pytest.fixture(params=["functions", "loopback"])
def ask(request: pytest.FixtureRequest, host: Host) -> Ask:
    if request.param == "functions":
        return direct(host)
    return over(request.getfixturevalue("server"))
