"""What holds for every note, every section and every new text."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from jupyter_kb.editing.section import SectionOutcome, edit_section
from jupyter_kb.errors import ConflictError, InvalidBodyError, InvalidRequestError, KBError, UnverifiedEditError
from jupyter_kb.markdown.document import Document, Section, parse
from jupyter_kb.models import Operation, SectionEdit, SectionRef
from jupyter_kb.vault.vault import Vault
from tests.editing.notes import FILE, raw
from tests.markdown.strategies import bodies, vault_bytes, words

operations = st.sampled_from([name for name in get_args(Operation) if name != "move"])  # test_moving
_HEADINGS = ("# A", "## B", "### C", "## B", "B⏎---", "A⏎===", " # D #")


def sectioned() -> st.SearchStrategy[bytes]:
    """Notes that are sure to have headings, several of them equal, with anything between."""
    parts = st.lists(st.tuples(st.sampled_from(_HEADINGS), bodies()), min_size=2, max_size=4)
    ends = st.sampled_from(("\n", "\r\n"))
    return st.builds(
        lambda start, parts, end, last: raw(
            start.replace("\n", end) + end.join(f"{end}{heading}{end}{body}" for heading, body in parts) + last
        ),
        st.sampled_from(("", "---\na: b\n---\n", "words\n")),
        parts.map(lambda found: [(heading.replace("⏎", "\n"), body) for heading, body in found]),
        ends,
        st.sampled_from(("", "\n", "\n\n")),
    )


notes = st.one_of(vault_bytes(), sectioned(), sectioned())
NEW_HEADING = ("rename", "insert_before", "insert_after", "insert_child")


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Vault:
    """One vault for all examples."""
    return Vault(tmp_path_factory.mktemp("vault"))


def request(section: Section, operation: Operation, body: str, heading: str, *, own: bool) -> SectionEdit:
    return SectionEdit(
        section=SectionRef(file=FILE, line=section.line),
        expected_hash=section.own_hash if own else section.content_hash,
        operation=operation,
        body="" if operation in ("rename", "delete") else body,
        heading=heading if operation in NEW_HEADING else None,
    )


def pick(document: Document, data: st.DataObject) -> Section | None:
    """Some section that its line really names; seldom the preamble where there are others."""
    named = [section for section in document.sections if document.section_at_line(section.line) is section]
    headed = [section for section in named if section.level]
    return data.draw(st.sampled_from(4 * headed + named)) if named else None


def perform(path: Path, vault: Vault, note: bytes, edit: SectionEdit) -> SectionOutcome | None:
    """The outcome, None where the edit was refused; then the file must be the old one."""
    path.write_bytes(note)
    try:
        outcome = edit_section(vault, edit)
    except (InvalidBodyError, InvalidRequestError, UnverifiedEditError) as error:
        assert path.read_bytes() == note
        event(f"{edit.operation}: {type(error).__name__}")
        return None
    event(f"{edit.operation}: done")
    assert path.read_bytes() == outcome.after.data
    return outcome


def own_texts(document: Document, sections: list[Section]) -> list[tuple[int, bytes]]:
    return [(section.level, document.content(section, children=False)) for section in sections]


def subtree(document: Document, section: Section) -> list[Section]:
    return [section, *(below for child in section.children for below in subtree(document, document.sections[child]))]


@given(note=notes, body=bodies(), heading=words(), operation=operations, own=st.booleans(), data=st.data())
def test_no_byte_outside_the_addressed_section_ever_changes(
    vault: Vault, note: bytes, body: str, heading: str, operation: Operation, own: bool, data: st.DataObject
) -> None:
    before = parse(note)
    section = pick(before, data)
    if section is None:
        return
    outcome = perform(vault.root / FILE, vault, note, request(section, operation, body, heading, own=own))
    if outcome is None:
        return
    new = outcome.after.data
    end = section.own_end if own and section.own_hash != section.content_hash else section.end
    if operation == "delete" or (operation == "replace" and not section.level and not body.strip()):
        assert new.startswith(note[: section.span_start].rstrip(b" \t\r\n"))
        assert new.endswith(note[section.end :].lstrip(b" \t\r\n"))
    elif operation == "rename":
        assert new.startswith(note[: section.start])
        assert new.endswith(note[section.heading_end :])
    elif operation == "insert_before":
        assert new.startswith(note[: section.span_start])
        assert new.endswith(note[section.span_start :])
        assert len(new) > len(note)
    elif operation in ("insert_after", "insert_child"):
        assert new.startswith(note[: section.end])
        assert new.endswith(note[section.end :])
        assert len(new) > len(note)
    else:
        assert new.startswith(note[: section.heading_end])
        assert new.endswith(note[end:])
        if operation in ("append", "prepend"):
            assert note[section.heading_end : end].strip() in new
    assert (outcome.before.front_matter is None) == (outcome.after.front_matter is None)


@given(note=notes, body=bodies(), heading=words(), operation=operations, own=st.booleans(), data=st.data())
def test_every_other_section_keeps_its_level_its_bytes_and_its_place_in_the_order(
    vault: Vault, note: bytes, body: str, heading: str, operation: Operation, own: bool, data: st.DataObject
) -> None:
    before = parse(note)
    section = pick(before, data)
    if section is None:
        return
    outcome = perform(vault.root / FILE, vault, note, request(section, operation, body, heading, own=own))
    if outcome is None:
        return
    after = outcome.after
    own = own and section.own_hash != section.content_hash
    touched = subtree(before, section) if operation == "delete" or not own else [section]
    if operation == "append":
        touched = touched[-1:]
    elif operation in ("prepend", "rename"):
        touched = [section]
    elif operation in ("insert_before", "insert_after", "insert_child"):
        touched = []
    others = [other for other in before.sections if other not in touched]
    found = own_texts(after, list(after.sections))
    for text in own_texts(before, others):  # in order: a subsequence
        while found[0] != text:
            found.pop(0)
        found.pop(0)
    if operation not in ("delete", *NEW_HEADING):
        kept = Counter(other.heading_path for other in others)
        assert not kept - Counter(other.heading_path for other in after.sections)


@given(note=notes, own=st.booleans(), data=st.data())
def test_replacing_a_section_by_itself_changes_nothing(
    vault: Vault, note: bytes, own: bool, data: st.DataObject
) -> None:
    before = parse(note)
    section = pick(before, data)
    if section is None:
        return
    body = note[section.heading_end : section.own_end if own else section.end].decode("utf-8", "surrogateescape")
    outcome = perform(vault.root / FILE, vault, note, request(section, "replace", body, "", own=own))
    if outcome is not None:
        assert outcome.after.data == note
        assert outcome.diff == ""
        assert outcome.changed == ()


@given(note=notes, body=bodies(), operation=operations, data=st.data())
def test_a_stale_hash_never_writes(
    vault: Vault, note: bytes, body: str, operation: Operation, data: st.DataObject
) -> None:
    before = parse(note)
    section = pick(before, data)
    if section is None:
        return
    path = vault.root / FILE
    place = data.draw(st.integers(section.start, section.own_end))
    changed = note[:place] + b"x" + note[place:]
    now = {known for found in parse(changed).sections for known in (found.content_hash, found.own_hash)}
    path.write_bytes(changed)
    edit = request(section, operation, body, "New", own=data.draw(st.booleans()))
    if edit.expected_hash in now:
        return  # an equal section elsewhere
    with pytest.raises(KBError) as raised:
        edit_section(vault, edit)
    event(type(raised.value).__name__)
    assert path.read_bytes() == changed


@given(note=notes, body=bodies(), data=st.data())
def test_by_the_structural_rules_too_no_byte_outside_changes_and_the_skeleton_stays(
    vault: Vault, note: bytes, body: str, data: st.DataObject
) -> None:
    before = parse(note)
    section = pick(before, data)
    if section is None:
        return
    first = before.find(section.heading_path, exact=True)
    edit = SectionEdit(
        section=SectionRef(file=FILE, heading_path=section.heading_path, exact=True),
        expected_hash=first.content_hash,
        body=body,
        strict=True,
    )
    outcome = perform(vault.root / FILE, vault, note, edit)
    if outcome is None:
        return
    new = outcome.after.data
    text = body.rstrip().encode()
    assert new.startswith(note[: first.heading_end])
    assert new.endswith(note[first.end :])
    middle = new[first.heading_end : len(new) - len(note[first.end :])]
    assert middle in (b"", b"\n" + text, b"\r\n" + text)
    inside = {below.ordinal for below in subtree(before, first)}
    skeleton = [(other.heading_path, other.level) for other in before.sections if other.ordinal not in inside]
    assert outcome.section is not None
    inside = {below.ordinal for below in subtree(outcome.after, outcome.section)}
    assert skeleton == [
        (other.heading_path, other.level) for other in outcome.after.sections if other.ordinal not in inside
    ]


@given(note=notes, body=bodies(), data=st.data())
def test_an_edit_can_be_followed_by_another_with_the_hash_that_it_gave(
    vault: Vault, note: bytes, body: str, data: st.DataObject
) -> None:
    before = parse(note)
    section = pick(before, data)
    if section is None or not section.level:
        return
    path = vault.root / FILE
    outcome = perform(path, vault, note, request(section, "replace", body, "", own=False))
    if outcome is None:
        return
    assert outcome.section is not None
    again = request(outcome.section, "replace", "the end", "", own=False)
    try:
        second = edit_section(vault, again)
    except ConflictError:
        raise
    except UnverifiedEditError:
        return  # what follows cannot be kept apart from a paragraph
    assert second.section is not None
    assert second.after.content(second.section).endswith(b"the end")
