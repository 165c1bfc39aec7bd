"""What of a note becomes a row."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from blake3 import blake3
from hypothesis import given
from hypothesis import strategies as st

from jupyter_kb.index.notes import ORDINAL_BITS, STAND_IN, container_text, properties, scalar_text
from jupyter_kb.markdown.document import parse
from tests.index.vaults import indexed

NOTE = b"""---
title: Kite
tags: [method/optical, X]
aliases: [Drachen]
n: {deep: [1, 2.0, two]}
---
before

# One

own text [[Other]] #inline ^here

## Two

more
"""


def test_a_note_and_its_names_become_rows(tmp_path: Path) -> None:
    with indexed(tmp_path / "v", {"sub/Kite Note.md": NOTE}) as vault:
        query = vault.database.query
        assert query("SELECT path, stem, stem_key, title, size, version FROM notes") == [
            ("sub/Kite Note.md", "Kite Note", "kite note", "Kite", len(NOTE), parse(NOTE).version)
        ]
        assert query("SELECT tag, tag_key FROM tags ORDER BY tag") == [
            ("X", "x"),
            ("inline", "inline"),
            ("method/optical", "method/optical"),
        ]
        assert query("SELECT alias, alias_key FROM aliases") == [("Drachen", "drachen")]
        assert query("SELECT block_id, ordinal, line FROM block_ids") == [("here", 1, 11)]
        assert query("SELECT kind, target_key, ordinal FROM links") == [("wikilink", "other", 1)]


def test_sections_have_their_places_hashes_and_own_text(tmp_path: Path) -> None:
    with indexed(tmp_path / "v", {"Kite.md": NOTE}) as vault:
        rows = vault.database.query(
            "SELECT section_id, note_id, parent, level, heading_path, start_byte, end_byte, own_end, start_line,"
            " end_line, own_end_line, content_hash, own_hash, text, file, note_title FROM sections ORDER BY section_id"
        )
    document = parse(NOTE)
    assert [row[4] for row in rows] == ["Preamble", "One", "One > Two"]
    for row, section in zip(rows, document.sections, strict=True):
        assert row[0] == row[1] << ORDINAL_BITS | section.ordinal
        assert row[2:4] == (section.parent, section.level)
        assert row[5:8] == (section.start, section.end, section.own_end)
        assert row[8:11] == (section.line, section.line_range.end, section.own_line_range.end)
        assert row[11] == blake3(NOTE[section.start : section.end]).hexdigest()
        assert row[12] == blake3(NOTE[section.start : section.own_end]).hexdigest()
        assert row[14:] == ("Kite.md", "Kite")
    assert [row[13] for row in rows] == ["before", "own text [[Other]] #inline ^here", "more"]


@pytest.mark.parametrize("note", [b"", b"\n\n", b"---\ntags: a\n---\n", b"[r]: u\n"])
def test_a_note_without_sections_has_a_stand_in(tmp_path: Path, note: bytes) -> None:
    with indexed(tmp_path / "v", {"Empty.md": note}) as vault:
        assert vault.database.query(
            "SELECT level, heading_path, text, start_byte, end_byte, start_line, content_hash, length FROM sections"
        ) == [(STAND_IN, "", "", 0, len(note), 1, blake3(note).hexdigest(), 0)]
        assert vault.indexer.counts().sections == 0


def test_bytes_that_are_not_utf8_are_indexed_with_a_diagnostic(tmp_path: Path) -> None:
    with indexed(tmp_path / "v", {"bad.md": b"# H\xff\n\nword \xfe\xfd [[a\xff]]\n"}) as vault:
        assert vault.database.query("SELECT heading, text FROM sections") == [
            ("H\ufffd", "word \ufffd\ufffd [[a\ufffd]]")
        ]
        assert vault.database.query("SELECT kind, line FROM diagnostics") == [("invalid-utf8", 1)]


def test_a_note_with_a_nul_is_indexed(tmp_path: Path) -> None:
    with indexed(tmp_path / "v", {"nul.md": b"# A\0B\n\nx\0y\n"}) as vault:
        assert vault.indexer.counts().sections == 1


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"a": "x"}, [("a", "x")]),
        ({"a": 7, "b": 7.0, "c": 7.5}, [("a", "7"), ("b", "7"), ("c", "7.5")]),
        ({"a": True, "b": None}, [("a", "true"), ("b", "null")]),
        ({"a": ["x", 1]}, [("a", '["x", 1]'), ("a", "x"), ("a", "1")]),
        ({"a": {"c": 1, "b": "é"}}, [("a", '{"b": "é", "c": 1}'), ("a.c", "1"), ("a.b", "é")]),
        ({"a": [{"b": 1}, 2]}, [("a", '[{"b": 1}, 2]'), ("a", '{"b": 1}'), ("a.b", "1"), ("a", "2")]),
        ({"a.b": 1}, [("a.b", "1")]),
        ({}, []),
    ],
)  # fmt: skip
def test_front_matter_is_flattened(values: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    assert list(properties(values)) == expected


FINITE = st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**12), 10**12) | FINITE | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(min_size=1, max_size=3), inner, max_size=3),
    max_leaves=12,
)  # fmt: skip


@given(st.dictionaries(st.text(min_size=1, max_size=3), JSON, max_size=4))
def test_every_value_of_front_matter_can_be_found(values: dict[str, Any]) -> None:
    found = set(properties(values))
    for field, value in values.items():
        if isinstance(value, dict | list):
            assert (field, container_text(value)) in found
        else:
            assert (field, scalar_text(value)) in found
        for item in value if isinstance(value, list) else ():
            if not isinstance(item, dict | list):
                assert (field, scalar_text(item)) in found
        for name, inner in value.items() if isinstance(value, dict) else ():
            if not isinstance(inner, dict | list):
                assert (f"{field}.{name}", scalar_text(inner)) in found


def test_huge_front_matter_does_not_multiply() -> None:
    nested: Any = ["x"] * 10_000
    for _ in range(60):
        nested = {"a": [nested, "y"]}
    assert sum(len(value) for _, value in properties({"top": nested})) < 20_000
