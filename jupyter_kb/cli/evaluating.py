"""The command that measures search on judged queries: eval."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Literal

import click

from jupyter_kb.cli import console
from jupyter_kb.cli.command import Command
from jupyter_kb.cli.options import EVERYTHING, json_option, opened, vault_options

if TYPE_CHECKING:
    from jupyter_kb.models import SearchRequest, SearchResults
    from jupyter_kb.render.lines import Line
    from jupyter_kb.search.evaluation import Evaluation, Query
    from jupyter_kb.sharing import SharedKnowledgeBase

Mode = Literal["hybrid", "semantic", "text", "headings"]
Fusion = Literal["weighted", "rrf"]

_BY_MEANING = ("hybrid", "semantic")
_MODES = ("hybrid", "semantic", "text", "headings")
_FUSIONS = ("weighted", "rrf")
_KEYS = {
    "mode": "one of " + ", ".join(_MODES),
    "fusion": "one of " + ", ".join(_FUSIONS),
    "weight": "a number from 0 to 1",
    "rerank": "on or off",
}
_WAIT = 30.0  # seconds for a model to start: what is left out until then must not count against it


@dataclass(frozen=True, kw_only=True)
class _Setting:
    """One way to search. None: as the vault has it."""

    mode: Mode = "hybrid"
    fusion: Fusion = "weighted"
    weight: float | None = None
    rerank: bool | None = None


@dataclass(frozen=True, kw_only=True)
class _Measured:
    """What came out for one setting; `mode` is the one that most queries were answered in."""

    setting: _Setting
    evaluation: Evaluation
    mode: str
    notes: Counter[str]


def _changes(ctx: click.Context, param: click.Parameter, value: str | None) -> dict[str, Any] | None:
    """The second setting as the fields that it changes.

    Raises
    ------
    BadParameter : a key or value that does not exist; lists those that do.
    """
    if value is None:
        return None
    changes: dict[str, Any] = {}
    for part in value.split(","):
        key, _, text = (piece.strip() for piece in part.partition("="))
        if key not in _KEYS:
            known = "; ".join(f"{name}: {values}" for name, values in _KEYS.items())
            raise click.BadParameter(f"'{part.strip()}' is none of the settings. {known}")
        chosen = _value(key, text)
        if chosen is None:
            raise click.BadParameter(f"'{text}' is no value of {key}, which is {_KEYS[key]}")
        if key in changes:
            raise click.BadParameter(f"{key} is given twice")
        changes[key] = chosen
    return changes


def _value(key: str, text: str) -> str | float | bool | None:
    if key == "rerank":
        return {"on": True, "off": False}.get(text)
    if key != "weight":
        return text if text in (_MODES if key == "mode" else _FUSIONS) else None
    try:
        number = float(text)
    except ValueError:
        return None
    return number if 0 <= number <= 1 else None


@click.command("eval", cls=Command, short_help="Measure search on questions with known answers.")
@click.argument("queries", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("qrels", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--mode", type=click.Choice(_MODES), default="hybrid", help="How to search (default: hybrid).")
@click.option(
    "--fusion",
    type=click.Choice(_FUSIONS),
    default="weighted",
    help="How hybrid joins words and meaning: weighted scores (the default), or reciprocal ranks.",
)
@click.option(
    "--weight", type=click.FloatRange(0, 1), metavar="W", help="Share of meaning in hybrid (default: the vault's)."
)
@click.option("--rerank/--no-rerank", default=None, help="Let a reranker order the best (default: if there is one).")
@click.option(
    "--compare",
    metavar="SETTINGS",
    callback=_changes,
    help="Measure a second setting too, and test the difference: `mode=text`, `weight=0.5,fusion=rrf,rerank=off`.",
)
@click.option("--per-query", is_flag=True, help="Show the figures of each query too, the worst first.")
@json_option
@vault_options
def evaluate(
    queries: Path,
    qrels: Path,
    mode: Mode,
    fusion: Fusion,
    weight: float | None,
    rerank: bool | None,
    compare: dict[str, Any] | None,
    per_query: bool,
    as_json: bool,
    vault: Path | None,
    index_dir: Path | None,
) -> None:
    """Measure how well search finds what people judged to be right: nDCG, recall and MRR of the first ten notes.

    QUERIES has a JSON object on each line, `{"id": …, "text": …}`. QRELS has a judgement on each line: query id,
    document id and grade, separated by tabs; TREC's four columns will do too. The document id is the note's file name
    without its ending; a grade of 0 says that the note is no answer. A note counts with its best section.

    With --compare, what the second setting does not name is as in the first. p is how often chance alone makes so large
    a difference: only a small one, 0.05 at most, speaks for either setting.

    \b
    jupyter kb eval queries.jsonl qrels.tsv --vault docs
    jupyter kb eval queries.jsonl qrels.tsv --vault docs --mode text --json
    jupyter kb eval queries.jsonl qrels.tsv --vault docs --compare mode=text
    """
    from jupyter_kb.render import evaluation as render
    from jupyter_kb.search import evaluation

    judgements = evaluation.load_qrels(qrels)
    asked = evaluation.load_queries(queries)
    with opened(vault, index_dir, indexed=True) as kb:
        names = [_document(note.file) for note in kb.notes(limit=EVERYTHING).notes]
        covered = evaluation.coverage(asked, judgements, names)
        console.show(render.coverage(covered), err=True)
        first = _Setting(mode=mode, fusion=fusion, weight=weight, rerank=rerank)
        settings = [first] if compare is None else [first, replace(first, **compare)]
        settings = [_as_used(kb, setting) for setting in settings]
        if any(setting.mode in _BY_MEANING for setting in settings):
            _embed(kb)
        with console.progress("Searching") as follow:
            found = list(_measure_all(kb, settings, covered.judged, judgements, follow))
    comparison = evaluation.compare(found[0].evaluation, found[1].evaluation) if compare is not None else None
    for one in found:
        console.show(render.notes(one.notes, len(covered.judged)), err=True)
    if as_json:
        answer = _json(found[0], per_query)
        answer["left_out"] = {
            "unjudged_queries": len(covered.unjudged),
            "unasked_queries": len(covered.unasked),
            "missing_documents": len(covered.missing),
        }
        if comparison is not None:
            answer["compare"] = {**_json(found[1], per_query), **vars(comparison)}
        console.write_json(answer)
        return
    figures = [one.evaluation for one in found]
    if per_query:
        console.show(render.queries(figures, {one.id: one.text for one in asked}))
        console.show([_blank()])
    console.show(render.evaluation(list(_described(found)), figures))
    if comparison is not None:
        console.show([_blank(), *render.comparison(comparison)])


def _blank() -> Line:
    from jupyter_kb.render.lines import Line

    return Line()


def _json(measured: _Measured, per_query: bool) -> dict[str, Any]:
    found = measured.evaluation
    answer = {
        "ndcg@10": found.ndcg,
        "recall@10": found.recall,
        "mrr@10": found.mrr,
        "zero_results": found.zero_results,
        "queries": len(found.queries),
        "mode": measured.mode,
        "settings": asdict(measured.setting),
        "notes": dict(measured.notes),
    }
    if per_query:
        answer["per_query"] = [
            {
                "id": one.id,
                "ndcg@10": one.ndcg,
                "recall@10": one.recall,
                "reciprocal_rank": one.reciprocal_rank,
                "results": one.results,
            }
            for one in found.queries
        ]
    return answer


def _described(found: Sequence[_Measured]) -> Iterator[dict[str, object]]:
    """The settings for people, without what has no part in any of them."""
    modes = {one.setting.mode for one in found}
    idle = set() if "hybrid" in modes else {"fusion", "weight"}
    if not modes.intersection(_BY_MEANING):
        idle.add("rerank")
    for one in found:
        values: dict[str, object] = {**asdict(one.setting), "mode": one.mode}
        yield {key: value for key, value in values.items() if key not in idle}


def _document(file: str) -> str:
    return PurePosixPath(file).stem


def _as_used(kb: SharedKnowledgeBase, setting: _Setting) -> _Setting:
    """The setting with the vault's own values where it names none; words alone are never reranked."""
    rerank = kb.settings.rerank is not None if setting.rerank is None else setting.rerank
    return replace(
        setting,
        weight=kb.settings.weight if setting.weight is None else setting.weight,
        rerank=rerank and setting.mode in _BY_MEANING,
    )


