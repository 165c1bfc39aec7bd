"""Notes as values: outlines, folders, and the exact bytes of a section."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from jupyter_kb.models.places import ByteRange, Diagnostic, LineRange


@dataclass(frozen=True, kw_only=True)
class OutlineNode:
    """A section in an outline. `size` is the byte length of the whole subtree."""

    heading: str
    level: int
    heading_path: str
    line_range: LineRange
    size: int
    content_hash: str
    own_hash: str
    children: tuple[OutlineNode, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Outline:
    """The heading tree of one note as it is on disk now.

    `version` is the file's git blob id, `modified` its mtime in seconds since 1970.
    """

    file: str
    title: str
    version: str
    sections: tuple[OutlineNode, ...]
    front_matter: dict[str, Any] | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    modified: float | None = None


@dataclass(frozen=True, kw_only=True)
class FolderNode:
    """A folder of the vault. `notes` lie in it directly, `notes_below` in the folders under it, without its own.

    `files` are the keys of the notes in it.
    """

    name: str
    path: str
    notes: int
    notes_below: int
    folders: tuple[FolderNode, ...] = ()
    files: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class SectionRef:
    """How a request names a section: by heading path (string or list of headings) or by line.

    With neither, the whole note is meant. `exact` takes the structural rules (whole path, first match wins);
    otherwise a unique suffix is accepted and ambiguity is an error that lists the candidates.
    """

    file: str
    heading_path: str | tuple[str, ...] | None = None
    line: int | None = None
    exact: bool = False


@dataclass(frozen=True, kw_only=True)
class SectionContent:
    """The exact bytes of one section, as text.

    `content` decodes UTF-8 with surrogateescape: encoding it back the same way gives the file's bytes.
    `content_hash` is BLAKE3-256 of exactly `byte_range`; `children` tells whether sub-sections are in it.
    `same_heading_at_lines`: where siblings with the same heading begin. `modified`: the file's mtime in seconds since
    1970.
    """

    file: str
    heading: str
    heading_path: str
    level: int
    content: str
    byte_range: ByteRange
    line_range: LineRange
    content_hash: str
    version: str
    children: bool = True
    same_heading_at_lines: tuple[int, ...] = ()
    modified: float | None = None


@dataclass(frozen=True, kw_only=True)
class NoteInfo:
    """A note in a list. `modified`: its mtime in seconds since 1970; `size` in bytes."""

    file: str
    title: str
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    size: int = 0
    modified: float = 0.0


@dataclass(frozen=True, kw_only=True)
class NotePage:
    """A window on a list of notes; `total` counts all of them."""

    notes: tuple[NoteInfo, ...]
    total: int


@dataclass(frozen=True, kw_only=True)
class Rendered:
    """Markdown as HTML that can be shown as it is: no scripts, no handlers, no raw HTML of the note's.

    Resolved wikilinks are `<a class="kb-link" data-kb-file data-kb-heading href="#">`, others
    `<a class="kb-link kb-missing" data-kb-target>`.
    """

    html: str
