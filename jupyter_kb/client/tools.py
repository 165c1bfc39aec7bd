"""Reading a vault as plain functions, for programs that collect functions as tools (jupyter-ai). Nothing here writes.

Such a program may offer its tools to whoever reaches its port, and may call them on its event loop: so they only read,
and each does its work on a thread. The server that has the vaults is found as a kernel finds it.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Literal

from jupyter_kb.client.connect import connect
from jupyter_kb.errors import ServerUnreachableError
from jupyter_kb.models import Filters, GrepRequest, OutlineNode, SearchRequest, SectionRef

if TYPE_CHECKING:
    from jupyter_kb.operations import Operations

Answer = dict[str, Any]

TOOLS = [
    f"{__name__}:{name}" for name in ("search_notes", "grep_notes", "outline_note", "read_section", "links_of_note")
]
"""What the entry point group `jupyter_server_mcp.tools` is given: `module:function`."""

_DIGITS = 16
_MOST = 50
_threads = ThreadPoolExecutor(4, thread_name_prefix="kb-tools")
_lock = threading.Lock()
_connected: Operations | None = None


async def search_notes(
    query: str,
    mode: Literal["hybrid", "semantic", "text", "headings"] = "hybrid",
    path: str | None = None,
    limit: int = 5,
) -> Answer:
    """Find sections of the user's notes by meaning and words. Begin here, with a question in your own words.

    Each result has the best passage of a section; pass its file and heading_path on to read_section for the whole text.
    path: only notes under this path, a glob or a part of it.
    """
    request = SearchRequest(query=query, mode=mode, filters=Filters(path=path), limit=_within(limit), per_file=2)

    def search(vault: Operations) -> Answer:
        found = vault.search(request, wait=10.0)
        results = [{"file": hit.file, "heading_path": hit.heading_path, "text": hit.text} for hit in found.hits]
        return {"results": results, "has_more": found.has_more} | ({"note": found.note} if found.note else {})

    return await _ask(search)


async def grep_notes(pattern: str, is_regex: bool = False, path: str | None = None, limit: int = 50) -> Answer:
    """Find exact characters, or a Python regular expression, in the user's notes as they are on disk now.

    Each match has its line and the section that holds it.
    """
    request = GrepRequest(pattern=pattern, is_regex=is_regex, filters=Filters(path=path), limit=_within(limit))

    def grep(vault: Operations) -> Answer:
        found = vault.grep(request)
        matches = [
            {"file": match.file, "heading_path": match.heading_path, "line": match.line, "text": match.text[:300]}
            for match in found.matches
        ]
        return {"matches": matches, "total": found.total}

    return await _ask(grep)


async def outline_note(file: str | None = None) -> Answer:
    """The headings of one of the user's notes as a tree; without a file the folders and notes that there are."""

    def outline(vault: Operations) -> Answer:
        if file is None:
            tree = vault.tree()
            folders = [folder.path for folder in tree.folders]
            return {"folders": folders, "files": list(tree.files), "notes": tree.notes + tree.notes_below}
        found = vault.outline(vault.find_note(file))
        return {"file": found.file, "title": found.title, "sections": [_node(section) for section in found.sections]}

    return await _ask(outline)


async def read_section(file: str, heading_path: str | None = None) -> Answer:
    """The exact text of one section of the user's notes; without a heading path the whole note."""

    def read(vault: Operations) -> Answer:
        found = vault.get_section(SectionRef(file=vault.find_note(file), heading_path=heading_path or None))
        return {
            "file": found.file,
            "heading_path": found.heading_path,
            "content": found.content,
            "content_hash": found.content_hash[:_DIGITS],
        }

    return await _ask(read)


async def links_of_note(file: str, direction: Literal["in", "out", "both"] = "both") -> Answer:
    """The links to and from one of the user's notes, with what each of them means."""

    def read(vault: Operations) -> Answer:
        page = vault.links(vault.find_note(file), direction=direction, limit=_MOST, wait=10.0)
        rows = [
            {
                "from": link.source.file,
                "line": link.line,
                "to": link.target.file if link.target else None,
                "target": link.raw_target,
                "status": link.status,
            }
            for link in page.links
        ]
        return {"links": rows, "total": page.total}

    return await _ask(read)


def _within(limit: int) -> int:
    return max(1, min(limit, _MOST))


def _node(section: OutlineNode) -> Answer:
    children = [_node(child) for child in section.children]
    node = {"heading_path": section.heading_path, "line": section.line_range.start}
    return node | ({"children": children} if children else {})


async def _ask(use: Callable[[Operations], Answer]) -> Answer:
    answer = await asyncio.get_running_loop().run_in_executor(_threads, _asked, use)
    readable: Answer = _readable(answer)
    return readable


def _readable(value: Any) -> Any:
    """The same with bytes of notes that are no UTF-8 (lone surrogates) shown as question marks: no JSON holds them."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {key: _readable(item) for key, item in value.items()}
    return [_readable(item) for item in value] if isinstance(value, list) else value


def _asked(use: Callable[[Operations], Answer]) -> Answer:
    """Ask the vault, found once; found anew where its server is gone."""
    global _connected
    vault = _connected
    if vault is not None:
        try:
            return use(vault)
        except ServerUnreachableError:
            pass
    with _lock:
        if _connected is vault:
            _connected = connect()
        vault = _connected
    assert vault is not None
    return use(vault)
