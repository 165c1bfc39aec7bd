"""Speed and memory of search by meaning, each in its own process: `python -m tests.benchmarks.meaning NAME FOLDER`.

Where only times count, passages get vectors from a hash: their time is no different, and a large vault need not be
embedded for it. Queries are embedded by the real model always.
"""

from __future__ import annotations

import json
import os
import re
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from jupyter_kb import embedding
from jupyter_kb.embedding.base import Kind, ModelInfo
from jupyter_kb.index import chunks as cutting
from jupyter_kb.index.database import Database
from jupyter_kb.index.vectors import Vectors
from jupyter_kb.kb import KnowledgeBase
from jupyter_kb.markdown.document import parse
from jupyter_kb.models import SearchRequest
from jupyter_kb.settings import Settings
from tests.benchmarks.places import data_folder
from tests.benchmarks.speed import Figures, percentile, seconds

if TYPE_CHECKING:
    from numpy.typing import NDArray

ROUNDS = 5
QUESTIONS = 100
MANY = 100_000
EMBEDDED = 400


class HashedPassages:
    """The real model for queries, rows from a hash for passages."""

    def __init__(self) -> None:
        real = embedding.create(Settings())
        assert real is not None
        self.real = real
        self.name = real.name

    @property
    def key(self) -> str:
        return self.real.key

    @property
    def info(self) -> ModelInfo | None:
        return self.real.info

    def embed(
        self, texts: Sequence[str], kind: Kind, *, urgent: bool = False, timeout: float | None = None
    ) -> NDArray[np.float32]:
        if kind == "query":
            return self.real.embed(texts, kind, urgent=urgent, timeout=timeout)
        rows = np.stack(
            [np.random.default_rng(abs(hash(text))).standard_normal(384, dtype=np.float32) for text in texts]
        )
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)

    def warm(self) -> None:
        self.real.warm()

    def close(self) -> None:
        self.real.close()


def questions() -> list[str]:
    """What people ask about Kubernetes."""
    lines = (data_folder() / "retrieval" / "k8sdocs" / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["text"] for line in lines]


def pieces(folder: Path, most: int) -> list[str]:
    """Chunks of the notes of a folder, as a model reads them."""
    texts: list[str] = []
    for path in sorted(folder.rglob("*.md")):
        document = parse(path.read_bytes())
        for section in document.sections:
            context = cutting.context(document.title(path.stem), section.heading_path if section.level else "")
            own = document.own_text(section)
            texts += [cutting.embedded(context, own[span.start : span.end]) for span in cutting.split(own)]
            if len(texts) >= most:
                return texts[:most]
    return texts


def embed(folder: Path) -> Figures:
    """Texts a second through the embedder, against SentenceTransformer.encode with its defaults, in turns."""
    import torch
    from sentence_transformers import SentenceTransformer

    from jupyter_kb.embedding.locate import locate

    texts = pieces(folder, EMBEDDED)
    threads = len(os.sched_getaffinity(0))
    torch.set_num_threads(threads)
    settings = Settings(threads=threads)
    plain = SentenceTransformer(str(locate(settings).folder), device="cpu", local_files_only=True)
    embedder = embedding.create(settings)
    assert embedder is not None
    embedder.embed(texts[:8], "passage")
    plain.encode(texts[:8])
    ours, theirs = [], []
    for _ in range(2):
        theirs.append(seconds(lambda: plain.encode(texts, show_progress_bar=False)))
        ours.append(seconds(lambda: embedder.embed(texts, "passage")))
    reference = plain.encode(texts, normalize_embeddings=True, show_progress_bar=False)
    cosines = (embedder.embed(texts, "passage") * reference).sum(axis=1)
    embedder.close()
    return {
        "embed_ratio": min(theirs) / min(ours),
        "texts_per_s": len(texts) / min(ours),
        "cosine_least": float(cosines.min()),
    }


@contextmanager
def filled(vault: Path, folder: Path, embedder: Any) -> Iterator[KnowledgeBase]:
    """A vault that is indexed and has all its vectors."""
    with KnowledgeBase.open(vault, index_dir=folder, embedder=embedder) as kb:
        kb.scan()
        kb.embed()
        yield kb


def _asked(kb: KnowledgeBase, mode: Any = "hybrid") -> list[float]:
    """Seconds of warm searches, a question each."""
    asked = questions()
    for question in asked[:10]:
        found = kb.search(SearchRequest(query=question, mode=mode, per_file=3), fresh=False)
        assert found.mode == mode, found.note
    return [
        seconds(partial(kb.search, SearchRequest(query=question, mode=mode, per_file=3), fresh=False))
        for question in asked[10 : 10 + QUESTIONS]
    ]


def hybrid(vault: Path) -> Figures:
    """Hybrid searches of one vault, the embedding of the question included."""
    with tempfile.TemporaryDirectory() as folder, filled(vault, Path(folder), HashedPassages()) as kb:
        model = kb.status().model
        times = _asked(kb)
        text = _asked(kb, "text")
        return {
            "chunks": model.chunks if model else 0,
            "hybrid_p50_ms": 1000 * statistics.median(times),
            "hybrid_p95_ms": 1000 * percentile(times, 0.95),
            "text_p50_ms": 1000 * statistics.median(text),
        }


