"""What stands behind the `#` of a link: finding the heading or block of a note that a fragment names."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from jupyter_kb.graph.catalog import Block, Section
from jupyter_kb.index.links import fold

# what Obsidian drops from a heading when it writes a link to it
_DROPPED = re.compile(r"[!\"#$%&()*+,.:;<=>?@^`{|}~/\[\]\\\s]+")
_HYPHENS = re.compile(r"-+")
# `## Text {#id}`: how Hugo, MkDocs, Pandoc and others name an anchor by hand
_GIVEN_ID = re.compile(r"\{[^{}]*#([^\s{}]+)[^{}]*\}\s*$")


_Way = tuple[Sequence[str], Callable[[str], str]]


@dataclass(frozen=True, kw_only=True)
class Naming:
    """How a fragment names a section: by its anchor (`slug`), by a chain of headings, or as a whole.

    `parts`, of a chain: the number of each part between `#` marks, from 0, with the ordinal of the section it names.
    """

    section: Section
    slug: bool = False
    parts: dict[int, int] | None = None


class Anchors:
    """The headings and blocks of one note, as targets of fragments.

    An exact match always wins; several equally good ones are all given back, for the caller to call it ambiguous.
    """

    def __init__(self, sections: Sequence[Section], blocks: Sequence[Block]) -> None:
        self._sections = sections
        self.headings = [section for section in sections if section.level > 0]
        self._blocks = blocks
        self._slugs: dict[str, Section] | None = None

    def find(self, fragment: str, *, markdown: bool = False) -> list[str | None]:
        """Heading paths that a fragment (without its first `#`) may mean, each once; none when it leads nowhere.

        `A#B` is a heading B somewhere below A; `^id` a block, given as the section that holds it (None outside every
        section). `markdown` also takes the anchors that GitHub and site generators make of headings.
        """
        last = fragment.rpartition("#")[2].strip()
        if last.startswith("^"):
            return self._block(last[1:])
        return _paths(self._search(fragment, markdown)[0])

    def naming(self, fragment: str, *, markdown: bool = False) -> Naming | None:
        """How a fragment names the one heading that it means; None where it means none, several, or a block."""
        if fragment.rpartition("#")[2].strip().startswith("^"):
            return None
        found, way = self._search(fragment, markdown)
        if len(found) != 1:
            return None
        if way is None:
            return Naming(section=found[0], slug=True)
        names, spelling = way
        if len(names) == 1:
            return Naming(section=found[0])
        numbers = [number for number, part in enumerate(fragment.split("#")) if part.strip()]
        named = self._chain(found[0], [spelling(name) for name in names[:-1]], spelling)
        return Naming(section=found[0], parts=dict(zip(numbers, [*named, found[0].ordinal], strict=True)))

    def _search(self, fragment: str, markdown: bool) -> tuple[list[Section], _Way | None]:
        """The headings that a fragment may mean, and the names and the spelling by which (None: by its anchor)."""
        exact = self._named([fragment], str)
        if len(exact) == 1:
            return exact, ([fragment], str)
        if markdown and (anchor := self._slug(fragment)):
            return [anchor], None
        if exact:
            return exact, ([fragment], str)
        parts = [part for part in fragment.split("#") if part.strip()]
        for spelling in (str.strip, _composed, words):
            for names in ([fragment], parts) if len(parts) > 1 else ([fragment],):
                if found := self._named(names, spelling):
                    return found, (names, spelling)
        return [], None

    def _named(self, names: Sequence[str], spelling: Callable[[str], str]) -> list[Section]:
        """Headings spelled like the last name that lie below one spelled like the name before it, and so on."""
        *above, wanted = [spelling(name) for name in names]
        if not wanted:
            return []
        found = [section for section in self.headings if spelling(section.heading) == wanted]
        return [section for section in found if self._below(section, above, spelling)]

    def _below(self, section: Section, names: Sequence[str], spelling: Callable[[str], str]) -> bool:
        return len(self._chain(section, names, spelling)) == len(names)

    def _chain(self, section: Section, names: Sequence[str], spelling: Callable[[str], str]) -> list[int]:
        """Ordinals of the sections above that these names stand for, or of as many of the last names as are there."""
        left, found = list(names), []
        while left and section.parent is not None:
            section = self._sections[section.parent]
            if spelling(section.heading) == left[-1]:
                left.pop()
                found.append(section.ordinal)
        return found[::-1]

    def _block(self, block_id: str) -> list[str | None]:
        for spelling in (str, fold):
            found = [b.heading_path for b in self._blocks if spelling(b.block_id) == spelling(block_id)]
            if found:
                return list(dict.fromkeys(found))
        return []

    def _slug(self, fragment: str) -> Section | None:
        if self._slugs is None:
            self._slugs = slugs(self.headings)
        wanted = fragment.lower()
        return self._slugs.get(wanted) or self._slugs.get(_single_hyphens(wanted))


def words(text: str) -> str:
    """A heading or fragment without letter case, punctuation and surplus blanks: what two spellings have in common."""
    return " ".join(_DROPPED.sub(" ", fold(text)).split())


def slugs(headings: Iterable[Section]) -> dict[str, Section]:
    """The anchors of headings as web pages have them: GitHub's, those given by hand, and with hyphens run together.

    GitHub's rule: lower case, punctuation dropped, blanks to hyphens; the second heading with the same anchor gets
    `-1`.
    """
    given: dict[str, Section] = {}
    made: dict[str, Section] = {}
    loose: defaultdict[str, list[Section]] = defaultdict(list)
    seen: Counter[str] = Counter()
    for section in headings:
        text = section.heading
        if match := _GIVEN_ID.search(text):
            given.setdefault(match[1].lower(), section)
            text = text[: match.start()].rstrip()
        base = "".join(map(_slug_character, text.lower()))
        made.setdefault(f"{base}-{seen[base]}" if seen[base] else base, section)
        loose[_single_hyphens(base)].append(section)
        seen[base] += 1
    unique = {slug: found[0] for slug, found in loose.items() if len(found) == 1}
    return unique | made | given


def _slug_character(character: str) -> str:
    if character.isalnum() or character in "-_":
        return character
    if character == " ":
        return "-"
    return character if unicodedata.category(character).startswith("M") else ""


def _single_hyphens(slug: str) -> str:
    return _HYPHENS.sub("-", slug).strip("-")


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", text.strip())


def _paths(sections: Iterable[Section]) -> list[str | None]:
    return list(dict.fromkeys(section.heading_path for section in sections))
