"""Values as HTML: whatever notes hold is text in it."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_kb.models import (
    ByteRange,
    Diagnostic,
    EditResult,
    FileChange,
    Hit,
    LineRange,
    LinkPage,
    LinkTarget,
    Outline,
    OutlineNode,
    Provenance,
    ReindexReport,
    ResolvedLink,
    SearchResults,
    SectionContent,
    Status,
    VaultInfo,
)
from jupyter_kb.render import html
from jupyter_kb.render.comparison import side_by_side
from jupyter_kb.render.elements import element

HASH = "0123456789abcdef" * 4
EVIL = '</pre></style><script>alert(1)</script><img src=x onerror=alert(1)>"\'><a href="javascript:x">&lt;'
ALLOWED = {
    *("a", "bdi", "code", "details", "div", "li", "mark", "ol", "p", "pre", "span", "strong", "style", "summary", "ul"),
    *("table", "tbody", "td", "th", "thead", "tr"),
}
ATTRIBUTES = {"aria-label", "class", "colspan", "href", "role", "tabindex", "title"}
ATTRIBUTES |= {"data-kb-file", "data-kb-heading", "data-kb-query"}


class Page(HTMLParser):
    """What a browser would make of it: the elements, the text outside the style, the addresses."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.text = ""
        self.addresses: list[str] = []
        self._open: list[str] = []
        self.feed(source)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ALLOWED, tag
        assert {name for name, _ in attrs} <= ATTRIBUTES, attrs
        self.addresses += [value or "" for name, value in attrs if name == "href"]
        self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self._open:
            self.text += data


def _range(size: int = 1) -> tuple[ByteRange, LineRange]:
    return ByteRange(start=0, end=size), LineRange(start=1, end=1)


def _hit(text: str) -> Hit:
    data, lines = _range()
    return Hit(
        file=text, title=text, heading=text, heading_path=text, score=1.0, byte_range=data, line_range=lines,
        content_hash=HASH, own_hash=HASH, snippet=text, marks=((0, min(3, len(text))),), text=text,
    )  # fmt: skip


def _node(text: str, *children: OutlineNode) -> OutlineNode:
    return OutlineNode(
        heading=text, level=1, heading_path=text, line_range=_range()[1], size=1, content_hash=HASH, own_hash=HASH,
        children=children,
    )  # fmt: skip


def _link(text: str) -> ResolvedLink:
    data, lines = _range()
    place = Provenance(file=text, heading_path=text, byte_range=data, line_range=lines, content_hash=HASH)
    return ResolvedLink(
        source=place, line=1, raw_target=text, kind="wikilink", status="missing", context=f"x [[{text}]] y", reason=text
    )


def _content(text: str) -> SectionContent:
    data, lines = _range()
    return SectionContent(
        file=text, heading=text, heading_path=text, level=1, content=text, byte_range=data, line_range=lines,
        content_hash=HASH, version=HASH,
    )  # fmt: skip


def _edit(text: str) -> EditResult:
    return EditResult(
        file=text, heading_path=text, content_hash=HASH, version=HASH, sections=(), changed=(text,), written=True,
        diff=f"--- a/{text}\n+++ b/{text}\n@@ -1 +1 @@\n-{text}\n+{text}!\n", removed=(f"{text} > {text}",),
        broken_links=(_link(text),),
    )  # fmt: skip


def _status(text: str) -> Status:
    return Status(
        vault=text, root=text, notes=1, sections=1, links=1, diagnostics=1, index_location=text, index_bytes=1,
        read_only=False, last_scan=None, note=text,
    )  # fmt: skip


def _pages(text: str) -> dict[str, str]:
    """Every kind of page, `text` wherever a vault could put it."""
    complaint = Diagnostic(file=text, kind="front-matter", message=text, line=1)
    outline = Outline(
        file=text, title=text, version=HASH, sections=(_node(text, _node(text)),), diagnostics=(complaint,)
    )
    links = LinkPage(links=(_link(text),), total=1)
    change = FileChange(file=text, sections_added=(text,))
    return {
        "search": html.search(SearchResults(query=text, mode="text", hits=(_hit(text),), total=1, note=text)),
        "explained": html.search(SearchResults(query=text, mode="text", hits=(_hit(text),), total=1), explain=True),
        "outline": html.outline(outline),
        "section": html.section(_content(text)),
        "links": html.links(links, text),
        "backlinks": html.links(links, text, asked=LinkTarget(file="x.md")),
        "status": html.status(_status(text)),
        "reindex": html.reindex(ReindexReport(files_added=(text,), files_removed=(text,), files_changed=(change,))),
        "vaults": html.vaults([VaultInfo(name=text, root=text, problem=text)], text),
        "edit": html.edit(_edit(text)),
        "conflict": html.conflict(LinkTarget(file=text, heading_path=text), text, text + "!", read=text, hash=HASH),
        "message": html.message(text, text),
    }  # fmt: skip


