"""The command that measures search: what it reads, prints and refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from jupyter_kb.errors import ModelNotFoundError
from jupyter_kb.kb import KnowledgeBase
from tests.cli.sessions import Vault

QUERIES = [
    {"id": "q1", "text": "steady wind"},
    {"id": "q2", "text": "bowline"},
    {"id": "q3", "text": "submarine"},
    {"id": "q4", "text": "winds the cord"},
]
QRELS = "q1\tkite\t1\nq2\ttools\t2\nq2\tkite\t0\nq3\tkite\t1\n"


class Judged:
    """A vault with queries and judgements beside it."""

    def __init__(self, vault: Vault, folder: Path) -> None:
        self.vault = vault
        self.queries = folder / "queries.jsonl"
        self.qrels = folder / "qrels.tsv"
        self.queries.write_text("".join(json.dumps(query) + "\n" for query in QUERIES), encoding="utf-8")
        self.qrels.write_text(QRELS, encoding="utf-8")

    def run(self, *options: str) -> Any:
        return self.vault.run("eval", str(self.queries), str(self.qrels), *options)

    def measured(self, *options: str) -> dict[str, Any]:
        result = self.run("--json", *options)
        assert result.exit_code == 0, result.output
        answer = json.loads(result.stdout)
        assert isinstance(answer, dict)
        return answer


@pytest.fixture
def judged(kites: Vault, tmp_path: Path) -> Judged:
    """Two notes; two judged queries of which find theirs, one finds nothing, one is not judged."""
    return Judged(kites, tmp_path)


def test_the_figures_are_over_judged_queries(judged: Judged) -> None:
    answer = judged.measured("--mode", "text")

    assert answer["ndcg@10"] == pytest.approx(2 / 3)
    assert answer["recall@10"] == pytest.approx(2 / 3)
    assert answer["mrr@10"] == pytest.approx(2 / 3)
    assert (answer["zero_results"], answer["queries"], answer["mode"]) == (1, 3, "text")
    assert answer["settings"] == {"mode": "text", "fusion": "weighted", "weight": 0.65, "rerank": False}
    assert answer["left_out"] == {"unjudged_queries": 1, "unasked_queries": 0, "missing_documents": 0}


def test_a_document_counts_once_with_its_best_section(judged: Judged) -> None:
    judged.vault.write({"other.md": "# Wind\n\nSome wind.\n"})
    judged.qrels.write_text("q1\tother\t1\n", encoding="utf-8")
    judged.queries.write_text('{"id": "q1", "text": "flight launch wind"}\n', encoding="utf-8")

    assert judged.measured("--mode", "text")["mrr@10"] == 0.5


def test_trec_judgements_give_the_same_figures(judged: Judged) -> None:
    plain = judged.measured("--mode", "text")
    judged.qrels.write_text("q1 0 kite 1\nq2 0 tools 2\nq2 0 kite 0\nq3 0 kite 1\n", encoding="utf-8")

    assert judged.measured("--mode", "text") == plain


def test_two_settings_are_compared_query_by_query(judged: Judged) -> None:
    answer = judged.measured("--mode", "headings", "--compare", "mode=text")

    compared = answer["compare"]
    assert (answer["ndcg@10"], answer["zero_results"]) == (0.0, 3)
    assert compared["ndcg@10"] == pytest.approx(2 / 3)
    assert compared["settings"]["mode"] == compared["mode"] == "text"
    assert compared["difference"] == pytest.approx(2 / 3)
    assert (compared["wins"], compared["ties"], compared["losses"]) == (2, 1, 0)
    assert compared["p"] == pytest.approx(0.5, abs=0.05)  # of four combinations of signs, two are as far out


def test_the_second_setting_changes_what_it_names_and_no_more(judged: Judged) -> None:
    answer = judged.measured(
        "--mode", "text", "--weight", "0.4", "--compare", "mode=headings, weight=0.5,fusion=rrf,rerank=off"
    )
    other = judged.measured("--mode", "text", "--weight", "0.4", "--compare", "fusion=rrf")

    assert answer["settings"] == {"mode": "text", "fusion": "weighted", "weight": 0.4, "rerank": False}
    assert answer["compare"]["settings"] == {"mode": "headings", "fusion": "rrf", "weight": 0.5, "rerank": False}
    assert other["compare"]["settings"] == {"mode": "text", "fusion": "rrf", "weight": 0.4, "rerank": False}
    assert (other["compare"]["difference"], other["compare"]["p"]) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("mood=text", "mode: one of hybrid, semantic, text, headings; fusion: one of weighted, rrf; weight"),
        ("mode=fast", "one of hybrid, semantic, text, headings"),
        ("fusion=sum", "one of weighted, rrf"),
        ("weight=2", "a number from 0 to 1"),
        ("weight=nan", "a number from 0 to 1"),
        ("weight=", "a number from 0 to 1"),
        ("rerank=maybe", "on or off"),
        ("mode=text,mode=headings", "mode is given twice"),
        ("", "is none of the settings"),
    ],
)
def test_a_setting_that_does_not_exist_is_answered_with_those_that_do(judged: Judged, given: str, told: str) -> None:
    result = judged.run("--compare", given)

    assert result.exit_code == 2
    assert told in result.stderr


def test_what_is_not_measured_is_said_on_stderr(judged: Judged) -> None:
    judged.vault.write({"old/kite.md": "# Old\n"})
    judged.qrels.write_text("q1\tkite\t1\nq1\tghost\t1\nq9\tkite\t1\n", encoding="utf-8")

    result = judged.run("--mode", "text")

    assert "Note: 3 queries without a relevant document, left out: q2, q3, q4" in result.stderr
    assert "Note: 1 judged query without a text, left out: q9" in result.stderr
    assert "Note: 1 relevant document not in the vault, counted as not found: ghost" in result.stderr
    assert "Note: 1 document id borne by several notes, any of them counts: kite" in result.stderr
    assert "recall@10     0.5000\n" in result.stdout


def test_without_a_model_words_are_measured_and_it_is_said(judged: Judged, monkeypatch: pytest.MonkeyPatch) -> None:
    def embed(self: KnowledgeBase, progress: object = None) -> object:
        raise ModelNotFoundError("there is no model here")

    monkeypatch.setattr(KnowledgeBase, "embed", embed, raising=False)
    words = judged.measured("--mode", "text")

    result = judged.run("--json")

    answer = json.loads(result.stdout)
    assert "Note: there is no model here" in result.stderr
    assert answer["mode"] == "text"
    assert answer["settings"]["mode"] == "hybrid"
    assert answer["ndcg@10"] == words["ndcg@10"]


def test_people_get_a_table_and_may_see_each_query(judged: Judged) -> None:
    result = judged.run("--mode", "headings", "--compare", "mode=text", "--per-query")

    assert result.stdout == (
        "0.0000  1.0000  q1  steady wind\n"
        "0.0000  1.0000  q2  bowline\n"
        "0.0000  0.0000  q3  submarine\n"
        "\n"
        "queries              3\n"
        "mode          headings      text\n"
        "\n"
        "nDCG@10         0.0000    0.6667\n"
        "recall@10       0.0000    0.6667\n"
        "MRR@10          0.0000    0.6667\n"
        "no results           3         1\n"
        "\n"
        f"nDCG@10 of the second: +0.6667, p = {judged_p(judged):.4f}\n"
        "2 queries better, 1 alike, 0 worse\n"
    )


def judged_p(judged: Judged) -> float:
    return float(judged.measured("--mode", "headings", "--compare", "mode=text")["compare"]["p"])


def test_json_gives_the_figures_of_each_query_if_asked(judged: Judged) -> None:
    answer = judged.measured("--mode", "text", "--per-query")

    assert answer["per_query"][0] == {
        "id": "q1",
        "ndcg@10": 1.0,
        "recall@10": 1.0,
        "reciprocal_rank": 1.0,
        "results": 2,
    }
    assert [one["id"] for one in answer["per_query"]] == ["q1", "q2", "q3"]


@pytest.mark.parametrize(
    ("queries", "qrels", "told"),
    [
        ('{"id": "1"}\n', QRELS, "queries.jsonl, line 1: no `id` and `text`"),
        ('{"id": "1", "text": "a"}\n', "1\n", "qrels.tsv, line 1: 3 or 4 columns are due, not 1"),
        ('{"id": "1", "text": "a"}\n', QRELS, "no query has a relevant document"),
    ],
)
def test_files_that_make_no_sense_are_wrong_usage(judged: Judged, queries: str, qrels: str, told: str) -> None:
    judged.queries.write_text(queries, encoding="utf-8")
    judged.qrels.write_text(qrels, encoding="utf-8")

    result = judged.run("--mode", "text")

    assert result.exit_code == 2
    assert told in result.stderr


def test_a_file_that_is_not_there_is_wrong_usage(judged: Judged) -> None:
    judged.qrels.unlink()

    result = judged.run("--mode", "text")

    assert result.exit_code == 2
    assert "does not exist" in result.stderr
