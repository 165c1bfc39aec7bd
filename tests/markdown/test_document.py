"""A note as a whole: its version, names, texts and what is wrong with it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_kb.markdown.document import parse
from jupyter_kb.markdown.lines import decode, readable, with_line_feeds
from jupyter_kb.models import ByteRange, LineRange
from tests.markdown.strategies import vault_bytes


def test_the_version_is_the_blob_id_that_git_gives():
    assert parse(b"hello\n").version == "ce013625030ba8dba906f756967f9e9ca394464a"
    assert parse(b"").version == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"


def test_the_title_is_the_front_matters_then_the_first_top_heading_then_the_files_name():
    assert parse(b"---\ntitle: T\n---\n# H\n").title("stem") == "T"
    assert parse(b"---\ntitle:\n---\ntext\n\n## Low\n\n#\n# *H*\n# I\n").title("stem") == "H"
    assert parse(b"## Low\n").title("stem") == "stem"


def test_own_text_leaves_out_heading_sub_sections_and_blank_lines_around():
    document = parse(b"# A\r\n  \r\n  x\xff\ry\r\n\r\n## B\r\n\r\n# C\n\npre\n")
    assert [document.own_text(section) for section in document.sections] == ["  x\ufffd\ny", "", "pre"]


def test_content_is_the_exact_bytes_with_or_without_sub_sections():
    document = parse(b"# A\r\nx\r\n## B\r\ny\r\n")
    assert document.content(document.sections[0]) == b"# A\r\nx\r\n## B\r\ny"
    assert document.content(document.sections[0], children=False) == b"# A\r\nx"


def test_bytes_that_are_not_utf_8_are_a_finding_with_a_line():
    (finding,) = parse(b"a\nb\xc3(\n\xff").diagnostics
    assert (finding.kind, finding.line) == ("invalid-utf8", 2)
    assert "0xc3" in finding.message


def test_a_note_in_order_has_no_findings():
    assert parse("---\na: 1\n---\n# é\n".encode()).diagnostics == ()


def test_a_byte_order_mark_alone_is_an_empty_note():
    document = parse(b"\xef\xbb\xbf")
    assert (document.sections, document.head.end, document.diagnostics) == ((), 3, ())


@given(vault_bytes())
def test_the_whole_text_encodes_back_to_the_file(data):
    assert parse(data).text.encode("utf-8", "surrogateescape") == data


@given(vault_bytes())
def test_own_texts_can_be_encoded(data):
    document = parse(data)
    for section in document.sections:
        document.own_text(section).encode()


def test_threads_may_parse_at_the_same_time():
    notes = [f"# *A{number}* `x`\n\n- [[b]]\n".encode() for number in range(200)]
    with ThreadPoolExecutor(8) as pool:
        headings = list(pool.map(lambda data: parse(data).sections[0].heading, notes))
    assert headings == [f"A{number} x" for number in range(200)]


@given(st.data())
def test_characters_of_own_text_have_their_bytes_and_lines_in_the_file(data):
    raw = data.draw(vault_bytes())
    document = parse(raw)
    for section in document.sections:
        text = document.own_text(section)
        if not text:
            continue
        start = data.draw(st.integers(0, len(text) - 1))
        stop = data.draw(st.integers(start + 1, len(text)))
        place, lines = document.own_place(section, start, stop)
        found = raw[place.start : place.end]
        assert readable(with_line_feeds(decode(found))) == text[start:stop]
        assert section.heading_end <= place.start < place.end <= section.own_end
        assert lines.start == raw.count(b"\n", 0, place.start) + 1
        assert lines.end == raw.count(b"\n", 0, place.end - 1) + 1
        if start and text[start - 1] == "\n":  # no half of a line end belongs to the characters around it
            assert raw[place.start - 1 : place.start + 1] != b"\r\n"


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_the_whole_own_text_ends_where_the_section_does(end):
    lines = [b"\xef\xbb\xbf# A", b"", b" \t", "x\U0001f600".encode() + b"\xff", b"", b"y", b"", b"# B"]
    document = parse(end.join(lines))
    section = document.sections[0]
    place, numbers = document.own_place(section, 0, len(document.own_text(section)))
    assert document.data[place.start : place.end] == "x\U0001f600".encode() + b"\xff" + 2 * end + b"y"
    assert (place.end, numbers) == (section.own_end, LineRange(start=4, end=6))


def test_no_characters_stand_for_the_heading():
    document = parse(b"pre\n\nA\n=\n\n## B\n")
    assert document.own_place(document.sections[1], 0, 0) == (ByteRange(start=5, end=8), LineRange(start=3, end=4))
    assert document.own_place(document.sections[0], 0, 0) == (ByteRange(start=0, end=0), LineRange(start=1, end=1))
