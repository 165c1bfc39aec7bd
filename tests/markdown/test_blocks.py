"""Blocks are those of CommonMark: the quick road and markdown-it's own agree on every text."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from jupyter_kb.markdown.blocks import MAX_NESTING, Blocks, Leaf, read_blocks
from tests.markdown.plain_road import flush, plain_blocks
from tests.markdown.strategies import bodies

_MARKS = st.text(alphabet="#>-+*=_`~|:[]^()<>!/0 1.)ab\t\n\\&;\"'", max_size=60)


def _leaf_text(text: str, leaf: Leaf) -> str:
    if leaf.segments is None:
        return flush(text[leaf.start : leaf.end])
    return flush("\n".join(text[start:end] for start, end in leaf.segments))


def _agrees(text: str) -> None:
    blocks = read_blocks(text)
    headings = [
        (found.level, found.line, found.last_line, own_last_line)
        for found, own_last_line in zip(blocks.headings, blocks.own_last_lines, strict=True)
    ]
    texts = [found for leaf in blocks.leaves if leaf.kind == "text" and (found := _leaf_text(text, leaf))]
    rows = sum(leaf.kind == "row" for leaf in blocks.leaves)
    assert (blocks.preamble, headings, texts, rows) == plain_blocks(text)


@given(st.one_of(bodies(), _MARKS, st.lists(_MARKS, max_size=4).map("\n".join)))
@example("> a\nb\n===\n")
@example("- a\n> b\nc\n---\n")
@example("> - a\n> b\n\n  c\n")
@example("[a]: b\n\n[^x]: y\nlazy\n# h\n")
@example("1. a\n   > b\n2. c\n")
@example("a\n\t# b\n")
@example("> a | b\n> --|--\n> c\nd | e\n")
@example("\xa0\n===\n")
def test_the_quick_road_finds_what_markdown_it_finds(text):
    _agrees(text)


@pytest.mark.data
def test_the_quick_road_agrees_on_every_note_of_the_sample_vaults(data_dir):
    notes = [path for path in sorted((data_dir / "vaults").rglob("*.md")) if path.is_file()]
    assert notes
    for path in notes:
        _agrees(path.read_bytes().decode("utf-8", "surrogateescape").replace("\r\n", "\n").replace("\r", "\n"))


def _heading_lines(blocks: Blocks) -> list[int]:
    return [heading.line for heading in blocks.headings]


@pytest.mark.parametrize("opener", [">", "> ", "- ", "1. ", "[^a]: ", "> - "])
def test_nesting_without_end_neither_raises_nor_swallows_what_follows(opener):
    text = opener * 10_000 + "x\n\n# After\n"
    assert _heading_lines(read_blocks(text)) == [2]


def test_deeper_nesting_than_the_limit_keeps_its_inline_text():
    blocks = read_blocks(">" * (MAX_NESTING + 5) + " [[x]]\n")
    (leaf,) = blocks.leaves
    assert leaf.end - leaf.start > len("[[x]]")
