"""How well a search finds what people judged to be relevant: measures over queries, and two settings compared."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from jupyter_kb.errors import InvalidRequestError

DEPTH = 10
"""So many of the first documents count."""
PERMUTATIONS = 10_000
SEED = 20_070  # any fixed one: the same figures give the same p
_EQUAL = 1e-12  # per-query figures that differ by less are the same but for rounding
_BLOCK = 1 << 22  # signs drawn at a time
_HEADER = re.compile(r"[A-Za-z][A-Za-z _-]*")

Grades = Mapping[str, float]
"""Document id → grade; above 0 it is relevant."""


class Query(NamedTuple):
    """A question that somebody judged documents for."""

    id: str
    text: str


@dataclass(frozen=True, kw_only=True)
class QueryFigures:
    """How one query fared. `reciprocal_rank` is 0 without a relevant document; `results` counts documents found."""

    id: str
    ndcg: float
    recall: float
    reciprocal_rank: float
    results: int


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """Means over all judged queries, each between 0 and 1, and how many of these queries found nothing at all."""

    ndcg: float
    recall: float
    mrr: float
    zero_results: int
    queries: tuple[QueryFigures, ...]


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """What a second setting changes in nDCG: mean difference (second minus first), p value, queries won and lost."""

    difference: float
    p: float
    wins: int
    ties: int
    losses: int


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """What of the judgements can be measured, and what is left out.

    `unjudged` are queries without a relevant document; they do not count. `unasked` are judged queries without a text;
    they cannot count. `missing` are relevant documents of judged queries that are not among those searched: they count,
    as not found. `shared` are those whose id several of the searched bear: any of them is taken for it.
    """

    judged: tuple[Query, ...]
    unjudged: tuple[str, ...]
    unasked: tuple[str, ...]
    missing: tuple[str, ...]
    shared: tuple[str, ...]


# ── reading ─────────────────────────────────────────────────────────────────────────────────────


def load_queries(path: Path) -> list[Query]:
    """Queries from JSON lines, `{"id": …, "text": …}` each; `_id` will do as well.

    Raises
    ------
    InvalidRequestError : a line is something else, or an id comes twice; names file and line.
    """
    queries: dict[str, Query] = {}
    for number, line in _lines(path):
        try:
            value = json.loads(line)
        except ValueError as error:
            raise _wrong(path, number, f"no JSON ({error})", _QUERY_FORM) from None
        name = value.get("id", value.get("_id")) if isinstance(value, dict) else None
        text = value.get("text") if isinstance(value, dict) else None
        if isinstance(name, bool) or not isinstance(name, (str, int)) or not isinstance(text, str):
            raise _wrong(path, number, "no `id` and `text`", _QUERY_FORM)
        if not text.strip():
            raise _wrong(path, number, f"query {str(name)!r} is empty", _QUERY_FORM)
        if str(name) in queries:
            raise _wrong(path, number, f"query {str(name)!r} for the second time", "give each query an id of its own")
        queries[str(name)] = Query(str(name), text)
    if not queries:
        raise InvalidRequestError(f"{path} holds no queries", hint=_QUERY_FORM)
    return list(queries.values())


def load_qrels(path: Path) -> dict[str, dict[str, float]]:
    """Judgements, query id → document id → grade, from lines `query<TAB>document<TAB>grade`.

    TREC's four columns `query 0 document grade` are read too, white space instead of tabs where a line has no tab, and
    a first line that names the columns is passed over.

    Raises
    ------
    InvalidRequestError : a line is something else, or contradicts an earlier one; names file and line.
    """
    judged: dict[str, dict[str, float]] = {}
    first = True
    for number, line in _lines(path):
        fields = [field.strip() for field in line.split("\t")] if "\t" in line else line.split()
        is_first, first = first, False
        if len(fields) not in (3, 4):
            raise _wrong(path, number, f"3 or 4 columns are due, not {len(fields)}", _QRELS_FORM)
        if not all(fields):
            raise _wrong(path, number, "a column is empty", _QRELS_FORM)
        grade = _number(fields[-1])
        if grade is None:
            if is_first and _HEADER.fullmatch(fields[-1]):
                continue
            raise _wrong(path, number, f"{fields[-1]!r} is no grade", _QRELS_FORM)
        query, document = fields[0], fields[-2]
        grades = judged.setdefault(query, {})
        if grades.setdefault(document, grade) != grade:
            raise _wrong(
                path, number, f"another grade for query {query!r} and document {document!r}", "keep one of the two"
            )
    if not judged:
        raise InvalidRequestError(f"{path} holds no judgements", hint=_QRELS_FORM)
    return judged


_QUERY_FORM = 'a line reads {"id": "1", "text": "how do kites fly"}'
_QRELS_FORM = "a line reads query id, document id, grade, separated by tabs"


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Lines that are not blank, with their numbers from 1."""
    with path.open("rb") as file:
        for number, data in enumerate(file, start=1):
            try:
                line = data.decode("utf-8-sig" if number == 1 else "utf-8").strip("\r\n")
            except UnicodeDecodeError:
                raise _wrong(path, number, "not UTF-8", "save the file as UTF-8") from None
            if line.strip():
                yield number, line


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _wrong(path: Path, line: int, message: str, hint: str) -> InvalidRequestError:
    return InvalidRequestError(f"{path}, line {line}: {message}", hint=hint)


