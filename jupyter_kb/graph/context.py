"""The words around a link, from the note as it is on disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jupyter_kb.errors import KBError

if TYPE_CHECKING:
    from jupyter_kb.vault.vault import Vault

LENGTH = 200
"""Characters of a context at most."""


class Contexts:
    """Reads each note once. Made for one answer and thrown away."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._data: dict[str, bytes] = {}

    def around(self, file: str, start: int, end: int) -> str:
        """The line that holds the bytes from `start` to `end`, cut to the length around them (`…` where it was cut).

        Empty for a note that cannot be read any more.
        """
        data = self._data.get(file)
        if data is None:
            try:
                data = self._vault.read(file, suggest=False)
            except KBError:
                data = b""
            self._data[file] = data
        line_start = max(data.rfind(b"\n", 0, start), data.rfind(b"\r", 0, start)) + 1
        ends = [at for at in (data.find(b"\n", end), data.find(b"\r", end)) if at >= 0]
        line_end = min(ends, default=len(data))
        before = data[line_start:start].decode("utf-8", "replace").lstrip()
        link = data[start:end].decode("utf-8", "replace")
        after = data[end:line_end].decode("utf-8", "replace").rstrip()
        return _cut(before, link, after)


def _cut(before: str, link: str, after: str) -> str:
    room = LENGTH - len(link)
    if len(before) + len(after) <= room:
        return before + link + after
    if room < 2:
        return link[: LENGTH - 1] + "…"
    left = min(len(before), max(room // 2, room - len(after)))
    right = room - left
    if left < len(before):
        before = "…" + before[len(before) - left + 1 :]
    if right < len(after):
        after = after[: right - 1] + "…"
    return before + link + after
