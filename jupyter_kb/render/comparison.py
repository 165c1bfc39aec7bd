"""Two texts side by side, line against line, with long equal stretches folded away."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher

from jupyter_kb.render.elements import Html, element
from jupyter_kb.render.lines import count, visible_lines

_AROUND = 3
_MOST_LINES = 2_000


def side_by_side(left: str, right: str, left_title: str, right_title: str) -> Html:
    """A table of two columns; lines that only the left has are marked as removed, those of the right as added."""
    head = element("tr", element("th", left_title), element("th", right_title))
    return element("table", element("thead", head), element("tbody", *_rows(left, right)), class_="kb-sides")


def _rows(left: str, right: str) -> Iterator[Html]:
    old, new = (visible_lines(text).rstrip("\n").split("\n")[:_MOST_LINES] for text in (left, right))
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for tag, old_start, old_end, new_start, new_end in matcher.get_opcodes():
        if tag == "equal":
            yield from _equal(old[old_start:old_end], first=old_start == 0, last=old_end == len(old))
            continue
        for at in range(max(old_end - old_start, new_end - new_start)):
            yield element(
                "tr",
                _cell(old[old_start + at], "kb-removed") if old_start + at < old_end else element("td"),
                _cell(new[new_start + at], "kb-added") if new_start + at < new_end else element("td"),
            )
    cut = max(text.count("\n") + 1 for text in (left, right)) - _MOST_LINES
    if cut > 0:
        yield _gap(f"{count(cut, 'more line')} not compared")


def _equal(lines: list[str], *, first: bool, last: bool) -> Iterator[Html]:
    before, after = 0 if first else _AROUND, 0 if last else _AROUND
    hidden = len(lines) - before - after
    if hidden < 2:
        before, hidden = len(lines), 0
    yield from (element("tr", _cell(line), _cell(line)) for line in lines[:before])
    if hidden:
        yield _gap(f"{count(hidden, 'equal line')}")
        yield from (element("tr", _cell(line), _cell(line)) for line in lines[len(lines) - after :])


def _cell(line: str, kind: str | None = None) -> Html:
    return element("td", line, class_=kind)


def _gap(text: str) -> Html:
    return element("tr", element("td", f"⋯ {text}", class_="kb-gap", colspan="2"))
