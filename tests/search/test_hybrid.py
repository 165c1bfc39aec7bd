"""Ranking by meaning and words: as the formula says, whatever the filter, and however the index came about."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jupyter_kb.errors import InvalidRequestError
from jupyter_kb.index import chunks as cutting
from jupyter_kb.index.filling import Filler
from jupyter_kb.index.vectors import Vectors
from jupyter_kb.models import Filters, Hit, SearchRequest, SearchResults
from jupyter_kb.search import hybrid, text
from jupyter_kb.settings import DEFAULT_WEIGHT
from jupyter_kb.testing import HashingEmbedder
from tests.index.vaults import IndexedVault, indexed

EMBEDDER = HashingEmbedder()
NOTES: dict[str, str | bytes] = {
    "light.md": "# Light\n\nSamples stay in the dark.\n\n## Lamp\n\nThe lamp ages; its light fades slowly.\n",
    "dark/adaptation.md": "---\ntags: [method]\nyear: 2024\n---\n# Dark adaptation\n\nWait minutes in the dark.\n",
    "pots.md": "# Pots\n\nWater the pots.\n\n## Dark\n\nA dark corner.\n\n## Light\n\nA light corner with a lamp.\n",
    "empty.md": "",
    "long.md": "# Long\n\n" + "\n\n".join(f"Paragraph {n} about the lamp and the pots. " * 8 for n in range(9)),
}
WORDS = ["dark", "light", "lamp", "pots", "water", "corner", "minutes", "wait", "nothing"]


class Searched:
    """A vault whose notes have vectors."""

    def __init__(self, vault: IndexedVault) -> None:
        self.vault = vault
        self.vectors = Vectors(vault.database, None, most_bytes=1 << 30)
        self.fill()

    def fill(self) -> None:
        Filler(self.vectors, EMBEDDER).run()

    def question(self, query: str) -> hybrid.Question:
        vector = EMBEDDER.embed([hybrid.wording(query) or query], "query")[0]
        return hybrid.Question(model=EMBEDDER.key, vector=vector)

    def search(self, query: str, **options: Any) -> SearchResults:
        request = SearchRequest(query=query, **options)
        return hybrid.search(self.vault.database, self.vectors, request, self.question(query))


@contextmanager
def searched(root: Path, notes: dict[str, str | bytes] | None = None) -> Iterator[Searched]:
    with indexed(root, NOTES if notes is None else notes) as vault:
        there = Searched(vault)
        yield there
        there.vectors.close()


def places(hits: Sequence[Hit]) -> list[tuple[str, str, int]]:
    return [(hit.file, hit.heading_path, hit.line_range.start) for hit in hits]


def scored(results: SearchResults) -> list[tuple[str, str, float]]:
    return [(hit.file, hit.heading_path, round(hit.score, 5)) for hit in results.hits]


# ── the formula ─────────────────────────────────────────────────────────────────────────────────


def expected(there: Searched, query: str) -> dict[tuple[str, str], float]:
    """The fused score of each section, computed one by one as the module's head says."""
    database = there.vault.database
    chunks = database.query(
        "SELECT s.file, s.heading_path, s.section_id, s.text[c.start + 1 : c.stop], s.note_title, s.level"
        " FROM chunks c JOIN sections s USING (section_id) ORDER BY s.section_id, c.position"
    )
    words = {
        (hit.file, hit.heading_path): hit.score
        for hit in text.search(database, SearchRequest(query=query, limit=1_000)).hits
    }
    read = [
        cutting.embedded(cutting.context(title, path if level > 0 else ""), body)
        for _, path, _, body, title, level in chunks
    ]
    vectors = EMBEDDER.embed(read, "passage").astype(np.float64)

    def fused(vector: Any) -> tuple[list[float], list[float]]:
        cosines = [float(row @ vector) for row in vectors]
        meaning = []
        for chunk, cosine in zip(chunks, cosines, strict=True):
            own = [other for row, other in zip(chunks, cosines, strict=True) if row[0] == chunk[0]]
            meaning.append(cosine + hybrid.NOTE * sum(own) / len(own))
        most, most_words = max(meaning), max(words.values(), default=0.0)
        asked = re.findall(r"\w+", query.lower())
        called = {
            (row[0], row[1])
            for row in chunks
            if row[5] > 0
            and (
                re.findall(r"\w+", row[1].lower()) == asked
                or sorted(re.findall(r"\w+", row[1].lower().rpartition(" > ")[2])) == sorted(asked)
            )
        }
        scores = []
        for chunk, value in zip(chunks, meaning, strict=True):
            word = words.get((chunk[0], chunk[1]), 0.0)
            score = DEFAULT_WEIGHT * max(value, 0) / most if most > 0 else 0.0
            score += (1 - DEFAULT_WEIGHT) * word / most_words if most_words else 0.0
            scores.append(score + hybrid.HEADING * ((chunk[0], chunk[1]) in called))
        return scores, cosines

    question = there.question(query).vector.astype(np.float64)
    scores, _ = fused(question)
    nearest: dict[str, int] = {}
    for place in sorted(range(len(chunks)), key=lambda place: -scores[place]):
        if scores[place] > 0 and len(nearest) < hybrid.FEEDBACK:
            nearest.setdefault(chunks[place][0], place)
    if nearest:
        moved = question + hybrid.NEARER * vectors[list(nearest.values())].mean(axis=0)
        scores, _ = fused(moved / np.linalg.norm(moved))
    best: dict[tuple[str, str], float] = {}
    for chunk, score in zip(chunks, scores, strict=True):
        best[chunk[0], chunk[1]] = max(best.get((chunk[0], chunk[1]), 0.0), score)
    return best