def many(vault: Path) -> Figures:
    """The same over 100,000 chunks: the vault as often as needed, each copy with titles of its own."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "vault")
        made = copy = 0
        while made < MANY:
            for path in sorted(path for path in vault.rglob("*.md") if path.is_file()):
                text = path.read_bytes().decode("utf-8", "replace")
                name = f"{path.stem} {copy}"
                if text.startswith("---\n"):
                    text = re.sub(r"^title:.*$", "", text, count=1, flags=re.MULTILINE)
                    text = f"---\ntitle: {json.dumps(name)}\n" + text[4:]
                else:
                    text = f"---\ntitle: {json.dumps(name)}\n---\n{text}"
                target = root / str(copy) / path.relative_to(vault)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(text, encoding="utf-8")
                document = parse(text.encode())
                made += sum(len(cutting.split(document.own_text(section))) or 1 for section in document.sections)
                if made >= MANY:
                    break
            copy += 1
        return hybrid(root)


def leg(vault: Path) -> Figures:
    """Scores of all chunks and their best ten, against a bare matrix product and the same; small and large."""
    return _leg("small", 13_600) | _leg("large", MANY)


def _leg(name: str, size: int) -> Figures:
    matrix = np.random.default_rng(1).standard_normal((size, 384), dtype=np.float32)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    query = matrix[0]
    numbers = np.arange(size)
    zeros = np.zeros(size, dtype=np.int64)
    with Database(None, memory_limit="1GB") as database:
        columns = {"section_id": numbers << 24, "note_id": numbers, "key": numbers}
        database.insert("chunks", {**columns, "position": zeros, "start": zeros, "stop": zeros})
        vectors = Vectors(database, None, most_bytes=1 << 30)
        vectors.add("m", "m", numbers.tolist(), matrix)
        generation = database.generation

        def ours() -> object:
            return np.argpartition(-vectors.scores("m", query, generation=generation).scores, 10)[:10]

        def bare() -> object:
            return np.argpartition(-(matrix @ query), 10)[:10]

        ours()
        bare()
        mine, other = [], []
        for _ in range(60):
            other.append(seconds(bare))
            mine.append(seconds(ours))
        vectors.close()
    own = statistics.median(mine)
    return {f"leg_{name}_ratio": own / statistics.median(other), f"leg_{name}_ms": 1000 * own}


def _resident() -> float:
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(re.findall(r"VmRSS:\s+(\d+)", status)[0]) / 1024


def idle(vault: Path) -> Figures:
    """Memory of this process after searches by words, and after searches by meaning once the model has ended."""
    with tempfile.TemporaryDirectory() as folder:
        with KnowledgeBase.open(vault, index_dir=folder, settings=Settings(model="none")) as kb:
            kb.scan()
        with KnowledgeBase.open(vault, index_dir=folder, settings=Settings(model="none")) as kb:
            kb.scan()
            _asked(kb, "text")
            words = _resident()
        embedder = HashedPassages()
        with filled(vault, Path(folder), embedder):
            pass
        embedder = HashedPassages()
        with KnowledgeBase.open(vault, index_dir=folder, embedder=embedder) as kb:
            kb.scan()
            _asked(kb)
            embedder.close()
            return {"words_mb": words, "meaning_mb": _resident(), "more_mb": _resident() - words}


def busy(vault: Path) -> Figures:
    """Searches one after the other while a vault is indexed and embedded by the real model."""
    asked = questions()
    times: list[float] = []
    modes: dict[str, int] = {}
    with tempfile.TemporaryDirectory() as folder, KnowledgeBase.open(vault, index_dir=folder) as kb:
        ended = threading.Event()

        def work() -> None:
            kb.scan()
            kb.embed_in_background()
            ended.wait(40)

        worker = threading.Thread(target=work)
        worker.start()
        begin = time.perf_counter()
        number = 0
        while time.perf_counter() - begin < 30:
            request = SearchRequest(query=asked[number % len(asked)], per_file=3)
            begun = time.perf_counter()
            found = kb.search(request, wait=0.0)
            times.append(time.perf_counter() - begun)
            modes[found.mode] = modes.get(found.mode, 0) + 1
            number += 1
            time.sleep(0.05)  # as somebody who types
        model = kb.status().model
        ended.set()
        worker.join()
        return {
            "busy_p50_ms": 1000 * statistics.median(times),
            "busy_p95_ms": 1000 * percentile(times, 0.95),
            "searches": len(times),
            "by_meaning": modes.get("hybrid", 0),
            "embedded": model.embedded if model else 0,
        }


MEASURES = {one.__name__: one for one in (embed, hybrid, many, leg, idle, busy)}


def main() -> None:
    """Print the figures of one measure as JSON."""
    name, folder = sys.argv[1:3]
    print(json.dumps(MEASURES[name](Path(folder))))


if __name__ == "__main__":
    main()
