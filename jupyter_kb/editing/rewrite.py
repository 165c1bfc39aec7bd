"""A section's whole text as an editor has it, heading line included, or a whole note: put in its place as it is.

Unlike `replace`, which normalises line ends and keeps the gap under the heading, not a byte of the new text is changed.
"""

from __future__ import annotations

from blake3 import blake3

from jupyter_kb.editing.guard import SHORTEST_HASH, guarded_part
from jupyter_kb.editing.reach import reach
from jupyter_kb.editing.verify import verify
from jupyter_kb.errors import ConflictError, InvalidBodyError
from jupyter_kb.markdown import splice
from jupyter_kb.markdown.document import Document, Section, parse
from jupyter_kb.markdown.lines import decode
from jupyter_kb.models import SectionEdit
from jupyter_kb.vault.paths import shown


def rewritten_note(before: Document, edit: SectionEdit) -> Document:
    """The note with another text altogether.

    Raises
    ------
    ConflictError : the hash is not that of the whole file; `details` has today's hash and text.
    """
    current = blake3(before.data).hexdigest()
    if len(edit.expected_hash) < SHORTEST_HASH or not current.startswith(edit.expected_hash):
        raise ConflictError(
            f"note '{shown(edit.section.file)}' changed since it was read: expected hash {shown(edit.expected_hash)},"
            f" current hash {current}",
            hint="look at current_content; if the change still makes sense, repeat it with current_hash",
            current_hash=current,
            current_content=decode(before.data),
            current_version=before.version,
        )
    return parse(edit.body.encode("utf-8", "surrogateescape"))


def rewritten_section(before: Document, section: Section, edit: SectionEdit, name: str) -> tuple[Document, Section]:
    """The note with another text for a section, and that section: its heading and level may be others.

    White space at the end of the new text is dropped, since no section ends in any. Without text a section above the
    first heading is deleted.

    Raises
    ------
    ConflictError : the hash is neither that of the section nor that of its own text.
    InvalidBodyError : the new text does not begin with a heading, or would end this section before its end.
    UnverifiedEditError : it would change another section.
    """
    own = guarded_part(before, section, edit, name)
    end = section.own_end if own else section.end
    body = edit.body.rstrip().encode("utf-8", "surrogateescape")
    alone = parse(b"\n" + body)  # the line end keeps a leading `---` from being read as front matter
    _check(alone, section, name)
    if not section.level and not body:
        data = splice.delete_section(before, section)
        after = parse(data)
        limits = reach(before, section, "delete", own=own)
        verify(before, after, limits, operation="delete", level=0, body=None, name=name)
        return after, after.sections[0] if after.sections else section
    after = parse(before.data[: section.start] + body + before.data[end:])
    if after.data == before.data:
        return before, section
    level = alone.sections[0].level if alone.sections else 0
    limits = reach(before, section, "rewrite", own=own)
    verify(before, after, limits, operation="rewrite", level=level, body=alone, name=name)
    return after, after.sections[section.ordinal]


def _check(alone: Document, section: Section, name: str) -> None:
    levels = [found.level for found in alone.sections]
    if not section.level:
        if any(levels):
            raise InvalidBodyError(
                f"the new text contains heading '{next(s.heading for s in alone.sections if s.level)}', but the text"
                " before the first heading can hold none",
                hint="insert_after and insert_child add sections",
            )
        return
    if not levels or not levels[0]:
        raise InvalidBodyError(
            f"the new text of section '{name}' does not begin with a heading",
            hint="begin with the heading line, or delete the section",
        )
    escaping = next((found for found in alone.sections[1:] if found.level <= levels[0]), None)
    if escaping is not None:
        raise InvalidBodyError(
            f"new text contains heading '{escaping.heading}' at level {escaping.level}, which would end section"
            f" '{name}' at level {levels[0]}; use headings deeper than level {levels[0]}",
            level=escaping.level,
        )
