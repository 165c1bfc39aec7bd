"""Lines that hold exact characters, or match a regular expression, read from the notes as they are on disk."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Literal

from jupyter_kb.errors import InvalidRequestError, KBError
from jupyter_kb.markdown.document import Document, parse
from jupyter_kb.markdown.lines import encode, readable
from jupyter_kb.models import GrepMatch, GrepRequest, GrepResults
from jupyter_kb.search.expression import TimeUpError, matching_lines
from jupyter_kb.search.matcher import lines
from jupyter_kb.search.note_filter import NoteFilter

if TYPE_CHECKING:
    from jupyter_kb.vault.vault import FileStat, Vault

MAX_PATTERN = 2_000
"""Characters of a pattern."""

Found = tuple[str, bytes, list[int]]


def grep(vault: Vault, request: GrepRequest) -> GrepResults:
    """Matching lines in byte order of the files.

    All files are looked at, so `total` and `counts` go beyond `limit`; when `time_budget` (seconds) runs out they
    cover what was looked at by then. Lines end at `\\n`, `\\r\\n` and a lone `\\r`; a pattern never reaches over a
    line's end. Without `case_sensitive` letters are compared case-folded. Notes that cannot be read are passed over.
    A regular expression is one of Python's `re`.

    Raises
    ------
    InvalidRequestError : an empty, too long or many-lined pattern, or one that is no regular expression; says where.
        A filter that makes no sense, or (with no match) that names a front-matter field which no note has.
    """
    _check(request)
    chosen = NoteFilter(request.filters)
    deadline = time.monotonic() + request.time_budget
    files = _files(vault, chosen.passes_file, deadline)
    matches: list[GrepMatch] = []
    counts: list[tuple[str, int]] = []
    truncated: Literal["limit", "time"] | None = None
    with closing(_matched(files, request, deadline)) as found:
        try:
            for key, data, numbers in found:
                document = None
                if chosen.reads or request.filters.heading_prefix:
                    document = parse(data)
                    if not chosen.passes(key, document):
                        continue
                    numbers = _in_sections(document, numbers, chosen.sections(document))
                    if not numbers:
                        continue
                counts.append((key, len(numbers)))
                room = request.limit - len(matches)
                if room > 0:
                    matches += _matches(key, document or parse(data), numbers[:room], request.context_lines)
            if not counts:
                chosen.check_fields(data for _, data in _files(vault, _everything, deadline))
        except TimeUpError:
            truncated = "time"
    total = sum(count for _, count in counts)
    if truncated is None and len(matches) < total:
        truncated = "limit"
    return GrepResults(matches=tuple(matches), total=total, counts=tuple(counts), truncated=truncated)


def _check(request: GrepRequest) -> None:
    if not request.pattern:
        raise InvalidRequestError("the pattern is empty")
    if len(request.pattern) > MAX_PATTERN:
        raise InvalidRequestError(f"the pattern has more than {MAX_PATTERN} characters")
    if not request.is_regex and ("\n" in request.pattern or "\r" in request.pattern):
        raise InvalidRequestError(
            "the pattern holds a line end, but lines are searched one by one", hint="search for one of its lines"
        )


def _files(vault: Vault, passes: Callable[[FileStat], bool], deadline: float) -> Iterator[tuple[str, bytes]]:
    """Name and bytes of every note that may be looked at."""
    for file in vault.list():
        if not passes(file):
            continue
        if time.monotonic() > deadline:
            raise TimeUpError
        try:
            yield file.key, vault.read(file.key, suggest=False)
        except KBError:
            continue  # gone, unreadable or too large: its diagnostic says so


def _everything(_: FileStat) -> bool:
    return True


def _in_sections(document: Document, numbers: list[int], sections: Collection[int] | None) -> list[int]:
    """The lines, of those numbered, whose deepest section is one of these; all of them for None."""
    if sections is None:
        return numbers
    owners = ((number, document.section_at(document.lines.parse_starts[number])) for number in numbers)
    return [number for number, owner in owners if owner is not None and owner.ordinal in sections]


def _matched(files: Iterable[tuple[str, bytes]], request: GrepRequest, deadline: float) -> Generator[Found, None, None]:
    """Files with a match, and the numbers (from 0) of the matching lines."""
    if request.is_regex:
        left = max(0.0, deadline - time.monotonic())
        found = matching_lines(files, request.pattern, ignore_case=not request.case_sensitive, seconds=left)
        yield from (file for file in found if file[2])
        return
    holding = _sensitive if request.case_sensitive else _insensitive
    for key, data in files:
        if numbers := holding(data, request.pattern):
            yield key, data, numbers


def _sensitive(data: bytes, pattern: str) -> list[int]:
    if encode(pattern) not in data:
        return []
    return [number for number, line in enumerate(lines(data)) if pattern in line]


def _insensitive(data: bytes, pattern: str) -> list[int]:
    wanted = pattern.casefold()
    # looking through the bytes first spares most files from being decoded
    if data.isascii() and (not wanted.isascii() or wanted.encode() not in data.lower()):
        return []
    found = lines(data)
    if not data.isascii() and wanted not in "\n".join(found).casefold():
        return []
    return [number for number, line in enumerate(found) if wanted in line.casefold()]


def _matches(key: str, document: Document, numbers: Sequence[int], context: int) -> Iterator[GrepMatch]:
    text = [readable(line) for line in lines(document.data)]
    for number in numbers:
        offset = document.lines.parse_starts[number]
        section = document.section_at(offset)
        yield GrepMatch(
            file=key,
            heading_path=section.heading_path if section else "",
            line=document.lines.line_at(offset),
            text=text[number],
            before=tuple(text[max(0, number - context) : number]),
            after=tuple(text[number + 1 : number + 1 + context]),
        )
