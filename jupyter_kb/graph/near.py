"""Near names among many: what a link that leads nowhere may have meant."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from jupyter_kb.markdown.nearest import levenshtein, near, nearest

_SHORTLIST = 40


class NearNames:
    """Names by the pairs of letters in them, so that only a few have to be compared letter by letter."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = list(dict.fromkeys(names))
        self._holding: defaultdict[str, list[int]] = defaultdict(list)
        for number, name in enumerate(self._names):
            for pair in _pairs(name):
                self._holding[pair].append(number)
        self._found: dict[str, str | None] = {}

    def find(self, name: str) -> str | None:
        """The name nearest to this one, if no more than a third of its letters differ."""
        if name not in self._found:
            best = next(iter(nearest(name, self._shortlist(name), 1)), None)
            near = best is not None and 3 * levenshtein(name.lower(), best.lower()) <= max(len(name), len(best))
            self._found[name] = best if near else None
        return self._found[name]

    def several(self, name: str, count: int = 3) -> list[str]:
        """Up to `count` names near this one, nearest first; in each no more than half of the letters differ."""
        return near(name, self._shortlist(name), count)

    def _shortlist(self, name: str) -> list[str]:
        shared = Counter(number for pair in _pairs(name) for number in self._holding.get(pair, ()))
        return [self._names[number] for number, _ in shared.most_common(_SHORTLIST)]


def _pairs(name: str) -> set[str]:
    text = f" {name.lower()} "
    return {text[at : at + 2] for at in range(len(text) - 1)}
