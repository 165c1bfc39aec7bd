"""How well a search finds, as text: figures of one setting or two, and what could not be measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from jupyter_kb.render.lines import Line, Span, Style, count, visible, words
from jupyter_kb.search.evaluation import Comparison, Coverage, Evaluation

_NAMES = 3
"""So many names stand for the rest of them."""


def evaluation(settings: Sequence[Mapping[str, object]], found: Sequence[Evaluation]) -> Iterator[Line]:
    """A column for each setting, a row for each figure; settings that differ head their columns."""
    figures = [
        ("nDCG@10", [f"{one.ndcg:.4f}" for one in found]),
        ("recall@10", [f"{one.recall:.4f}" for one in found]),
        ("MRR@10", [f"{one.mrr:.4f}" for one in found]),
        ("no results", [f"{one.zero_results:,}" for one in found]),
    ]
    heads = [(name, [_said(one[name]) for one in settings]) for name in settings[0]]
    width = max(len(cell) for _, cells in heads + figures for cell in cells)
    for name, cells in [("queries", [f"{len(one.queries):,}" for one in found[:1]]), *heads]:
        style: Style = "mark" if len(set(cells)) > 1 else ""
        yield _row(name, cells if style else cells[:1], width, style)
    yield Line()
    for name, cells in figures:
        yield _row(name, cells, width)


def _row(name: str, cells: Sequence[str], width: int, style: Style = "") -> Line:
    body: list[Span] = [(f"  {visible(cell):>{width}}", style) for cell in cells]
    return Line(lead=((f"{name:<12}", "muted"),), body=tuple(body))


def _said(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return "none" if value is None else str(value)


def comparison(value: Comparison) -> Iterator[Line]:
    """What the second setting changes, and how likely chance alone does as much."""
    yield words(f"nDCG@10 of the second: {value.difference:+.4f}, p = {value.p:.4f}")
    yield words(f"{_count(value.wins, 'query')} better, {value.ties:,} alike, {value.losses:,} worse", "muted")


def queries(found: Sequence[Evaluation], texts: Mapping[str, str]) -> Iterator[Line]:
    """nDCG@10 of each query, one column a setting, its id and its text; the worst of the first setting come first."""
    width = max((len(visible(one.id)) for one in found[0].queries), default=0)
    rows = sorted(zip(*(one.queries for one in found), strict=True), key=lambda row: row[0].ndcg)
    for row in rows:
        body: list[Span] = [(f"{figures.ndcg:.4f}  ", "") for figures in row]
        name = visible(row[0].id)
        lead: list[Span] = [*body, (f"{name:<{width}}  ", "muted")]
        yield Line(lead=tuple(lead), body=((visible(texts.get(row[0].id, "")), ""),))


def coverage(value: Coverage) -> Iterator[Line]:
    """What of queries and judgements could not be measured, a line for each reason."""
    reasons = [
        (value.unjudged, "query", "without a relevant document, left out"),
        (value.unasked, "judged query", "without a text, left out"),
        (value.missing, "relevant document", "not in the vault, counted as not found"),
        (value.shared, "document id", "borne by several notes, any of them counts"),
    ]
    for names, noun, reason in reasons:
        if names:
            some = ", ".join(map(visible, names[:_NAMES])) + (", …" if len(names) > _NAMES else "")
            yield words(f"Note: {_count(len(names), noun)} {reason}: {some}", "muted")


def notes(told: Mapping[str, int], asked: int) -> Iterator[Line]:
    """What the search had to say about its answers, each once, with how many queries it is about."""
    for note, times in told.items():
        part = "" if times == asked else f"{times:,} of {_count(asked, 'query')}: "
        yield words(f"Note: {part}{visible(note)}", "warning")


def _count(number: int, noun: str) -> str:
    return count(number, noun).replace("querys", "queries")
