"""Search by vectors: which chunks have one or want one, and a score for each; in memory, or beyond a limit in SQL.

The file belongs to one process. Where it cannot be had, vectors are kept in memory and made anew: a search never fails
for that.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import duckdb
import numpy as np

from jupyter_kb.errors import IndexUnavailableError
from jupyter_kb.index import chunk_table
from jupyter_kb.index.columns import column
from jupyter_kb.index.matrix import Matrix, Multiplier
from jupyter_kb.index.vector_store import VectorStore, check_length
from jupyter_kb.models import DiagnosticKind

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from jupyter_kb.index.database import Database

_log = logging.getLogger(__name__)

GRACE = 24 * 3600
"""Seconds for which the vector of a chunk that is gone is kept: a note may come back under another name or from another
branch, and an index that is being rebuilt does not have its notes yet."""

_KIND: DiagnosticKind = "embedding-failed"
_HINT = "search by words finds it all the same; a change of the text is tried again"

_PLACES = "SELECT section_id, start, stop, key FROM chunks ORDER BY section_id, position"
_CHUNKS = "SELECT section_id, position, key, start, stop FROM chunks ORDER BY section_id, position"
_HOLDERS = """
    SELECT DISTINCT file, own_start_line, key FROM chunks JOIN sections USING (section_id)
    WHERE key IN (SELECT unnest(?::BIGINT[]))
