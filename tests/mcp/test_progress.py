"""Progress: a call that waits for the index says how far the index is."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from jupyter_kb.kb import KnowledgeBase
from jupyter_kb.mcp import progress
from jupyter_kb.models import ModelStatus, Status
from tests.mcp.driving import MODES, Agent, connected, write
from tests.mcp.hosting import hosted

NOTES: dict[str, str | bytes | None] = {f"{number:03}.md": f"# Note {number}\n\nwind\n" for number in range(900)}


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "EVERY", 0.01)


@contextmanager
def half_scanned(knowledge_base: KnowledgeBase) -> Iterator[threading.Event]:
    """A scan that stands still after its first batch, until the event is set."""
    half, go_on = threading.Event(), threading.Event()

    def stand(done: int, total: int) -> None:
        if done:
            half.set()
            go_on.wait(30)

    scanner = threading.Thread(target=knowledge_base.scan, args=[stand])
    scanner.start()
    try:
        assert half.wait(30)
        yield go_on
    finally:
        go_on.set()
        scanner.join()


def call(client: Agent, go_on: threading.Event, tool: str, **arguments: Any) -> tuple[list[tuple[Any, ...]], Any]:
    """What was reported until the call ended; the scan goes on at the first word of it."""
    told: list[tuple[Any, ...]] = []

    async def tell(done: float, total: float | None, message: str | None) -> None:
        told.append((done, total, message))
        go_on.set()

    return told, client.ask(client.client.call_tool, tool, arguments, progress_callback=tell).structured_content


@pytest.mark.parametrize("tool", ["search", "reindex_vault", "diagnostics"])
@pytest.mark.parametrize("mode", MODES)
def test_a_call_that_waits_for_a_scan_reports_the_notes_indexed(mode: str, tool: str, tmp_path: Path) -> None:
    arguments = {"query": "wind"} if tool == "search" else {}
    with hosted(tmp_path) as host, connected(host.url, mode=mode) as client:
        write(tmp_path, NOTES)
        with half_scanned(host.knowledge_base) as go_on:
            told, answer = call(client, go_on, tool, **arguments)

    done, total, message = told[0]
    assert 0 < done < total == len(NOTES)
    assert message == f"{done:.0f} of {total:.0f} notes indexed"
    assert [entry[0] for entry in told] == sorted({entry[0] for entry in told})
    assert "indexing" not in answer


def test_who_does_not_ask_is_told_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    with hosted(tmp_path) as host, connected(host.url) as client:
        write(tmp_path, NOTES)
        monkeypatch.setattr(host.knowledge_base, "status", lambda: asked.append("status"))
        with half_scanned(host.knowledge_base) as go_on:
            threading.Timer(0.1, go_on.set).start()  # ten times as long as until the first word to who asks
            client.call("search", query="wind")

    assert asked == []


def test_embedding_is_reported_where_no_scan_runs_and_what_is_reported_only_grows() -> None:
    states = [
        _state(indexing=(300, 400)),
        _state(indexing=(300, 400)),
        _state(model=ModelStatus(name="m", chunks=50, embedded=10, device="cpu")),
        _state(model=ModelStatus(name="m", chunks=50, embedded=50, device="cpu")),
        _state(model=ModelStatus(name="m", chunks=50, embedded=10)),  # no model at work
    ]
    account = progress.Account()

    assert [account.enter(state) for state in states] == [
        (300, 400, "300 of 400 notes indexed"),
        None,
        (310, 350, "10 of 50 texts embedded"),
        None,
        None,
    ]


def _state(*, indexing: tuple[int, int] | None = None, model: ModelStatus | None = None) -> Status:
    return Status(
        vault="v",
        root="/v",
        notes=0,
        sections=0,
        links=0,
        diagnostics=0,
        index_location=None,
        index_bytes=0,
        read_only=False,
        last_scan=None,
        indexing=indexing,
        model=model,
    )
