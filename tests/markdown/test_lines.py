"""Lines and bytes: text that encodes back to the same bytes, and lines counted as people count them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_kb.markdown.lines import LineIndex, decode, encode, readable, with_line_feeds
from tests.markdown.strategies import vault_bytes


@given(st.one_of(st.binary(), vault_bytes()))
def test_decoded_text_encodes_back_to_the_same_bytes(data):
    assert encode(decode(data)) == data


@given(st.text(alphabet=st.characters(exclude_categories=())))
def test_any_text_can_be_encoded_and_made_readable(text):
    encode(text)
    readable(text).encode()
    assert len(readable(text)) == len(text)


@given(st.one_of(st.binary(), st.text(alphabet="a\r\n").map(str.encode), vault_bytes()))
def test_a_line_number_counts_the_line_feeds_before(data):
    lines = LineIndex(data)
    for offset in range(len(data)):
        assert lines.line_at(offset) == 1 + data.count(b"\n", 0, offset)
    assert lines.line_at(len(data)) == lines.count


@given(st.text(alphabet="ab\r\n").map(str.encode))
def test_line_spans_tile_the_file(data):
    lines = LineIndex(data)
    spans = [lines.span(line) for line in range(1, lines.count + 1)]
    assert [span.start for span in spans] == [0, *(span.end for span in spans[:-1])]
    assert spans[-1].end == len(data)


@given(st.text(alphabet="ab\r\n").map(str.encode))
def test_parse_lines_end_at_each_of_the_three_line_ends(data):
    lines = LineIndex(data)
    contents = [data[start : lines.content_end(number)] for number, start in enumerate(lines.parse_starts)]
    assert contents == (data.splitlines() or [b""])


@pytest.mark.parametrize("line", [0, 3, -1])
def test_there_is_no_such_line(line):
    with pytest.raises(IndexError):
        LineIndex(b"a\nb\n").span(line)


def test_line_ends_become_line_feeds():
    assert with_line_feeds("a\r\nb\rc\n\r\r\nd") == "a\nb\nc\n\n\nd"
