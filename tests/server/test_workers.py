"""Threads that run jobs and keep nobody waiting at the end."""

from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import CancelledError

import pytest

from jupyter_kb.errors import IndexUnavailableError
from jupyter_kb.server.workers import Workers


def test_jobs_give_results_and_errors() -> None:
    workers = Workers(2, "test")

    assert [workers.submit(pow, n, 2).result(10) for n in range(50)] == [n * n for n in range(50)]
    with pytest.raises(ZeroDivisionError):
        workers.submit(divmod, 1, 0).result(10)


def test_no_more_threads_work_than_allowed() -> None:
    workers, ready, go = Workers(3, "test"), threading.Barrier(4), threading.Event()

    def work() -> str:
        ready.wait(10)
        go.wait(10)
        return threading.current_thread().name

    first = [workers.submit(work) for _ in range(3)]
    ready.wait(10)  # three run at the same time
    last = workers.submit(threading.current_thread)
    assert not last.done()
    go.set()

    assert len({future.result(10) for future in first}) == 3
    assert last.result(10).name.startswith("test-")


def test_a_thread_that_is_idle_is_used_again() -> None:
    workers = Workers(8, "test")
    names = set()
    for _ in range(20):
        names.add(workers.submit(lambda: threading.current_thread().name).result(10))

    assert len(names) <= 2  # the result may be there a moment before the thread is idle


def test_shutting_down_drops_what_waits_and_leaves_alone_what_runs() -> None:
    workers, begun, go = Workers(1, "test"), threading.Event(), threading.Event()

    def work() -> bool:
        begun.set()
        return go.wait(10)

    running = workers.submit(work)
    waiting = workers.submit(pow, 2, 2)
    begun.wait(10)

    workers.shutdown()

    with pytest.raises(CancelledError):
        waiting.result(10)
    with pytest.raises(IndexUnavailableError, match="stopping"):
        workers.submit(pow, 2, 2)
    assert not workers.join(0)
    go.set()
    assert running.result(10) is True
    assert workers.join(10)


def test_a_job_without_end_does_not_keep_the_process_alive() -> None:
    program = (
        "import threading; from jupyter_kb.server.workers import Workers;"
        "begun = threading.Event(); Workers(1, 'test').submit(lambda: begun.set() or threading.Event().wait());"
        "begun.wait()"
    )

    subprocess.run([sys.executable, "-c", program], check=True, timeout=30)
