"""What the death of an owner means for others: nothing but a moment's wait. Real processes, really killed."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jupyter_kb.index.location import locate
from jupyter_kb.kb import KnowledgeBase
from jupyter_kb.sharing import record as records
from tests.index.vaults import content
from tests.server.jupyter import Jupyter
from tests.sharing.agents import Agent, ServerDiedError

SERVERS = 3
DEATHS = 10
LOG = "# Log\n\n" + "\n".join(f"## Server {number}\n\nLines:\n" for number in range(SERVERS))


def until(condition: Callable[[], bool], seconds: float = 30.0) -> float:
    """Wait for a condition; the seconds that it took."""
    begin = time.monotonic()
    pause = threading.Event()
    while not condition():
        assert time.monotonic() - begin < seconds, "it did not come about in time"
        pause.wait(0.005)
    return time.monotonic() - begin


class Worker:
    """One server after the other in one place, kept busy: reads, searches, and edits that are numbered."""

    def __init__(self, place: int, root: Path, index_dir: Path) -> None:
        self.place, self.root, self.index_dir = place, root, index_dir
        self.agent = Agent(root, index_dir)
        self.answered = 0
        self.done = 0
        self.failures: list[object] = []
        self.over = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def finish(self) -> None:
        self.over.set()
        self._thread.join(60)
        assert not self._thread.is_alive()
        self.agent.end()

    def _work(self) -> None:
        try:
            while not self.over.is_set():
                try:
                    self._round()
                except ServerDiedError:
                    self.agent.end()
                    self.agent = Agent(self.root, self.index_dir)
        except Exception as error:
            self.failures.append(error)

    def _round(self) -> None:
        heading, line = f"Server {self.place}", f"- line {self.done + 1} of server {self.place}"
        section = self._call("get_section", file="log.md", heading_path=heading, max_tokens=50_000)
        if line in section["content"].splitlines():  # by the server that was killed before it could tell
            self.done += 1
            return
        self._call(
            "edit_section",
            file="log.md",
            heading_path=heading,
            operation="append",
            body=line,
            expected_hash=section["content_hash"],
        )
        self.done += 1
        found = self._call("search", query=f'"{line}"', mode="text", context="none")
        assert found["results"], f"the line was not found: {line}"

    def _call(self, tool: str, **arguments: object) -> dict[str, Any]:
        answer = self.agent.call(tool, **arguments)
        if "error" in answer:
            self.failures.append((tool, answer))
            raise AssertionError(answer)
        self.answered += 1
        return answer


@pytest.mark.slow
def test_ten_owners_are_killed_and_no_call_or_edit_is_lost(tmp_path: Path) -> None:
    root, index_dir = tmp_path / "vault", tmp_path / "index"
    root.mkdir()
    (root / "log.md").write_text(LOG)
    for number in range(40):
        (root / f"note {number}.md").write_text(f"# Note {number}\n\nSome words, and [[log]].\n")
    folder = locate(root, index_dir).folder
    workers = [Worker(place, root, index_dir) for place in range(SERVERS)]
    seconds: list[float] = []

    def owner() -> int | None:
        record = records.read(folder)
        return record.pid if record else None

    def all_get_on() -> None:
        before = [worker.done for worker in workers]
        until(lambda: all(worker.failures or worker.done > was for worker, was in zip(workers, before, strict=True)))

    def kill_owner() -> float:
        victim = owner()
        assert victim is not None
        os.kill(victim, signal.SIGKILL)
        return until(lambda: owner() not in (None, victim))

    for _ in range(DEATHS):
        until(lambda: owner() in {worker.agent.pid for worker in workers})
        all_get_on()
        seconds.append(kill_owner())
    all_get_on()
    for worker in workers:
        worker.finish()

    assert [worker.failures for worker in workers] == [[]] * SERVERS
    lines = (root / "log.md").read_text().splitlines()
    for worker in workers:
        wanted = [f"- line {number + 1} of server {worker.place}" for number in range(worker.done)]
        assert [line for line in lines if line.endswith(f"of server {worker.place}")] == wanted
    with KnowledgeBase.open(root, index_dir=index_dir) as lasting, KnowledgeBase.open(root, in_memory=True) as new:
        assert lasting.location is not None
        lasting.scan()
        new.scan()
        assert content(lasting.database) == content(new.database)
    assert sorted(seconds)[DEATHS // 2] < 1.0


@pytest.mark.slow
def test_an_agents_server_takes_over_from_a_jupyter_server_that_is_killed(tmp_path: Path) -> None:
    root = tmp_path / "vault"
    root.mkdir()
    (root / "a.md").write_text("# A\n\nkite\n")
    with Jupyter(tmp_path / "home", root) as server:
        index_dir = Path(server.environment["JUPYTER_DATA_DIR"]) / "kb"
        folder = locate(root, index_dir).folder
        until(lambda: records.read(folder) is not None)
        before = records.read(folder)
        agent = Agent(root, index_dir)
        found = agent.call("search", query="kite", mode="text")["results"]
        os.kill(server.process.pid, signal.SIGKILL)
        again = agent.call("search", query="kite", mode="text")["results"]
        after = records.read(folder)
        pid = agent.pid
        agent.end()

    assert before is not None
    assert after is not None
    assert (before.pid, after.pid) == (server.process.pid, pid)
    assert found == again
    assert found[0]["file"] == "a.md"
    assert records.read(folder) is None  # it ended in order