@pytest.mark.parametrize("query", ["dark", "light lamp", "Pots", "how long to wait in the dark", "lamp corner water"])
def test_scores_are_those_of_the_formula(tmp_path: Path, query: str) -> None:
    with searched(tmp_path / "v") as there:
        found = there.search(query, limit=100)
        best = expected(there, query)
        assert {(hit.file, hit.heading_path) for hit in found.hits} == {key for key, score in best.items() if score > 0}
        for hit in found.hits:
            assert hit.score == pytest.approx(best[hit.file, hit.heading_path], abs=2e-5)
        assert [hit.score for hit in found.hits] == sorted((hit.score for hit in found.hits), reverse=True)


def test_a_heading_that_is_the_query_comes_first(tmp_path: Path) -> None:
    with searched(tmp_path / "v") as there:
        assert places(there.search("dark adaptation").hits)[0][:2] == ("dark/adaptation.md", "Dark adaptation")


def test_each_hit_tells_its_place_by_words_and_by_meaning(tmp_path: Path) -> None:
    with searched(tmp_path / "v") as there:
        hits = there.search("lamp", limit=100, explain=True).hits
        assert all(hit.explanation is None for hit in there.search("lamp", limit=100).hits)
        told = [hit.explanation for hit in hits if hit.explanation]
        assert len(told) == len(hits)
        assert min(one.text_rank for one in told if one.text_rank) == 1
        assert min(one.vector_rank for one in told if one.vector_rank) == 1
        without = [one for one in told if one.text_rank is None]
        assert without
        assert all(one.text_score is None for one in without)


# ── filters, windows, granularity ───────────────────────────────────────────────────────────────

QUERIES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
FILTERS = st.sampled_from(
    [
        Filters(path="dark/**"),
        Filters(path="o"),
        Filters(tags=("method",)),
        Filters(front_matter={"year": {"gte": 2020}}),
        Filters(heading_prefix=("Pots",)),
    ]
)


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Searched]:
    with searched(tmp_path_factory.mktemp("vault")) as opened:
        yield opened


@settings(max_examples=40, deadline=None)
@given(query=QUERIES, filters=FILTERS, mode=st.sampled_from(["hybrid", "semantic"]))
def test_a_filter_leaves_out_and_changes_no_order(there: Searched, query: str, filters: Filters, mode: Any) -> None:
    everything = scored(there.search(query, mode=mode, limit=1_000))
    passing = scored(there.search(query, mode=mode, filters=filters, limit=1_000))

    listed = {
        (hit.file, hit.heading_path)
        for hit in text.search(
            there.vault.database, SearchRequest(query="", filters=replace(filters, heading_prefix=()), limit=1_000)
        ).hits
    }
    if filters.heading_prefix:
        listed = {(file, path) for file, path in listed if path.split(" > ")[0] == filters.heading_prefix[0]}
    assert passing == [entry for entry in everything if entry[:2] in listed]


@settings(max_examples=20, deadline=None)
@given(query=QUERIES, size=st.integers(1, 5), per_file=st.sampled_from([None, 1, 2]))
def test_pages_are_windows_on_one_order(there: Searched, query: str, size: int, per_file: int | None) -> None:
    whole = there.search(query, limit=1_000, per_file=per_file)
    pages = [there.search(query, limit=size, offset=at, per_file=per_file) for at in range(0, whole.total, size)]

    assert [place for page in pages for place in places(page.hits)] == places(whole.hits)
    assert all(page.total == whole.total == len(whole.hits) for page in pages)
    assert [page.has_more for page in pages[-1:]] == [False]


def test_no_more_sections_of_a_note_than_asked_for(there: Searched) -> None:
    files = [hit.file for hit in there.search("light", limit=100, per_file=1).hits]
    assert len(files) == len(set(files)) > 3


def test_a_document_counts_with_its_best_section(there: Searched) -> None:
    documents = there.search("lamp", limit=100, granularity="document")
    best = there.search("lamp", limit=100, per_file=1)
    assert places(documents.hits) == places(best.hits)


