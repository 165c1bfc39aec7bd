"""Cases written as Markdown: a `## name` for each, and blocks fenced with `~~~~` whose info strings say what they are.

In a block these marks stand for what cannot be seen or typed: ␍ a carriage return, ⇥ a tab, ␠ a blank, ␀ a NUL, ⟨BOM⟩ a
byte order mark, ⟨FF⟩ (any two hexadecimal digits) a byte that need not be UTF-8. A block ends with a line feed, unless
its last line ends in ∎.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_FOLDER = Path(__file__).parent / "cases"
_PART = re.compile(
    r"^## (?P<name>[^\n]+)$|^~~~~ (?P<kind>\S+)(?: (?P<argument>[^\n]*))?\n(?P<text>[\s\S]*?)^~~~~$", re.MULTILINE
)
_MARKS = {"␍": b"\r", "⇥": b"\t", "␠": b" ", "␀": b"\0", "⟨BOM⟩": b"\xef\xbb\xbf"}
_MARK = re.compile("|".join(_MARKS) + r"|⟨[0-9A-F]{2}⟩")


@dataclass(frozen=True, kw_only=True)
class Block:
    """One fenced block: the first word of its info string, the rest of it, and its bytes."""

    kind: str
    argument: str
    data: bytes

    @property
    def lines(self) -> list[str]:
        return self.data.decode().splitlines()


@dataclass(frozen=True, kw_only=True)
class Case:
    """One named case and its blocks in order."""

    name: str
    blocks: tuple[Block, ...]

    def data(self, kind: str) -> bytes:
        """The bytes of the only block of a kind."""
        (block,) = self.of(kind)
        return block.data

    def of(self, kind: str) -> list[Block]:
        return [block for block in self.blocks if block.kind == kind]

    def __str__(self) -> str:
        return self.name


def load(file: str) -> list[Case]:
    """The cases of one file in the folder `cases`."""
    text = (_FOLDER / file).read_text(encoding="utf-8")
    found: list[tuple[str, list[Block]]] = []
    for part in _PART.finditer(text):
        if part["name"]:
            found.append((part["name"], []))
        else:
            argument = _unmarked(part["argument"] or "").decode()
            found[-1][1].append(Block(kind=part["kind"], argument=argument, data=_unmarked(part["text"])))
    return [Case(name=name, blocks=tuple(blocks)) for name, blocks in found]


def _unmarked(text: str) -> bytes:
    text = text.removesuffix("∎\n")
    pieces = re.split(f"({_MARK.pattern})", text)
    return b"".join(_byte(piece) if number % 2 else piece.encode() for number, piece in enumerate(pieces))


def _byte(mark: str) -> bytes:
    return _MARKS.get(mark) or bytes.fromhex(mark[1:-1])
