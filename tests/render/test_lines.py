"""Lines of styled spans."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_kb.render.lines import Line, count, footer, marked, moment, plain, size, visible, words


def test_controls_of_a_note_cannot_steer_the_terminal() -> None:
    assert visible("a\x1b[2Jb\x07\x9b\x7f") == "a␛[2Jb␇\ufffd\ufffd"


def test_undecodable_bytes_are_shown_as_replacement_characters() -> None:
    assert visible(b"caf\xe9".decode("utf-8", "surrogateescape")) == "caf\ufffd"


@given(st.text(st.characters(), max_size=50))
def test_visible_text_keeps_its_length_and_fits_on_a_line(text: str) -> None:
    shown = visible(text)

    assert len(shown) == len(text)
    assert len(shown.splitlines()) <= 1
    shown.encode("utf-8")  # raises on surrogates


@given(st.text(max_size=30), st.lists(st.tuples(st.integers(0, 30), st.integers(1, 5)), max_size=4))
def test_marks_cut_a_text_without_losing_any_of_it(text: str, cuts: list[tuple[int, int]]) -> None:
    marks: list[tuple[int, int]] = []
    for start, length in sorted(cuts):
        if (not marks or start >= marks[-1][1]) and start + length <= len(text):
            marks.append((start, start + length))

    spans = marked(text, marks)

    assert "".join(part for part, _ in spans) == visible(text)
    assert [part for part, style in spans if style == "mark"] == [visible(text)[start:end] for start, end in marks]


def test_a_line_as_text_has_its_lead_before_its_body_and_no_blanks_at_the_end() -> None:
    assert Line(lead=(("  7  ", "line"),), body=(("Flight", "heading"), ("  ", ""))).text == "  7  Flight"


def test_plain_text_ends_each_line() -> None:
    assert plain([words("a"), Line(), words("b")]) == "a\n\nb\n"


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (38_200_000, "38.2 MB"), (7_100_000_000, "7.1 GB")],
)
def test_sizes_are_in_decimal_units(number: int, text: str) -> None:
    assert size(number) == text


def test_one_of_a_thing_is_singular() -> None:
    assert [count(number, "note") for number in (0, 1, 6571)] == ["0 notes", "1 note", "6,571 notes"]


@pytest.mark.parametrize(
    ("shown", "offset", "total", "text"),
    [
        (3, 0, 3, ""),
        (3, 0, 7, "1 to 3 of 7 links, next: --offset 3\n"),
        (1, 6, 7, "7 of 7 links\n"),
    ],
)
def test_a_footer_says_which_part_was_shown(shown: int, offset: int, total: int, text: str) -> None:
    assert plain(footer(shown, offset, total, "links")) == text


def test_a_moment_is_shown_in_the_time_of_the_place() -> None:
    here = datetime(2026, 9, 22, 8, 30, 5).astimezone()

    assert moment(here.astimezone(UTC).isoformat()) == "2026-09-22 08:30:05"
    assert moment(None) == "never"
