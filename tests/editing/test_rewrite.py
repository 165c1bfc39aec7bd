"""A section's whole text, or a whole note, put in its place byte for byte."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import pytest
from blake3 import blake3
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jupyter_kb.errors import (
    AmbiguousSectionError,
    ConflictError,
    HashRequiredError,
    InvalidBodyError,
    UnverifiedEditError,
)
from jupyter_kb.markdown.document import parse
from tests.editing.notes import Note, raw

TREE = "# A⏎⏎a⏎⏎## B⏎⏎b⏎⏎## C⏎⏎c⏎⏎# D⏎⏎d⏎"

CASES = [
    # before, heading path, hash of the own text only, new text, after, heading path of the section then
    (TREE, "A > B", False, "## B⏎⏎new", TREE.replace("b⏎", "new⏎"), "A > B"),
    (TREE, "A > B", False, "## B⏎new⏎⏎⏎", TREE.replace("## B⏎⏎b⏎", "## B⏎new⏎"), "A > B"),
    (TREE, "A > B", False, "## E⏎⏎b", TREE.replace("## B", "## E"), "A > E"),
    (TREE, "A > C", False, "### C⏎⏎c", TREE.replace("## C", "### C"), "A > B > C"),
    (TREE, "A", True, "# A⏎⏎other", TREE.replace("a⏎", "other⏎"), "A"),
    (TREE, "A", False, "# A⏎⏎## E⏎⏎e", "# A⏎⏎## E⏎⏎e⏎⏎# D⏎⏎d⏎", "A"),
    (TREE, "D", False, "# D⏎⏎d", TREE, "D"),
    ("# A␍⏎␍⏎x⏎y␍⏎z␍⏎", "A", False, "# A␍⏎␍⏎x⏎new␍⏎z", "# A␍⏎␍⏎x⏎new␍⏎z␍⏎", "A"),
    ("A⏎=⏎⏎x⏎", "A", False, "Other⏎=====⏎⏎x", "Other⏎=====⏎⏎x⏎", "Other"),
    ("one⏎⏎# A⏎", "Preamble", False, "two", "two⏎⏎# A⏎", "Preamble"),
    ("# A⏎⏎# A⏎⏎x⏎", "A[2]", False, "# A⏎⏎y", "# A⏎⏎# A⏎⏎y⏎", "A[2]"),
]


@pytest.mark.parametrize(("before", "path", "own", "body", "after", "now"), CASES)
def test_the_new_text_stands_where_the_old_one_stood(
    tmp_path: Path, before: str, path: str, own: bool, body: str, after: str, now: str
) -> None:
    note = Note(tmp_path, before)
    done = note.edit(path, "rewrite", body, own=own).result()
    assert note.data == raw(after)
    assert (done.heading_path, done.content_hash) == (now, note.hash(now))


@pytest.mark.parametrize(
    ("path", "body", "error"),
    [
        ("A > B", "no heading", InvalidBodyError),
        ("A > B", "", InvalidBodyError),
        ("A > B", "## B⏎⏎## E", InvalidBodyError),
        ("A > B", "text⏎⏎## B", InvalidBodyError),
        ("A > B", "# B⏎⏎b", UnverifiedEditError),  # C would become a part of B
        ("A > B", "## B⏎⏎```⏎b", UnverifiedEditError),
    ],
)
def test_a_text_that_would_change_other_sections_is_refused(
    tmp_path: Path, path: str, body: str, error: type[Exception]
) -> None:
    note = Note(tmp_path, TREE)
    with pytest.raises(error):
        note.edit(path, "rewrite", body)
    assert note.data == raw(TREE)


def test_a_whole_note_is_written_as_it_was_given(tmp_path: Path) -> None:
    note = Note(tmp_path, TREE)
    body = "---⏎t: x⏎---⏎␍⏎Nothing\udcff else␠␠⏎⏎"
    done = note.edit(None, "rewrite", body, expected=blake3(note.data).hexdigest()).result()
    assert note.data == raw(body)
    assert (done.heading_path, done.content_hash) == (None, blake3(raw(body)).hexdigest())
    assert done.removed == ("A", "D")


def test_a_whole_note_that_changed_is_not_overwritten(tmp_path: Path) -> None:
    note = Note(tmp_path, TREE)
    for stale in ("0" * 64, note.hash("A")):
        with pytest.raises(ConflictError) as caught:
            note.edit(None, "rewrite", "new", expected=stale)
        assert caught.value.details["current_hash"] == blake3(raw(TREE)).hexdigest()
        assert caught.value.details["current_content"] == raw(TREE).decode()
    with pytest.raises(HashRequiredError):
        note.edit(None, "rewrite", "new", expected="")
    assert note.data == raw(TREE)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    text=st.lists(st.sampled_from(["# A", "## B", "x", "", "- i", "```", "> q", "\udc80"]), max_size=12),
    ends=st.lists(st.sampled_from(["\n", "\r\n", "\r"]), min_size=12, max_size=12),
)
def test_a_section_rewritten_by_its_own_text_changes_no_byte(tmp_path: Path, text: list[str], ends: list[str]) -> None:
    data = "".join(map("".join, zip(text, ends, strict=False))).encode("utf-8", "surrogateescape")
    note = Note(tmp_path, data)
    document = parse(data)
    for section in document.sections:
        hashes = [
            {other.content_hash, other.own_hash}
            for other in document.sections
            if other is not section and (other.parent, other.heading) == (section.parent, section.heading)
        ]
        told_apart = section.occurrence > 1 or not any(section.content_hash in both for both in hashes)
        with nullcontext() if told_apart else pytest.raises(AmbiguousSectionError):
            note.edit(
                section.heading_path,
                "rewrite",
                document.content(section).decode("utf-8", "surrogateescape"),
                expected=section.content_hash,
            )
        assert note.data == data
