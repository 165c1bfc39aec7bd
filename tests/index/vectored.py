"""Vaults with vectors, for tests: how they are filled, and what their scores are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from jupyter_kb.index.chunks import embedded
from jupyter_kb.index.database import Database
from jupyter_kb.index.notes import ORDINAL_BITS
from jupyter_kb.index.vectors import Vectors
from tests.index.hashing import HashingEmbedder

MOST = 1 << 30
NOTES: dict[str, str | bytes] = {
    "kite.md": "# Kite\n\nwind and string\n\n## Launch\n\nrun forward\n",
    "boat.md": "# Boat\n\nwind and water\n\n## Launch\n\npush off\n",
    "copy.md": "# Boat\n\nwind and water\n",
}
A, B = HashingEmbedder("a"), HashingEmbedder("b", dimensions=7)


def fill(vectors: Vectors, embedder: HashingEmbedder, most: int | None = None) -> int:
    """Embed so many of what is pending; how many that was."""
    entries = vectors.pending(embedder.key, limit=most)
    if entries:
        rows = embedder.embed([embedded(entry.context, entry.text) for entry in entries], "passage")
        vectors.add(embedder.key, embedder.name, [entry.key for entry in entries], rows)
    return len(entries)


def scored(
    database: Database, vectors: Vectors, embedder: HashingEmbedder, text: str
) -> dict[tuple[str, int, int], float]:
    """Rounded score of each chunk, by path, ordinal and position."""
    query = embedder.vector(text)
    found = database.consistently(lambda generation: vectors.scores(embedder.key, query, generation=generation))
    assert found.missing == np.isneginf(found.scores).sum()
    order = np.lexsort((found.positions, found.sections))
    assert np.array_equal(order, np.arange(len(order))), "ascending by section and position"
    paths = dict(database.query("SELECT note_id, path FROM notes"))
    return {
        (paths[section >> ORDINAL_BITS], section % (1 << ORDINAL_BITS), position): round(score, 5)
        for section, position, score in zip(
            found.sections.tolist(), found.positions.tolist(), found.scores.tolist(), strict=True
        )
    }


def unit(rows: int, dimensions: int, seed: int = 0) -> NDArray[np.float32]:
    drawn = np.random.default_rng(seed).standard_normal((rows, dimensions)).astype(np.float32)
    return np.asarray(drawn / np.linalg.norm(drawn, axis=1, keepdims=True), dtype=np.float32)


def database_of(keys: NDArray[np.int64]) -> Database:
    """An index that has nothing but chunks."""
    database = Database(None)
    sections = np.arange(len(keys))
    nothing = np.zeros(len(keys), dtype=np.int64)
    columns = {"section_id": sections, "note_id": nothing, "position": nothing, "start": nothing, "stop": nothing}
    database.insert("chunks", {**columns, "key": keys})
    return database
