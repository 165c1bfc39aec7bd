"""From values to tool results: payloads as compact JSON, short hashes, and a budget that says what it left out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from mcp_types import CallToolResult, TextContent

from jupyter_kb.models import ByteRange, Hit, LineRange, Provenance, SectionContent

CHARACTERS_PER_TOKEN = 4  # the usual estimate for English text in JSON
DEFAULT_TOKENS = 1_500
MOST_TOKENS = 60_000
SHORT_HASH = 16

LARGEST = 256 * 1024
"""Bytes of one answer, written as JSON in plain ASCII. A tool's goes out twice, and clients refuse a megabyte."""
_HEAD = 200  # bytes around the lists of an answer
_REST = 8_000  # bytes of an answer that no budget counts


def as_json(payload: Any) -> str:
    """Compact JSON."""
    return json.dumps(payload, ensure_ascii=False, separators=(",", ":"))


def weight(payload: Any) -> int:
    """How many bytes a payload has at most, however it is written as JSON."""
    return len(json.dumps(payload, separators=(",", ":")))


def clean(value: Any) -> Any:
    """The same value with undecodable bytes (lone surrogates) shown as U+FFFD, since JSON cannot carry them."""
    if isinstance(value, str):
        if value.isascii():
            return value
        try:
            value.encode()
        except UnicodeEncodeError:
            return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return value
    if isinstance(value, Mapping):
        return {clean(key): clean(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [clean(item) for item in value]
    return value


def result(payload: Mapping[str, Any], *, failed: bool = False) -> CallToolResult:
    """A tool result: the payload as structured content, and the same as JSON in one text block."""
    content = clean(payload)
    return CallToolResult(
        content=[TextContent(type="text", text=as_json(content))], structured_content=content, is_error=failed
    )


def without_empty(**values: Any) -> dict[str, Any]:
    """A payload without the keys whose value is None, False or empty; zero stays."""
    return {
        key: value
        for key, value in values.items()
        if value is not None and value is not False and value not in ("", [], (), {})
    }


def span(range_: ByteRange | LineRange) -> dict[str, int]:
    """A range as `{start, end}`."""
    return {"start": range_.start, "end": range_.end}


def provenance(place: Provenance | SectionContent | Hit, *, digits: int = 64) -> dict[str, Any]:
    """Where a section lies, with the first `digits` digits of its hash."""
    return {
        "file": place.file,
        "heading_path": place.heading_path,
        "byte_range": span(place.byte_range),
        "line_range": span(place.line_range),
        "content_hash": place.content_hash[:digits],
    }


class Budget:
    """How many characters of JSON an answer may still take; never more than a client takes in one answer."""

    def __init__(self, tokens: int) -> None:
        self.tokens = min(tokens, MOST_TOKENS)
        self.left = self.tokens * CHARACTERS_PER_TOKEN
        self._room = LARGEST - _REST

    def fits(self, value: Any) -> bool:
        """Whether a value would still fit."""
        size, bytes_ = _sizes(value)
        return size < self.left and bytes_ < self._room

    def take(self, value: Any) -> bool:
        """Count a value in; False, and nothing counted, where it does not fit."""
        size, bytes_ = _sizes(value)
        if size + 1 > self.left or bytes_ + 1 > self._room:
            return False
        self.left -= size + 1
        self._room -= bytes_ + 1
        return True

    def take_list(self, values: list[Any]) -> list[Any]:
        """The values from the front that fit."""
        kept = []
        for value in values:
            if not self.take(value):
                break
            kept.append(value)
        return kept


def _sizes(value: Any) -> tuple[int, int]:
    """A value's characters, and its bytes at most."""
    text = as_json(value)
    return len(text), len(text) if text.isascii() else weight(value)


def fitted(payload: dict[str, Any], *lists: str) -> dict[str, Any]:
    """The payload, with its lists cut from the end to what one answer holds; `left_out` counts what was cut.

    Items with `children` lose those first.
    """
    if weight(payload) <= LARGEST:
        return payload
    room, cut = LARGEST - weight({key: value for key, value in payload.items() if key not in lists}) - _HEAD, 0
    kept = dict(payload)
    for key in lists:
        kept[key] = []
        for item in payload[key]:
            item, left = _pruned(item, room) if isinstance(item, dict) and "children" in item else (item, 0)
            size = weight(item) + 1
            if size > room:
                cut += _count(item) + left
                room = 0  # what follows is left out too: a list without gaps
                continue
            room = 0 if left else room - size
            cut += left
            kept[key].append(item)
    return kept | {"left_out": cut}


def _pruned(node: dict[str, Any], room: int) -> tuple[dict[str, Any], int]:
    """A node with the children, from the first on, that the room holds, and how many are missing."""
    shown = node | {"children": []}
    room -= weight(shown)
    missing = 0
    for child in node["children"]:
        kept, left = _pruned(child, room)
        size = weight(kept) + 1
        if size > room:
            missing += _count(child)
            room = 0
            continue
        room = 0 if left else room - size
        missing += left
        shown["children"].append(kept)
    return shown, missing


def _count(item: Any) -> int:
    return 1 + sum(map(_count, item.get("children", ()))) if isinstance(item, dict) else 1
