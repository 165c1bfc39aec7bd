"""A real knowledge base on a copy of the demo vault, and the messages that widgets send to a front end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from jupyter_kb.kb import KnowledgeBase
from jupyter_kb.settings import Settings
from tests.widgets.front import Front


@pytest.fixture
def kb(demo_vault: Path) -> Iterator[KnowledgeBase]:
    """The demo vault, without a model."""
    with KnowledgeBase.open(demo_vault, settings=Settings(model="none"), in_memory=True) as kb:
        kb.scan()
        yield kb


@pytest.fixture
def front(monkeypatch: pytest.MonkeyPatch) -> Front:
    """A front end for all widgets that a test makes."""
    front = Front()
    monkeypatch.setattr("comm.create_comm", front.open)
    return front
