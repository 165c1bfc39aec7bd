"""How far an index is, as the three rows of IndexProgress and as one line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from jupyter_kb.render.lines import count

if TYPE_CHECKING:
    from jupyter_kb.models import Status

_SURE = 3.0
"""Seconds of work before the time that is left is told."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """A row: its name, its share from 0 to 1 (None where that is not known), what is counted, and the time left."""

    name: str
    share: float | None
    counted: str
    left: str = ""
    note: str = ""
    seconds: float | None = None

    @property
    def done(self) -> bool:
        """Whether nothing is left to do."""
        return self.share == 1.0

    def shown(self) -> dict[str, Any]:
        """As the front end gets it."""
        return {**asdict(self), "done": self.done}


def rows(first: Status, now: Status, spent: float) -> list[Row]:
    """Reading, text index and meaning search; `first` is the state `spent` seconds ago, for the speed."""
    done, total = now.indexing or (now.notes, now.notes)
    left = f"{duration(now.seconds_left)} left" if now.indexing and now.seconds_left else ""
    reading = Row(
        name="Read notes",
        share=_share(done, total),
        counted=f"{done:,} of {total:,}",
        left=left,
        seconds=now.seconds_left if left else None,
    )
    text = Row(name="Text index", share=None if now.indexing else 1.0, counted=count(now.sections, "section"))
    return [reading, text, _meaning(first, now, spent)]


def _meaning(first: Status, now: Status, spent: float) -> Row:
    model, name = now.model, "Meaning search"
    if model is None:
        return Row(name=name, share=1.0, counted="off")
    if model.problem:
        return Row(name=name, share=1.0, counted="off", note=f"Meaning search is off: {model.problem}.")
    share = _share(model.embedded, model.chunks) if not now.indexing else None
    seconds = model.seconds_left
    made = model.embedded - (first.model.embedded if first.model else 0)
    if seconds is None and spent > _SURE and made > 0:
        seconds = (model.chunks - model.embedded) * spent / made
    left = f"{duration(seconds)} left" if seconds and share != 1.0 else ""
    counted = f"{model.embedded:,} of {model.chunks:,}"
    return Row(name=name, share=share, counted=counted, left=left, seconds=seconds if left else None)


def _share(done: int, total: int) -> float:
    return done / total if total else 1.0


def told(spent: float, found: Sequence[Row], *, paused: bool) -> str:
    """How long it took so far, and how long it will take."""
    left = next((row.seconds for row in found if row.seconds), None)
    ending = ", paused" if paused else f", about {duration(left)} left" if left else ""
    return f"{duration(spent)} so far{ending}"


def going_on(found: Sequence[Row]) -> str:
    """What is being done, in a line."""
    current = next((row for row in found if not row.done), found[-1])
    return f"{current.name}: {current.counted}"


def done(status: Status, spent: float | None) -> str:
    """The one line at the end; `spent` seconds, None where nothing had to be done."""
    ending = f", in {duration(spent)}" if spent is not None else ""
    return f"Index ready: {count(status.notes, 'note')}, {count(status.sections, 'section')}{ending}"


def duration(seconds: float) -> str:
    """So many seconds for a person: `11 s`, `5 min 3 s`, `3 min` where they are only an estimate of minutes."""
    whole = max(1, round(seconds))
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes} min {rest} s" if rest else f"{minutes} min"
