"""Sections: which there are, what they are called and exactly which bytes they hold."""

from __future__ import annotations

import json

import pytest
from blake3 import blake3
from hypothesis import example, given, settings
from hypothesis import strategies as st

from jupyter_kb.markdown.document import Document, parse
from jupyter_kb.markdown.headings import MAX_LENGTH, heading_text
from jupyter_kb.markdown.sections import SEPARATOR
from tests.markdown import cases
from tests.markdown.strategies import vault_bytes

EDGES = (
    b"",
    b"\n",
    b"\r",
    b"\xef\xbb\xbf",
    b"---\n---",
    b"# a\rb\r\n# c",
    b"a\r\r\n===\n",
    b"# \xff\n",
    b"\0",
    b"---\r---\r# a",
)


@pytest.mark.parametrize("case", cases.load("sections.md"), ids=str)
def test_sections_of_a_note(case):
    document = parse(case.data("note"))
    expected = [tuple(part.strip(" ") for part in line.split(" | ")) for line in case.of("sections")[0].lines]
    found = [
        (str(section.level), section.heading_path.strip(" "), f"{section.line_range.start}-{section.line_range.end}")
        for section in document.sections
    ]
    assert found == expected
    for block in case.of("content"):
        assert document.content(document.find(block.argument, exact=True)) == block.data
    for block in case.of("own"):
        assert document.content(document.find(block.argument, exact=True), children=False) == block.data
    for block in case.of("head"):
        assert document.data[document.head.start : document.head.end] == block.data


@pytest.mark.parametrize("case", cases.load("headings.md"), ids=str)
def test_text_of_a_heading(case):
    assert heading_text(case.data("source").decode()) == case.data("text").decode()


def check_tree(document: Document) -> None:
    """Everything that holds for every note: tiles, ranges inside ranges, lines, hashes, names."""
    data = document.data
    assert document.head.start == 0
    edge = document.head.end
    for section in document.sections:
        assert section.span.start == edge
        edge = section.span.end
        assert section.span.start <= section.start <= section.heading_end <= section.own_end <= section.end
        assert section.own_end <= section.span.end
        assert section.end > section.start
        assert data[section.end - 1] not in b"\r\n"
        assert not data[section.span_start : section.start].strip(b" \t")
        assert section.content_hash == blake3(data[section.start : section.end]).hexdigest()
        assert section.own_hash == blake3(data[section.start : section.own_end]).hexdigest()
        assert section.line_range.start == 1 + data.count(b"\n", 0, section.start)
        assert section.line_range.end == 1 + data.count(b"\n", 0, section.end - 1)
        assert section.own_line_range.end == 1 + data.count(b"\n", 0, section.own_end - 1)
        assert section.heading_path == SEPARATOR.join(section.path)
        section.heading_path.encode()
        for child in section.children:
            below = document.sections[child]
            assert below.parent == section.ordinal
            assert below.level > section.level > 0
            assert section.own_end <= below.start
            assert below.end <= section.end
    assert edge == len(data)
    assert [section.ordinal for section in document.sections] == list(range(len(document.sections)))
    _check_ends(document)


def _check_ends(document: Document) -> None:
    sections = document.sections
    for section in sections:
        subtree = section
        while subtree.children:
            subtree = sections[subtree.children[-1]]
        assert section.end == subtree.own_end


@given(vault_bytes())
def test_sections_tile_the_file_and_nest(data):
    check_tree(parse(data))


@given(st.binary(max_size=200))
@settings(max_examples=100)
def test_any_bytes_can_be_parsed(data):
    document = parse(data)
    check_tree(document)
    json.dumps([section.heading_path for section in document.sections]).encode()


@pytest.mark.parametrize("data", EDGES, ids=repr)
def test_edges_can_be_parsed(data):
    check_tree(parse(data))


@given(vault_bytes(lone_returns=False))
@example(b"x\r\n# a\r\n")
def test_a_section_addressed_by_line_or_whole_path_is_found_again(data):
    document = parse(data)
    names = [section.heading_path for section in document.sections]
    for section in document.sections:
        assert document.section_at_line(section.line) is section
        assert document.section_at_line(section.own_line_range.end) is section
        first = document.sections[names.index(section.heading_path)]
        assert document.find(section.heading_path, exact=True) is first
        if names.count(section.heading_path) == 1:
            assert document.find(section.heading_path) is section


@given(vault_bytes(), st.integers(0, 400))
def test_every_byte_lies_in_one_tile(data, offset):
    document = parse(data)
    section = document.section_at(offset) if offset < len(data) else None
    if section:
        assert section.span.start <= offset < section.span.end
    elif offset < len(data):
        assert offset < document.head.end


def test_equal_paths_are_told_apart_by_occurrence():
    document = parse(b"# A\n# A\n# B\n# A\n")
    assert [(section.path, section.occurrence) for section in document.sections] == [
        (("A",), 1),
        (("A[2]",), 2),
        (("B",), 1),
        (("A[3]",), 3),
    ]


def test_a_monstrous_heading_keeps_its_source_as_its_text():
    raw = "[" * MAX_LENGTH + "*a*"
    assert heading_text(raw) == raw


@pytest.mark.data
def test_sections_tile_every_note_of_the_sample_vaults(data_dir):
    for path in sorted((data_dir / "vaults").rglob("*.md")):
        if path.is_file():
            check_tree(parse(path.read_bytes()))
