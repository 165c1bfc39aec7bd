"""Filters that are written into a query: `in:FOLDER` and `tag:TAG`, with `-` before them for what is left out.

    in:papers  in:"lab notes"     notes in this folder or below; of several any
    tag:todo                      notes with this tag or one nested in it; of several all
    -in:archive  -tag:draft       none of those

They stand at the beginning of a word. An operator without a value, and one between quotation marks, is text as before.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from jupyter_kb.search.filters import MOST_TAGS
from jupyter_kb.search.globs import MOST_FOLDERS

if TYPE_CHECKING:
    from jupyter_kb.models import SearchRequest

_ITEM = re.compile(
    r'(?P<sign>-?)(?P<name>in|tag):(?:"(?P<quoted>[^"]*)"|(?P<plain>[^\s"]+))(?=\s|$)'  # an operator
    r'|[+-]?"[^"]*"|\S+'  # a phrase, a word
)
_NAMED = re.compile(r"[^\W_]")


def narrowed(request: SearchRequest) -> SearchRequest:
    """The request with the operators of its query among its filters, and a query without them."""
    filters = request.filters
    folders, tags = list(filters.folders), list(filters.tags)
    left: list[str] = []
    at = 0
    for item in _ITEM.finditer(request.query):
        value = (item["quoted"] or item["plain"] or "").strip().rstrip("/")
        there, most = (tags, MOST_TAGS) if item["name"] == "tag" else (folders, MOST_FOLDERS)
        if item["name"] and _NAMED.search(value) and len(there) < most:
            there.append("!" * bool(item["sign"]) + value)
            left.append(request.query[at : item.start()])
            at = item.end()
    if not at:
        return request
    query = " ".join(part.strip() for part in (*left, request.query[at:]) if part.strip())
    return replace(request, query=query, filters=replace(filters, folders=tuple(folders), tags=tuple(tags)))
