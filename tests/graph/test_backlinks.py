"""Who links here: the structural toolset's list, and the vault's links in both directions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jupyter_kb.errors import AmbiguousSectionError, NoteNotFoundError, SectionNotFoundError
from jupyter_kb.graph.backlinks import backlinks, links
from jupyter_kb.graph.catalog import Catalog
from jupyter_kb.graph.resolve import ExactResolver
from jupyter_kb.graph.rows import link_rows
from jupyter_kb.markdown.document import parse
from jupyter_kb.models import LinkPage, LinkTarget
from tests.graph.conftest import MakeVault
from tests.graph.vaults import IndexedVault

KITE = """---
title: Kite
aliases: [Drachen]
---

Opening words.

# Flight

Steady wind.

## Landing

Pull the line. See [[tools#Reel|the reel]].

# Storage

Dry place.
"""
INDEX = """# Index

Go to [[kite]] and [[kite#Landing]] and [[ghost]], to [[Kite]] or ![[kite]].

`[[kite]]` [kite](kite.md#landing) [[drachen]]

## Below

Once more: [[kite|again]] and [[kite|again]].
"""
FILES = {"kite.md": KITE, "docs/tools.md": "# Reel\n\nx\n\n# Reel\n\ny [[kite]]\n", "index.md": INDEX}


@pytest.fixture
def kites(make_vault: MakeVault) -> IndexedVault:
    return make_vault(FILES)


# ── structural ──────────────────────────────────────────────────────────────────────────────────


def _listed(vault: IndexedVault, file: str, heading_path: str | None = None) -> list[tuple[str, str, str, str | None]]:
    return [
        (link.source.file, link.source.heading_path, link.raw_target, link.target_heading_path)
        for link in backlinks(vault.database, file, heading_path)
    ]


def test_a_note_is_linked_by_whole_file_links_and_by_heading_links(kites: IndexedVault) -> None:
    assert _listed(kites, "kite.md") == [
        ("docs/tools.md", "Reel[2]", "kite", None),
        ("index.md", "Index", "kite", None),
        ("index.md", "Index", "kite#Landing", "Flight > Landing"),
        ("index.md", "Index > Below", "kite", None),
        ("index.md", "Index > Below", "kite", None),
    ]


def test_a_heading_is_linked_by_its_own_links_only(kites: IndexedVault) -> None:
    assert _listed(kites, "kite.md", "Flight > Landing") == [("index.md", "Index", "kite#Landing", "Flight > Landing")]


def test_an_unknown_heading_has_no_backlinks(kites: IndexedVault) -> None:
    assert _listed(kites, "kite.md", "No Such") == []
    assert _listed(kites, "kite.md", "Landing") == []


def test_an_unknown_note_is_an_error_with_near_names(kites: IndexedVault) -> None:
    with pytest.raises(NoteNotFoundError, match=r"^file 'kites\.md' is not indexed$") as caught:
        backlinks(kites.database, "kites.md")

    assert caught.value.details["suggestions"][0] == "kite.md"


def test_the_source_is_the_section_with_the_hash_that_an_edit_must_name(kites: IndexedVault) -> None:
    section = parse(INDEX.encode()).sections[0]

    source = backlinks(kites.database, "kite.md", "Flight > Landing")[0].source

    assert (source.byte_range, source.line_range) == (section.byte_range, section.line_range)
    assert source.content_hash == section.content_hash


def test_links_to_the_own_headings_count(make_vault: MakeVault) -> None:
    vault = make_vault({"q.md": "# Q\n\n[[#Q]] [[q]]\n", "r.md": "# Q\n\n[[#Q]]\n"})

    assert _listed(vault, "q.md") == [("q.md", "Q", "#Q", "Q"), ("q.md", "Q", "q", None)]


def test_backlinks_come_in_byte_order_of_file_then_heading_path_then_position(make_vault: MakeVault) -> None:
    vault = make_vault(
        {
            "t.md": "# T\n",
            "é.md": "[[t]]\n",
            "z.md": "# z\n\n[[t]]\n\n# A\n\n[[t#T]] [[t]]\n",
            "Z.md": "[[t]]\n",
        }
    )

    assert _listed(vault, "t.md") == [
        ("Z.md", "Preamble", "t", None),
        ("z.md", "A", "t#T", "T"),
        ("z.md", "A", "t", None),
        ("z.md", "z", "t", None),
        ("é.md", "Preamble", "t", None),
    ]


# ── as people write them ────────────────────────────────────────────────────────────────────────


def _shown(page: LinkPage) -> list[tuple[str, str, str, str]]:
    return [(link.source.file, link.raw_target, link.kind, link.status) for link in page.links]


def test_incoming_links_are_of_all_kinds_and_spellings_in_order_of_position(kites: IndexedVault) -> None:
    page = links(kites.database, kites.vault, "kite.md")

    assert page.total == 9
    assert _shown(page) == [
        ("docs/tools.md", "kite", "wikilink", "resolved"),
        ("index.md", "kite", "wikilink", "resolved"),
        ("index.md", "kite#Landing", "wikilink", "resolved"),
        ("index.md", "Kite", "wikilink", "resolved"),
        ("index.md", "kite", "embed", "resolved"),
        ("index.md", "kite.md#landing", "markdown", "resolved"),
        ("index.md", "drachen", "wikilink", "resolved"),
        ("index.md", "kite", "wikilink", "resolved"),
        ("index.md", "kite", "wikilink", "resolved"),
    ]


def test_links_can_be_asked_for_by_kind_and_page_by_page(kites: IndexedVault) -> None:
    whole = links(kites.database, kites.vault, "kite.md", kind="wikilink")
    pages = [links(kites.database, kites.vault, "kite.md", kind="wikilink", limit=3, offset=n) for n in (0, 3, 6)]

    assert {page.total for page in pages} == {whole.total} == {7}
    assert [link for page in pages for link in page.links] == list(whole.links)


def test_incoming_links_of_a_heading_name_it_in_any_spelling(kites: IndexedVault) -> None:
    page = links(kites.database, kites.vault, "kite.md", "Landing")

    assert [link.raw_target for link in page.links] == ["kite#Landing", "kite.md#landing"]
    assert {link.target for link in page.links} == {LinkTarget(file="kite.md", heading_path="Flight > Landing")}


def test_outgoing_links_say_where_they_lead_or_why_not(kites: IndexedVault) -> None:
    page = links(kites.database, kites.vault, "kite.md", direction="out")

    (link,) = page.links
    assert link.status == "ambiguous"
    assert [target.heading_path for target in link.candidates] == ["Reel", "Reel[2]"]
    assert link.reason == "heading 'Reel' may mean any of: Reel, Reel[2]"
    assert link.context == "Pull the line. See [[tools#Reel|the reel]]."
    assert (link.line, link.source.heading_path) == (14, "Flight > Landing")


def test_outgoing_links_of_a_section_include_those_below_it(kites: IndexedVault) -> None:
    def targets(heading_path: str) -> list[str]:
        page = links(kites.database, kites.vault, "index.md", heading_path, direction="out")
        return [link.raw_target for link in page.links]

    assert len(targets("Index")) == 9
    assert targets("Index > Below") == ["kite", "kite"]


def test_both_directions_list_a_link_into_the_same_note_once(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "# A\n\n[[#A]] [[b]]\n", "b.md": "[[a]]\n"})

    page = links(vault.database, vault.vault, "a.md", direction="both")

    assert _shown(page) == [
        ("a.md", "#A", "wikilink", "resolved"),
        ("a.md", "b", "wikilink", "resolved"),
        ("b.md", "a", "wikilink", "resolved"),
    ]


def test_ambiguous_links_and_links_to_lost_headings_are_incoming_links_too(make_vault: MakeVault) -> None:
    vault = make_vault({"x/n.md": "# H\n", "y/n.md": "", "q.md": "[[n]] [[x/n#gone]]\n"})

    page = links(vault.database, vault.vault, "x/n.md")

    assert [(link.raw_target, link.status) for link in page.links] == [("n", "ambiguous"), ("x/n#gone", "missing")]
    assert page.links[1].target == LinkTarget(file="x/n.md")


def test_a_long_line_is_cut_around_the_link(make_vault: MakeVault) -> None:
    line = "before " * 60 + "[[t|text]]" + " after" * 60
    vault = make_vault({"t.md": "", "q.md": f"# Q\n\n{line}\n"})

    (link,) = links(vault.database, vault.vault, "t.md").links

    assert len(link.context) <= 200
    assert "[[t|text]]" in link.context
    assert link.context.startswith("…")
    assert link.context.endswith("…")
    assert link.context.strip("…") in line


def test_a_link_in_a_note_that_has_gone_has_no_context(make_vault: MakeVault) -> None:
    vault = make_vault({"t.md": "", "q.md": "[[t]]\n"})
    (vault.root / "q.md").unlink()

    (link,) = links(vault.database, vault.vault, "t.md").links

    assert link.context == ""


def test_without_context_no_note_is_read(make_vault: MakeVault) -> None:
    vault = make_vault({"t.md": "", "q.md": "some [[t]]\n"})

    (link,) = links(vault.database, vault.vault, "t.md", context=False).links

    assert link.context == ""


def test_an_unknown_or_unclear_heading_is_an_error(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "# A\n\n## Notes\n\n# B\n\n## Notes\n"})

    with pytest.raises(SectionNotFoundError) as missing:
        links(vault.database, vault.vault, "a.md", "Note")
    with pytest.raises(AmbiguousSectionError) as unclear:
        links(vault.database, vault.vault, "a.md", "Notes")

    assert "A > Notes" in missing.value.details["suggestions"]
    assert unclear.value.details["candidates"] == [
        {"heading_path": "A > Notes", "line": 3},
        {"heading_path": "B > Notes", "line": 7},
    ]


# ── what holds for every vault ──────────────────────────────────────────────────────────────────

_STEMS = ("a", "A", "b", "b.md", "é", "E\u0301", "c d")
_PATHS = [
    f"{folder}{stem}{extension}" for folder in ("", "f/", "f/g/") for stem in _STEMS for extension in (".md", ".MD")
]
_HEADINGS = ("A", "a", "B b", "A")
_TARGETS = [
    *_STEMS,
    *(f"{folder}{stem}" for folder in ("f/", "f/g/", "g/", "./", "../", "/") for stem in ("a", "B.md", "é", "alias")),
    "alias",
    "ALIAS",
    "f/",
    "ghost",
]
_FRAGMENTS = ("", "", "", "#A", "#a", "#B b", "#A#B b", "#b-b", "#^id", "#")


@st.composite
def _notes(draw: st.DrawFn) -> str:
    front = draw(st.sampled_from(("", "", "---\naliases: [alias]\n---\n", "---\naliases: [Alias, x/é]\n---\n")))
    blocks = draw(st.lists(st.one_of(st.sampled_from([f"# {heading}" for heading in _HEADINGS]), _links()), max_size=6))
    return front + "\n\n".join(blocks) + "\n"


@st.composite
def _links(draw: st.DrawFn) -> str:
    target = draw(st.sampled_from(_TARGETS)) + draw(st.sampled_from(_FRAGMENTS))
    return draw(st.sampled_from(("[[{}]]", "[[{}|text]]", "![[{}]]", "[text](<{}>)", "text ^id [[{}]]"))).format(target)


def _keep_apart(files: dict[str, str]) -> dict[str, str]:
    """Without names that one and the same file of some systems would have."""
    return {path: text for path, text in files.items() if path.endswith(".md") or path[:-3] + ".md" not in files}


@pytest.mark.slow
@settings(max_examples=40)
@given(files=st.dictionaries(st.sampled_from(_PATHS), _notes(), min_size=2, max_size=6).map(_keep_apart))
def test_the_two_directions_and_the_two_sets_of_rules_agree(files: dict[str, str]) -> None:
    for vault in _made(files):
        with vault.database.snapshot():
            resolver = ExactResolver(Catalog(vault.database))
            exact = {}
            for row in link_rows(vault.database, "l.kind = 'wikilink' AND l.ordinal IS NOT NULL"):
                resolution = resolver.resolve(row.link.source, row.link.raw_target)
                if resolution.status == "resolved":
                    exact[row.link.source.path, row.start] = resolution.target
            outgoing = {
                (file, link.line, link.raw_target, link.kind, link.target, link.candidates)
                for file in files
                for link in links(vault.database, vault.vault, file, direction="out", limit=99).links
            }
            incoming = {
                file: {
                    (link.source.file, link.line, link.raw_target, link.kind, link.target, link.candidates)
                    for link in links(vault.database, vault.vault, file, direction="in", limit=99).links
                }
                for file in files
            }
            back = {file: backlinks(vault.database, file) for file in files}

        for file in files:
            leading_here = {link for link in outgoing if file in {t.file for t in (*link[5], link[4]) if t}}
            assert incoming[file] == leading_here
            targets = sorted(t.heading_path or "" for t in exact.values() if t and t.file == file)
            assert targets == sorted(link.target_heading_path or "" for link in back[file])
            for link in back[file]:
                meant = {found[4] for found in outgoing if (found[0], found[2]) == (link.source.file, link.raw_target)}
                assert LinkTarget(file=file, heading_path=link.target_heading_path) in meant


def _made(files: dict[str, str]) -> Iterator[IndexedVault]:
    with TemporaryDirectory() as folder:
        vault = IndexedVault(Path(folder), files)
        try:
            yield vault
        finally:
            vault.close()


@pytest.mark.data
@pytest.mark.slow
def test_the_backlinks_of_a_large_vault_are_those_of_the_brute_force(hub: IndexedVault) -> None:
    catalog = Catalog(hub.database)
    catalog.load_names()
    rows = link_rows(hub.database, "l.kind = 'wikilink' AND l.ordinal IS NOT NULL")
    resolver = ExactResolver(catalog)
    resolver.expect([(row.link.source, row.link.raw_target) for row in rows])
    expected: dict[str, int] = {}
    for row in rows:
        resolution = resolver.resolve(row.link.source, row.link.raw_target)
        if resolution.status == "resolved" and resolution.target:
            expected[resolution.target.file] = expected.get(resolution.target.file, 0) + 1
    busiest = sorted(expected, key=lambda file: (-expected[file], file))

    assert len(rows) > 20_000
    for file in (*busiest[:20], *busiest[-20:]):
        assert len(backlinks(hub.database, file)) == expected[file]