"""
_DIAGNOSTIC = ("path", "kind", "message", "line", "hint")
_REPORTED = f"SELECT {', '.join(_DIAGNOSTIC)} FROM diagnostics WHERE kind = '{_KIND}'"


class Pending(NamedTuple):
    """A text that wants a vector: `context` (title and headings) and `text` are what a model is to read."""

    key: int
    context: str
    text: str


class Counts(NamedTuple):
    """Chunks of the index: all, those with a vector, and those set aside."""

    chunks: int
    embedded: int
    failed: int


class ChunkScores(NamedTuple):
    """A score for each chunk, ascending by section and position; -inf for the `missing` ones, which have no vector."""

    sections: NDArray[np.int64]
    positions: NDArray[np.int32]
    scores: NDArray[np.float32]
    missing: int


class _Chunks(NamedTuple):
    """The chunks of one state of the index."""

    generation: int | None
    sections: NDArray[np.int64]
    positions: NDArray[np.int32]
    keys: NDArray[np.int64]
    starts: NDArray[np.int32]
    stops: NDArray[np.int32]

    def places(self, chunks: Sequence[tuple[int, int]]) -> list[int | None]:
        """Where chunks stand that are named by section and position; None for those that there are not."""
        firsts = np.searchsorted(self.sections, [section for section, _ in chunks]).tolist()
        found: list[int | None] = []
        for (section, position), first in zip(chunks, firsts, strict=True):
            at = first + position
            found.append(at if at < len(self.sections) and self.sections[at] == section else None)
        return found


class _Plan(NamedTuple):
    """Where the products of some chunks stand: worth keeping until chunks or vectors change."""

    chunks: _Chunks
    matrix: Matrix
    slots: NDArray[np.int64]
    missing: int


class Vectors:
    """The vectors of one vault. Safe to use from several threads; the file is opened when first needed.

    Parameters
    ----------
    database : the index whose chunks are meant.
    path : the file; None keeps all in memory.
    most_bytes : a larger matrix is not held in memory, but searched in SQL.
    clock : seconds since 1970.
    multiplier : is asked for the products first.
    """

    def __init__(
        self,
        database: Database,
        path: Path | None,
        *,
        most_bytes: int,
        clock: Callable[[], float] = time.time,
        multiplier: Multiplier | None = None,
    ) -> None:
        self._database = database
        self._path = path
        self._most_bytes = most_bytes
        self._clock = clock
        self._multiplier = multiplier
        self._lock = threading.RLock()
        self._opened: VectorStore | None = None
        # Replaced whole, and read once a search, which so sees none or all of what is added meanwhile.
        self._held: tuple[str, Matrix] | None = None
        self._chunks: _Chunks | None = None
        self._plan: _Plan | None = None

    # ── what is there, and what is missing ──────────────────────────────────────────────────────

    def pending(self, model: str, *, limit: int | None = None) -> list[Pending]:
        """Chunks without a vector of this model, in the order of the notes; equal texts once, those set aside not."""
        chunk_table.refresh(self._database)
        with self._database.snapshot():
            rows = self._database.columns(_PLACES)
            first = self._first_waiting(model, rows["key"])[:limit]
            places = [rows[name][first].tolist() for name in ("section_id", "start", "stop")]
            pieces = chunk_table.pieces(self._database, list(zip(*places, strict=True)))
            keys = rows["key"][first].tolist()
            return [Pending(key, context, text) for key, (context, text) in zip(keys, pieces, strict=True)]

    def waiting(self, model: str) -> int:
        """How many `pending` would give."""
        return len(self._first_waiting(model, self._chunk_keys()))

    def count(self, model: str) -> Counts:
        """How many chunks there are, and how many of them have a vector or never will."""
        keys = self._chunk_keys()
        there = np.isin(keys, self._store().keys(model))
        failed = np.isin(keys, _array(self._store().failed(model))) & ~there
        return Counts(len(keys), int(there.sum()), int(failed.sum()))

    def searchable(self) -> str | None:
        """The model whose vectors are to be searched: the one that was complete last, else the newest."""
        if self._opened is None and self._path is not None and not self._path.exists():
            return None  # and no file is made for the asking
        return self._store().searchable()

    def name_of(self, model: str) -> str | None:
        """What a model was called, for people, when it made vectors; None for one that made none."""
        known = self._store().models.get(model)
        return known.name if known is not None else None

    @property
    def is_lasting(self) -> bool:
        """Whether what is added is there after this process, too. Opens the file."""
        return self._path is not None and self._store().is_lasting

    def size(self) -> int:
        """Bytes on disk; 0 in memory. Opens nothing."""
        store, path = self._opened, self._path
        if store is not None or path is None:
            return store.size() if store is not None else 0
        return sum(file.stat().st_size for file in (path, path.with_name(f"{path.name}.wal")) if file.exists())

    # ── filling ─────────────────────────────────────────────────────────────────────────────────

    def add(self, model: str, name: str, keys: Sequence[int], vectors: NDArray[np.float32]) -> None:
        """Put in vectors of unit length, a row a key, all at once or not at all; keys that have one keep it.

        Raises
        ------
        ModelFailedError : the model's earlier vectors have another length.
        IndexUnavailableError : the file cannot be written.
        """
        rows = np.ascontiguousarray(vectors, dtype=np.float32)
        if rows.ndim != 2 or len(rows) != len(keys) or not np.isfinite(rows).all():
            raise ValueError("vectors are a row of finite numbers for each key")
        if not len(rows):
            return
        with self._lock:
            added = self._store().add(model, name, _array(keys), rows)
            if self._held is not None and self._held[0] == model:
                matrix = self._held[1]
                if matrix.blocks is not None and self._is_too_much(len(matrix.keys) + len(rows), rows.shape[1]):
                    self._held = None
                else:
                    self._held = model, matrix.grown(*added)

    def set_aside(self, model: str, keys: Sequence[int], reason: str) -> None:
        """Leave these chunks out of `pending` from now on, with a diagnostic for each note that holds one."""
        with self._lock:
            self._store().set_aside(model, keys, reason)
        self._report(model)

    def settle(self, model: str) -> None:
        """Search this model's vectors from now on, and drop all others; does nothing while something is pending.

        Vectors of chunks that have been gone for `GRACE` seconds are dropped, too.
        """
        keys = self._chunk_keys()
        with self._lock:
            if not len(keys) or len(self._first_waiting(model, keys)):
                return
            dropped = self._store().settle(model, keys, int(self._clock()), GRACE)
            if self._held is not None:
                name, matrix = self._held
                matrix = matrix.without(dropped)
                # a few rows of what was dropped may as well stay in memory
                is_sparse = matrix.blocks is not None and matrix.size > 1.25 * len(matrix.keys)
                self._held = None if name != model or is_sparse else (name, matrix)
        self._report(model)

    # ── searching ───────────────────────────────────────────────────────────────────────────────

    def scores(self, model: str, query: NDArray[np.float32], *, generation: int | None) -> ChunkScores:
        """The product of a query's vector with that of each chunk: a cosine, as all have unit length.

        `generation` is the number of the state of the index that is read (`Database.snapshot`, `consistently`), None
        where it has none. The last bits of a score depend on how the vectors came here: compare rounded scores.

        Raises
        ------
        ModelFailedError : the query's vector is not as long as the model's others.
        """
        chunks = self._read_chunks(generation)
        try:
            matrix, products = self._products(model, np.ascontiguousarray(query, dtype=np.float32))
        except IndexUnavailableError as error:
            self._give_up(error)
            matrix = products = None
        except duckdb.Error as error:  # the model was dropped, or the file given up, by another thread
            _log.info("no vectors of %s: %s", model, error)
            matrix = products = None
        if matrix is None or products is None:
            nothing = np.full(len(chunks.keys), -np.inf, dtype=np.float32)
            return ChunkScores(chunks.sections, chunks.positions, nothing, len(chunks.keys))
        plan = self._plan
        if plan is None or plan.chunks is not chunks or plan.matrix is not matrix:
            slots = matrix.slots_of(chunks.keys)
            plan = self._plan = _Plan(chunks, matrix, slots, int((slots == matrix.size).sum()))
        return ChunkScores(chunks.sections, chunks.positions, products[plan.slots], plan.missing)

    def of_section(self, model: str, section_id: int) -> NDArray[np.float32] | None:
        """The mean direction of a section's chunks, of unit length; None where none of them has a vector."""
        keys = [key for (key,) in self._database.query("SELECT key FROM chunks WHERE section_id = ?", [section_id])]
        vectors = self._store().vectors(model, keys) if keys else []
        if not vectors:
            return None
        total = np.sum(vectors, axis=0, dtype=np.float64)
        length = float(np.linalg.norm(total))
        return np.asarray(total / length, dtype=np.float32) if length else None

    def of_chunks(self, model: str, chunks: Sequence[tuple[int, int]]) -> list[NDArray[np.float32]]:
        """The vectors of chunks, named by section and position; those that there are, in any order."""
        known = self._chunks or self._read_chunks(None)
        keys = known.keys[[place for place in known.places(chunks) if place is not None]]
        held = self._held
        if held is None or held[0] != model or held[1].blocks is None:
            return self._store().vectors(model, keys.tolist())
        return held[1].of(keys)

    def spans(self, chunks: Sequence[tuple[int, int]]) -> list[tuple[int, int] | None]:
        """Where chunks, named by section and position, begin and end in the text of their section."""
        known = self._chunks or self._read_chunks(None)
        places = known.places(chunks)
        return [None if place is None else (int(known.starts[place]), int(known.stops[place])) for place in places]

    def close(self) -> None:
        """Give the file and the memory back. Reading threads must have finished."""
        with self._lock:
            if self._opened is not None:
                self._opened.close()
            self._opened = self._held = self._chunks = self._plan = None

    # ── the file ────────────────────────────────────────────────────────────────────────────────

    def _store(self) -> VectorStore:
        with self._lock:
            if self._opened is None:
                self._opened = self._open()
            return self._opened

    def _open(self) -> VectorStore:
        if self._path is not None:
            try:
                return VectorStore(self._path)
            except (IndexUnavailableError, OSError, duckdb.Error) as error:
                _log.warning("vectors are kept in memory only: %s", error)
        return VectorStore(None)

    def _give_up(self, error: IndexUnavailableError) -> None:
        with self._lock:
            if self._path is not None:
                _log.warning("vectors are kept in memory only from now on: %s", error)
                self.close()
                self._path = None

    # ── chunks ──────────────────────────────────────────────────────────────────────────────────

    def _chunk_keys(self) -> NDArray[np.int64]:
        chunk_table.refresh(self._database)
        return self._database.columns("SELECT key FROM chunks")["key"]

    def _first_waiting(self, model: str, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Where each key that wants a vector stands first."""
        store = self._store()
        done = np.concatenate((store.keys(model), _array(store.failed(model))))
        waiting = np.flatnonzero(~np.isin(keys, done))
        return waiting[np.sort(np.unique(keys[waiting], return_index=True)[1])]

    def _read_chunks(self, generation: int | None) -> _Chunks:
        kept = self._chunks
        if kept is not None and generation is not None and kept.generation == generation:
            return kept
        rows = self._database.columns(_CHUNKS)
        names = ("section_id", "position", "key", "start", "stop")
        chunks = _Chunks(generation, *(rows[name] for name in names))
        if generation is not None and generation == self._database.generation:  # else a write may have come between
            self._chunks = chunks
        return chunks

    def _report(self, model: str) -> None:
        """Let the index's diagnostics name the notes whose chunks are set aside, and no others."""
        failed = self._store().failed(model)
        database = self._database

        def wanted() -> list[tuple[Any, ...]]:
            holders = database.query(_HOLDERS, [list(failed)]) if failed else []
            told = {(file, f"a passage cannot be embedded: {failed[key]}", line) for file, line, key in holders}
            return [(file, _KIND, message, line, _HINT) for file, message, line in sorted(told)]

        if wanted() != sorted(database.query(_REPORTED)):
            with database.transaction():
                database.execute("DELETE FROM diagnostics WHERE kind = ?", [_KIND])
                columns = map(column, zip(*wanted(), strict=True))
                database.insert("diagnostics", dict(zip(_DIAGNOSTIC, columns, strict=False)))

    # ── the matrix ──────────────────────────────────────────────────────────────────────────────

    def _products(
        self, model: str, query: NDArray[np.float32]
    ) -> tuple[Matrix, NDArray[np.float32]] | tuple[None, None]:
        held = self._held
        if held is None or held[0] != model:
            held = self._hold(model)
            if held is None:
                return None, None
        matrix = held[1]
        check_length(matrix.model, len(query))
        if matrix.blocks is not None:
            return matrix, matrix.products(query, self._multiplier)
        return matrix, matrix.placed(*self._store().products(matrix.model, query))

    def _hold(self, key: str) -> tuple[str, Matrix] | None:
        with self._lock:
            store = self._store()
            model = store.models.get(key)
            if model is None or model.dimensions is None:
                return None
            self._held = self._plan = None  # another model's memory is given back before this one's is taken
            places, keys = store.places(model)
            if self._is_too_much(len(keys), model.dimensions):
                size = int(places[-1]) + 1
                matrix = Matrix(model=model, keys=keys, slots=places, size=size)
            else:
                slots, block = np.arange(len(keys)), store.read(model, places)
                matrix = Matrix(model=model, keys=keys, slots=slots, size=len(keys), blocks=(block,))
            self._held = key, matrix
            return self._held

    def _is_too_much(self, rows: int, dimensions: int) -> bool:
        return 4 * rows * dimensions > self._most_bytes


def _array(keys: Iterable[int]) -> NDArray[np.int64]:
    return np.array(list(keys), dtype=np.int64)
