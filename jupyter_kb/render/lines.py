"""Lines of styled spans: what the text of every value is made of, for a door to colour, wrap or print plain."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Style = Literal["", "file", "heading", "line", "mark", "muted", "added", "removed", "hunk", "warning"]
Span = tuple[str, Style]

# Notes may hold anything: an escape sequence in a note must not steer the reader's terminal.
_VISIBLE = dict.fromkeys((9, 10, 13), " ")
_VISIBLE |= {code: chr(0x2400 + code) for code in range(32) if code not in _VISIBLE}
_VISIBLE |= dict.fromkeys((*range(127, 160), 8232, 8233, *range(55296, 57344)), "�")

_VISIBLE_BUT_LAYOUT = {code: shown for code, shown in _VISIBLE.items() if code not in (9, 10)}


@dataclass(frozen=True, kw_only=True)
class Line:
    """One line of output. When `body` is wrapped, its further lines start below where it starts, after `lead`."""

    lead: tuple[Span, ...] = ()
    body: tuple[Span, ...] = ()

    @property
    def text(self) -> str:
        """The line without its styles."""
        return "".join(text for text, _ in (*self.lead, *self.body)).rstrip()


def visible(text: str) -> str:
    """Text on one line, safe to show, of the same length: controls as their pictures, undecodable bytes as U+FFFD."""
    return text.translate(_VISIBLE)


def visible_lines(text: str) -> str:
    """Text of several lines, safe to show: as `visible`, but with its tabs, and with its line ends as line feeds."""
    return text.replace("\r\n", "\n").replace("\r", "\n").translate(_VISIBLE_BUT_LAYOUT)


def plain(lines: Iterable[Line]) -> str:
    """Lines as plain text."""
    return "".join(line.text + "\n" for line in lines)


def words(text: str, style: Style = "") -> Line:
    """One line of one style."""
    return Line(body=((text, style),))


def marked(text: str, marks: Sequence[tuple[int, int]]) -> tuple[Span, ...]:
    """Text with the half-open character ranges `marks` set off."""
    text = visible(text)
    spans: list[Span] = []
    done = 0
    for start, end in marks:
        spans += [(text[done:start], ""), (text[start:end], "mark")]
        done = end
    spans.append((text[done:], ""))
    return tuple(span for span in spans if span[0])


def footer(shown: int, offset: int, total: int, noun: str) -> Iterator[Line]:
    """Which part of a longer list was shown; nothing when all of it was."""
    if shown < total:
        left = f", next: --offset {offset + shown}" if offset + shown < total else ""
        part = f"{offset + 1} to {offset + shown}" if shown > 1 else f"{offset + 1}"
        yield words(f"{part} of {total:,} {noun}{left}", "muted")


def with_tilde(text: str) -> str:
    """Text with the home folder in its paths written as `~`."""
    home = os.path.expanduser("~")
    for folder in {home, os.path.realpath(home)} - {"/", "~"}:
        text = re.sub(rf"(?<![\w./~-]){re.escape(folder)}(?![^/\s'`:;,)])", "~", text)
    return text


def size(count: int) -> str:
    """A number of bytes in decimal units."""
    number = float(count)
    for unit in ("B", "kB", "MB"):
        if number < 1000:
            return f"{number:.0f} {unit}" if unit == "B" else f"{number:.1f} {unit}"
        number /= 1000
    return f"{number:.1f} GB"


def moment(iso: str | None) -> str:
    """An ISO 8601 time as the clock on the wall shows it."""
    return datetime.fromisoformat(iso).astimezone().strftime("%Y-%m-%d %H:%M:%S") if iso else "never"


def count(number: int, noun: str) -> str:
    """A number and its noun, in the plural where that is due."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
