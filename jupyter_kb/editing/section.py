"""Guarded edits of one section: read from disk, locate, compare hashes, splice, parse again and verify, write.

Order of the checks, first failing wins: the form of the path; reading; finding the section; (structural rules) the
preamble; the hash; headings in the new text; everything outside unchanged; writing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from blake3 import blake3

from jupyter_kb.editing.diff import unified_diff
from jupyter_kb.editing.guard import check_body, check_equal_siblings, check_request, guarded_part
from jupyter_kb.editing.joints import kept_apart, loosened
from jupyter_kb.editing.moving import plan_move
from jupyter_kb.editing.reach import INSERTS, reach
from jupyter_kb.editing.rewrite import rewritten_note, rewritten_section
from jupyter_kb.editing.verify import verify, verify_skeleton
from jupyter_kb.errors import (
    ConflictError,
    InvalidRequestError,
    KBError,
    ReadOnlyError,
    SectionNotFoundError,
    UnverifiedEditError,
)
from jupyter_kb.markdown import splice
from jupyter_kb.markdown.document import Document, Section, parse
from jupyter_kb.markdown.projections import outline_nodes
from jupyter_kb.markdown.sections import SEPARATOR
from jupyter_kb.models import EditResult, Operation, ResolvedLink, SectionEdit
from jupyter_kb.vault.documents import read_now
from jupyter_kb.vault.paths import shown
from jupyter_kb.vault.vault import Vault
from jupyter_kb.vault.write import guarded_write


@dataclass(frozen=True, kw_only=True)
class SectionOutcome:
    """What an edit did, or with `dry_run` would do.

    `before` and `after` are the whole note; `section` is the edited or new section in `after`, None after a deletion.
    `changed` lists the heading paths in `after` whose content hash is new, ancestors included, in document order.
    `diff` is unified, on text decoded with surrogateescape. `written`: the file on disk holds `after`. `places`, of
    renaming and moving: the ordinal in `after` of each section of `before`. `whole`: not a section was edited but the
    whole note.
    """

    file: str
    before: Document = field(repr=False)
    after: Document = field(repr=False)
    section: Section | None
    changed: tuple[str, ...]
    diff: str
    written: bool
    places: tuple[int, ...] | None = None
    whole: bool = False

    @property
    def gone(self) -> tuple[str, ...]:
        """Heading paths that the edit took away, in document order."""
        left = {section.heading_path for section in self.after.sections}
        return tuple(section.heading_path for section in self.before.sections if section.heading_path not in left)

    @property
    def removed(self) -> tuple[str, ...]:
        """The same without those below another one."""
        gone = self.gone
        return tuple(path for path in gone if not any(path.startswith(above + SEPARATOR) for above in gone))

    def result(self, broken_links: tuple[ResolvedLink, ...] = ()) -> EditResult:
        """What the caller is told; `broken_links` pointed at what is gone."""
        return EditResult(
            file=self.file,
            heading_path=self.section.heading_path if self.section else None,
            content_hash=self._content_hash(),
            version=self.after.version,
            sections=outline_nodes(self.after),
            changed=self.changed,
            diff=self.diff,
            written=self.written,
            removed=self.removed,
            broken_links=broken_links,
        )

    def _content_hash(self) -> str | None:
        if self.whole:
            return blake3(self.after.data).hexdigest()
        return self.section.content_hash if self.section else None


@dataclass(frozen=True, kw_only=True)
class _Plan:
    before: Document
    after: Document
    section: Section | None
    places: tuple[int, ...] | None = None


def edit_section(
    vault: Vault,
    edit: SectionEdit,
    *,
    announce: Callable[[str, Document, Document], None] | None = None,
    finish: Callable[[Document, Document, int], Document] | None = None,
) -> SectionOutcome:
    """Change one section under the guard of its hash. Changes elsewhere in the note, also concurrent ones, are kept.

    Nothing is written, and no lock taken, with `dry_run`; a read-only vault allows that. `announce` is called with the
    note's key, the note as it is and as it will be before each attempt to write it. `finish` gets the note before and
    after and the section's ordinal in both, and gives the note to be written instead; it may change links, no headings.

    Raises
    ------
    InvalidPathError, NoteNotFoundError, NoteUnreadableError, FileTooLargeError : the note.
    SectionNotFoundError, AmbiguousSectionError : the section.
    HashRequiredError, ConflictError : the hash; a conflict carries today's hash and text.
    InvalidRequestError, InvalidBodyError : what is to be written.
    UnverifiedEditError : the result would have changed something else.
    ReadOnlyError, WriteFailedError : the file is as it was.
    """
    key = vault.resolve(edit.section.file)
    check_request(edit)
    if vault.settings.read_only and not edit.dry_run:
        raise ReadOnlyError(f"vault '{vault.name}' is read-only", hint="dry_run shows what the edit would do")
    plans: list[_Plan] = []

    def change(data: bytes) -> bytes:
        if not plans or plans[-1].before.data != data:
            try:
                plans.append(_finished(_plan(data, edit), finish))
            except ConflictError as error:
                error.details["current_modified"] = _modified(vault, key, data)
                raise
        return plans[-1].after.data

    # Read by the name that was given: errors repeat it. Most refusals come out here, before anything is locked.
    change(read_now(vault, edit.section.file))

    def change_now(data: bytes) -> bytes:
        new = change(data)
        if announce is not None:
            announce(key, plans[-1].before, plans[-1].after)
        return new

    if not edit.dry_run:
        guarded_write(vault, key, change_now)
    plan = plans[-1]
    return SectionOutcome(
        file=key,
        before=plan.before,
        after=plan.after,
        section=plan.section,
        changed=_changed(plan.before, plan.after),
        diff=unified_diff(key, plan.before.text, plan.after.text),
        written=not edit.dry_run,
        places=plan.places,
        whole=_is_whole(edit),
    )


def _finished(plan: _Plan, finish: Callable[[Document, Document, int], Document] | None) -> _Plan:
    if finish is None or plan.section is None or plan.after is plan.before:
        return plan
    after = finish(plan.before, plan.after, plan.section.ordinal)
    return replace(plan, after=after, section=after.sections[plan.section.ordinal])


def _modified(vault: Vault, key: str, data: bytes) -> float | None:
    """The mtime of the file, in seconds since 1970, if it still holds these bytes."""
    try:
        now, modified = vault.read_dated(key, suggest=False)
    except KBError:
        return None
    return modified if now == data else None


def _plan(data: bytes, edit: SectionEdit) -> _Plan:
    """The note before and after, verified."""
    before = parse(data)
    if _is_whole(edit):
        return _Plan(before=before, after=rewritten_note(before, edit), section=None)
    section, name = _locate(before, edit)
    if edit.strict:
        return _plan_strict(before, section, edit, name)
    if edit.section.line is None:
        check_equal_siblings(before, section, edit.expected_hash, name)
    operation = edit.operation
    if operation == "rewrite":  # compares the hash itself
        after, now = rewritten_section(before, section, edit, name)
        return _Plan(before=before, after=after, section=now)
    own = guarded_part(before, section, edit, name)
    if operation == "move":
        move = plan_move(before, section, edit, name)
        return _Plan(before=before, after=move.after, section=move.section, places=move.places)
    if operation == "replace" and not section.level and not edit.body.strip():
        operation = "delete"  # nothing is left of a preamble without text
    level = _new_level(before, section, operation) if operation in INSERTS else section.level
    title = shown(edit.heading.strip()) if operation in INSERTS and edit.heading else name
    body = edit.body.rstrip().encode("utf-8", "surrogateescape")
    alone = check_body(body, level, title) if operation not in ("rename", "delete") else None
    body = kept_apart(before, section, operation, body, own=own, name=name)
    data = _splice(before, section, operation, edit.heading or "", body, own=own)
    if data == before.data:
        return _Plan(before=before, after=before, section=section)
    limits = reach(before, section, operation, own=own)

    def verified(data: bytes) -> Document:
        after = parse(data)
        verify(before, after, limits, operation=operation, level=level, body=alone, name=name)
        return after

    try:
        after = verified(data)
    except UnverifiedEditError:
        apart = loosened(before, data, limits, operation)
        if apart is None:
            raise
        after = verified(apart)
    if operation in INSERTS:
        return _Plan(before=before, after=after, section=after.sections[limits.sections_before])
    places = tuple(range(len(after.sections))) if operation == "rename" else None
    edited = None if operation == "delete" else after.sections[section.ordinal]
    return _Plan(before=before, after=after, section=edited, places=places)


def _is_whole(edit: SectionEdit) -> bool:
    return edit.operation == "rewrite" and edit.section.heading_path is None and edit.section.line is None


def _plan_strict(before: Document, section: Section, edit: SectionEdit, name: str) -> _Plan:
    """By the structural rules: a literal splice of the whole subtree."""
    if not section.level:
        raise InvalidRequestError(
            f"the preamble of '{shown(edit.section.file)}' has no heading and cannot be edited with edit_section"
        )
    guarded_part(before, section, edit, name)
    body = edit.body.encode("utf-8", "surrogateescape")
    check_body(body, section.level, name)
    after = parse(splice.replace_body(before, section, body, own_only=False, strict=True))
    verify_skeleton(before, after, section, name)
    return _Plan(before=before, after=after, section=after.sections[section.ordinal])


def _locate(document: Document, edit: SectionEdit) -> tuple[Section, str]:
    """The section, and its name for messages: as it was given, or its heading path when a line was."""
    ref = edit.section
    path = ref.heading_path
    name = path if isinstance(path, str) else SEPARATOR.join(path or ())
    try:
        if edit.strict and path is not None:
            return document.find(name, exact=True), shown(name)
        section = document.locate(ref)
    except SectionNotFoundError as error:
        if path is not None and ref.line is None:
            error.message = f"heading path '{shown(name)}' was not found in file '{shown(ref.file)}'"
            error.args = (error.message,)
        raise
    return section, shown(name) if path is not None and ref.line is None else section.heading_path


def _new_level(document: Document, section: Section, operation: str) -> int:
    """The level that an inserted section gets: that of its sibling, else one below its parent."""
    if operation == "insert_child":
        return document.sections[section.children[-1]].level if section.children else section.level + 1
    if section.level:
        return section.level
    return document.sections[1].level if len(document.sections) > 1 else 1


def _splice(
    document: Document, section: Section, operation: Operation, heading: str, body: bytes, *, own: bool
) -> bytes:
    match operation:
        case "replace":
            return splice.replace_body(document, section, body, own_only=own, strict=False)
        case "append":
            return splice.append_body(document, section, body, own_only=own)
        case "prepend":
            return splice.prepend_body(document, section, body)
        case "insert_before":
            return splice.insert_before(document, section, heading, body)
        case "insert_after":
            return splice.insert_after(document, section, heading, body)
        case "insert_child":
            return splice.insert_child(document, section, heading, body)
        case "rename":
            return splice.rename_heading(document, section, heading)
        case "delete":
            return splice.delete_section(document, section)
        case "move" | "rewrite":
            raise AssertionError("planned elsewhere")


def _changed(before: Document, after: Document) -> tuple[str, ...]:
    if after is before:
        return ()
    known = {(section.heading_path, section.content_hash) for section in before.sections}
    return tuple(
        section.heading_path for section in after.sections if (section.heading_path, section.content_hash) not in known
    )
