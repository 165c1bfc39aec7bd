"""Moving a section: where it lands, what it may not do, and that every other byte stays."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from jupyter_kb.editing.section import SectionOutcome, edit_section
from jupyter_kb.errors import (
    AmbiguousSectionError,
    ConflictError,
    InvalidRequestError,
    KBError,
    SectionNotFoundError,
    UnverifiedEditError,
)
from jupyter_kb.markdown.document import Document, Section, parse
from jupyter_kb.markdown.moving import subtree
from jupyter_kb.models import SectionEdit, SectionRef
from jupyter_kb.vault.vault import Vault
from tests.editing.notes import FILE, Note, raw
from tests.editing.test_properties import notes

Side = Literal["before", "after"]

TREE = "# A⏎⏎a⏎⏎## B⏎⏎b⏎⏎## C⏎⏎c⏎⏎# D⏎⏎d⏎"
A, B, C, D = "# A⏎⏎a⏎⏎", "## B⏎⏎b⏎⏎", "## C⏎⏎c⏎⏎", "# D⏎⏎d⏎"

CASES: list[tuple[str, str, Side, str, str]] = [
    # before, section, side, target, after
    (TREE, "A > C", "before", "A > B", A + C + B + D),
    (TREE, "A > B", "after", "A > C", A + C + B + D),
    (TREE, "A > B", "after", "D", A + C + D + "⏎# B⏎⏎b⏎"),
    (TREE, "A > B", "after", "A", A + C + "# B⏎⏎b⏎⏎" + D),
    (TREE, "A > B", "before", "A", "# B⏎⏎b⏎⏎" + A + C + D),
    (TREE, "D", "after", "A > B", A + B + "## D⏎⏎d⏎⏎## C⏎⏎c⏎"),
    (TREE, "D", "before", "A", "# D⏎⏎d⏎⏎" + A + B + "## C⏎⏎c⏎"),
    (TREE, "A", "after", "D", "# D⏎⏎d⏎⏎" + A + B + "## C⏎⏎c⏎"),
    (TREE, "A > B", "before", "A > C", TREE),
    (TREE, "A > C", "after", "A > B", TREE),
    ("# A⏎## B ##⏎### C #⏎x⏎# D⏎d", "A > B", "after", "D", "# A⏎# D⏎d⏎# B #⏎## C #⏎x"),
    ("# A⏎⏎⏎a⏎⏎⏎# B⏎b⏎# C", "A", "after", "B", "# B⏎b⏎# A⏎⏎⏎a⏎⏎⏎# C"),
    ("p⏎⏎A⏎=⏎a⏎⏎B⏎=⏎b⏎", "B", "before", "A", "p⏎⏎B⏎=⏎b⏎⏎A⏎=⏎a⏎"),
    ("---⏎t: x⏎---⏎# A␍⏎# B␍⏎", "A", "after", "B", "---⏎t: x⏎---⏎# B␍⏎# A␍⏎"),
    ("# A⏎⏎a⏎⏎[x]: /u⏎⏎# B⏎⏎b⏎", "A", "after", "B", "[x]: /u⏎⏎# B⏎⏎b⏎⏎# A⏎⏎a⏎"),
    ("# A⏎⏎a⏎⏎# B⏎⏎b⏎⏎[x]: /u⏎", "A", "after", "B", "# B⏎⏎b⏎⏎[x]: /u⏎⏎# A⏎⏎a⏎"),
]


@pytest.mark.parametrize(("before", "path", "place", "target", "after"), CASES)
def test_a_move_gives_these_bytes(tmp_path: Path, before: str, path: str, place: Side, target: str, after: str) -> None:
    note = Note(tmp_path, before)
    outcome = note.edit(path, "move", target=target, place=place)
    assert note.data.decode() == raw(after).decode()
    assert outcome.section is not None
    assert outcome.section.heading == path.rpartition(" > ")[2]
    assert outcome.places is not None
    assert [outcome.after.sections[place].heading for place in outcome.places] == [
        section.heading for section in outcome.before.sections
    ]


REFUSED: list[tuple[str, str, str, type[KBError], str]] = [
    (TREE, "A", "A > B", InvalidRequestError, "into itself"),
    (TREE, "A", "A", InvalidRequestError, "into itself"),
    (TREE, "A", "E", SectionNotFoundError, "was not found"),
    ("# A⏎# B⏎## X⏎# C⏎## X⏎", "A", "X", AmbiguousSectionError, "names 2 sections"),
    ("p⏎⏎# A⏎", "A", "Preamble", InvalidRequestError, "preamble"),
    ("p⏎⏎# A⏎", "Preamble", "A", InvalidRequestError, "preamble"),
    ("# A⏎⏎B⏎---⏎b⏎⏎# C⏎", "A > B", "C", InvalidRequestError, "'B' is underlined"),
    ("# A⏎⏎###### B⏎⏎# C⏎⏎## D⏎", "A", "D", InvalidRequestError, "level 7"),
    ("# A⏎⏎# B⏎⏎```⏎never closed⏎", "B", "A", UnverifiedEditError, "merging"),
    ("[x]: /1⏎⏎# A⏎⏎# B⏎⏎text⏎⏎[y]: /2⏎⏎## C⏎⏎[y]: /3⏎⏎c⏎", "B > C", "A", UnverifiedEditError, "merging"),
]


@pytest.mark.parametrize(("before", "path", "target", "kind", "message"), REFUSED)
def test_what_cannot_be_moved_stays_where_it_is(
    tmp_path: Path, before: str, path: str, target: str, kind: type[KBError], message: str
) -> None:
    note = Note(tmp_path, before)
    with pytest.raises(kind, match=message):
        note.edit(path, "move", target=target, place="before" if kind is UnverifiedEditError else "after")
    assert note.data == raw(before)


def test_the_hash_must_cover_all_that_moves(tmp_path: Path) -> None:
    note = Note(tmp_path, TREE)
    with pytest.raises(InvalidRequestError, match="sub-sections, which the hash does not cover"):
        note.edit("A", "move", target="D", own=True)
    stale = note.hash("A")
    note.path.write_bytes(note.data.replace(b"c\n", b"C\n"))
    with pytest.raises(ConflictError):
        note.edit("A", "move", target="D", expected=stale)
    assert note.data == raw(TREE).replace(b"c\n", b"C\n")


# ── whatever the note ───────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Vault:
    """One vault for all examples."""
    return Vault(tmp_path_factory.mktemp("vault"))


def move(
    vault: Vault, note: bytes, section: Section, target: Section, place: Side, expected: str | None = None
) -> SectionOutcome:
    (vault.root / FILE).write_bytes(note)
    return edit_section(
        vault,
        SectionEdit(
            section=SectionRef(file=FILE, line=section.line),
            expected_hash=expected or section.content_hash,
            operation="move",
            target=target.path,
            place=place,
        ),
    )


def pair(document: Document, data: st.DataObject) -> tuple[Section, Section] | None:
    """Two sections that their line and path really name."""
    paths = Counter(section.path for section in document.sections)
    named = [
        section
        for section in document.sections
        if section.level and paths[section.path] == 1 and document.section_at_line(section.line) is section
    ]
    return (data.draw(st.sampled_from(named)), data.draw(st.sampled_from(named))) if named else None


def own_texts(document: Document, sections: list[Section]) -> list[tuple[int, bytes]]:
    return [(section.level, document.content(section, children=False)) for section in sections]


@given(note=notes, place=st.sampled_from(("before", "after")), data=st.data())
def test_every_other_section_keeps_its_bytes_and_its_order(
    vault: Vault, note: bytes, place: Side, data: st.DataObject
) -> None:
    before = parse(note)
    found = pair(before, data)
    if found is None:
        return
    section, target = found
    try:
        outcome = move(vault, note, section, target, place)
    except (InvalidRequestError, UnverifiedEditError, AmbiguousSectionError) as error:
        event(type(error).__name__)
        assert (vault.root / FILE).read_bytes() == note
        return
    event("done")
    after, moved = outcome.after, outcome.section
    assert moved is not None
    moving = subtree(before, section)
    inside = subtree(after, moved)
    others = [other for other in before.sections if other not in moving]
    assert own_texts(after, [other for other in after.sections if other not in inside]) == own_texts(before, others)
    shift = target.level - section.level
    assert [(s.level, s.heading) for s in inside] == [(s.level + shift, s.heading) for s in moving]
    assert [after.data[s.heading_end : s.own_end] for s in inside] == [note[s.heading_end : s.own_end] for s in moving]
    assert note[: section.span_start].split() + note[section.end :].split() == (
        after.data[: moved.span_start].split() + after.data[moved.end :].split()
    )
    assert outcome.places is not None
    beside = after.sections[outcome.places[target.ordinal]]
    assert (beside.level, beside.parent) == (moved.level, moved.parent)
    if place == "before":
        assert beside.ordinal == moved.ordinal + len(inside)
    else:
        assert moved.ordinal == beside.ordinal + len(subtree(after, beside))


def evenly(count: int) -> st.SearchStrategy[bytes]:
    """Notes of `#` headings with one way to keep sections apart, as editors write them."""
    section = st.tuples(st.integers(1, 3), st.sampled_from("abcde"), st.sampled_from(("", "text", "- item", "| t |")))

    def written(parts: list[tuple[int, str, str]], end: str, last: str, start: str) -> bytes:
        texts = []
        for number, (level, name, text) in enumerate(parts):
            texts.append(f"{'#' * level} {name}{number}" + (f"{end}{end}{text}" if text else ""))
        return (start.replace("\n", end) + (end + end).join(texts) + last.replace("\n", end)).encode()

    return st.builds(
        written,
        st.lists(section, min_size=2, max_size=count),
        st.sampled_from(("\n", "\r\n")),
        st.sampled_from(("", "\n", "\n\n")),
        st.sampled_from(("", "---\na: b\n---\n", "words\n\n")),
    )


@given(note=evenly(6), place=st.sampled_from(("before", "after")), data=st.data())
def test_there_and_back_gives_the_file_again(vault: Vault, note: bytes, place: Side, data: st.DataObject) -> None:
    before = parse(note)
    found = pair(before, data)
    if found is None:
        return
    section, target = found
    siblings = [other for other in before.sections if other.parent == section.parent and other.level == section.level]
    at = siblings.index(section)
    neighbour = siblings[at - 1] if at else siblings[1] if len(siblings) > 1 else None
    if neighbour is None or neighbour is target:
        return
    try:
        there = move(vault, note, section, target, place)
    except InvalidRequestError as error:
        event(type(error).__name__)
        return
    assert there.section is not None
    assert there.places is not None
    home = there.after.sections[there.places[neighbour.ordinal]]
    back = move(vault, there.after.data, there.section, home, "after" if at else "before")
    event("back")
    assert back.after.data == note


@given(note=notes, place=st.sampled_from(("before", "after")), data=st.data())
def test_a_stale_hash_never_moves(vault: Vault, note: bytes, place: Side, data: st.DataObject) -> None:
    found = pair(parse(note), data)
    if found is None:
        return
    section, target = found
    at = data.draw(st.integers(section.heading_end, section.end))
    changed = note[:at] + b"x" + note[at:]
    now = {known for one in parse(changed).sections for known in (one.content_hash, one.own_hash)}
    if section.content_hash in now:
        return  # an equal section elsewhere
    with pytest.raises(KBError) as raised:
        move(vault, changed, section, target, place, section.content_hash)
    event(type(raised.value).__name__)
    assert (vault.root / FILE).read_bytes() == changed
