"""Finding a section by its heading path: as it is written, by the end of the path, or as somebody may have typed it.

Each step takes what it finds only where it is one section; nothing is guessed between several.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence

from jupyter_kb.errors import AmbiguousSectionError, SectionNotFoundError
from jupyter_kb.markdown.lines import readable
from jupyter_kb.markdown.nearest import likely, nearest
from jupyter_kb.markdown.sections import SEPARATOR, Section

_WHITE_SPACE = re.compile(r"\s+")
_JOINT = re.compile(r" ?> ?")
_MARKS = re.compile(r"(^|>)(?:#+ ?)+")
_KEYCAP_MARK = "\u20e3"
_KEYCAP = re.compile(f"[0-9#*]\ufe0f?{_KEYCAP_MARK}")
# What joins or changes emoji without being one.
_EMOJI_PARTS = f"\u200d\ufe0e\ufe0f{_KEYCAP_MARK}"


def find(sections: Sequence[Section], heading_path: str | Sequence[str], *, exact: bool) -> Section:
    """See `Document.find`."""
    if isinstance(heading_path, str):
        name = heading_path
        found = [section for section in sections if section.heading_path == name]
    else:
        parts = tuple(heading_path)
        name = SEPARATOR.join(parts)
        found = [section for section in sections if section.path == parts]
    if exact and found:
        return found[0]
    if not found and not exact:
        found = _ending(sections, heading_path) or _as_typed(sections, name)
    if len(found) == 1:
        return found[0]
    if found:
        raise AmbiguousSectionError(
            f"heading path '{readable(name)}' names {len(found)} sections",
            hint="give the full heading path or a line",
            candidates=[{"heading_path": section.heading_path, "line": section.line} for section in found],
        )
    own = {section.heading_path: section.heading for section in sections}
    suggestions = [] if exact else likely(name.rpartition(SEPARATOR)[2], own)
    # Names that are equal but for case have the distance 0: they come first.
    suggestions = suggestions or nearest(name, own)
    raise SectionNotFoundError(f"heading path '{readable(name)}' was not found", suggestions=suggestions)


def _ending(sections: Sequence[Section], heading_path: str | Sequence[str]) -> list[Section]:
    """The sections whose path ends in that way; a name without `[n]` stands for each of several equal siblings."""
    if not isinstance(heading_path, str):
        parts = tuple(heading_path)
        return [section for section in sections if parts and _ends_in(sections, section, parts)]
    parts = tuple(heading_path.split(SEPARATOR))
    tail = SEPARATOR + heading_path
    return [
        section for section in sections if section.heading_path.endswith(tail) or _ends_in(sections, section, parts)
    ]


def _ends_in(sections: Sequence[Section], section: Section, parts: tuple[str, ...]) -> bool:
    walk: Section | None = section
    for part in reversed(parts):
        if walk is None or part not in (walk.heading, walk.path[-1]):
            return False
        walk = None if walk.parent is None else sections[walk.parent]
    return True


# ── as somebody may have typed it ───────────────────────────────────────────────────────────────


def _as_typed(sections: Sequence[Section], name: str) -> list[Section]:
    """The sections that a carelessly typed path may mean: whole paths before ends of paths, and headings as they are
    before headings without their ornaments.
    """
    wanted = _folded(name)
    if not wanted:
        return []
    return (
        [section for section in sections if _folded(section.heading_path) == wanted]
        or _spelled(sections, wanted, lambda heading: {heading})
        or _spelled(sections, wanted, _unadorned)
    )


def _spelled(sections: Sequence[Section], wanted: str, spellings: Callable[[str], set[str]]) -> list[Section]:
    """The sections whose path ends in `wanted`, where a heading may be spelled in several ways."""
    known: list[set[str]] = []
    for section in sections:
        names = spellings(_folded(section.heading))
        if section.occurrence > 1:
            names |= {f"{name}[{section.occurrence}]" for name in names}
        known.append(names)

    def ends_so(section: Section) -> bool:
        # A heading may hold a `>` itself, so what is wanted is consumed from its end and not split.
        rests = {wanted}
        walk: Section | None = section
        while walk is not None and rests:
            names = known[walk.ordinal]
            if rests & names:
                return True
            rests = {rest[: -len(name) - 1] for rest in rests for name in names if rest.endswith(f">{name}")}
            walk = None if walk.parent is None else sections[walk.parent]
        return False

    return [section for section in sections if ends_so(section)]


def _folded(name: str) -> str:
    """A heading or path without case, without the blanks around `>`, and without the `#` marks before a heading."""
    text = _WHITE_SPACE.sub(" ", unicodedata.normalize("NFC", name.casefold())).strip(" ")
    return _MARKS.sub(r"\1", _JOINT.sub(">", text))


def _unadorned(heading: str) -> set[str]:
    """A heading without emoji and punctuation before it, behind it, and on both sides; letters and digits remain."""
    text = _KEYCAP.sub(_KEYCAP_MARK, heading)
    begin, end = 0, len(text)
    while begin < end and _is_ornament(text[begin]):
        begin += 1
    while end > begin and _is_ornament(text[end - 1]):
        end -= 1
    return {text[begin:end], text[begin:], text[:end]} if begin < end else {heading}


def _is_ornament(character: str) -> bool:
    category = unicodedata.category(character)
    return category[0] == "P" or category in ("So", "Sk") or character in _EMOJI_PARTS or character == " "
