"""Near names: what somebody may have meant by a name that does not exist."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping

# Longer names are compared by their beginnings: nobody mistypes a page.
MAX_LENGTH = 1_000


def nearest(name: str, names: Iterable[str], count: int = 3) -> list[str]:
    """Up to `count` names with the smallest Levenshtein distance to `name` in lower case; ties in order of spelling."""
    wanted = name.lower()[:MAX_LENGTH]
    masks = _masks(wanted)
    scored = ((_distance(masks, len(wanted), other.lower()[:MAX_LENGTH]), other) for other in set(names))
    return [other for _, other in heapq.nsmallest(count, scored)]


def near(name: str, names: Iterable[str], count: int = 3) -> list[str]:
    """Those of the nearest in which no more than half of the letters differ."""
    found = nearest(name, names, count)
    return [other for other in found if 2 * levenshtein(name.lower(), other.lower()) <= max(len(name), len(other))]


def likely(name: str, names: Mapping[str, str], count: int = 3) -> list[str]:
    """Up to `count` of the names whose own part (the value) is nearly spelled as `name`, or holds it.

    The own part is what people type: the last heading of a path, a note's name without its folders.
    """
    wanted = name.lower()
    by_own: dict[str, list[str]] = {}
    for whole, own in names.items():
        by_own.setdefault(own, []).append(whole)
    spelled = [own for own in nearest(wanted, by_own, count) if 3 * levenshtein(wanted, own.lower()) <= len(wanted)]
    holding = nearest(wanted, (own for own in by_own if wanted and wanted in own.lower()), count)
    found = [whole for own in dict.fromkeys((*spelled, *holding)) for whole in by_own[own]]
    return found[:count]


def levenshtein(left: str, right: str) -> int:
    """How many single-character insertions, deletions and substitutions turn one text into the other."""
    return _distance(_masks(left), len(left), right)


def _masks(pattern: str) -> dict[str, int]:
    masks: dict[str, int] = {}
    for position, character in enumerate(pattern):
        masks[character] = masks.get(character, 0) | 1 << position
    return masks


def _distance(masks: dict[str, int], length: int, text: str) -> int:
    """Levenshtein distance of a pattern, given as the positions of each of its characters, to a text.

    A column of the distance table is kept as the bits of two integers, its steps up and its steps down: Myers 1999, in
    the form of Hyyrö 2003. A few microseconds a name instead of a millisecond.
    """
    if not length:
        return len(text)
    full, last = (1 << length) - 1, 1 << length - 1
    up, down, score = full, 0, length
    for character in text:
        match = masks.get(character, 0)
        diagonal = (((match & up) + up) ^ up) | match | down
        plus = down | ~(diagonal | up) & full
        minus = diagonal & up
        if plus & last:
            score += 1
        elif minus & last:
            score -= 1
        plus = plus << 1 | 1
        up = (minus << 1 | ~(diagonal | plus)) & full
        down = plus & diagonal & full
    return score