def test_chunks_are_found_one_by_one(there: Searched) -> None:
    hits = [hit for hit in there.search("lamp pots", limit=100, granularity="chunk").hits if hit.file == "long.md"]
    assert len(hits) > 2
    spans = [hit.span for hit in hits if hit.span]
    assert len(set(spans)) == len(hits)
    assert all(len(hit.text) <= 1_250 and "Paragraph" in hit.text and not hit.complete for hit in hits)


def test_signs_and_quotes_hold_here_too(there: Searched) -> None:
    def files(query: str) -> set[str]:
        return {hit.file for hit in there.search(query, limit=100).hits}

    assert files('"dark corner"') == {"pots.md"}
    assert files("lamp +corner") == {"pots.md"}
    assert "pots.md" in files("lamp")
    assert not {hit.heading for hit in there.search("lamp -corner", limit=100).hits} & {"Dark"}


def test_a_filter_that_makes_no_sense_is_refused(there: Searched) -> None:
    with pytest.raises(InvalidRequestError):
        there.search("lamp", filters=Filters(front_matter={"year": {"about": 3}}))


@pytest.mark.parametrize(
    ("query", "read"),
    [
        ("why is it dark", "why is it dark"),
        ('+lamp "light fades" -water calib*', "lamp light fades calib"),
        ('-"not this" but that', "but that"),
        ("use -o yaml", "use -o yaml"),
        ("a+b c++ 3*4", "a+b c++ 3*4"),
    ],
)
def test_a_model_reads_the_query_without_its_syntax(query: str, read: str) -> None:
    assert hybrid.wording(query) == read


# ── however it came about ───────────────────────────────────────────────────────────────────────


@settings(max_examples=8, deadline=None)
@given(order=st.permutations(sorted(NOTES)), query=QUERIES)
def test_an_index_built_piecemeal_answers_as_one_built_at_once(
    tmp_path_factory: pytest.TempPathFactory, order: list[str], query: str
) -> None:
    with searched(tmp_path_factory.mktemp("once")) as once, searched(tmp_path_factory.mktemp("piece"), {}) as pieces:
        for name in order:
            pieces.vault.write({name: NOTES[name]})
            pieces.vault.indexer.scan()
            pieces.fill()
        piecemeal, whole = pieces.search(query, limit=100), once.search(query, limit=100)
        assert places(piecemeal.hits) == places(whole.hits)
        # sums of floats in another order differ in their last digit, at times on both sides of a rounding
        assert [hit.score for hit in piecemeal.hits] == pytest.approx([hit.score for hit in whole.hits], abs=5e-6)


def test_sections_without_a_vector_are_found_by_their_words(tmp_path: Path) -> None:
    with searched(tmp_path / "v") as there:
        there.vault.write({"new.md": "# New\n\nA brand new lamp.\n"})
        there.vault.indexer.scan()

        found = there.search("brand new lamp", limit=100)

        assert "new.md" in {hit.file for hit in found.hits}
        assert {hit.file for hit in there.search("brand new lamp", mode="semantic", limit=100).hits}.isdisjoint(
            {"new.md"}
        )
        there.fill()
        assert places(there.search("brand new lamp").hits)[0][0] == "new.md"
        assert there.search("lamp").pending == 0


# ── how much of it ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("mode", ["hybrid", "semantic"])
def test_only_what_is_near_or_has_a_word_is_left_and_in_the_same_order(there: Searched, mode: Any) -> None:
    asked = {"mode": mode, "limit": 100, "explain": True}
    everything = there.search("lamp light", **asked).hits
    near = there.search("lamp light", only_near=True, **asked)

    assert 0 < len(near.hits) < len(everything)
    kept = [hit for hit in everything if hit in near.hits]
    assert kept == list(near.hits)
    assert near.hits[0] == everything[0]
    assert near.total == len(near.hits)
    with_words = [hit for hit in everything if hit.explanation and hit.explanation.text_rank is not None]
    assert set(with_words) <= set(near.hits)


def test_what_was_found_can_be_listed_note_by_note(there: Searched) -> None:
    by_rank = there.search("lamp light water", limit=100)
    by_path = there.search("lamp light water", limit=100, order_by="path")

    assert {hit.file: None for hit in by_path.hits} == dict.fromkeys(sorted({hit.file for hit in by_rank.hits}))
    assert sorted(by_path.hits, key=by_rank.hits.index) == list(by_rank.hits)
    for file in {hit.file for hit in by_rank.hits}:
        assert [hit for hit in by_path.hits if hit.file == file] == [hit for hit in by_rank.hits if hit.file == file]
    assert by_rank.notes == by_path.notes == len({hit.file for hit in by_rank.hits})
    page = there.search("lamp light water", limit=3, offset=2, order_by="path")
    assert page.hits == by_path.hits[2:5]
    assert page.total == by_path.total
