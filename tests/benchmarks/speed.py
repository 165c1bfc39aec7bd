"""Speed and memory of single things, each in a process of its own: `python -m tests.benchmarks.speed NAME VAULT`.

What can be is given as a ratio to something else done in the same process, since machines differ and are noisy.
"""

from __future__ import annotations

import json
import re
import resource
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

ROUNDS = 5
WARM_UP = 38
Figures = dict[str, float]


def seconds(work: Callable[[], object]) -> float:
    """Wall time of one call."""
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def percentile(values: Iterable[float], share: float) -> float:
    """The value below which `share` of all values lie."""
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)]


def index(vault: Path) -> Figures:
    """A full index into a file, against markdown-it-py's block parse alone over the same files, before and after."""
    from markdown_it import MarkdownIt

    from jupyter_kb.kb import KnowledgeBase

    texts = [
        re.sub(r"\r\n?", "\n", path.read_bytes().decode("utf-8", "replace"))
        for path in vault.rglob("*")
        if path.suffix.lower() == ".md" and path.is_file()
    ]
    md = MarkdownIt("commonmark").enable("table")

    def parse_all() -> None:
        for text in texts:
            md.block.parse(text, md, {}, [])

    parse: list[float] = []
    full: list[float] = []
    for _ in range(3):
        parse.append(seconds(parse_all))
        with tempfile.TemporaryDirectory() as folder, KnowledgeBase.open(vault, index_dir=folder) as kb:
            full.append(seconds(kb.scan))
    parse.append(seconds(parse_all))
    ratio = statistics.median(full) / statistics.median(parse)
    return {"index_s": statistics.median(full), "block_parse_s": statistics.median(parse), "index_ratio": ratio}


def memory(vault: Path) -> Figures:
    """Peak memory of indexing from nothing: this process and its largest child added up."""
    from jupyter_kb.kb import KnowledgeBase

    with tempfile.TemporaryDirectory() as folder, KnowledgeBase.open(vault, index_dir=folder) as kb:
        kb.scan()
    # not ru_maxrss of this process: that begins with the size of the process that started it
    status = Path("/proc/self/status").read_text(encoding="ascii")
    own = int(re.findall(r"VmHWM:\s+(\d+)", status)[0])
    child = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return {"peak_mb": (own + child) / 1024, "own_mb": own / 1024, "child_mb": child / 1024}


_START = """
import sys
from jupyter_kb.kb import KnowledgeBase
with KnowledgeBase.open(sys.argv[1], index_dir=sys.argv[2]) as kb:
    result = kb.scan()
    assert result.added == result.changed == 0, result
"""


def start(vault: Path) -> Figures:
    """From the start of a process to an index that was compared with an unchanged vault."""
    from jupyter_kb.kb import KnowledgeBase

    with tempfile.TemporaryDirectory() as folder:
        with KnowledgeBase.open(vault, index_dir=folder) as kb:
            kb.scan()
        run = [sys.executable, "-c", _START, str(vault), folder]
        times = [seconds(lambda: subprocess.run(run, check=True)) for _ in range(ROUNDS)]
    return {"start_s": statistics.median(times)}


def update(vault: Path) -> Figures:
    """Bringing the index up to date after an edit of one file."""
    from jupyter_kb.kb import KnowledgeBase

    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "vault")
        shutil.copytree(vault, copy)
        with KnowledgeBase.open(copy, index_dir=Path(folder, "index")) as kb:
            kb.scan()
            files = [stat.key for stat in kb.vault.list()]
            times = []
            for key in files[:: max(1, len(files) // 20)]:
                with (copy / key).open("ab") as file:
                    file.write(b"\n\nOne more line.\n")
                times.append(seconds(partial(kb.indexer.update, [key])))
    return {"update_ms": 1000 * statistics.median(times), "update_worst_ms": 1000 * max(times)}


def search(vault: Path) -> Figures:
    """Text search against SQLite's FTS5 (porter stemming, any word) over the same rows and queries, turn by turn.

    Each question is asked once, of a program that has answered some others before.
    """
    from jupyter_kb.kb import KnowledgeBase
    from jupyter_kb.models import SearchRequest

    queries = _queries(vault)
    with tempfile.TemporaryDirectory() as folder, KnowledgeBase.open(vault, index_dir=folder) as kb:
        kb.scan()
        rows = kb.database.query("SELECT n.title, s.heading_path, s.text FROM sections s JOIN notes n USING (note_id)")
        lite = sqlite3.connect(":memory:")
        lite.execute("CREATE VIRTUAL TABLE sections USING fts5(title, heading, body, tokenize='porter unicode61')")
        lite.executemany("INSERT INTO sections VALUES (?, ?, ?)", rows)

        def ours(query: str) -> None:
            kb.search(SearchRequest(query=query), fresh=False)

        def theirs(query: str) -> None:
            match = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", query))
            lite.execute(
                "SELECT rowid FROM sections WHERE sections MATCH ? ORDER BY bm25(sections) LIMIT 10", [match]
            ).fetchall()

        mine: list[float] = []
        other: list[float] = []
        for query in queries:
            mine.append(seconds(partial(ours, query)))
            other.append(seconds(partial(theirs, query)))
    mine, other = mine[WARM_UP:], other[WARM_UP:]
    p50, p95, lite_p50 = percentile(mine, 0.5), percentile(mine, 0.95), percentile(other, 0.5)
    return {
        "search_p50_ms": 1000 * p50,
        "search_p95_ms": 1000 * p95,
        "fts5_p50_ms": 1000 * lite_p50,
        "search_ratio": p50 / lite_p50,
        "search_spread": p95 / p50,
    }


def _queries(vault: Path) -> list[str]:
    """Questions as people ask them, where the data folder has some for this vault."""
    questions = vault.parent.parent / "retrieval" / "k8sdocs" / "queries.jsonl"
    return [json.loads(line)["text"] for line in questions.read_text(encoding="utf-8").splitlines()]


def command(vault: Path) -> Figures:
    """What a user waits for before anything happens: the import, and the help of the command line."""
    del vault
    python = [sys.executable, "-c"]
    bare = [seconds(lambda: subprocess.run([*python, "pass"], check=True)) for _ in range(ROUNDS)]
    imported = [seconds(lambda: subprocess.run([*python, "import jupyter_kb"], check=True)) for _ in range(ROUNDS)]
    figures = {"import_ms": 1000 * max(0.0, statistics.median(imported) - statistics.median(bare))}
    folder = str(Path(sys.executable).parent)
    jupyter = shutil.which("jupyter", path=folder)
    if jupyter and shutil.which("jupyter-kb", path=folder):  # else the package is only on the path, not installed
        run = [jupyter, "kb", "--help"]
        environment = {"PATH": folder}
        helped = [
            seconds(lambda: subprocess.run(run, check=True, stdout=subprocess.DEVNULL, env=environment))
            for _ in range(ROUNDS)
        ]
        figures["help_ms"] = 1000 * statistics.median(helped)
    return figures


MEASURES: dict[str, Callable[[Path], Figures]] = {
    "index": index,
    "memory": memory,
    "start": start,
    "update": update,
    "search": search,
    "command": command,
}


if __name__ == "__main__":
    print(json.dumps(MEASURES[sys.argv[1]](Path(sys.argv[2]))))