def _embed(kb: SharedKnowledgeBase) -> None:
    """Make the vectors that are not there yet. Without a model, search falls back to words and says so itself."""
    from jupyter_kb.errors import ModelError
    from jupyter_kb.render.lines import count, words

    if kb.standing == "private":
        told = "Note: the index is in memory, where no vectors are made; end what owns the one on disk"
        console.show([words(told, "warning")], err=True)
        return
    try:
        with console.progress("Embedding", rate="/s") as follow:
            result = kb.embed(follow)
    except ModelError as error:
        console.show([words(f"Note: {error.message}", "warning")], err=True)
        return
    left = result.failed + result.pending
    if left:
        console.show(
            [words(f"Note: {count(left, 'chunk')} without a vector: meaning cannot find them", "warning")], err=True
        )


def _measure_all(
    kb: SharedKnowledgeBase,
    settings: Sequence[_Setting],
    queries: Sequence[Query],
    qrels: dict[str, dict[str, float]],
    follow: Callable[[int, int], None],
) -> Iterator[_Measured]:
    total = len(settings) * len(queries)
    for number, setting in enumerate(settings):
        yield _measure(kb, setting, queries, qrels, partial(_follow_on, follow, number * len(queries), total))


def _follow_on(follow: Callable[[int, int], None], before: int, total: int, done: int) -> None:
    follow(before + done, total)


