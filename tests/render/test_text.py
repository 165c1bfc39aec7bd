"""Values as text, where the command line's transcripts do not show it."""

from __future__ import annotations

import pytest

from jupyter_kb.models import (
    ByteRange,
    Diagnostic,
    EditResult,
    LineRange,
    LinkPage,
    LinkTarget,
    ModelStatus,
    Outline,
    OutlineNode,
    Provenance,
    ResolvedLink,
    Status,
)
from jupyter_kb.render import edits, text
from jupyter_kb.render.lines import plain

PLACE = Provenance(
    file="a.md",
    heading_path="A > B",
    byte_range=ByteRange(start=0, end=9),
    line_range=LineRange(start=7, end=8),
    content_hash="0" * 64,
)


def _link(**changes: object) -> ResolvedLink:
    values: dict[str, object] = {"source": PLACE, "line": 7, "raw_target": "x", "kind": "wikilink", "status": "missing"}
    return ResolvedLink(**{**values, **changes})  # type: ignore[arg-type]


def _node(heading: str, level: int, line: int, *children: OutlineNode, path: str = "") -> OutlineNode:
    return OutlineNode(
        heading=heading,
        level=level,
        heading_path=path or heading,
        line_range=LineRange(start=line, end=line),
        size=1,
        content_hash="0" * 64,
        own_hash="0" * 64,
        children=children,
    )


def test_an_ambiguous_link_lists_what_it_may_mean() -> None:
    targets = (LinkTarget(file="x.md"), LinkTarget(file="y/x.md", heading_path="X"))
    page = LinkPage(links=(_link(status="ambiguous", candidates=targets),), total=1)

    assert plain(text.links(page)) == "a.md\n  7  [[x]] → several: x.md, y/x.md > X  in A > B\n"


def test_a_missing_link_says_why() -> None:
    page = LinkPage(links=(_link(kind="embed", reason="no file matches 'x'", context="see ![[x]] there"),), total=1)

    assert (
        plain(text.links(page)) == "a.md\n  7  ![[x]] → nothing: no file matches 'x'  in A > B\n     see ![[x]] there\n"
    )


def test_the_line_around_a_link_is_left_out_where_it_is_the_link() -> None:
    page = LinkPage(links=(_link(context="[[x]]"),), total=1)

    assert plain(text.links(page)).count("[[x]]") == 1


def test_a_link_in_a_table_is_shown_without_the_backslash_that_hides_its_pipe() -> None:
    assert text.written(_link(kind="wikilink", raw_target="plan\\")) == "[[plan]]"
    assert text.written(_link(kind="markdown", raw_target="plan\\")) == "(plan\\)"


def test_guides_of_an_outline_join_brothers_and_end_at_the_last() -> None:
    b = _node("B", 2, 5, _node("C", 3, 9, path="A > B > C"), path="A > B")
    tree = _node("A", 1, 1, b, _node("B", 2, 100, path="A > B[2]"))
    outline = Outline(file="a.md", title="a", version="", sections=(tree, _node("", 1, 120)))

    assert plain(text.outline(outline)).splitlines() == [
        "a.md",
        "    1  A",
        "    5  ├─ B",
        "    9  │  └─ C",
        "  100  └─ B[2]",
        "  120  (empty heading)",
    ]


def test_a_diagnostic_begins_with_file_and_line() -> None:
    entries = [
        Diagnostic(file="a.md", kind="unresolved-link", message="broken", line=3, hint="mend it"),
        Diagnostic(file="b.md", kind="unreadable-file", message="no access"),
    ]

    assert plain(text.diagnostics(entries)).splitlines() == [
        "a.md:3: broken  [unresolved-link]",
        "    mend it",
        "b.md: no access  [unreadable-file]",
    ]


def test_an_edit_names_the_links_it_left_behind() -> None:
    result = EditResult(
        file="b.md",
        heading_path="New",
        content_hash="f" * 64,
        version="",
        sections=(),
        changed=(),
        diff="",
        written=True,
        broken_links=(
            _link(raw_target="b#Old", target=LinkTarget(file="b.md", heading_path="Old"), status="resolved"),
        ),
    )

    assert plain(edits.edit(result)).splitlines() == [
        "wrote b.md > New",
        "new hash     ffffffffffffffff",
        "1 link to headings that are gone now:",
        "a.md",
        "  7  [[b#Old]] → b.md > Old  in A > B",
    ]


@pytest.mark.parametrize(
    ("known", "shown"),
    [
        ({}, "m (not started)"),
        ({"server": "localhost:9"}, "m (localhost:9)"),
        ({"device": "cpu", "dtype": "bfloat16"}, "m (cpu, bfloat16)"),
    ],
)
def test_a_status_says_of_a_model_what_is_known(known: dict[str, str], shown: str) -> None:
    state = Status(
        vault="notes",
        root="/notes",
        notes=1,
        sections=5,
        links=6,
        diagnostics=0,
        index_location="/index",
        index_bytes=0,
        read_only=False,
        last_scan=None,
        model=ModelStatus(name="m", **known),  # type: ignore[arg-type]
    )
    assert f"model        {shown}" in plain(text.status(state)).splitlines()


def test_a_status_says_what_is_unusual() -> None:
    state = Status(
        vault="notes",
        root="/notes",
        notes=1234,
        sections=5,
        links=6,
        diagnostics=0,
        index_location=None,
        index_bytes=0,
        read_only=True,
        last_scan=None,
        indexing=(3, 1234),
        note="another process owns the index",
    )
    shown = plain(text.status(state))

    for row in (
        "notes        1,234",
        "index        in memory only",
        "last scan    none yet since the index was opened",
        "read-only    yes",
        "indexing     3 of 1,234 notes",
        "note         another process owns the index",
    ):
        assert row in shown.splitlines()


def test_a_diff_keeps_its_lines_and_has_its_styles() -> None:
    lines = list(edits.diff("--- a\n+++ b\n@@ -1 +1 @@\n same\n-old\n+new\n"))

    assert [(line.text, line.body[0][1]) for line in lines] == [
        ("--- a", "file"),
        ("+++ b", "file"),
        ("@@ -1 +1 @@", "hunk"),
        (" same", ""),
        ("-old", "removed"),
        ("+new", "added"),
    ]
