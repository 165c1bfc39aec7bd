"""The unified diff: what it says is what happened."""

from __future__ import annotations

import re
import time

from hypothesis import given
from hypothesis import strategies as st

from jupyter_kb.editing.diff import unified_diff

HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
LINES = ["a\n", "b\n", "\n", "c\r\n", "\u2028x\n", "\udcff\n", "-- a\n", "d"]
texts = st.lists(st.sampled_from(LINES), max_size=30).map("".join)


def apply(before: str, diff: str) -> str:
    """A small `patch`: it believes the line numbers and checks every context line."""
    old = [line + "\n" for line in before.split("\n")]
    old[-1] = old[-1][:-1]
    new: list[str] = []
    at = 0
    lines = diff.split("\n")[2:-1]
    position = 0
    while position < len(lines):
        hunk = HUNK.fullmatch(lines[position])
        assert hunk, lines[position]
        old_count, new_count = int(hunk[2] or 1), int(hunk[4] or 1)
        start = int(hunk[1]) - (old_count > 0)
        new += old[at:start]
        at = start
        assert len(new) == int(hunk[3]) - (new_count > 0)
        position += 1
        while old_count or new_count:
            mark, text = lines[position][0], lines[position][1:] + "\n"
            position += 1
            if position < len(lines) and lines[position].startswith("\\ No newline"):
                text = text[:-1]
                position += 1
            if mark in " -":
                assert old[at] == text
                at += 1
                old_count -= 1
            if mark in " +":
                new.append(text)
                new_count -= 1
    return "".join(new + old[at:])


@given(before=texts, after=texts)
def test_applying_the_difference_gives_the_new_text(before: str, after: str) -> None:
    diff = unified_diff("n.md", before, after)
    assert (diff == "") == (before == after)
    if diff:
        assert diff.startswith("--- a/n.md\n+++ b/n.md\n@@ ")
        assert apply(before, diff) == after


def test_a_missing_last_line_end_is_marked() -> None:
    assert unified_diff("n.md", "a\nb", "a\nc\n") == (
        "--- a/n.md\n+++ b/n.md\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n"
    )


def test_context_is_three_lines_and_line_numbers_are_those_of_the_file() -> None:
    before = "".join(f"{number}\n" for number in range(1, 101))
    diff = unified_diff("n.md", before, before.replace("50\n", "fifty\n"))
    assert diff.split("\n")[2:] == [
        "@@ -47,7 +47,7 @@", " 47", " 48", " 49", "-50", "+fifty", " 51", " 52", " 53", ""
    ]  # fmt: skip


def test_only_line_feeds_end_lines() -> None:
    assert "-a\x0cb\u2028c\r\n" in unified_diff("n.md", "a\x0cb\u2028c\r\n", "")


def test_the_size_of_the_file_does_not_matter() -> None:
    text = "".join(f"line {number % 7}\n" for number in range(200_000))
    start = time.perf_counter()
    unified_diff("n.md", text, text[:1_000_000] + "new\n" + text[1_000_000:])
    assert time.perf_counter() - start < 2
