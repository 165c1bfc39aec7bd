"""How long work will still take, told by a clock of the test."""

from __future__ import annotations

from jupyter_kb.index.pace import WINDOW, Pace


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_the_time_left_follows_from_what_was_done_in_the_time_that_passed() -> None:
    clock = Clock()
    pace = Pace(clock)

    for step in range(5):
        pace.tell(100 + 50 * step, 1000)
        clock.now += 2.0
    clock.now -= 2.0

    assert pace.seconds_left() == 700 / 25


def test_nothing_is_known_before_two_pieces_are_done() -> None:
    clock = Clock()
    pace = Pace(clock)
    assert pace.seconds_left() is None

    pace.tell(0, 100)
    clock.now += 30.0  # a model starts
    assert pace.seconds_left() is None
    pace.tell(10, 100)
    assert pace.seconds_left() is None
    clock.now += 5.0
    pace.tell(20, 100)

    assert pace.seconds_left() == 40.0


def test_only_the_last_minute_counts() -> None:
    clock = Clock()
    pace = Pace(clock)
    for done in range(1, 200):  # one a second
        pace.tell(done, 10_000)
        clock.now += 1.0
    for done in range(200, 200 + 10 * int(WINDOW) + 10, 10):  # then ten
        pace.tell(done, 10_000)
        clock.now += 1.0

    left = pace.seconds_left()

    assert left is not None
    assert abs(left - (10_000 - 800) / 10) < 25


def test_work_that_stands_still_takes_longer_and_longer() -> None:
    clock = Clock()
    pace = Pace(clock)
    pace.tell(1, 100)
    clock.now += 1.0
    pace.tell(2, 100)
    first = pace.seconds_left()

    clock.now += 10.0

    assert first == 98.0
    assert pace.seconds_left() == 98.0 * 11


def test_what_has_ended_leaves_no_time_and_other_work_begins_anew() -> None:
    clock = Clock()
    pace = Pace(clock)
    for done in (1, 50):
        pace.tell(done, 100)
        clock.now += 1.0
    pace.tell(0, 10)
    assert pace.seconds_left() is None

    pace.tell(1, 10)
    clock.now += 1.0
    pace.tell(2, 10)
    assert pace.seconds_left() == 8.0
    pace.stop()
    assert pace.seconds_left() is None
