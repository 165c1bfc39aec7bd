"""Ranking: the formula, computed here once more the slow way, and that it is always up to date."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_kb.index import fulltext, scores
from jupyter_kb.index.database import Database
from jupyter_kb.index.fulltext import Word, rank, sections_with
from jupyter_kb.index.terms import Terms, is_unspaced, term_id
from tests.index.vaults import IndexedVault, indexed

NOTES: dict[str, str | bytes] = {
    "pods.md": "# Pod lifecycle\n\nA pod runs containers.\n\n## Phases\n\nRunning. pod pod\n\n## Probes\n\nliveness\n",
    "proxy.md": "---\ntitle: Network\n---\n\nkube-proxy runs on each node\n\n# kube-proxy modes\n\niptables proxy\n",
    "中文.md": "# 命令\n\n使用命令行工具\n\n## 其他\n\n命令 工具 使用行\n",
    "long.md": "# Words\n\n" + "pod container node proxy word " * 40,
    "none.md": "",
}
WORDS = ["pod", "run", "contain", "lifecycl", "proxi", "kube", "kubeproxi", "node", "命令", "工具", "none", "unknown"]


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Iterator[IndexedVault]:
    with indexed(tmp_path_factory.mktemp("v"), NOTES) as vault:
        yield vault


def ranked(database: Database, *words: Word) -> dict[int, float]:
    found = database.consistently(lambda generation: rank(database, words, generation=generation))
    return dict(zip(found.sections.tolist(), found.scores.tolist(), strict=True))


def word(*terms: str, **options: object) -> Word:
    return Word(terms=tuple(map(term_id, terms)), **options)  # type: ignore[arg-type]


def slowly(database: Database, words: list[Word]) -> dict[int, float]:
    """The formula of the module, without numpy and without haste."""
    lengths = dict(database.query("SELECT section_id, length FROM sections"))
    mean = sum(lengths.values()) / len(lengths)
    frequencies: defaultdict[int | str, dict[int, float]] = defaultdict(dict)

    def add(key: int | str, rows: list[tuple[int, int, int, int, int]]) -> None:
        for section, heading, context, body, names in rows:
            tf = body / (1 - scores.B + scores.B * lengths[section] / mean)
            tf += scores.HEADING * heading + scores.CONTEXT * context + scores.NAMES * names
            frequencies[key][section] = frequencies[key].get(section, 0) + tf

    fields = "SELECT section_id, heading, context, body, names FROM postings WHERE term_id"
    for asked in words:
        if asked.prefix and asked.prefix not in frequencies:
            test = "contains" if is_unspaced(asked.prefix) and len(asked.prefix) == 1 else "starts_with"
            add(
                asked.prefix,
                database.query(f"{fields} IN (SELECT term_id FROM terms WHERE {test}(term, ?))", [asked.prefix]),
            )
        for term in asked.terms:
            if term not in frequencies:
                add(term, database.query(f"{fields} = ?", [term]))

    def bm25(key: int | str, section: int) -> float:
        tf, df = frequencies[key].get(section, 0), len(frequencies[key])
        return math.log(1 + (len(lengths) - df + 0.5) / (df + 0.5)) * tf * (scores.K1 + 1) / (tf + scores.K1)

    sums: dict[int, float] = {}
    for section in lengths:
        total, matching, lacking = 0.0, 0, False
        for asked in words:
            keys = [asked.prefix] if asked.prefix else list(asked.terms)
            parts = [bm25(key, section) for key in keys]
            share = sum(part > 0 for part in parts) / len(parts)
            there = share == 1 if asked.whole else share > 0
            factor = 1.0 if len(parts) == 1 else share**2 if asked.is_run else len(parts) ** -0.5
            total += asked.weight * sum(parts) * factor if there else 0
            matching += there
            lacking |= asked.needed and not there
        if matching and not lacking:
            coordination = fulltext.COORDINATION
            sums[section] = total * (1 - coordination + coordination * matching / len(words))
    result = {}
    for section, total in sums.items():
        best = sorted((value for other, value in sums.items() if other >> 24 == section >> 24), reverse=True)
        supported = sum(value * factor for value, factor in zip(best, (1, *fulltext.SUPPORT), strict=False))
        result[section] = total * supported / best[0]
    return result


PREFIX = st.builds(Word, prefix=st.sampled_from(["p", "po", "runs", "命", "zz"]))
ASKED = st.builds(
    word,
    st.sampled_from(WORDS),
    st.sampled_from(WORDS),
    weight=st.sampled_from([1, 2]),
    is_run=st.booleans(),
    needed=st.booleans(),
    whole=st.booleans(),
) | st.builds(word, st.sampled_from(WORDS)) | PREFIX  # fmt: skip


@given(st.lists(ASKED, min_size=1, max_size=4))
def test_scores_are_those_of_the_formula(vault: IndexedVault, words: list[Word]) -> None:
    found, expected = ranked(vault.database, *words), slowly(vault.database, words)
    assert found.keys() == expected.keys()
    for section, score in expected.items():
        assert found[section] == pytest.approx(score, abs=2e-6)


@given(st.lists(ASKED, min_size=1, max_size=3))
def test_remembered_scores_are_the_same_as_read_ones(vault: IndexedVault, words: list[Word]) -> None:
    """Whether they are read now, kept from before, or looked up among all."""
    scores._kept.clear()
    first = ranked(vault.database, *words)
    for _ in range(scores.READS + 2):
        with vault.database.snapshot() as generation:
            found = rank(vault.database, words, generation=generation)
        assert dict(zip(found.sections.tolist(), found.scores.tolist(), strict=True)) == first
        scores._kept[vault.database].scores.clear()


def test_no_words_find_nothing(vault: IndexedVault) -> None:
    assert ranked(vault.database) == {}
    assert ranked(vault.database, Word()) == {}
    assert ranked(vault.database, word("unknown")) == {}


def test_an_empty_index_finds_nothing(tmp_path: Path) -> None:
    with indexed(tmp_path / "v") as vault:
        assert ranked(vault.database, word("pod"), Word(prefix="p")) == {}


def paths(vault: IndexedVault, *words: Word) -> list[str]:
    """Heading paths, best first."""
    found = ranked(vault.database, *words)
    names = dict(vault.database.query("SELECT section_id, heading_path FROM sections"))
    return [names[section] for section in sorted(found, key=lambda section: (-found[section], section))]


def test_a_character_without_spaces_around_it_is_found_in_runs(vault: IndexedVault) -> None:
    assert set(paths(vault, Word(prefix="行"))) == {"命令", "命令 > 其他"}
    assert paths(vault, Word(prefix="咖")) == []


def test_a_run_counts_most_where_it_stands_whole(vault: IndexedVault) -> None:
    run = tuple(term_id(term) for term in Terms().of("使用命令行"))
    assert paths(vault, Word(terms=run, is_run=True))[0] == "命令"


def test_a_word_counts_as_often_as_it_is_asked(vault: IndexedVault) -> None:
    once, twice = ranked(vault.database, word("pod")), ranked(vault.database, word("pod", weight=2))
    assert twice.keys() == once.keys()
    assert all(twice[section] == pytest.approx(2 * score, abs=1e-5) for section, score in once.items())


def test_only_notes_that_pass_are_ranked_and_their_scores_stay(vault: IndexedVault) -> None:
    everywhere = ranked(vault.database, word("pod"))
    note = vault.database.query("SELECT note_id FROM notes WHERE path = 'pods.md'")[0][0]
    found = rank(vault.database, [word("pod")], np.array([note]))
    assert dict(zip(found.sections.tolist(), found.scores.tolist(), strict=True)) == {
        section: score for section, score in everywhere.items() if section >> 24 == note
    }
    assert len(rank(vault.database, [word("pod")], np.empty(0, np.int64)).sections) == 0


def test_sections_with_a_word_are_told_without_scores(vault: IndexedVault) -> None:
    assert set(sections_with(vault.database, word("kube", "proxi", "kubeproxi", whole=True)).tolist()) == {
        section for (section,) in vault.database.query("SELECT section_id FROM sections WHERE file = 'proxy.md'")
    }


def test_a_change_shows_in_the_very_next_ranking(tmp_path: Path) -> None:
    with indexed(tmp_path / "v", {"a.md": "zebra", "b.md": "lion"}) as vault:
        assert len(ranked(vault.database, word("zebra"))) == 1
        vault.write({"b.md": "zebra", "c.md": "zebra crossing"})
        vault.indexer.scan()
        assert len(ranked(vault.database, word("zebra"))) == 3
        (vault.root / "a.md").unlink()
        vault.indexer.update(["a.md"])
        assert ranked(vault.database, word("zebra")).keys() == slowly(vault.database, [word("zebra")]).keys()
        assert len(ranked(vault.database, word("zebra"))) == 2


def test_scores_do_not_depend_on_the_history_of_the_index(tmp_path: Path) -> None:
    """Not in the last digit: sums are taken in one order."""
    words = [word("pod"), word("run"), Word(prefix="p"), word("kube", "proxi", "kubeproxi")]
    with indexed(tmp_path / "v", dict(reversed(NOTES.items()))) as vault:
        for name, text in NOTES.items():
            vault.write({name: "other"})
            vault.indexer.scan()
            vault.write({name: text})
            vault.indexer.scan()
        old = {(path, ordinal): score for path, ordinal, score in named(vault, words)}
        with indexed(vault.root) as fresh:
            assert old == {(path, ordinal): score for path, ordinal, score in named(fresh, words)}


def named(vault: IndexedVault, words: list[Word]) -> list[tuple[str, int, float]]:
    found = rank(vault.database, words)
    names = {
        section: (file, ordinal)
        for section, file, ordinal in vault.database.query("SELECT section_id, file, ordinal FROM sections")
    }
    return [
        (*names[section], score) for section, score in zip(found.sections.tolist(), found.scores.tolist(), strict=True)
    ]


def test_the_memory_for_scores_is_bounded(vault: IndexedVault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scores, "MOST_KEPT", 5)
    scores._kept.clear()
    for name in WORDS * 2:
        with vault.database.snapshot() as generation:
            found = rank(vault.database, [word(name)], generation=generation)
        assert found.sections.tolist() == sorted(slowly(vault.database, [word(name)]))
        kept = scores._kept[vault.database]
        assert kept.everything is None
        assert kept.size <= 5 + 12


def test_many_threads_may_ask_while_scores_are_forgotten(vault: IndexedVault, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = {term: ranked(vault.database, word(term)) for term in WORDS}
    monkeypatch.setattr(scores, "MOST_KEPT", 3)
    asked = WORDS * 40

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda term: ranked(vault.database, word(term)), asked))

    assert found == [expected[term] for term in asked]


def test_a_prefix_forgets_words_that_no_note_holds_any_more(tmp_path: Path) -> None:
    notes: dict[str, str | bytes] = {
        "a.md": "# A\n\ncalibration\n",
        "b.md": "# B\n\ncalibrating\n",
    }  # two words of one stem
    with indexed(tmp_path / "vault", notes) as vault:
        asked = Word(prefix="calibrati")
        assert len(ranked(vault.database, asked)) == 2
        vault.write({"a.md": "# A\n\ncalibrate\n", "b.md": "# B\n\ncalibrate\n"})
        vault.indexer.scan()
        assert ranked(vault.database, asked) == {}
        assert len(ranked(vault.database, Word(prefix="calibrate"))) == 2
