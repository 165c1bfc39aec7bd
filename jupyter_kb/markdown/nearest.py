"""Near names: what somebody may have meant by a name that does not exist."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heappush, heapreplace

# A longer name is compared by its beginning only; a heading of that length is no heading any more.
MAX_LENGTH = 300


def nearest(name: str, names: Iterable[str], count: int = 3) -> list[str]:
    """Up to `count` of `names` nearest to `name` by Levenshtein distance in lower case, nearest first, then in order of spelling."""
    wanted = name.lower()[:MAX_LENGTH]
    # The kept names, the worst first.
    kept: list[tuple[int, _Reversed]] = []
    candidates = sorted((abs(len(wanted) - min(len(candidate), MAX_LENGTH)), candidate) for candidate in set(names))
    for bound, candidate in candidates:
        worst = -kept[0][0] if len(kept) == count else None
        # Two lengths that differ by n are at least n apart, and the candidates come by that difference.
        if worst is not None and bound > worst + _LOWERING:
            break
        distance = levenshtein(wanted, candidate.lower()[:MAX_LENGTH])
        entry = (-distance, _Reversed(candidate))
        if worst is None:
            heappush(kept, entry)
        elif entry > kept[0]:
            heapreplace(kept, entry)
    return [entry[1].text for entry in sorted(kept, reverse=True)]


# Lowering may change a name's length by a few characters (İ becomes two).
_LOWERING = 3


class _Reversed:
    """A text that sorts backwards."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __lt__(self, other: _Reversed) -> bool:
        return self.text > other.text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Reversed) and self.text == other.text

    __hash__ = None  # type: ignore[assignment]


def levenshtein(left: str, right: str) -> int:
    """How many single-character insertions, deletions and substitutions turn one text into the other."""
    if len(left) < len(right):
        left, right = right, left
    previous = list(range(len(right) + 1))
    for row, first in enumerate(left, 1):
        current = [row]
        above = row
        for column, second in enumerate(right, 1):
            above = min(previous[column] + 1, above + 1, previous[column - 1] + (first != second))
            current.append(above)
        previous = current
    return previous[-1]
