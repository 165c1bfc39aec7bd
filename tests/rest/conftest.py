"""What the tests of the API share: a knowledge base over the demo vault, and both ways to ask it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from jupyter_kb.kb import KnowledgeBase
from jupyter_kb.rest.loopback import LoopbackServer
from jupyter_kb.settings import Settings
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


@pytest.fixture(params=["functions", "loopback"])
def ask(request: pytest.FixtureRequest, host: Host) -> Ask:
    if request.param == "functions":
        return direct(host)
    return over(request.getfixturevalue("server"))
