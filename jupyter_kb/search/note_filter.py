"""Filters of a search as tests of single notes, for whoever reads the notes themselves and not the index."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from jupyter_kb.index.links import fold
from jupyter_kb.index.notes import properties
from jupyter_kb.markdown.frontmatter import read_front_matter
from jupyter_kb.markdown.lines import readable
from jupyter_kb.search.conditions import TITLE, conditions, unknown_field
from jupyter_kb.search.filters import heading_run, moments, tag_keys
from jupyter_kb.search.globs import folder_matcher, path_matcher
from jupyter_kb.search.heading_chains import folded

if TYPE_CHECKING:
    from jupyter_kb.markdown.document import Document
    from jupyter_kb.markdown.sections import Section
    from jupyter_kb.models import Filters
    from jupyter_kb.vault.vault import FileStat


class NoteFilter:
    """One filter, checked once.

    Attributes
    ----------
    reads : whether notes must be parsed to tell if they pass.

    Raises
    ------
    InvalidRequestError : a condition that makes no sense, or too many of them.
    """

    def __init__(self, filters: Filters) -> None:
        self._path = path_matcher(filters.path) if filters.path else None
        self._after, self._before = moments(filters)
        self._within = folder_matcher(filters.folders) if filters.folders else None
        self._tags, self._unwanted = tag_keys(filters.tags)
        self._conditions = conditions(filters.front_matter)
        self._run = [folded(heading) for heading in heading_run(filters)]
        self.reads = bool(self._tags or self._unwanted or self._conditions)

    def passes_file(self, file: FileStat) -> bool:
        """Whether path and time let a note through."""
        return (
            (self._path is None or self._path(file.key))
            and (self._within is None or self._within(file.key))
            and (self._after is None or file.mtime_ns >= self._after)
            and (self._before is None or file.mtime_ns < self._before)
        )

    def passes(self, key: str, document: Document) -> bool:
        """Whether tags and front matter let a note through."""
        tags = [fold(tag) for tag in document.tags]
        for asked, must in ((self._tags, True), (self._unwanted, False)):
            for key in asked:
                if any(tag == key or tag.startswith(f"{key}/") for tag in tags) is not must:
                    return False
        if not self._conditions:
            return True
        title = readable(document.title(key.rpartition("/")[2][:-3]))
        fields = list(properties(document.front_matter.values)) if document.front_matter else []
        return all(condition.holds(title, fields) for condition in self._conditions)

    def sections(self, document: Document) -> frozenset[int] | None:
        """Ordinals of the sections that pass; None where no heading is asked for."""
        if not self._run:
            return None
        chosen: set[int] = set()
        for section in document.sections:  # parents come first
            if section.parent in chosen or self._ends_in_run(document, section):
                chosen.add(section.ordinal)
        return frozenset(chosen)

    def _ends_in_run(self, document: Document, section: Section) -> bool:
        walk: Section | None = section
        for wanted in reversed(self._run):
            if walk is None or not walk.level or wanted not in (folded(walk.heading), folded(walk.path[-1])):
                return False
            walk = None if walk.parent is None else document.sections[walk.parent]
        return True

    def check_fields(self, notes: Iterable[bytes]) -> None:
        """Look whether the fields asked for are there at all; reads no more notes than that takes.

        Raises
        ------
        InvalidRequestError : no note has one of them.
        """
        missing = {condition.field for condition in self._conditions} - {TITLE}
        there: Counter[str] = Counter()
        for data in notes if missing else ():
            front_matter, _ = read_front_matter(data)
            there.update({field for field, _ in properties(front_matter.values)} if front_matter else ())
            missing = {field for field in missing if not any(n == field or n.startswith(f"{field}.") for n in there)}
            if not missing:
                return
        for condition in self._conditions:
            if condition.field in missing:
                raise unknown_field(condition.field, [n for n, _ in sorted(there.items(), key=lambda c: (-c[1], c[0]))])
