"""How well text search finds what people look for: nDCG@10 on judged questions, and Chinese phrases found again.

A retrieval set is a folder with `docs/*.md` (the file's stem names the document), `queries.jsonl` ({id, text}) and
`qrels.tsv` (query, document, grade). Every document counts with its best section; gains are linear in the grade.

    python -m tests.benchmarks.quality [SET ...] [--json]
"""

from __future__ import annotations

import argparse
import json
import math
import random
import re
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from jupyter_kb.events import EventBus
from jupyter_kb.index.database import Database
from jupyter_kb.index.indexer import Indexer
from jupyter_kb.kb import KnowledgeBase
from jupyter_kb.models import SearchMode, SearchRequest
from jupyter_kb.search import evaluation
from jupyter_kb.search.text import search
from jupyter_kb.settings import Settings
from jupyter_kb.vault.vault import Vault
from tests.benchmarks.places import data_folder

DEPTH = 10
PHRASES = 1_000
_HAN = re.compile("[\u4e00-\u9fff]")


@contextmanager
def indexed(folder: Path) -> Iterator[Database]:
    """The notes of a folder, indexed in memory with default settings."""
    with Database(None) as database:
        settings = Settings()
        Indexer(Vault(folder, settings), database, EventBus(), settings).scan()
        yield database


def found(database: Database, query: str) -> list[str]:
    """The first ten files for a query."""
    hits = search(database, SearchRequest(query=query, limit=DEPTH, per_file=1)).hits
    return [hit.file for hit in hits]


def ndcg(ranked: list[str], grades: dict[str, float]) -> float:
    """Normalised discounted cumulative gain of the first ten (Järvelin & Kekäläinen, 2002)."""
    ideal = sum(grade / math.log2(i + 2) for i, grade in enumerate(sorted(grades.values(), reverse=True)[:DEPTH]))
    gained = sum(grades.get(document, 0.0) / math.log2(i + 2) for i, document in enumerate(ranked[:DEPTH]))
    return gained / ideal if ideal else 0.0


def retrieval(folder: Path) -> dict[str, float]:
    """nDCG@10 over the judged queries of one set, and how many of them have a relevant document in the first ten."""
    queries = [json.loads(line) for line in (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()]
    judged: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines():
        query, document, grade = line.split("\t")
        judged[query][document] = float(grade)
    gains, successes = [], 0
    with indexed(folder / "docs") as database:
        for query in queries:
            grades = judged.get(query["id"])
            if not grades:
                continue
            ranked = [Path(file).stem for file in found(database, query["text"])]
            gains.append(ndcg(ranked, grades))
            successes += any(grades.get(document, 0) > 0 for document in ranked)
    return {"ndcg@10": sum(gains) / len(gains), "success@10": successes / len(gains), "queries": len(gains)}


def meaning(folder: Path, index_dir: Path) -> dict[str, float]:
    """The same for the default settings with all vectors, and for words alone. Vectors stay in `index_dir`."""
    queries = evaluation.load_queries(folder / "queries.jsonl")
    qrels = evaluation.load_qrels(folder / "qrels.tsv")
    figures = {}
    with KnowledgeBase.open(folder / "docs", index_dir=index_dir) as kb:
        kb.scan()
        begin = time.perf_counter()
        embedded = kb.embed().embedded
        figures = {"embedded": embedded, "seconds": time.perf_counter() - begin}
        for mode in ("hybrid", "semantic", "text"):

            def ranked(query: str, mode: SearchMode = mode) -> list[str]:
                found = kb.search(SearchRequest(query=query, mode=mode, per_file=1), fresh=False)
                assert found.mode == mode, found.note
                return [Path(hit.file).stem for hit in found.hits]

            figures[f"ndcg@10 {mode}"] = evaluation.evaluate(ranked, queries, qrels).ndcg
    return figures


def chinese(vault: Path, *, count: int = PHRASES, seed: int = 1) -> dict[str, float]:
    """Of 100 phrases of 2 to 6 characters, cut from random places, how many find their page in the first ten.

    A place is a character of the vault, all alike; lengths are alike, too; what is no phrase (it runs into other
    characters) is drawn again. `found` counts all phrases, `found_naming` those that at most ten pages hold.
    `best` is what the best of all rankings can expect for the same phrases: which page a phrase was cut from is not
    in the phrase, so none does better than to show the ten pages that hold it most often.
    """
    draw = random.Random(seed)
    texts = {path.relative_to(vault).as_posix(): path.read_text("utf-8") for path in sorted(vault.rglob("*.md"))}
    places = [(file, match.start()) for file, text in texts.items() for match in _HAN.finditer(text)]
    drawn = hits = naming = hits_naming = 0
    best = 0.0
    with indexed(vault) as database:
        while drawn < count:
            file, start = draw.choice(places)
            length = draw.randint(2, 6)
            phrase = texts[file][start : start + length]
            if len(_HAN.findall(phrase)) < length:
                continue
            hit = file in found(database, phrase)
            times = sorted((n for text in texts.values() if (n := text.count(phrase))), reverse=True)
            drawn += 1
            hits += hit
            best += sum(times[:DEPTH]) / sum(times)
            if len(times) <= DEPTH:
                naming += 1
                hits_naming += hit
    return {
        "found": 100 * hits / drawn,
        "best": 100 * best / drawn,
        "found_naming": 100 * hits_naming / naming,
        "naming": 100 * naming / drawn,
    }


def measured(data: Path, name: str, vectors: Path | None) -> dict[str, float]:
    """The figures of one set."""
    if name == "oi-wiki-zh":
        return chinese(data / "vaults" / name)
    folder = data / "retrieval" / name
    return meaning(folder, vectors) if vectors is not None else retrieval(folder)


def main() -> None:
    """Print the figures of the sets named, or of all that are there."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", help="names below retrieval/, or oi-wiki-zh")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--meaning", type=Path, metavar="DIR", help="measure with vectors, too, kept in this folder")
    arguments = parser.parse_args()
    data = data_folder()
    names = arguments.sets or [*sorted(path.name for path in (data / "retrieval").iterdir()), "oi-wiki-zh"]
    results = {name: measured(data, name, arguments.meaning) for name in names}
    if arguments.json:
        print(json.dumps(results))
        return
    for name, figures in results.items():
        print(f"{name:12}", "  ".join(f"{key} {value:.4g}" for key, value in figures.items()))


if __name__ == "__main__":
    main()
