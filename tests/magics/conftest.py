"""An IPython shell with `%kb` over a real knowledge base on a copy of the demo vault."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from jupyter_kb.kb import KnowledgeBase
from jupyter_kb.magics import extension
from jupyter_kb.magics.session import Session
from jupyter_kb.settings import Settings
from tests.magics.shells import Notebook


@pytest.fixture
def session(demo_vault: Path) -> Iterator[Session]:
    """A session over the demo vault, without a model."""
    opened: list[KnowledgeBase] = []

    def connect(path: str | None) -> KnowledgeBase:
        opened.append(KnowledgeBase.open(path or demo_vault, settings=Settings(model="none"), in_memory=True))
        return opened[-1]

    yield Session(connect, list)
    for kb in opened:
        kb.close()


@pytest.fixture
def notebook(session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Notebook]:
    """A fresh shell whose working folder holds the demo vault."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.chdir(tmp_path)
    InteractiveShell.clear_instance()
    shell = InteractiveShell.instance(config=Config(HistoryManager={"enabled": False}))
    extension.load(shell, session)
    yield Notebook(shell)
    extension.unload(shell)
    InteractiveShell.clear_instance()
