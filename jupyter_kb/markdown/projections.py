"""A parsed note as the values that doors show: its outline, and the exact content of one section."""

from __future__ import annotations

from blake3 import blake3

from jupyter_kb.markdown.document import Document, Section
from jupyter_kb.markdown.lines import decode
from jupyter_kb.models import (
    ByteRange,
    Diagnostic,
    LineRange,
    Outline,
    OutlineNode,
    SectionContent,
    SectionRef,
)


def outline(file: str, document: Document, *, modified: float | None = None) -> Outline:
    """The heading tree of a note. `file` is its key in the vault, `modified` its mtime."""
    stem = file.rpartition("/")[2].rpartition(".")[0]
    return Outline(
        file=file,
        title=document.title(stem),
        version=document.version,
        sections=outline_nodes(document),
        front_matter=dict(document.front_matter.values) if document.front_matter else None,
        diagnostics=tuple(
            Diagnostic(file=file, kind=kind, message=message, line=line, hint=hint)
            for kind, message, line, hint in document.diagnostics
        ),
        modified=modified,
    )


def outline_nodes(document: Document) -> tuple[OutlineNode, ...]:
    """The sections as nested values, in document order."""

    def node(section: Section) -> OutlineNode:
        return OutlineNode(
            heading=section.heading,
            level=section.level,
            heading_path=section.heading_path,
            line_range=section.line_range,
            size=section.byte_range.end - section.byte_range.start,
            content_hash=section.content_hash,
            own_hash=section.own_hash,
            children=tuple(node(document.sections[child]) for child in section.children),
        )

    return tuple(node(section) for section in document.sections if section.parent is None)


def content(
    file: str,
    document: Document,
    ref: SectionRef,
    *,
    children: bool = True,
    levels_up: int = 0,
    modified: float | None = None,
) -> SectionContent:
    """The section that `ref` names, as text that encodes back to the file's bytes.

    `children=False` gives the section's own text, up to its first sub-heading. `levels_up` takes that many steps
    towards the root, stopping at the topmost section. A reference with neither heading path nor line gives the whole
    file.

    Raises
    ------
    SectionNotFoundError, AmbiguousSectionError
    """
    if ref.heading_path is None and ref.line is None:
        return _whole_file(file, document, modified)
    section = document.locate(ref)
    for _ in range(levels_up):
        if section.parent is None:
            break
        section = document.sections[section.parent]
    byte_range = section.byte_range if children else section.own_range
    return SectionContent(
        file=file,
        heading=section.heading,
        heading_path=section.heading_path,
        level=section.level,
        content=decode(document.data[byte_range.start : byte_range.end]),
        byte_range=byte_range,
        line_range=section.line_range if children else section.own_line_range,
        content_hash=section.content_hash if children else section.own_hash,
        version=document.version,
        children=children and bool(section.children),
        same_heading_at_lines=tuple(
            other.line
            for other in document.sections
            if (other.parent, other.heading) == (section.parent, section.heading) and other is not section
        ),
        modified=modified,
    )


def _whole_file(file: str, document: Document, modified: float | None) -> SectionContent:
    data = document.data
    return SectionContent(
        file=file,
        heading="",
        heading_path="",
        level=0,
        content=decode(data),
        byte_range=ByteRange(start=0, end=len(data)),
        line_range=LineRange(start=1, end=max(1, data.count(b"\n") + (not data.endswith(b"\n")))),
        content_hash=blake3(data).hexdigest(),
        version=document.version,
        children=bool(document.sections),
        modified=modified,
    )
