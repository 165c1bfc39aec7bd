"""Links, tags and block ids: which there are, and exactly where they stand."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from jupyter_kb.markdown.document import Document, parse
from jupyter_kb.markdown.inline import scan, unescaped
from tests.markdown import cases
from tests.markdown.strategies import vault_bytes, words


@pytest.mark.parametrize("case", cases.load("links.md"), ids=str)
def test_links_tags_and_block_ids_of_a_note(case):
    document = parse(case.data("note"))
    check_places(document)
    for block in case.of("links"):
        expected = [tuple(line.split(" | ", 4)) for line in block.lines]
        assert [_row(link) for link in document.links] == expected
    for block in case.of("tags"):
        assert list(document.tags) == block.lines
    for block in case.of("blocks"):
        found = [
            f"{name} | {document.sections[section].heading_path} | {line}"
            for name, (section, line) in document.block_ids.items()
        ]
        assert found == block.lines


def _row(link):
    fragment = "-" if link.fragment is None else link.fragment
    text = "-" if link.text is None else link.text.replace("\n", "¶")
    return link.kind, link.raw_target, link.file_part, fragment, text


def check_places(document: Document) -> None:
    """Every link's range slices to its source, in order, inside the section that it names."""
    openings = {"wikilink": (b"[[",), "embed": (b"![[", b"!["), "markdown": (b"[",)}
    previous = -1
    for link in document.links:
        start, end = link.byte_range.start, link.byte_range.end
        source = document.data[start:end]
        assert start > previous
        previous = start
        assert source.startswith(openings[link.kind])
        assert source.endswith((b"]", b")"))
        if link.kind == "wikilink" or (source.startswith(b"![[") and source.endswith(b"]]")):
            bare = source.removeprefix(b"!")[2:-2]
            raw, _, text = bare.decode("utf-8", "replace").partition("|")
            assert source.endswith(b"]]")
            if "\ufffd" not in raw + text:
                assert (link.raw_target, link.text) == (raw, text or None)
        assert link.line == 1 + document.data.count(b"\n", 0, start)
        assert link.section is not None
        section = document.sections[link.section]
        assert section.start <= start < end <= section.own_end
        json.dumps([link.raw_target, link.file_part, link.fragment, link.text], ensure_ascii=False).encode()
    for ordinal, line in document.block_ids.values():
        section = document.sections[ordinal]
        assert section.line_range.start <= line <= section.line_range.end


@given(vault_bytes())
@example(b"> \xc3\xa9 [a\r\n>b](c) [[d]]\r\n\r\n| \xff [[e\\|f]] |\r\n|-|\r\n")
def test_every_link_slices_to_its_source(data):
    check_places(parse(data))


@given(st.text(alphabet="[]()!<>`\\|#^% \n\ta\"'-é", max_size=80))
@settings(max_examples=200)
def test_any_text_can_be_searched_for_links(text):
    check_places(parse(text.encode()))


_MD = MarkdownIt("commonmark")
_MD.normalizeLink = str  # type: ignore[method-assign, assignment]
_MD.validateLink = lambda url: True  # type: ignore[method-assign]
_REFERENCES = {"LABEL": "target.md", "A": "a.md"}


def _plain_links(text: str, references: dict[str, str]) -> list[tuple[str, str]]:
    environment = {"references": {label: {"href": href, "title": ""} for label, href in references.items()}}
    tokens: list[Token] = []
    _MD.inline.parse(text, _MD, environment, tokens)
    found: list[tuple[str, str]] = []

    def walk(tokens: list[Token]) -> None:
        for token in tokens:
            if token.type == "link_open" and token.info != "auto":
                found.append(("markdown", str(token.attrs["href"])))
            if token.type == "image":
                found.append(("image", str(token.attrs["src"])))
                walk(token.children or [])

    walk(tokens)
    return found


_BRACKETS = st.lists(
    st.sampled_from(
        (
            "[",
            "]",
            "](",
            ")",
            "!",
            "![",
            "\\",
            "`",
            "``",
            "<",
            ">",
            "<a>",
            "b.md",
            " ",
            '"t"',
            "(",
            "[]",
            "[a]",
            "label",
            "&amp;",
        )
    ),
    max_size=16,
).map("".join)


@given(st.one_of(_BRACKETS, words()))
@settings(max_examples=300)
@example("[a](b (c) d)")
@example("[a](<b> c)")
@example("[a [b](c) [d]](e)")
@example("![[a](b)](c)")
@example("[a]\\(b)")
@example("[a](`b)`")
def test_markdown_links_are_those_that_markdown_it_finds(text):
    text = text.replace("[[", "[ [").strip()
    # Behind a parenthesis that makes no link, or brackets that are no label, CommonMark still looks for a reference;
    # markdown-it does not always.
    references = {} if re.search(r"\]\(|\]\[[^\]]*\[", text) else _REFERENCES
    marks = scan(text, references)
    found = [(mark.kind, unescaped(mark.target)) for mark in marks if mark.kind in ("markdown", "image")]
    assert found == _plain_links(text, references)


@pytest.mark.data
def test_every_link_of_the_sample_vaults_slices_to_its_source(data_dir):
    for path in sorted((data_dir / "vaults").rglob("*.md")):
        if path.is_file():
            check_places(parse(path.read_bytes()))
