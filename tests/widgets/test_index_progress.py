"""IndexProgress: rows while there is work, one line at the end."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from jupyter_kb.kb import KnowledgeBase
from jupyter_kb.models import ModelStatus, Status
from jupyter_kb.settings import Settings
from jupyter_kb.widgets import IndexProgress
from jupyter_kb.widgets.progress_rows import done, duration, rows, told
from tests.widgets.front import Front, until


class Working:
    """A vault whose status a test decides; it can rest."""

    def __init__(self, kb: KnowledgeBase, status: Status) -> None:
        self._kb, self.now = kb, status
        self.asked: list[bool] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._kb, name)

    def status(self) -> Status:
        return self.now

    def pause_embedding(self, paused: bool) -> Status:
        self.asked.append(paused)
        self.now = replace(self.now, model=replace(self.now.model, paused=paused)) if self.now.model else self.now
        return self.now


def _status(kb: KnowledgeBase, embedded: int, indexing: tuple[int, int] | None = None) -> Status:
    model = ModelStatus(name="hashing:64", chunks=100, embedded=embedded)
    return replace(kb.status(), model=model, indexing=indexing)


def test_a_ready_index_is_one_line(kb: KnowledgeBase) -> None:
    progress = IndexProgress(vault=kb)
    status = kb.status()

    assert progress.state == "ready"
    assert progress.line == f"Index ready: {status.notes} notes, {status.sections} sections"
    assert progress._repr_mimebundle_()[0]["text/plain"] == progress.line


def test_it_follows_the_work_and_ends(kb: KnowledgeBase, front: Front) -> None:
    vault = Working(kb, _status(kb, 10, indexing=(3, 46)))
    progress = IndexProgress(vault=vault)
    assert progress.state == "working"
    assert progress._rows[0]["counted"] == "3 of 46"
    vault.now = _status(kb, 62)
    until(lambda: progress._rows[2]["counted"] == "62 of 100")
    vault.now = _status(kb, 100)

    assert progress.wait(20)
    assert ", in " in progress.line
    assert len([state for state in front.updates() if state.get("state") == "ready"]) == 1


def test_it_can_make_what_is_missing(demo_vault: Path) -> None:
    with KnowledgeBase.open(demo_vault, settings=Settings(model="hashing:64"), in_memory=True) as kb:
        progress = IndexProgress(vault=kb, start=True)
        assert progress.wait(60), progress.problem
        found = kb.status().model

    assert found is not None
    assert found.embedded == found.chunks > 0
    assert progress.line.startswith("Index ready: 46 notes, 236 sections, in ")


def test_it_pauses_goes_on_and_stops(kb: KnowledgeBase, front: Front) -> None:
    vault = Working(kb, _status(kb, 10))
    progress = IndexProgress(vault=vault)
    front.tell(progress, "pause")
    assert (progress.state, vault.asked) == ("paused", [True])
    front.tell(progress, "resume")
    front.tell(progress, "stop")

    assert vault.asked == [True, False, True]
    assert progress.state == "stopped"
    assert progress.line.startswith("Stopped: Meaning search: 10 of 100")
    assert not progress.wait(0)


def test_closing_ends_the_watching(kb: KnowledgeBase) -> None:
    vault = Working(kb, _status(kb, 10))
    progress = IndexProgress(vault=vault)
    progress.close()

    assert progress._over.wait(20)


def test_the_time_left_is_told_once_the_speed_is_known(kb: KnowledgeBase) -> None:
    first, now = _status(kb, 0), _status(kb, 50)
    assert rows(first, now, 1.0)[2].left == ""
    later = rows(first, now, 60.0)

    assert later[2].left == "1 min left"
    assert told(112.0, later, paused=False) == "1 min 52 s so far, about 1 min left"
    assert done(now, 303.0).endswith(", in 5 min 3 s")


@pytest.mark.parametrize(("seconds", "said"), [(0.2, "1 s"), (11.4, "11 s"), (180, "3 min"), (303, "5 min 3 s")])
def test_durations_are_for_people(seconds: float, said: str) -> None:
    assert duration(seconds) == said


def test_a_model_that_cannot_be_used_is_said_and_not_waited_for(kb: KnowledgeBase) -> None:
    status = replace(kb.status(), model=ModelStatus(name="x", chunks=9, problem="the model could not be loaded"))
    found = rows(status, status, 1.0)

    assert found[2].done
    assert found[2].note == "Meaning search is off: the model could not be loaded."