@pytest.mark.parametrize("kind", _pages(""))
def test_hostile_text_stays_text(kind: str) -> None:
    page = Page(_pages(EVIL)[kind])

    assert "<script>alert(1)</script>" in page.text
    assert "onerror=alert(1)" in page.text
    assert page.addresses == []


@given(st.text())
def test_any_text_leaves_every_page_whole(text: str) -> None:
    for page in _pages(text).values():
        Page(page).text.encode("utf-8")  # nor is there half a character in it


def test_an_address_cannot_end_its_attribute() -> None:
    page = Page(html.section(_content("a.md"), address=lambda file: './x" onclick="alert(1)'))

    assert page.addresses == ['./x" onclick="alert(1)']


def test_links_of_rendered_markdown_open_the_note() -> None:
    rendered = '<p><a class="kb-link" data-kb-file="a &amp; b.md" data-kb-heading="x" href="#">a</a></p>'
    shown = html.section(_content("a.md"), rendered=rendered, address=lambda file: f"./{file}?x")

    assert '<a class="kb-link" data-kb-file="a &amp; b.md" data-kb-heading="x" href="./a &amp; b.md?x">a</a>' in shown
    assert rendered in html.section(_content("a.md"), rendered=rendered)


def test_control_characters_are_pictures() -> None:
    assert element("p", "a\x1b[31m\x00\r\nb\tc\udcff") == "<p>a␛[31m␀\nb\tc�</p>"


def test_matched_words_are_marked() -> None:
    assert "<mark>one</mark> two" in html.search(
        SearchResults(query="one", mode="text", hits=(_hit("one two"),), total=1)
    )


def test_a_search_shows_where_each_section_stands() -> None:
    hit = Hit(**{**vars(_hit("words")), "file": "lab/a.md", "title": "A", "heading_path": "A > B > C", "marks": ()})
    found = html.search(SearchResults(query="q", mode="hybrid", hits=(hit,), total=9))
    page = Page(found)

    assert "q1 of 9 sections" in page.text
    assert "A lab › B › C" in page.text
    assert "meaning" in page.text
    assert 'data-kb-file="lab/a.md" data-kb-heading="A &gt; B &gt; C"' in found
    assert '<a class="kb-show-all" role="button" tabindex="0" data-kb-query="q">Show all in panel</a>' in found
    assert "meaning" not in Page(html.search(SearchResults(query="q", mode="text", hits=(hit,), total=9))).text


def test_a_link_with_an_alias_is_marked_whole() -> None:
    link = _link("note")
    page = LinkPage(links=(ResolvedLink(**{**vars(link), "context": r"see [[note\|this]] and [[noted]]"}),), total=1)

    assert r"see <mark>[[note\|this]]</mark> and [[noted]]" in html.links(page, "links")


def test_an_edit_shows_the_difference_and_what_went_with_it() -> None:
    page = Page(html.edit(_edit("A")))

    assert "Wrote A › A" in page.text
    assert "new hash 0123456789abcdef" in page.text
    assert "@@ -1 +1 @@\n-A\n+A!\n" in page.text
    assert "with it 1 sub-section: A" in page.text
    assert "1 link to headings that are gone now" in page.text


def test_lines_of_a_note_that_look_like_a_head_are_part_of_the_difference() -> None:
    diff = html.diff(
        "--- a/x.md\n+++ b/x.md\n@@ -1,2 +1 @@\n--- a rule\n-\u2028\n+++ plus\n\\ No newline at end of file\n"
    )

    assert '<span class="kb-removed">--- a rule\n</span>' in diff
    assert '<span class="kb-added">+++ plus\n</span>' in diff
    assert diff.count("<span") == 5
    assert "x.md" not in diff


def test_sides_stand_line_by_line_and_equal_stretches_are_folded() -> None:
    same = [f"line {number}" for number in range(30)]
    table = side_by_side("\n".join([*same, "old"]), "\n".join([*same, "new", "newer"]), "left", "right")

    assert '<td class="kb-removed">old</td><td class="kb-added">new</td>' in table
    assert '<td></td><td class="kb-added">newer</td>' in table
    assert "27 equal lines" in table
    assert "line 26" not in table
    assert "line 27" in table


def test_long_texts_are_compared_at_their_beginnings() -> None:
    table = side_by_side("a\n" * 2_500, "b\n" * 2_100, "left", "right")

    assert "501 more lines not compared" in table
