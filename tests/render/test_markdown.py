"""Values as Markdown to paste into a note."""

from __future__ import annotations

import pytest

from jupyter_kb.models import ByteRange, Hit, LineRange, SearchResults
from jupyter_kb.render import markdown


@pytest.mark.parametrize(
    ("file", "heading", "link"),
    [
        ("docs/kite.md", "", "[[docs/kite]]"),
        ("docs/kite.md", "Landing", "[[docs/kite#Landing|kite > Landing]]"),
        ("kite.md", "What if: [x]?", "[[kite]]"),
        ("kite.md", "A | B", "[[kite]]"),
    ],
)
def test_a_wikilink_names_the_heading_where_it_can(file: str, heading: str, link: str) -> None:
    assert markdown.wikilink(file, heading) == link


def test_a_snippet_is_quoted_and_its_marks_are_bold() -> None:
    hit = Hit(
        file="a.md",
        title="a",
        heading="A",
        heading_path="A",
        score=1.0,
        byte_range=ByteRange(start=0, end=1),
        line_range=LineRange(start=1, end=1),
        content_hash="0" * 64,
        own_hash="0" * 64,
        snippet="2*3 of [x] words",
        marks=((11, 16),),
    )

    listed = markdown.search(SearchResults(query="words", mode="text", hits=(hit,), total=1))

    assert listed == "- [[a#A|a > A]]: 2\\*3 of \\[x\\] **words**\n"
