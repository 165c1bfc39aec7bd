"""What became of an edit whose answer was lost with the process that was to do it: done, or to be sent again.

Before it is sent, the edit is worked out on this side, which tells what the note looks like afterwards. Afterwards the
note is compared with that. Where others changed other sections meanwhile, the section alone decides.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from jupyter_kb.editing import creation
from jupyter_kb.editing.reach import INSERTS
from jupyter_kb.editing.section import SectionOutcome, edit_section
from jupyter_kb.errors import KBError
from jupyter_kb.markdown.document import Document, Section, parse
from jupyter_kb.markdown.moving import move_section
from jupyter_kb.models import EditResult, LeftLinks, SectionEdit
from jupyter_kb.vault.create import place_for
from jupyter_kb.vault.vault import Vault


def plan(vault: Vault, edit: SectionEdit) -> SectionOutcome:
    """What the edit will do; raises what the edit itself would raise."""
    return edit_section(vault, replace(edit, dry_run=True))


def place(vault: Vault, file: str) -> str:
    """The key of a note that is to be made; raises what making it would raise, above all where it is there already."""
    return place_for(vault, file)


def created(vault: Vault, key: str, content: str) -> EditResult | None:
    """The result of making the note at a `place`, if it was made; None if it was not."""
    try:
        note = parse(vault.read(key, suggest=False))
    except KBError:
        return None
    return creation.created(key, note) if note.data == content.encode("utf-8", "surrogateescape") else None


def settled(vault: Vault, edit: SectionEdit, planned: SectionOutcome) -> EditResult | None:
    """The edit's result, as if it had been answered, if the note shows that it was done; None if it was not."""
    if planned.before.version == planned.after.version:
        return None  # changes nothing, however often it is done
    try:
        now = parse(vault.read(planned.file, suggest=False))
    except KBError:
        return None
    if now.version == planned.before.version:
        return None
    if now.version == planned.after.version:
        section = planned.section
    else:
        section = _edited(now, edit, planned)
        if section is None and not _is_deleted(now, planned):
            return None
    result = replace(planned, after=now, section=section, written=True).result()
    unknown = LeftLinks(file=planned.file, count=0, reason="it is not known which links were updated: look at them")
    return replace(result, removed=planned.removed, links_left=(unknown,) if edit.update_links else ())


def _edited(now: Document, edit: SectionEdit, planned: SectionOutcome) -> Section | None:
    """The section as the edit leaves it, in a note that others changed too."""
    wanted = planned.section
    if wanted is None:
        return None
    if edit.operation in INSERTS:
        alike = [found for found in now.sections if _same_text(found, wanted)]
        before = Counter(section.content_hash for section in planned.before.sections)
        return alike[-1] if len(alike) > before[wanted.content_hash] else None
    if edit.update_links:  # of links in the section itself, the plan knows nothing
        left = {section.heading_path: section for section in now.sections}
        return left.get(wanted.heading_path) if left.keys().isdisjoint(planned.gone) else None
    for found in now.sections:
        if found.heading_path == wanted.heading_path and _same_text(found, wanted, own=_guards_own(edit, planned)):
            return found if edit.operation != "move" or _stands_there(now, found, edit) else None
    return None


def _stands_there(now: Document, section: Section, edit: SectionEdit) -> bool:
    """Whether moving the section would change nothing any more."""
    try:
        data, _ = move_section(now, section, now.find(edit.target or ""), before=edit.place == "before")
    except KBError:
        return False
    return data == now.data


def _same_text(found: Section, wanted: Section, *, own: bool = False) -> bool:
    return found.own_hash == wanted.own_hash if own else found.content_hash == wanted.content_hash


def _guards_own(edit: SectionEdit, planned: SectionOutcome) -> bool:
    """Whether the edit's hash is that of a section's own text, so that those below it may have changed."""
    return not any(section.content_hash.startswith(edit.expected_hash) for section in planned.before.sections)


def _is_deleted(now: Document, planned: SectionOutcome) -> bool:
    left = {section.heading_path for section in now.sections}
    return planned.section is None and not planned.whole and bool(planned.gone) and left.isdisjoint(planned.gone)
