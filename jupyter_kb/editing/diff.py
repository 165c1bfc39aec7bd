"""What an edit changes, as a unified diff that a person, `patch` or a program can read."""

from __future__ import annotations

from difflib import SequenceMatcher

_CONTEXT = 3
_NO_LINE_END = "\\ No newline at end of file\n"


def unified_diff(file: str, before: str, after: str) -> str:
    """The difference of two texts, "" for equal ones. Lines end at line feeds; a missing last one is marked.

    Lines outside the first and last difference are never compared with each other, so that the time depends on the size
    of the edit, not of the file.
    """
    if before == after:
        return ""
    old, new = _lines(before), _lines(after)
    top = _common(old, new)
    bottom = _common(old[top:][::-1], new[top:][::-1])
    first = max(top - _CONTEXT, 0)
    last = max(bottom - _CONTEXT, 0)
    old_part, new_part = old[first : len(old) - last], new[first : len(new) - last]
    parts = [f"--- a/{file}\n", f"+++ b/{file}\n"]
    for group in SequenceMatcher(None, old_part, new_part, autojunk=len(old_part) > 2000).get_grouped_opcodes(_CONTEXT):
        old_range = _range(first + group[0][1], first + group[-1][2])
        new_range = _range(first + group[0][3], first + group[-1][4])
        parts.append(f"@@ -{old_range} +{new_range} @@\n")
        for tag, old_start, old_end, new_start, new_end in group:
            if tag == "equal":
                parts += (_marked(" ", line) for line in old_part[old_start:old_end])
                continue
            parts += (_marked("-", line) for line in old_part[old_start:old_end])
            parts += (_marked("+", line) for line in new_part[new_start:new_end])
    return "".join(parts)


def _lines(text: str) -> list[str]:
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _common(old: list[str], new: list[str]) -> int:
    """How many lines two lists have in common at their beginning."""
    for at, (left, right) in enumerate(zip(old, new, strict=False)):
        if left != right:
            return at
    return min(len(old), len(new))


def _marked(mark: str, line: str) -> str:
    return mark + line if line.endswith("\n") else f"{mark}{line}\n{_NO_LINE_END}"


def _range(start: int, end: int) -> str:
    """Lines `start` to `end - 1` (from 0) as the format wants them; an empty range is named by the line before it."""
    if end - start == 1:
        return str(start + 1)
    return f"{start + (end > start)},{end - start}"
