"""The names that somebody who mistyped one may have meant."""

from __future__ import annotations

import heapq
from collections.abc import Iterable


def nearest(name: str, known: Iterable[str], count: int = 3) -> list[str]:
    """The `count` known names with the smallest Levenshtein distance, case aside; ties in lexicographic order."""
    wanted = name.lower()
    masks: dict[str, int] = {}
    for at, character in enumerate(wanted):
        masks[character] = masks.get(character, 0) | 1 << at
    scored = ((_distance(masks, len(wanted), other.lower()), other) for other in known)
    return [other for _, other in heapq.nsmallest(count, scored)]


def _distance(masks: dict[str, int], length: int, text: str) -> int:
    """Levenshtein distance of a pattern, given as the positions of each of its characters, to a text.

    A whole column of the distance table as bits of one integer: Myers 1999, in the form of Hyyrö 2003. A few
    microseconds a name, where the table cell by cell takes a second for a vault of some thousand notes.
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
