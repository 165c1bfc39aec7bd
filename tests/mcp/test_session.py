"""The session: answers before the vault is open, waits for what a call needs, and ends in order."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from functools import partial
from pathlib import Path

import anyio
import pytest

from jupyter_kb.errors import IndexUnavailableError
from jupyter_kb.kb import KnowledgeBase
from jupyter_kb.mcp import session as sessions
from jupyter_kb.mcp.server import build_server
from jupyter_kb.mcp.session import Session
from jupyter_kb.mcp.toolsets.vault import TOOLSET, editing, finding
from tests.mcp.driving import agent, connected, write


def test_the_tools_are_listed_while_the_vault_is_still_opening(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "# A\n"})
    may_open = threading.Event()

    def opener() -> KnowledgeBase:
        may_open.wait()
        return KnowledgeBase.open(tmp_path, in_memory=True)

    session = Session(opener)
    session.start()
    session.settle(0)
    with connected(build_server(TOOLSET, session)) as client:
        listed = client.list_tools().tools
        may_open.set()
        outline = client.call("outline", file="a.md")
    session.close()

    assert len(listed) == 10
    assert outline["sections"][0]["heading"] == "A"


def test_a_small_vault_is_scanned_before_the_first_answer(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "# A\n"})
    session = Session(lambda: KnowledgeBase.open(tmp_path, in_memory=True))
    session.start()
    session.settle(30)

    notes = session.operations().status().notes
    session.close()

    assert notes == 1


def test_the_scan_of_a_large_vault_begins_when_the_server_is_ready(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {f"{n}.md": "# A\n" for n in range(3)})
    monkeypatch.setattr(sessions, "_SMALL", 2)
    session = Session(lambda: KnowledgeBase.open(tmp_path, in_memory=True))
    session.start()
    session._settled.wait()

    before = session.operations().status().notes
    session.settle(30)
    with connected(build_server(TOOLSET, session)) as client:
        found = client.call("search", query="a")
    session.close()

    assert before == 0
    assert len(found["results"]) == 3


def test_reading_and_editing_wait_for_no_scan_and_search_says_how_far_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"a.md": "# A\n\nwords\n"})
    monkeypatch.setattr(finding, "SCAN_WAIT", 0.01)
    monkeypatch.setattr(editing, "LINKS_WAIT", 0.01)

    with agent(tmp_path, "vault") as (client, knowledge_base), knowledge_base._scanning:
        outline = client.call("outline", file="a.md")
        section = client.call("get_section", file="a.md", heading_path="A")
        client.call("edit_section", file="a.md", heading_path="A", body="new", expected_hash=section["content_hash"])
        found = client.call("search", query="new")

    assert outline["sections"]
    assert found["indexing"] == {"done": 0, "total": 0}
    assert (tmp_path / "a.md").read_text() == "# A\n\nnew\n"


def test_a_vault_that_cannot_be_opened_fails_each_call_with_the_reason(tmp_path: Path) -> None:
    def opener() -> KnowledgeBase:
        raise IndexUnavailableError("the index cannot be opened")

    session = Session(opener)
    session.start()
    session.settle(30)
    with connected(build_server(TOOLSET, session)) as client:
        refusal = client.refused("status")
    session.close()

    assert refusal == {"message": "the index cannot be opened", "code": "index-unavailable"}


class _Running:
    """A call that runs on a session until it is let go."""

    def __init__(self, session: Session, *, writes: bool) -> None:
        self._may_end = threading.Event()
        self.ended = threading.Event()
        started = threading.Event()

        def work() -> None:
            started.set()
            self._may_end.wait()
            self.ended.set()

        self._caller = threading.Thread(target=lambda: anyio.run(partial(session.run, work, writes=writes)))
        self._caller.start()
        started.wait()

    def let_go(self) -> None:
        self._may_end.set()
        self._caller.join()


def test_closing_never_cuts_a_write_short(tmp_path: Path) -> None:
    with KnowledgeBase.open(tmp_path, in_memory=True) as knowledge_base:
        session = Session.over(knowledge_base)
        writing = _Running(session, writes=True)
        closer = threading.Thread(target=session.close, kwargs={"seconds": 0})
        closer.start()
        closer.join(0.05)
        still_closing = closer.is_alive()
        writing.let_go()
        closer.join()

    assert still_closing
    assert writing.ended.is_set()


def test_closing_gives_up_on_a_reader_and_says_so(tmp_path: Path) -> None:
    with KnowledgeBase.open(tmp_path, in_memory=True) as knowledge_base:
        session = Session.over(knowledge_base)
        reading = _Running(session, writes=False)
        ended = session.close(seconds=0)
        reading.let_go()

        assert ended is False
        assert session.close() is True


def test_closing_before_the_vault_is_open_releases_whoever_waits_for_it(tmp_path: Path) -> None:
    may_open = threading.Event()

    def opener() -> KnowledgeBase:
        may_open.wait()
        return KnowledgeBase.open(tmp_path, in_memory=True)

    session = Session(opener)
    session.start()
    waiting: Future[str] = Future()

    def wait() -> None:
        try:
            session.operations()
        except Exception as error:
            waiting.set_result(type(error).__name__)

    waiter = threading.Thread(target=wait)
    waiter.start()
    session.close(seconds=0)
    waiter.join()
    may_open.set()
    session.close()  # now the worker can end, too

    assert waiting.result(0) == "SessionClosedError"
