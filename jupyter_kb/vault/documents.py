"""Notes that are open in a shared editor: what its text stands for in bytes, and what a change of it touches.

Such an editor holds text, with all line ends as a line feed, and saves it a while after the last key was pressed. Until
then its text is the note, and the file is what the note was.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from difflib import SequenceMatcher
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from jupyter_kb.errors import InvalidBodyError, WriteFailedError
from jupyter_kb.vault.paths import shown

if TYPE_CHECKING:
    from jupyter_kb.vault.vault import Vault

_MOST_COMPARED = 4_000_000
"""Pairs of lines; beyond that a change counts as one, from its first to its last difference."""


class OpenDocument(Protocol):
    """A note in an editor. While it is held, the editor neither saves it nor reads its file anew; typing goes on."""

    def text(self) -> str:
        """What it held when it was opened, with all that was typed and not saved yet."""

    def put(self, old: str, new: str) -> bool:
        """Change the text from `old` to `new` where they differ; False, and nothing happens, if it is not `old` now.

        Raises
        ------
        WriteFailedError : no answer; nothing happened.
        """

    def saved(self, text: str) -> None:
        """The file holds this text by now. Never raises."""


class OpenDocuments(Protocol):
    """The editors of a server. Safe to use from several threads, but not from the one on which the editors live."""

    def opened(self, path: Path, *, timeout: float) -> AbstractContextManager[OpenDocument | None]:
        """Hold the document that is open for the file at `path` (absolute, free of links); None where there is none.

        Raises
        ------
        WriteFailedError : it did not answer within `timeout` seconds, or is open in a way that allows no edit.
        """


@contextmanager
def opened(vault: Vault, path: Path) -> Iterator[OpenDocument | None]:
    """The document that is open for a note, held; raises as `OpenDocuments.opened`."""
    if vault.documents is None:
        yield None
        return
    with vault.documents.opened(path, timeout=vault.settings.lock_timeout) as document:
        yield document


def read_now(vault: Vault, file: str, *, suggest: bool = True) -> bytes:
    """The note as an edit finds it: what is open in an editor, else the file; `suggest` as in `Vault.read`.

    Raises
    ------
    WriteFailedError : the editor does not answer. All that `Vault.read` raises.
    """
    data = vault.read(file, suggest=suggest)
    if vault.documents is None:
        return data
    key = vault.resolve(file)
    with opened(vault, vault.path(key)) as document:
        # once more: what was saved in between is in the file now, and no longer newer than it
        return data if document is None else as_bytes(document.text(), vault.read(file), key)


# ── text and bytes ──────────────────────────────────────────────────────────────────────────────


def as_text(data: bytes) -> str:
    """What an editor holds for these bytes. Raises UnicodeDecodeError: it cannot."""
    return data.decode("utf-8").replace("\r\n", "\n")


def as_bytes(text: str, disk: bytes, key: str) -> bytes:
    """The note that an editor's text stands for: lines that the file has too keep its line ends.

    Raises
    ------
    WriteFailedError : the file holds bytes that an editor cannot.
    """
    try:
        before = as_text(disk)
    except UnicodeDecodeError:
        raise WriteFailedError(
            f"file '{shown(key)}' is not UTF-8 and is open in an editor, which cannot hold it",
            hint="close the document in JupyterLab, then send the same request again",
        ) from None
    if before == text:
        return disk
    if b"\r\n" not in disk:
        return text.encode()
    return _with_line_ends(text.encode(), disk)


def text_to_put(data: bytes, key: str) -> str:
    """As `as_text`, for what an edit is about to write.

    Raises
    ------
    InvalidBodyError : an editor cannot hold it.
    """
    try:
        return as_text(data)
    except UnicodeDecodeError:
        raise InvalidBodyError(
            f"file '{shown(key)}' is open in an editor, which cannot hold text that is not UTF-8",
            hint="leave out what is not UTF-8, or close the document in JupyterLab",
        ) from None


def _with_line_ends(text: bytes, disk: bytes) -> bytes:
    old = disk.split(b"\n")
    plain = [line.removesuffix(b"\r") for line in old[:-1]] + old[-1:]
    ends = [b"\r\n" if line.endswith(b"\r") else b"\n" for line in old[:-1]] + [b""]
    usual = max((b"\r\n", b"\n"), key=ends.count)
    new = text.split(b"\n")
    given = [usual] * (len(new) - 1) + [b""]
    for mine, theirs, size in SequenceMatcher(None, plain, new, autojunk=False).get_matching_blocks():
        for step in range(size):
            if ends[mine + step] and given[theirs + step]:
                given[theirs + step] = ends[mine + step]
    return b"".join(line + end for line, end in zip(new, given, strict=True))


# ── differences ─────────────────────────────────────────────────────────────────────────────────


class Replacement(NamedTuple):
    """One difference: bytes `start` to `end` of the old text in UTF-8 become `text`."""

    start: int
    end: int
    text: str


def replacements(old: str, new: str) -> list[Replacement]:
    """What makes one text of another, in order; what is equal stays, so that cursors and selections in it do too."""
    first, last = _alike(old, new)
    middle, wanted = old[first : len(old) - last], new[first : len(new) - last]
    mine, theirs = middle.splitlines(keepends=True), wanted.splitlines(keepends=True)
    if not mine or not theirs or len(mine) * len(theirs) > _MOST_COMPARED:
        blocks = [(0, len(mine), 0, len(theirs))]
    else:
        codes = SequenceMatcher(None, mine, theirs, autojunk=False).get_opcodes()
        blocks = [tuple(code[1:]) for code in codes if code[0] != "equal"]  # type: ignore[misc]
    found = []
    line, place = 0, len(old[:first].encode())
    for begin, end, wanted_begin, wanted_end in blocks:
        place += len("".join(mine[line:begin]).encode())
        before, after = "".join(mine[begin:end]), "".join(theirs[wanted_begin:wanted_end])
        head, tail = _alike(before, after)
        start = place + len(before[:head].encode())
        gone = before[head : len(before) - tail]
        if gone or after[head : len(after) - tail]:
            found.append(Replacement(start, start + len(gone.encode()), after[head : len(after) - tail]))
        line, place = end, place + len(before.encode())
    return found


def _alike(old: str, new: str) -> tuple[int, int]:
    """How many characters at the beginning, and behind those at the end, are the same."""
    shorter = min(len(old), len(new))
    head = bisect_left(range(1, shorter + 1), True, key=lambda size: old[:size] != new[:size])
    rest = shorter - head
    tail = bisect_left(range(1, rest + 1), True, key=lambda size: old[len(old) - size :] != new[len(new) - size :])
    return head, tail
