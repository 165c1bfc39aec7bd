"""From values to tool results: payloads as compact JSON, short hashes, and a budget that says what it left out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from mcp_types import CallToolResult, TextContent

from jupyter_kb.models import ByteRange, Hit, LineRange, Provenance, SectionContent

CHARACTERS_PER_TOKEN = 4  # the usual estimate for English text in JSON
DEFAULT_TOKENS = 1_500
SHORT_HASH = 16


def as_json(payload: Any) -> str:
    """Compact JSON."""
    return json.dumps(payload, ensure_ascii=False, separators=(",", ":"))


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
    """How many characters of JSON an answer may still take."""

    def __init__(self, tokens: int) -> None:
        self.tokens = tokens
        self.left = tokens * CHARACTERS_PER_TOKEN

    def fits(self, value: Any) -> bool:
        """Whether a value would still fit."""
        return len(as_json(value)) < self.left

    def take(self, value: Any) -> bool:
        """Count a value in; False, and nothing counted, where it does not fit."""
        size = len(as_json(value)) + 1
        if size > self.left:
            return False
        self.left -= size
        return True

    def take_list(self, values: list[Any]) -> list[Any]:
        """The values from the front that fit."""
        kept = []
        for value in values:
            if not self.take(value):
                break
            kept.append(value)
        return kept
