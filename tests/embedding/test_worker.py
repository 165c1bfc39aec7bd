"""The model's process: what is asked of it comes back, whatever becomes of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from jupyter_kb.embedding import worker as module
from jupyter_kb.embedding.base import Embedder, PartlyFailedError
from jupyter_kb.embedding.work import SECONDS, Pace
from jupyter_kb.embedding.worker import WorkerEmbedder
from jupyter_kb.errors import ModelBusyError, ModelFailedError, ModelNotFoundError
from jupyter_kb.settings import Settings
from tests.embedding.stub import gone, lines, model_folder, stubbed, vector, wait_for

ROOT = Path(__file__).parent.parent.parent


def threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name == "kb-model"]


def test_rows_come_in_the_order_of_the_texts(tmp_path: Path) -> None:
    texts = [f"{'x' * (number * 7 % 50)} {number}" for number in range(500)]
    with stubbed(tmp_path) as embedder:
        checked: Embedder = embedder
        rows = checked.embed(texts, "passage")
        assert rows.dtype == np.float32
        assert rows.tolist() == [vector(text) for text in texts]
        assert checked.info is not None
        assert checked.info.dimensions == 3
        assert checked.embed([], "passage").shape == (0, 3)
    assert len(lines(tmp_path / "starts")) == 1
    assert threads() == []


def test_nothing_starts_before_it_is_asked(tmp_path: Path) -> None:
    with stubbed(tmp_path) as embedder:
        assert embedder.key.startswith(f"{tmp_path.name}@")
        assert embedder.pid is None
        assert threads() == []


def test_warm_starts_it_without_waiting(tmp_path: Path) -> None:
    model_folder(tmp_path)
    (tmp_path / "slow").touch()
    with stubbed(tmp_path) as embedder:
        embedder.warm()
        embedder.warm()
        wait_for(lambda: lines(tmp_path / "starts"))
        assert embedder.info is None
        (tmp_path / "open").touch()
        wait_for(lambda: embedder.info is not None)
    assert len(lines(tmp_path / "starts")) == 1


def test_many_threads_may_ask_at_once(tmp_path: Path) -> None:
    with stubbed(tmp_path) as embedder, ThreadPoolExecutor(8) as pool:
        asked = [[f"{thread} {number}" for number in range(30)] for thread in range(8)]
        for texts, rows in zip(asked, pool.map(lambda texts: embedder.embed(texts, "query"), asked), strict=True):
            assert rows.tolist() == [vector(text) for text in texts]
    assert len(lines(tmp_path / "starts")) == 1


def test_urgent_texts_go_before_those_that_wait(tmp_path: Path) -> None:
    long = [f"{number:04} " + "x" * 1_000 for number in range(40)]
    with stubbed(tmp_path) as embedder, ThreadPoolExecutor(2) as pool:
        pool.submit(embedder.embed, ["gate"], "passage")
        wait_for(lambda: (tmp_path / "waiting").exists())
        slow = pool.submit(embedder.embed, long, "passage")
        session = embedder._worker._session
        assert session is not None
        wait_for(lambda: len(session._queue._heap) == 2)
        urgent = threading.Thread(target=embedder.embed, args=(["urgent"], "query"), kwargs={"urgent": True})
        urgent.start()
        wait_for(lambda: len(session._queue._heap) == 3)
        (tmp_path / "open").touch()
        urgent.join(20)
        assert len(slow.result(20)) == 40
    calls = lines(tmp_path / "calls")
    assert calls[:2] == ["passage: gate", "query: urgent"]
    assert len(calls) > 4, "a long request is handed out in pieces"


def test_a_crash_is_not_seen_by_those_who_ask(tmp_path: Path) -> None:
    texts = [*(f"text {number}" for number in range(9)), "once"]
    with stubbed(tmp_path) as embedder:
        assert embedder.embed(texts, "passage").tolist() == [vector(text) for text in texts]
    assert len(lines(tmp_path / "starts")) == 2


def test_a_text_that_always_crashes_is_found_and_the_others_are_done(tmp_path: Path) -> None:
    texts = ["one", "two", "crash", "four"]
    with stubbed(tmp_path) as embedder:
        with pytest.raises(PartlyFailedError) as caught:
            embedder.embed(texts, "passage")
        assert caught.value.details["indexes"] == [2]
        assert "the floor gave way" in caught.value.details["reasons"][0]
        assert caught.value.vectors is not None
        assert np.isnan(caught.value.vectors[2]).all()
        assert caught.value.vectors[[0, 1, 3]].tolist() == [vector(texts[place]) for place in (0, 1, 3)]
        assert embedder.embed(["five"], "passage").tolist() == [vector("five")]
    assert threads() == []


def test_a_text_that_crashes_alone_is_tried_twice(tmp_path: Path) -> None:
    with stubbed(tmp_path) as embedder, pytest.raises(PartlyFailedError) as caught:
        embedder.embed(["crash"], "query", urgent=True)
    assert caught.value.details["indexes"] == [0]
    assert caught.value.vectors is None
    assert len(lines(tmp_path / "starts")) == 2


def test_a_text_that_the_model_refuses_costs_no_restart(tmp_path: Path) -> None:
    texts = ["one", "refuse", "nothing", "four"]
    with stubbed(tmp_path) as embedder, pytest.raises(PartlyFailedError) as caught:
        embedder.embed(texts, "passage")
    assert caught.value.details["indexes"] == [1, 2]
    assert "cannot read refuse" in caught.value.details["reasons"][0]
    assert len(lines(tmp_path / "starts")) == 1


def test_a_process_killed_in_the_middle_is_replaced(tmp_path: Path) -> None:
    with stubbed(tmp_path) as embedder, ThreadPoolExecutor(1) as pool:
        rows = pool.submit(embedder.embed, ["gate", "other"], "passage")
        wait_for(lambda: (tmp_path / "waiting").exists())
        (tmp_path / "open").touch()
        assert embedder.pid is not None
        os.kill(embedder.pid, signal.SIGKILL)
        assert rows.result(20).tolist() == [vector("gate"), vector("other")]


def test_a_process_that_dies_unasked_is_replaced(tmp_path: Path) -> None:
    with stubbed(tmp_path) as embedder:
        embedder.embed(["one"], "passage")
        pid = embedder.pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        wait_for(lambda: gone(pid))
        assert embedder.embed(["two"], "query").tolist() == [vector("two")]


def test_who_does_not_want_to_wait_is_let_go_and_the_model_goes_on(tmp_path: Path) -> None:
    model_folder(tmp_path)
    (tmp_path / "slow").touch()
    with stubbed(tmp_path) as embedder:
        with pytest.raises(ModelBusyError, match="starting"):
            embedder.embed(["one"], "query", timeout=0.05)
        (tmp_path / "open").touch()
        assert embedder.embed(["two"], "query", timeout=20).tolist() == [vector("two")]
        assert lines(tmp_path / "calls") == ["query: two"], "nobody waits for the first any more"
    assert len(lines(tmp_path / "starts")) == 1


def test_a_model_that_is_at_work_says_so(tmp_path: Path) -> None:
    with stubbed(tmp_path) as embedder, ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(embedder.embed, ["gate"], "passage")
        wait_for(lambda: (tmp_path / "waiting").exists())
        with pytest.raises(ModelBusyError, match="at work"):
            embedder.embed(["one"], "query", urgent=True, timeout=0.05)
        (tmp_path / "open").touch()
        assert len(waiting.result(20)) == 1


@pytest.mark.parametrize(
    ("what", "error", "says"),
    [
        ("broken", ModelFailedError, "it is broken"),
        ("strange", ModelFailedError, "never heard of it"),
        ("deadly", ModelFailedError, "exit status 7"),
    ],
)
def test_a_model_that_cannot_be_loaded_is_not_tried_again_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str, error: type[Exception], says: str
) -> None:
    model_folder(tmp_path)
    (tmp_path / what).touch()
    with stubbed(tmp_path) as embedder:
        for _ in range(2):
            with pytest.raises(error, match=says):
                embedder.embed(["one"], "query")
        embedder.warm()
        assert len(lines(tmp_path / "starts")) == 1
        (tmp_path / what).unlink()
        monkeypatch.setattr(module, "_REST_SECONDS", 0.0)
        embedder.close()  # forgets
        assert embedder.embed(["one"], "query").tolist() == [vector("one")]


def test_a_missing_model_is_told_at_once_and_found_when_it_is_there(tmp_path: Path) -> None:
    embedder = WorkerEmbedder(Settings(model=str(tmp_path / "none")), load="tests.embedding.stub:load")
    begin = time.monotonic()
    with pytest.raises(ModelNotFoundError, match="none"):
        embedder.embed(["one"], "query")
    assert time.monotonic() - begin < 1
    assert threads() == []
    model_folder(tmp_path / "none")
    assert len(embedder.embed(["one"], "query")) == 1
    embedder.close()


def test_idle_for_long_it_ends_and_starts_again_when_asked(tmp_path: Path) -> None:
    with stubbed(tmp_path, idle_seconds=0.1) as embedder:
        embedder.embed(["one"], "query")
        pid = int(lines(tmp_path / "starts")[0])
        wait_for(lambda: gone(pid) and not threads())
        assert embedder.pid is None
        assert embedder.embed(["two"], "query").tolist() == [vector("two")]
    assert len(lines(tmp_path / "starts")) == 2


def test_closing_ends_it_while_it_is_at_work(tmp_path: Path) -> None:
    with stubbed(tmp_path) as embedder, ThreadPoolExecutor(2) as pool:
        at_work = pool.submit(embedder.embed, ["spin"], "passage")
        wait_for(lambda: (tmp_path / "waiting").exists())
        waiting = pool.submit(embedder.embed, ["one"], "passage")
        pid = embedder.pid
        assert pid is not None
        begin = time.monotonic()
        embedder.close()
        assert time.monotonic() - begin < 2
        for asked in (at_work, waiting):
            with pytest.raises(ModelFailedError, match="closed"):
                asked.result(20)
        assert gone(pid)
        assert threads() == []


def test_closing_ends_it_while_it_starts(tmp_path: Path) -> None:
    model_folder(tmp_path)
    (tmp_path / "slow").touch()
    with stubbed(tmp_path) as embedder:
        embedder.warm()
        wait_for(lambda: lines(tmp_path / "starts"))
        embedder.close()
        assert gone(int(lines(tmp_path / "starts")[0]))
        assert threads() == []


def test_an_exception_in_the_caller_leaves_all_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with stubbed(tmp_path) as embedder:
        embedder.embed(["one"], "query")
        with monkeypatch.context() as patch:

            def interrupt(*_: object) -> bool:
                raise KeyboardInterrupt

            patch.setattr("jupyter_kb.embedding.work.Request.wait", interrupt)
            with pytest.raises(KeyboardInterrupt):
                embedder.embed(["gate"], "query")
        (tmp_path / "open").touch()
        assert embedder.embed(["two"], "query").tolist() == [vector("two")]


PARENT = """
import os, sys, time
from pathlib import Path
from tests.embedding.stub import stubbed
with stubbed(Path(sys.argv[1])) as embedder:
    embedder.embed([sys.argv[2]], "passage")
    if sys.argv[2] == "held":
        child = os.fork()
        if not child:
            os.close(1)
            time.sleep(20)
            os._exit(0)
        Path(sys.argv[1], "child").write_text(str(child))
    print("done", flush=True)
    sys.stdin.read()
"""


@pytest.mark.parametrize("doing", ["rest", "spin", "held"])
def test_it_does_not_outlive_its_parent(tmp_path: Path, doing: str) -> None:
    model_folder(tmp_path)
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, str(tmp_path), doing], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as parent:
        assert parent.stdout is not None
        if doing == "spin":
            wait_for(lambda: (tmp_path / "waiting").exists())
        else:
            assert parent.stdout.readline() == b"done\n"
        pid = int(lines(tmp_path / "starts")[0])
        assert not gone(pid)
        parent.kill()
        parent.wait()
        wait_for(lambda: gone(pid), seconds=2.5)
        if doing == "held":  # by a child of the parent, which has its end of the pipe
            os.kill(int((tmp_path / "child").read_text(encoding="ascii")), signal.SIGKILL)


@pytest.mark.parametrize("rate", [10_000_000, 50_000])
def test_units_take_about_as_long_on_any_machine(rate: int) -> None:
    pace = Pace()
    for _ in range(20):
        pace.learn(pace.most, pace.most / rate)

    assert pace.most / rate == pytest.approx(SECONDS, rel=0.05)
    pace.learn(20, 0.01)
    assert pace.most / rate == pytest.approx(SECONDS, rel=0.05), "a short question says little"
