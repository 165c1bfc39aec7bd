"""Enumeration: everything that passes, in a fixed order, in windows that fit together."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from blake3 import blake3
from hypothesis import given
from hypothesis import strategies as st

from jupyter_kb.errors import InvalidRequestError
from jupyter_kb.models import Filters, Hit, SearchRequest
from jupyter_kb.search.listing import MOST_WITH_TEXT, listing
from jupyter_kb.search.snippets import PASSAGE_LENGTH
from tests.index.vaults import IndexedVault, indexed
from tests.search import drawn

NOTES: dict[str, str | bytes] = {
    "b.md": "---\nstatus: open\n---\nOpening **words**.\n\n# Alpha\n\nText of alpha.\n",
    "a/z.md": "# Zeta\n\n## Empty\n\n### Deep\n\nDeep text.\n\n## Last\n\nEnd.\n",
    "B.md": "# beta\n\nOf beta.\n",
    "é.md": "",
    "c.md": "---\ntitle: Alpha\nstatus: open\n---\n" + "word " * 400 + "\n",
}
TIMES = {"b.md": 3, "a/z.md": 1, "B.md": 2, "é.md": 2, "c.md": 2}


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Iterator[IndexedVault]:
    root = tmp_path_factory.mktemp("v")
    with indexed(root, {"é.md": "", "c.md": ""}) as vault:
        vault.write(NOTES)
        for key, seconds in TIMES.items():
            os.utime(root / key, (seconds, seconds))
        vault.indexer.scan()
        yield vault


def hits(vault: IndexedVault, **asked: Any) -> tuple[Hit, ...]:
    return listing(vault.database, SearchRequest(**{"limit": 100, **asked})).hits


def files(vault: IndexedVault, **asked: Any) -> list[str]:
    return [hit.file for hit in hits(vault, **asked)]


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({}, ["B.md", "a/z.md", "b.md", "c.md", "é.md"]),
        ({"descending": True}, ["é.md", "c.md", "b.md", "a/z.md", "B.md"]),
        # titles: beta, Zeta, Alpha, Alpha, é
        ({"order_by": "title"}, ["b.md", "c.md", "B.md", "a/z.md", "é.md"]),
        ({"order_by": "title", "descending": True}, ["é.md", "a/z.md", "B.md", "b.md", "c.md"]),
        ({"order_by": "modified"}, ["a/z.md", "B.md", "c.md", "é.md", "b.md"]),
        ({"order_by": "modified", "descending": True}, ["b.md", "B.md", "c.md", "é.md", "a/z.md"]),
        ({"filters": Filters(front_matter={"status": "open"})}, ["b.md", "c.md"]),
        ({"filters": Filters(path="nowhere")}, []),
    ],
)
def test_notes_come_in_the_order_asked_for(vault: IndexedVault, asked: dict[str, Any], expected: list[str]) -> None:
    assert files(vault, **asked) == expected


def test_sections_come_note_by_note_in_the_order_of_the_document(vault: IndexedVault) -> None:
    asked = {"granularity": "section", "order_by": "title", "descending": True}

    found = [(hit.file, hit.heading) for hit in hits(vault, **asked)]

    zeta = [("a/z.md", heading) for heading in ("Zeta", "Empty", "Deep", "Last")]
    assert found == [
        ("é.md", ""), *zeta, ("B.md", "beta"), ("b.md", "Preamble"), ("b.md", "Alpha"), ("c.md", "Preamble"),
    ]  # fmt: skip


def test_the_time_is_told_only_where_it_orders(vault: IndexedVault) -> None:
    assert [hit.modified for hit in hits(vault, order_by="modified")] == [1, 2, 2, 2, 3]
    assert {hit.modified for hit in hits(vault, order_by="title")} == {None}


def test_a_hit_is_a_place_whose_hash_holds(vault: IndexedVault) -> None:
    for granularity in ("document", "section"):
        for hit in hits(vault, granularity=granularity):
            data = (vault.root / hit.file).read_bytes()
            assert blake3(data[hit.byte_range.start : hit.byte_range.end]).hexdigest() == hit.content_hash
            assert hit.score == 0


def test_a_note_shows_where_its_text_begins(vault: IndexedVault) -> None:
    shown = {hit.file: hit for hit in hits(vault)}

    assert (shown["b.md"].heading_path, shown["b.md"].snippet) == ("Preamble", "Opening words.")
    assert shown["b.md"].complete
    assert (shown["a/z.md"].heading_path, shown["a/z.md"].snippet) == ("Zeta", "Deep text.")
    assert not shown["a/z.md"].complete, "the text is not the section's own"
    assert (shown["é.md"].title, shown["é.md"].text, shown["é.md"].complete) == ("é", "", False)
    assert len(shown["c.md"].text) <= PASSAGE_LENGTH
    assert not shown["c.md"].complete


def test_a_note_is_shown_at_its_first_section_under_the_headings(vault: IndexedVault) -> None:
    (hit,) = hits(vault, filters=Filters(heading_prefix=("Empty",)))
    assert (hit.heading_path, hit.text) == ("Zeta > Empty", "Deep text.")

    (hit,) = hits(vault, filters=Filters(heading_prefix=("Alpha",)))
    assert (hit.file, hit.heading_path, hit.text, hit.complete) == ("b.md", "Alpha", "Text of alpha.", True)

    sections = hits(vault, granularity="section", filters=Filters(heading_prefix=("Empty",)))
    assert [hit.heading for hit in sections] == ["Empty", "Deep"]


def test_text_behind_what_passes_is_not_shown_for_it(tmp_path: Path) -> None:
    with indexed(tmp_path / "v", {"n.md": "# One\n\n# Two\n\nText of two.\n"}) as vault:
        assert [hit.text for hit in hits(vault)] == ["Text of two."]
        assert [hit.text for hit in hits(vault, filters=Filters(heading_prefix=("One",)))] == [""]


def test_the_text_of_another_note_is_not_shown(tmp_path: Path) -> None:
    with indexed(tmp_path / "v", {"a.md": "# One\n", "b.md": "# Two\n\nText of two.\n"}) as vault:
        assert [hit.text for hit in hits(vault)] == ["", "Text of two."]


def test_a_page_is_a_window_and_the_total_is_exact(vault: IndexedVault) -> None:
    page = listing(vault.database, SearchRequest(limit=2, offset=1, mode="text"))
    assert [hit.file for hit in page.hits] == ["a/z.md", "b.md"]
    assert (page.total, page.has_more, page.mode) == (5, True, "text")

    page = listing(vault.database, SearchRequest(limit=2, offset=3))
    assert ([hit.file for hit in page.hits], page.has_more) == (["c.md", "é.md"], False)
    page = listing(vault.database, SearchRequest(limit=2, offset=9))
    assert (page.hits, page.total, page.has_more) == ((), 5, False)
    page = listing(vault.database, SearchRequest(limit=0))
    assert (page.hits, page.total, page.has_more) == ((), 5, False)


def test_the_sections_of_one_note_can_be_capped(vault: IndexedVault) -> None:
    found = [hit.heading for hit in hits(vault, granularity="section", per_file=1)]

    assert found == ["beta", "Zeta", "Preamble", "Preamble", ""]


def test_chunks_and_unknown_orders_are_refused(vault: IndexedVault) -> None:
    with pytest.raises(InvalidRequestError, match="documents or sections") as refusal:
        hits(vault, granularity="chunk")
    assert "query" in (refusal.value.hint or "")
    with pytest.raises(InvalidRequestError, match="path, title, modified"):
        hits(vault, order_by="size")


def test_an_empty_vault_lists_nothing(tmp_path: Path) -> None:
    with indexed(tmp_path / "v") as vault:
        for granularity in ("document", "section"):
            assert listing(vault.database, SearchRequest(granularity=granularity)).total == 0


def test_who_asks_for_very_many_gets_places_without_text(tmp_path: Path) -> None:
    notes: dict[str, str | bytes] = {
        "n.md": "\n\n".join(f"# H{number}\n\nText." for number in range(MOST_WITH_TEXT + 1))
    }
    with indexed(tmp_path / "v", notes) as vault:
        many = hits(vault, granularity="section", limit=MOST_WITH_TEXT + 1)
        few = hits(vault, granularity="section", limit=MOST_WITH_TEXT)

    assert len(many) == MOST_WITH_TEXT + 1
    assert {(hit.text, hit.complete) for hit in many} == {("", False)}
    assert {(hit.text, hit.complete) for hit in few} == {("Text.", True)}


@given(
    notes=drawn.VAULTS,
    filters=drawn.FILTERS,
    granularity=st.sampled_from((None, "document", "section")),
    order_by=st.sampled_from(("path", "title", "modified")),
    descending=st.booleans(),
    size=st.integers(1, 4),
)
def test_windows_tile_the_order_of_what_passes(
    notes: dict[str, drawn.Note], filters: Filters, granularity: Any, order_by: Any, descending: bool, size: int
) -> None:
    with drawn.written(notes) as vault:
        documents, mtimes = drawn.read(vault)
        if drawn.unknown(documents, filters):
            return
        passing = drawn.passing(documents, mtimes, filters)
        keys = {
            "path": lambda key: key.encode(),
            "title": lambda key: documents[key].title(Path(key).stem).casefold(),
            "modified": mtimes.__getitem__,
        }
        ordered = sorted(sorted(passing, key=str.encode), key=keys[order_by], reverse=descending)
        expected = [
            (key, documents[key].sections[ordinal].heading_path if documents[key].sections else "")
            for key in ordered
            for ordinal in (passing[key] if granularity == "section" else passing[key][:1])
        ]

        found: list[tuple[str, str]] = []
        for offset in range(0, len(expected) + size, size):
            page = listing(
                vault.database,
                SearchRequest(
                    filters=filters,
                    granularity=granularity,
                    order_by=order_by,
                    descending=descending,
                    limit=size,
                    offset=offset,
                ),
            )
            assert page.total == len(expected)
            assert page.has_more == (offset + size < len(expected))
            found += [(hit.file, hit.heading_path) for hit in page.hits]

        assert found == expected
