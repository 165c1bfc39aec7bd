"""Where something is: byte and line ranges, provenance, diagnostics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, kw_only=True)
class ByteRange:
    """Half-open range of offsets in the file as stored."""

    start: int
    end: int


@dataclass(frozen=True, kw_only=True)
class LineRange:
    """Lines from 1, both ends included; `end` holds the last byte of the range."""

    start: int
    end: int


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """Where a section's bytes lie, and the hash that an edit of them must name."""

    file: str
    heading_path: str
    byte_range: ByteRange
    line_range: LineRange
    content_hash: str


DiagnosticKind = Literal[
    "unreadable-file",
    "file-too-large",
    "invalid-utf8",
    "front-matter",
    "unclosed-front-matter",
    "too-many-headings",
    "unresolved-link",
    "ambiguous-link",
    "duplicate-alias",
    "ignore-pattern",
    "embedding-failed",
]


@dataclass(frozen=True, kw_only=True)
class Diagnostic:
    """Something in the vault that wants a person's attention; indexing went on.

    `line` counts from 1, None where the whole file is meant. `hint` says what to do.
    """

    file: str
    kind: DiagnosticKind
    message: str
    line: int | None = None
    hint: str | None = None