def _measure(
    kb: SharedKnowledgeBase,
    setting: _Setting,
    queries: Sequence[Query],
    qrels: dict[str, dict[str, float]],
    follow: Callable[[int], None],
) -> _Measured:
    from jupyter_kb.models import SearchRequest
    from jupyter_kb.search import evaluation

    request = SearchRequest(
        mode=setting.mode,
        fusion=setting.fusion,
        weight=setting.weight,
        rerank=setting.rerank,
        limit=evaluation.DEPTH,
        per_file=1,
    )
    modes: Counter[str] = Counter()
    notes: Counter[str] = Counter()

    def search(text: str) -> list[str]:
        results = kb.search(replace(request, query=text), fresh=False)
        modes[results.mode] += 1
        if results.note:
            notes[results.note] += 1
        follow(modes.total())
        return [_document(hit.file) for hit in results.hits]

    if queries:
        _wait_for_models(kb, replace(request, query=queries[0].text))
    found = evaluation.evaluate(search, queries, qrels)
    return _Measured(setting=setting, evaluation=found, mode=modes.most_common(1)[0][0], notes=notes)


def _wait_for_models(kb: SharedKnowledgeBase, request: SearchRequest) -> None:
    """Ask until the answer comes from all models that it should come from, for as long as they may need to start."""
    model = kb.status().model
    embeds = request.mode in _BY_MEANING and model is not None and model.problem is None
    reranks = embeds and bool(request.rerank) and kb.settings.rerank is not None

    def missing(results: SearchResults) -> bool:
        return results.mode != request.mode or (reranks and not results.reranked)

    if not embeds:
        return
    pause = threading.Event()
    until = time.monotonic() + _WAIT
    while missing(kb.search(request, fresh=False)) and time.monotonic() < until:
        pause.wait(0.2)
