"""What one kernel remembers: the vault in use, and which text of each section was shown last."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote
from uuid import uuid4

from jupyter_kb.errors import VaultNotFoundError
from jupyter_kb.magics.grammar import unknown

if TYPE_CHECKING:
    from jupyter_kb.models import OutlineNode, SectionContent, VaultInfo
    from jupyter_kb.operations import Operations

Connect = Callable[[str | None], "Operations"]
"""The vault at a path; without one, that of the working folder or the server's default."""


@dataclass(frozen=True, kw_only=True)
class Read:
    """What was shown of a section: its hash, and its text unless it was part of a larger one."""

    content_hash: str
    text: str | None = None


class Session:
    """The way from a kernel to a vault; connects when first needed. Safe to use from several threads."""

    def __init__(self, connect: Connect | None = None, list_vaults: Callable[[], Sequence[VaultInfo]] | None = None):
        self._connect = connect or _connect
        self._list_vaults = list_vaults or _list_vaults
        self._kb: Operations | None = None
        self._path: str | None = None  # the vault that was chosen, if any
        self._root: str | None = None
        self._reads: dict[tuple[str, str, str], Read] = {}
        self._connecting = threading.Lock()
        self.reader = uuid4().hex
        """Names this kernel where a vault reports what changed."""

    @property
    def kb(self) -> Operations:
        """The vault in use.

        Raises
        ------
        KBError : no vault can be reached.
        """
        with self._connecting:
            if self._kb is None:
                self._kb = self._begin(self._connect(self._path))
            return self._kb

    @property
    def root(self) -> str:
        """The folder of the vault in use."""
        if self._root is None:
            self._root = self.kb.status().root
        return self._root

    def close(self) -> None:
        """Let go of the vault; the next command connects to it anew."""
        with self._connecting:
            kb, self._kb, self._root = self._kb, None, None
        close = getattr(kb, "close", None)
        if callable(close):
            close()

    def _begin(self, kb: Operations) -> Operations:
        kb.reindex(reader=self.reader, fresh=False)  # the account of what changes begins here
        return kb

    # ── vaults ──────────────────────────────────────────────────────────────────────────────────

    def vaults(self) -> tuple[VaultInfo, ...]:
        """Those of the server; without one, the vault in use."""
        from jupyter_kb.models import VaultInfo

        known = tuple(self._list_vaults())
        if any(vault.root == self.root for vault in known):
            return known
        return (*known, VaultInfo(name=self.kb.status().vault, root=self.root, ready=True))

    def use(self, vault: str) -> None:
        """From now on work with a vault of the server, by its name, or with the one at a path.

        Raises
        ------
        VaultNotFoundError : neither; with the name that was probably meant.
        """
        known = {info.name: info.root for info in self._list_vaults()}
        path = known.get(vault) or os.path.abspath(os.path.expanduser(vault))
        if vault not in known and not os.path.isdir(path):
            hint = unknown("vault", vault, list(known)).hint if known else "name a vault of the server, or a folder"
            raise VaultNotFoundError(f"there is no vault or folder '{vault}'", hint=hint)
        kb = self._begin(self._connect(path))
        self.close()
        with self._connecting:
            self._kb, self._path = kb, path

    # ── what was seen ───────────────────────────────────────────────────────────────────────────

    def remember(self, content: SectionContent) -> None:
        """A section was shown, and so were all below it if they are part of the text."""
        self._note(content.file, content.heading_path, Read(content_hash=content.content_hash, text=content.content))
        if not content.children:
            return
        outline = self.kb.outline(content.file)
        if outline.version == content.version:  # otherwise it tells of another text than the one that was shown
            shown = content.line_range
            for node in _flat(outline.sections):
                if node.heading_path != content.heading_path and (
                    shown.start <= node.line_range.start and node.line_range.end <= shown.end
                ):
                    self._note(content.file, node.heading_path, Read(content_hash=node.content_hash))

    def replace(self, file: str, heading_path: str, content_hash: str | None) -> None:
        """A section was written here, and has this hash now; None where it has to be looked at again.

        What holds the section, and what it holds, changed with it: those texts are not known any more.
        """
        around = [
            key
            for key in self._reads
            if key[:2] == (self.root, file) and (_below(key[2], heading_path) or _below(heading_path, key[2]))
        ]
        for key in around:
            del self._reads[key]
        if content_hash is not None:
            self._note(file, heading_path, Read(content_hash=content_hash))

    def seen(self, file: str, heading_path: str) -> Read | None:
        """What was shown of a section last, if anything."""
        return self._reads.get((self.root, file, heading_path))

    def _note(self, file: str, heading_path: str, read: Read) -> None:
        self._reads[self.root, file, heading_path] = read

    # ── addresses ───────────────────────────────────────────────────────────────────────────────

    def address(self, file: str) -> str | None:
        """A relative link to a note, for a front end that opens files; None where the notebook lies elsewhere.

        Only where one of the two folders holds the other: a link must not climb out of what the server shows.
        """
        here, root = Path.cwd(), Path(self.root)
        if not (here.is_relative_to(root) or root.is_relative_to(here)):
            return None
        path = os.path.relpath(root.joinpath(file), here).replace(os.sep, "/")
        try:
            return "./" + quote(path)  # never a scheme: `javascript:x.md` is a possible name
        except UnicodeEncodeError:
            return None


def _below(path: str, above: str) -> bool:
    """Whether a heading path lies in another one; the empty one is that of the whole note."""
    return path == above or path.startswith(f"{above} > " if above else "")


def _flat(nodes: Sequence[OutlineNode]) -> Iterator[OutlineNode]:
    for node in nodes:
        yield node
        yield from _flat(node.children)


def _connect(path: str | None) -> Operations:
    # By name: what a kernel imports must not reach the rooms that `jupyter_kb` opens for other processes.
    connect: Any = import_module("jupyter_kb").connect
    found: Operations = connect(path)
    return found


def _list_vaults() -> Sequence[VaultInfo]:
    """Those of the server that this kernel or folder belongs to; none where there is no such server."""
    from jupyter_kb import discovery
    from jupyter_kb.client import Client
    from jupyter_kb.errors import KBError

    for server in discovery.servers():
        try:
            with Client(server.url, server.token) as client:
                return client.vaults()
        except KBError:
            continue
    return ()
