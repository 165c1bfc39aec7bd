"""The helper process: the same index with it, without it, and when it dies in between."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from jupyter_kb.index import helper as module
from jupyter_kb.index import indexer
from jupyter_kb.index.helper import Helper
from jupyter_kb.settings import Settings
from tests.index.vaults import content, indexed

FILES: dict[str, str | bytes] = {
    f"{number:02}.md": f"---\ntags: [t{number}]\n---\n# Note {number}\n\nword{number} 使用 [[{number + 1:02}]]\n"
    for number in range(40)
}


@pytest.fixture(autouse=True)
def _small_work_is_worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_WORTH_IT", 1)
    monkeypatch.setattr(module, "_processors", lambda: 2)
    monkeypatch.setattr(indexer, "BATCH_NOTES", 3)


class CountingHelper(Helper):
    """Counts the batches that it is given."""

    submitted = 0

    def submit(self, jobs: Any) -> None:
        self.submitted += 1
        super().submit(jobs)


@pytest.fixture
def helpers(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[CountingHelper]]:
    """The helpers that were started."""
    started: list[CountingHelper] = []

    class Noted(CountingHelper):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            started.append(self)

    monkeypatch.setattr(module, "Helper", Noted)
    yield started
    for helper in started:
        assert helper._process.poll() is not None
        assert not helper._thread.is_alive()


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[tuple[Any, ...]]]:
    with indexed(tmp_path_factory.mktemp("alone"), FILES) as vault:
        return content(vault.database)


def test_with_a_helper_the_index_is_the_same(tmp_path: Path, helpers: list[CountingHelper], expected: Any) -> None:
    steps: list[tuple[int, int]] = []
    with indexed(tmp_path / "v") as vault:
        vault.write(FILES)
        result = vault.indexer.scan(lambda done, total: steps.append((done, total)))
        assert result.added == 40
        assert content(vault.database) == expected
    assert len(helpers) == 1
    assert helpers[0].submitted > 0
    assert steps[-1] == (40, 40)
    assert [done for done, _ in steps] == sorted(done for done, _ in steps)


def test_a_process_that_has_others_to_serve_leaves_all_of_it_to_a_modest_helper(
    tmp_path: Path, helpers: list[CountingHelper], expected: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_WORTH_SPARING", 1)
    monkeypatch.setattr(module, "_processors", lambda: 1)
    niceness: list[int] = []

    def look(done: int, total: int) -> None:
        niceness.extend(os.getpriority(os.PRIO_PROCESS, helper._process.pid) for helper in helpers)

    with indexed(tmp_path / "vault", {}) as vault:
        vault.indexer.crew.sparing = True
        vault.write(FILES)
        vault.indexer.scan(look)

        assert content(vault.database) == expected
    assert vars(helpers[0])["submitted"] == 14  # batches of three
    assert niceness[-1] == os.nice(0) + 10


def test_a_helper_that_is_killed_is_done_without(tmp_path: Path, helpers: list[CountingHelper], expected: Any) -> None:
    with indexed(tmp_path / "v") as vault:
        vault.write(FILES)

        def kill(done: int, _: int) -> None:
            if done == 3:
                os.kill(helpers[0]._process.pid, signal.SIGKILL)

        vault.indexer.scan(kill)
        assert content(vault.database) == expected


def test_a_helper_that_cannot_start_is_done_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expected: Any
) -> None:
    monkeypatch.setattr("sys.executable", str(tmp_path / "nothing"))
    with indexed(tmp_path / "v", FILES) as vault:
        assert content(vault.database) == expected


def test_a_helper_that_talks_nonsense_is_done_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, helpers: list[CountingHelper], expected: Any
) -> None:
    monkeypatch.setattr(module, "_PROGRAM", "print('hello', flush=True); import time; time.sleep(60)")
    with indexed(tmp_path / "v", FILES) as vault:
        assert content(vault.database) == expected
    assert len(helpers) == 1


def test_a_scan_that_fails_ends_its_helper_without_a_word(
    tmp_path: Path, helpers: list[CountingHelper], caplog: pytest.LogCaptureFixture
) -> None:
    def fail(done: int, _: int) -> None:
        if done:
            raise ZeroDivisionError

    with indexed(tmp_path / "v") as vault:
        vault.write(FILES)
        with pytest.raises(ZeroDivisionError):
            vault.indexer.scan(fail)
    assert len(helpers) == 1
    assert caplog.messages == []


def test_an_interrupt_from_the_terminal_does_not_reach_the_helper(tmp_path: Path) -> None:
    helper = module.Helper(tmp_path, Settings())
    try:
        assert os.getpgid(helper._process.pid) != os.getpgid(0)
    finally:
        helper.close()


def test_a_scan_that_is_stopped_ends_its_helper_without_complaint(
    tmp_path: Path, helpers: list[CountingHelper], caplog: pytest.LogCaptureFixture
) -> None:
    with indexed(tmp_path) as vault:
        vault.write(FILES)
        vault.indexer.scan(lambda done, total: vault.indexer.stop() if done else None)
        assert len(helpers) == 1
        assert 0 < vault.indexer.counts().notes < len(FILES)
    assert caplog.text == ""


def test_little_work_needs_no_helper(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, helpers: list[CountingHelper]
) -> None:
    monkeypatch.setattr(module, "_WORTH_IT", 4_000_000)
    with indexed(tmp_path / "v", FILES):
        assert helpers == []


def test_words_given_out_in_a_failed_write_are_given_out_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_processors", lambda: 1)
    with indexed(tmp_path / "v") as vault:
        vault.write(FILES)
        with monkeypatch.context() as patch:
            patch.setattr(vault.database, "insert", lambda *_, **__: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                vault.indexer.scan()
        vault.indexer.scan()
        words = {term for (term,) in vault.database.query("SELECT term FROM terms")}
        assert {f"word{number}" for number in range(40)} <= words


def test_a_module_in_the_working_folder_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, helpers: list[CountingHelper]
) -> None:
    (tmp_path / "pickle.py").write_text("open('was-run', 'w')\nraise SystemExit(1)\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with indexed(tmp_path / "v") as vault:
        vault.write(FILES)
        vault.indexer.scan()
    assert len(helpers) == 1
    assert not (tmp_path / "was-run").exists()
