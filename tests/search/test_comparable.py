"""What counts as a number or a date, and how moments are read."""

from __future__ import annotations

import pytest

from jupyter_kb.search.comparable import comparable, instant

DAY = 86_400 * 10**9


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("7", ("number", 7)),
        ("-007", ("number", -7)),
        ("+.5", ("number", 0.5)),
        ("1.5e3", ("number", 1500)),
        ("9007199254740993", ("number", 2**53 + 1)),
        ("1e999", None),
        ("inf", None),
        ("0x10", None),
        ("1_000", None),
        ("\u0667", None),
        (" 7", None),
        ("", None),
        ("1" * 41, None),
        ("1970-01-02", ("date", DAY)),
        ("1970-01-02T00:00", ("date", DAY)),
        ("1970-01-02 00:00:01", ("date", DAY + 10**9)),
        ("1970-01-02T01:30:00+01:30", ("date", DAY)),
        ("1970-01-01T23:00:00.5-01:00", ("date", DAY + 5 * 10**8)),
        ("1970-01-02T00:00:00.0000000019z", ("date", DAY + 1)),
        ("1969-12-31", ("date", -DAY)),
        ("1970-13-01", None),
        ("1970-01-01T24:00", None),
        ("1970-01-01T00:00:00+24:00", None),
        ("1970-1-1", None),
        ("1970-01", None),
        ("true", None),
    ],
)
def test_texts_are_numbers_dates_or_neither(text: str, expected: tuple[str, float] | None) -> None:
    assert comparable(text) == expected


def test_moments_beyond_64_bits_are_as_far_as_they_reach() -> None:
    assert instant("9999-12-31", "x") == 2**63 - 1
    assert instant("0001-01-01", "x") == -(2**63)
    assert instant(" 1970-01-02 ", "x") == DAY
