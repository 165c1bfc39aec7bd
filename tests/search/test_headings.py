"""Heading search: scores by fixed rules, in a fixed order, always up to date."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_kb.markdown.document import parse
from jupyter_kb.models import Filters, Hit, SearchRequest, SearchResults
from jupyter_kb.search.heading_table import tokens
from jupyter_kb.search.headings import MOST_WITH_TEXT, search
from tests.graph.vaults import IndexedVault

MakeVault = Callable[[Mapping[str, str]], IndexedVault]

KITE = """---
title: Kite
---

Opening words.

# Flight

Steady wind.

## Launch

Run forward.

## Landing

Pull the line.

# Storage

Dry place.
"""


@pytest.fixture
def make_vault(tmp_path: Path) -> Iterator[MakeVault]:
    made: list[IndexedVault] = []

    def make(files: Mapping[str, str]) -> IndexedVault:
        made.append(IndexedVault(tmp_path / f"vault{len(made)}", files))
        return made[-1]

    yield make
    for vault in made:
        vault.close()


@pytest.fixture
def kite(make_vault: MakeVault) -> IndexedVault:
    return make_vault({"kite.md": KITE})


def _search(vault: IndexedVault, query: str, limit: int = 10_000, **asked: object) -> SearchResults:
    return search(vault.database, SearchRequest(query=query, mode="headings", limit=limit, **asked))  # type: ignore[arg-type]


def _scores(vault: IndexedVault, query: str) -> list[tuple[str, float]]:
    return [(hit.heading_path, hit.score) for hit in _search(vault, query).hits]


# ── scores ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("flight > launch", [("Flight > Launch", 40000), ("Flight", 10101), ("Flight > Landing", 10101)]),
        ("Flight Launch", [("Flight > Launch", 40000), ("Flight", 10101), ("Flight > Landing", 10101)]),
        ("Launch", [("Flight > Launch", 30000)]),
        ("flight", [("Flight", 40000), ("Flight > Landing", 20100), ("Flight > Launch", 20100)]),
        ("landing flight", [("Flight > Landing", 20200), ("Flight", 10101), ("Flight > Launch", 10101)]),
        ("fl", [("Flight", 20000), ("Flight > Landing", 20000), ("Flight > Launch", 20000)]),
        ("flights", [("Flight", 20000), ("Flight > Landing", 20000), ("Flight > Launch", 20000)]),
        ("la flight", [("Flight > Landing", 20100), ("Flight > Launch", 20100), ("Flight", 10101)]),
        ("storage shed", [("Storage", 10101)]),
        ("stor shed", [("Storage", 10100)]),
        ("launch launch", [("Flight > Launch", 20200)]),
        ("words", []),
        ("preamble", []),
        ("  ", []),
        ("", []),
        ("> [ ] _", []),
    ],
)
def test_a_query_scores_by_the_tier_it_reaches(
    query: str, expected: list[tuple[str, float]], kite: IndexedVault
) -> None:
    assert _scores(kite, query) == expected


def test_a_query_without_letters_or_digits_finds_nothing(kite: IndexedVault) -> None:
    assert _search(kite, "> [ ] _") == SearchResults(query="> [ ] _", mode="headings", hits=(), total=0)


def test_the_same_words_in_another_order_come_after_the_same_heading(make_vault: MakeVault) -> None:
    vault = make_vault(
        {"a.md": "# Top\n\n## gain switch\n\n## switch gain\n\n## switch, gain!\n\n## gain switch gain\n"}
    )

    assert _scores(vault, "Switch gain") == [
        ("Top > switch gain", 30000),
        ("Top > switch, gain!", 30000),
        ("Top > gain switch", 29000),
        ("Top > gain switch gain", 20200),
    ]


def test_prefixes_count_in_both_directions(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "# Gun\n\n# Gunnery\n\n# G\n\n# Gum\n"})

    assert _scores(vault, "gunny") == [("G", 20000), ("Gun", 20000)]
    assert _scores(vault, "gunn") == [("G", 20000), ("Gun", 20000), ("Gunnery", 20000)]


def test_the_number_of_an_equal_sibling_is_part_of_its_path_only(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "# Log\n\n# Log\n\n# Log 2\n"})

    assert _scores(vault, "log") == [("Log", 40000), ("Log[2]", 30000), ("Log 2", 20100)]
    assert _scores(vault, "log 2") == [("Log 2", 40000), ("Log[2]", 40000), ("Log", 10101)]


def test_a_heading_called_preamble_is_found_but_no_preamble(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "text\n\n# Preamble\n", "b.md": "text\n", "c.md": ""})

    assert _scores(vault, "Preamble") == [("Preamble[2]", 30000)]


def test_letters_and_digits_of_every_script_are_tokens() -> None:
    assert tokens("Überblick, 2.1 OPA380_x – 标题ABC ΟΔΟΣ") == ["überblick", "2", "1", "opa380", "x", "标题abc", "οδος"]


def test_headings_in_other_scripts_are_found(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "# 标题 一\n\n# ΟΔΟΣ\n"})

    assert _scores(vault, "标题") == [("标题 一", 20100)]
    assert _scores(vault, "οδος") == [("ΟΔΟΣ", 40000)]


# ── order ───────────────────────────────────────────────────────────────────────────────────────


def test_equal_scores_are_ordered_by_depth_then_file_then_heading_path(make_vault: MakeVault) -> None:
    vault = make_vault(
        {
            "b.md": "# x\n\n## same y\n\n# same z\n",
            "a.md": "# x\n\n## same y\n\n# same z\n",
            "B.md": "# Same a\n\n# same\n",
            "é.md": "# same a\n",
        }
    )

    assert [(hit.file, hit.heading_path) for hit in _search(vault, "sam").hits] == [
        ("B.md", "Same a"),
        ("B.md", "same"),
        ("a.md", "same z"),
        ("b.md", "same z"),
        ("é.md", "same a"),
        ("a.md", "x > same y"),
        ("b.md", "x > same y"),
    ]


def test_pages_tile_one_fixed_order(make_vault: MakeVault) -> None:
    text = "\n\n".join(f"{'#' * (1 + n % 3)} word {n % 7} {'word' if n % 2 else 'other'}" for n in range(40))
    vault = make_vault({f"{n}.md": text for n in range(5)})
    whole = _search(vault, "word other 3")

    pages = [_search(vault, "word other 3", limit=23, offset=offset) for offset in range(0, whole.total, 23)]

    assert whole.total == 200
    assert [hit for page in pages for hit in page.hits] == list(whole.hits)
    assert [page.has_more for page in pages] == [True] * (len(pages) - 1) + [False]
    assert {page.total for page in pages} == {whole.total}
    assert _search(vault, "word other 3", limit=0).hits == ()


def test_hits_of_one_note_can_be_capped(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "# w\n\n# w\n\n# w\n", "b.md": "# w\n\n# w\n"})

    found = _search(vault, "w", per_file=2)

    assert [hit.file for hit in found.hits] == ["a.md", "b.md", "a.md", "b.md"]
    assert found.total == 4


# ── what a hit says ─────────────────────────────────────────────────────────────────────────────


def test_a_hit_carries_place_hash_and_text_of_its_section(kite: IndexedVault) -> None:
    (section,) = [section for section in parse(KITE.encode()).sections if section.heading == "Launch"]

    (hit,) = _search(kite, "launch").hits

    assert hit == Hit(
        file="kite.md",
        title="Kite",
        heading="Launch",
        heading_path="Flight > Launch",
        score=30000.0,
        byte_range=section.byte_range,
        line_range=section.line_range,
        content_hash=section.content_hash,
        own_hash=section.own_hash,
        snippet="Run forward.",
        text="Run forward.",
        complete=True,
    )


def test_a_long_text_is_cut_and_says_so(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": f"# Long\n\n{'**word** ' * 300}\n"})

    (hit,) = _search(vault, "long").hits

    assert 900 < len(hit.text) <= 1000
    assert hit.complete is False
    assert len(hit.snippet) <= 160
    assert hit.snippet.startswith("word word")


def test_a_text_with_sub_sections_is_not_complete(kite: IndexedVault) -> None:
    (hit, *_) = _search(kite, "flight").hits

    assert (hit.text, hit.complete) == ("Steady wind.", False)


def test_a_very_long_answer_has_places_only(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "# w\n\ntext\n\n" * (MOST_WITH_TEXT + 1)})

    some, all_of_them = _search(vault, "w", limit=MOST_WITH_TEXT), _search(vault, "w", limit=10_000)

    assert {(hit.text, hit.complete) for hit in some.hits} == {("text", True)}
    assert {(hit.text, hit.complete) for hit in all_of_them.hits} == {("", False)}
    assert [hit.byte_range for hit in all_of_them.hits][:MOST_WITH_TEXT] == [hit.byte_range for hit in some.hits]


# ── filters ─────────────────────────────────────────────────────────────────────────────────────


def test_filters_leave_notes_out_before_counting(make_vault: MakeVault) -> None:
    front = "---\ntags: [{}]\nstatus: {}\n---\n# Gain\n"
    vault = make_vault(
        {
            "m/a.md": front.format("method/optical", "active"),
            "m/b.md": front.format("method", "[active, old]"),
            "c.md": front.format("methods", "done"),
        }
    )

    def files(**filters: object) -> list[str]:
        found = _search(vault, "gain", filters=Filters(**filters))  # type: ignore[arg-type]
        assert found.total == len(found.hits)
        return [hit.file for hit in found.hits]

    assert files(path="m/*") == ["m/a.md", "m/b.md"]
    assert files(path="C.M") == ["c.md"]
    assert files(tags=("Method",)) == ["m/a.md", "m/b.md"]
    assert files(tags=("#method/optical",)) == ["m/a.md"]
    assert files(front_matter={"status": "active"}) == ["m/a.md", "m/b.md"]
    assert files(path="m/*", tags=("method",), front_matter={"status": "old"}) == ["m/b.md"]
    assert files(path="nowhere") == []


# ── up to date ──────────────────────────────────────────────────────────────────────────────────


def test_added_changed_and_removed_notes_are_seen_by_the_next_search(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "# One\n", "b.md": "# One\n\n# Two\n"})
    assert len(_search(vault, "one").hits) == 2

    vault.write({"a.md": "# Uno\n", "c.md": "# One more\n"})
    assert [hit.file for hit in _search(vault, "one").hits] == ["b.md", "c.md"]
    assert [hit.file for hit in _search(vault, "uno").hits] == ["a.md"]

    (vault.root / "b.md").unlink()
    vault.write({})
    assert [hit.file for hit in _search(vault, "one").hits] == ["c.md"]
    assert _search(vault, "two").hits == ()


def test_searches_while_notes_change_see_whole_states(make_vault: MakeVault) -> None:
    vault = make_vault({f"{n}.md": "# even 0\n\n# even 0 more\n" for n in range(20)})
    failures: list[Exception] = []

    def change() -> None:
        try:
            for step in range(1, 15):
                word = "odd" if step % 2 else "even"
                vault.write({f"{n}.md": f"# {word} {step}\n\n# {word} {step} more\n" for n in range(20)})
        except Exception as error:
            failures.append(error)

    writer = threading.Thread(target=change)
    writer.start()
    searches = 0
    while writer.is_alive() or not searches:
        for word in ("even", "odd"):
            found = _search(vault, word)
            assert all(hit.heading.startswith(word) for hit in found.hits)
            assert len(found.hits) <= 40
        searches += 1
    writer.join()

    assert failures == []
    assert len(_search(vault, "even").hits) == 40


# ── the rules, word by word ─────────────────────────────────────────────────────────────────────

_WORDS = st.sampled_from(["a", "ab", "abc", "b", "ba", "2"])
_HEADING = st.lists(_WORDS, min_size=1, max_size=4).map(" ".join)


def _expected(query: list[str], heading: str, path: str) -> int:
    """The score as the rules are written, one token at a time."""
    own, whole = tokens(heading), tokens(path)

    def matches(candidates: list[str]) -> int:
        return sum(any(c.startswith(q) or q.startswith(c) for c in candidates) for q in query)

    if query == whole:
        return 40000
    if query == own:
        return 30000
    if sorted(query) == sorted(own):
        return 29000
    count = max(matches(whole), matches(own))
    equal = sum(token in whole for token in query)
    if count == len(query):
        return 20000 + 100 * equal
    return 10000 + 100 * count + equal if count else 0


@given(
    headings=st.lists(st.tuples(st.integers(1, 3), _HEADING), min_size=1, max_size=8),
    query=st.lists(_WORDS, min_size=1, max_size=4),
)
def test_scores_are_those_of_the_rules_word_by_word(
    headings: list[tuple[int, str]], query: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    text = "\n\n".join(f"{'#' * level} {heading}" for level, heading in headings)
    vault = IndexedVault(tmp_path_factory.mktemp("vault"), {"a.md": text})
    sections = parse(text.encode()).sections
    scored = [(_expected(query, s.heading, s.heading_path), s.heading_path) for s in sections]
    expected = sorted(
        ((score, path) for score, path in scored if score), key=lambda hit: (-hit[0], hit[1].count(" > "), hit[1])
    )

    found = [(int(hit.score), hit.heading_path) for hit in _search(vault, " ".join(query)).hits]

    assert found == expected
    vault.close()