def coverage(queries: Iterable[Query], qrels: Mapping[str, Grades], documents: Iterable[str]) -> Coverage:
    """Set queries, judgements and the ids of the documents that can be found against each other."""
    times = Counter(documents)
    asked = {query.id: query for query in queries}
    relevant = {query: _relevant(grades) for query, grades in qrels.items()}
    judged = tuple(query for name, query in asked.items() if relevant.get(name))
    sought = sorted({document for query in judged for document in relevant[query.id]})
    return Coverage(
        judged=judged,
        unjudged=tuple(name for name in asked if not relevant.get(name)),
        unasked=tuple(name for name in relevant if name not in asked),
        missing=tuple(document for document in sought if not times[document]),
        shared=tuple(document for document in sought if times[document] > 1),
    )


# ── measuring ───────────────────────────────────────────────────────────────────────────────────


def ndcg(ranked: Sequence[str], grades: Grades) -> float:
    """Normalised discounted cumulative gain of the first ten (Järvelin & Kekäläinen, 2002).

    Gains are linear in the grade, as trec_eval's; the discount is the binary logarithm of rank + 1.
    """
    ideal = sorted((grade for grade in grades.values() if grade > 0), reverse=True)
    best = _discounted(ideal)
    return _discounted([max(grades.get(document, 0.0), 0.0) for document in ranked]) / best if best else 0.0


def _discounted(gains: Sequence[float]) -> float:
    return sum(gain / math.log2(place + 2) for place, gain in enumerate(gains[:DEPTH]))


def recall(ranked: Sequence[str], grades: Grades) -> float:
    """Share of the relevant documents that are among the first ten."""
    relevant = _relevant(grades)
    return len(relevant.intersection(ranked[:DEPTH])) / len(relevant) if relevant else 0.0


def reciprocal_rank(ranked: Sequence[str], grades: Grades) -> float:
    """One over the place of the first relevant document among the first ten, else 0 (Voorhees, 1999)."""
    relevant = _relevant(grades)
    return next((1 / place for place, name in enumerate(ranked[:DEPTH], start=1) if name in relevant), 0.0)


def _relevant(grades: Grades) -> set[str]:
    return {document for document, grade in grades.items() if grade > 0}


def evaluate(
    search: Callable[[str], Sequence[str]], queries: Iterable[Query], qrels: Mapping[str, Grades]
) -> Evaluation:
    """Ask each judged query (one with a relevant document) and measure; `search` gives document ids, best first.

    A document that comes several times counts where it comes first.

    Raises
    ------
    InvalidRequestError : none of the queries is judged.
    """
    figures = []
    for query in queries:
        grades = qrels.get(query.id, {})
        if not _relevant(grades):
            continue
        ranked = list(dict.fromkeys(search(query.text)))
        figures.append(
            QueryFigures(
                id=query.id,
                ndcg=ndcg(ranked, grades),
                recall=recall(ranked, grades),
                reciprocal_rank=reciprocal_rank(ranked, grades),
                results=len(ranked),
            )
        )
    if not figures:
        raise InvalidRequestError(
            "no query has a relevant document, so there is nothing to measure",
            hint="compare the ids of the queries with the first column of the judgements",
        )
    return Evaluation(
        ndcg=_mean([query.ndcg for query in figures]),
        recall=_mean([query.recall for query in figures]),
        mrr=_mean([query.reciprocal_rank for query in figures]),
        zero_results=sum(not query.results for query in figures),
        queries=tuple(figures),
    )


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


# ── comparing ───────────────────────────────────────────────────────────────────────────────────


def compare(a: Evaluation, b: Evaluation) -> Comparison:
    """Whether `b` is better than `a`, by a paired randomisation test over nDCG of the same queries, two-sided.

    If the two were alike, each query's difference could as well have the other sign: p is the share of drawn signs
    that give a mean at least as far from 0 (Smucker, Allan & Carterette, 2007), the observed one counted among them,
    so that it is never 0 (Phipson & Smyth, 2010).

    Raises
    ------
    ValueError : the two are over different queries.
    """
    first = {query.id: query.ndcg for query in a.queries}
    second = {query.id: query.ndcg for query in b.queries}
    if first.keys() != second.keys():
        raise ValueError("the two evaluations are over different queries")
    differences = np.array([second[name] - value for name, value in first.items()])
    differences[np.abs(differences) < _EQUAL] = 0.0
    wins, losses = int(np.sum(differences > 0)), int(np.sum(differences < 0))
    return Comparison(
        difference=_mean(differences.tolist()),
        p=_randomisation_test(differences[differences != 0]),
        wins=wins,
        ties=len(differences) - wins - losses,
        losses=losses,
    )


def _randomisation_test(differences: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
    """p of a sum so far from 0; pairs without difference add nothing to any sum and need not be given."""
    size = len(differences)
    if not size:
        return 1.0
    draw = np.random.default_rng(SEED)
    least = abs(differences.sum()) - _EQUAL * size
    as_far = 0
    rows = max(1, _BLOCK // size)
    for done in range(0, PERMUTATIONS, rows):
        signs = draw.integers(0, 2, size=(min(rows, PERMUTATIONS - done), size), dtype=np.int8)
        sums = 2.0 * (signs @ differences) - differences.sum()
        as_far += int(np.sum(np.abs(sums) >= least))
    return (as_far + 1) / (PERMUTATIONS + 1)
