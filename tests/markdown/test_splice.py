"""Splices: the addressed part changes as asked, and no other byte does."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from jupyter_kb.errors import InvalidRequestError
from jupyter_kb.markdown import splice
from jupyter_kb.markdown.document import Document, Section, parse
from jupyter_kb.markdown.headings import heading_text
from tests.markdown import cases
from tests.markdown.strategies import vault_bytes

Splice = Callable[[Document, Section, bytes], bytes]


def _named(function: Callable[[Document, Section, str, bytes], bytes]) -> Splice:
    def operate(document: Document, section: Section, body: bytes) -> bytes:
        heading, _, text = body.partition(b"\n")
        return function(document, section, heading.decode(), text)

    return operate


OPERATIONS: dict[str, Splice] = {
    "replace": lambda document, section, body: splice.replace_body(document, section, body, own_only=False),
    "replace-own": lambda document, section, body: splice.replace_body(document, section, body, own_only=True),
    "strict": lambda document, section, body: splice.replace_body(document, section, body, own_only=False, strict=True),
    "append": splice.append_body,
    "append-below": lambda document, section, body: splice.append_body(document, section, body, own_only=False),
    "prepend": splice.prepend_body,
    "after": _named(splice.insert_after),
    "child": _named(splice.insert_child),
    "rename": lambda document, section, body: splice.rename_heading(document, section, body.decode()),
    "delete": lambda document, section, body: splice.delete_section(document, section),
}


@pytest.mark.parametrize("case", cases.load("splice.md"), ids=str)
def test_an_edit_of_a_note(case):
    document = parse(case.data("note"))
    (operation,) = (block for block in case.blocks if block.kind in OPERATIONS)
    section = document.find(operation.argument.strip(), exact=True)
    if case.of("refused"):
        with pytest.raises(InvalidRequestError, match=case.of("refused")[0].lines[0]):
            OPERATIONS[operation.kind](document, section, operation.data)
    else:
        assert OPERATIONS[operation.kind](document, section, operation.data) == case.data("result")


@st.composite
def _sections(draw: st.DrawFn, *, headed: bool = False) -> tuple[Document, Section]:
    """A note and one of its sections, with a heading if asked for."""
    data = draw(vault_bytes())
    sections = [section for section in parse(data).sections if section.level or not headed]
    if not sections:
        data = b"# First\n\n" + data
    document = parse(data)
    return document, draw(st.sampled_from([section for section in document.sections if section.level or not headed]))


def check_identity(document: Document) -> None:
    """A section replaced by what it holds gives the file back, byte for byte."""
    data = document.data
    for section in document.sections:
        for own_only, end in ((True, section.own_end), (False, section.end)):
            body = data[section.heading_end : end]
            assert splice.replace_body(document, section, body, own_only=own_only) == data
            literal = body.removeprefix(b"\r\n" if body.startswith(b"\r\n") else b"\n")
            if section.level and len(literal) < len(body) and literal == literal.rstrip(b" \t\r\n\x0c"):
                text = literal.decode("utf-8", "surrogateescape")
                if text == text.rstrip():
                    assert splice.replace_body(document, section, literal, own_only=own_only, strict=True) == data


@given(vault_bytes())
def test_a_section_replaced_by_itself_changes_nothing(data):
    check_identity(parse(data))


@given(_sections(headed=True), st.binary(max_size=20), st.booleans(), st.booleans())
def test_no_byte_outside_the_replaced_range_changes(place, body, own_only, strict):
    document, section = place
    result = splice.replace_body(document, section, body, own_only=own_only, strict=strict)
    end = section.own_end if own_only else section.end
    assert result.startswith(document.data[: section.heading_end])
    assert result.endswith(document.data[end:])
    assert len(result) >= section.heading_end + len(document.data) - end


def _skeleton(document: Document, without: Section | None = None) -> list[tuple[int, str]]:
    left_out = range(0) if without is None else range(without.ordinal, without.ordinal + _size(document, without))
    return [(section.level, section.heading) for section in document.sections if section.ordinal not in left_out]


def _size(document: Document, section: Section) -> int:
    return sum(section.start <= other.start < section.end for other in document.sections)


def _can_be_continued(document: Document, end: int) -> bool:
    """Whether text behind `end` stands at the top level: no fence, comment or tag is open there."""
    probe = parse(document.data[:end] + b"\n\n# probe\n")
    return bool(probe.sections) and probe.sections[-1].heading == "probe"


@given(_sections())
@example((document := parse(b"a\n\n# B\n[r]: u\n"), document.sections[1]))
@example((document := parse(b"# B\n   \ntext"), document.sections[0]))
@example((document := parse(b"\xef\xbb\xbfalpha\n- \n  \nlazy line"), document.sections[0]))
def test_new_text_is_the_sections_own_text_and_nothing_else_moves(place):
    document, section = place
    result = parse(splice.replace_body(document, section, b"new *text*", own_only=True))
    assert _skeleton(result) == _skeleton(document)
    assert result.own_text(result.sections[section.ordinal]) == "new *text*"


@given(_sections(), st.booleans())
def test_appended_text_ends_the_section(place, own_only):
    document, section = place
    end = section.own_end if own_only else section.end
    assume(_can_be_continued(document, end))
    result = splice.append_body(document, section, b"new text", own_only=own_only)
    assert result.startswith(document.data[:end])
    assert result.endswith(document.data[end:])
    after = parse(result)
    assert _skeleton(after) == _skeleton(document)
    grown = after.sections[section.ordinal]
    assert after.content(grown, children=not own_only).endswith(b"new text")


@given(_sections())
def test_prepended_text_begins_the_section(place):
    document, section = place
    result = splice.prepend_body(document, section, b"new text")
    assert result.startswith(document.data[: section.heading_end])
    assert result.endswith(document.data[section.own_end :])
    after = parse(result)
    assert after.own_text(after.sections[section.ordinal]).lstrip("\n").startswith("new text")


@given(_sections(), st.sampled_from((b"", b"text", b"> quote")))
def test_an_inserted_section_is_the_only_new_one(place, body):
    document, section = place
    assume(_can_be_continued(document, section.end))
    after = parse(splice.insert_after(document, section, "New *one*", body))
    place_in_order = section.ordinal + _size(document, section)
    new = after.sections[place_in_order]
    assert (new.heading, after.own_text(new).encode()) == ("New one", body)
    assert new.level == (section.level or new.level)
    assert _skeleton(after, new) == _skeleton(document)


@given(_sections(headed=True))
def test_an_inserted_sub_section_is_the_last_one(place):
    document, section = place
    assume(section.level < 6)
    assume(_can_be_continued(document, section.end))
    after = parse(splice.insert_child(document, section, "New", b"text"))
    new = after.sections[section.ordinal + _size(document, section)]
    assert (new.heading, new.parent) == ("New", section.ordinal)
    assert _skeleton(after, new) == _skeleton(document)


_HEADINGS = st.one_of(
    st.sampled_from(
        (
            "New",
            "C #",
            "# ",
            "1. x",
            "- x",
            "a `b` *c*",
            "日本",
            "===",
            "---",
            "[r]: u",
            "> q",
            "a | b",
            "```",
            "<div>",
            "\\",
        )
    ),
    st.text(alphabet="ab#-= `*[]|>\\", min_size=1, max_size=8),
)


@given(_sections(headed=True), _HEADINGS)
def test_a_renamed_section_has_the_new_name_and_all_else_stays(place, heading):
    document, section = place
    try:
        result = splice.rename_heading(document, section, heading)
    except InvalidRequestError:
        return
    assert result.startswith(document.data[: section.start])
    assert result.endswith(document.data[section.heading_end :])
    after = parse(result)
    expected = _skeleton(document)
    expected[section.ordinal] = (section.level, heading_text(heading.strip()))
    assert [level for level, _ in _skeleton(after)] == [level for level, _ in expected]
    if "#" not in heading and "\\" not in heading:
        assert _skeleton(after) == expected


@given(_sections())
@example((document := parse(b"x\n\n# A\n\ny"), document.sections[1]))
def test_a_deleted_section_is_gone_and_the_others_stay(place):
    document, section = place
    assume(_can_be_continued(document, section.start))
    result = splice.delete_section(document, section)
    expected = _skeleton(document, section)
    assert _skeleton(parse(result)) == expected
    rest = document.data[section.end :].lstrip(b" \t\r\n")
    assert result.endswith(rest)
    if section.ordinal:
        assert result.startswith(document.data[: document.sections[section.ordinal - 1].own_end])


def test_a_heading_that_would_end_the_section_is_found_in_a_body():
    def found(body: bytes, level: int = 2) -> str | None:
        section = splice.escaping_heading(body, level)
        return section.heading if section else None

    assert found(b"text\n\n## B\n") == "B"
    assert found(b"text\n---\n") == "text"
    assert found(b"---\na: 1\n---\n# C\n", 1) == "C"
    assert found(b"### deeper\n> # quoted\n- # item\n```\n# code\n") is None


def test_the_line_end_is_the_one_that_the_file_has_most_of():
    ends = {b"": b"\n", b"a\r\nb\n": b"\n", b"a\r\nb\r\nc\n": b"\r\n", b"a\rb\n\rc": b"\r", b"a\r\n": b"\r\n"}
    assert {data: splice.line_end(parse(data)) for data in ends} == ends


@pytest.mark.data
def test_every_section_of_the_sample_vaults_replaced_by_itself_changes_nothing(data_dir):
    for path in sorted((data_dir / "vaults").rglob("*.md")):
        if path.is_file():
            check_identity(parse(path.read_bytes()))
