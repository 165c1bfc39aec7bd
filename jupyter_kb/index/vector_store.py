"""The file of vectors: which models there are, their vectors, what they could not take. All SQL on vectors stands here.

How vectors go into DuckDB and come out (100,000 of 384 numbers, two cores): appended from an object column of NumPy
rows in 2 to 3 s, of which the table itself takes most (from 384 columns by `array_value` 2.7 to 5 s); fetched as NumPy
rows, in blocks by `place`, and copied into a matrix in 0.3 to 0.5 s (384 columns `vector[i]`: 0.9 s; `unnest`: 17 s, in
no order). Their product with one vector takes 30 to 120 ms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from jupyter_kb.errors import ModelFailedError
from jupyter_kb.index.columns import column
from jupyter_kb.index.database import Database

if TYPE_CHECKING:
    from numpy.typing import NDArray

SCHEMA_VERSION = 1
"""Of vectors.sql."""

_MEMORY = "100MB"
_READ_ROWS = 8_192
_AMONG = "key IN (SELECT unnest(?::BIGINT[]))"


@dataclass(frozen=True, kw_only=True)
class Model:
    """A model that has vectors here, or texts that it could not take. `dimensions` is None without a vector."""

    number: int
    key: str
    name: str
    dimensions: int | None = None
    complete: bool = False

    @property
    def table(self) -> str:
        """Where its vectors are."""
        return f"vectors_{self.number}"


class Rows(NamedTuple):
    """Vectors with their keys, and with their ascending places in the table."""

    places: NDArray[np.int64]
    keys: NDArray[np.int64]
    vectors: NDArray[np.float32]


class VectorStore:
    """Vectors by model and key. One thread writes at a time, any may read.

    Parameters
    ----------
    path : the file; None keeps all in memory.

    Raises
    ------
    IndexOwnedError, OSError : as `Database`.
    """

    def __init__(self, path: Path | None) -> None:
        self._database = Database(path, schema="vectors.sql", version=SCHEMA_VERSION, memory_limit=_MEMORY)
        self._next_place: dict[int, int] = {}
        names = ("number", "key", "name", "dimensions", "complete")
        rows = self._database.query(f"SELECT {', '.join(names)} FROM models ORDER BY number")
        found = [Model(**dict(zip(names, row, strict=True))) for row in rows]
        there = {name for (name,) in self._database.query("SELECT table_name FROM duckdb_tables()")}
        for model in found:
            if model.dimensions is not None and model.table not in there:
                self._database.execute("DELETE FROM models WHERE number = ?", [model.number])
                found = [other for other in found if other is not model]
        self.models = {model.key: model for model in found}
        """By key; replaced whole."""

    def searchable(self) -> str | None:
        """The model that was complete last, else the newest that has vectors."""
        models = [model for model in self.models.values() if model.dimensions is not None]
        best = max(models, key=lambda model: (model.complete, model.number), default=None)
        return best.key if best else None

    # ── reading ─────────────────────────────────────────────────────────────────────────────────

    def keys(self, key: str) -> NDArray[np.int64]:
        """What has a vector of the model."""
        model = self._with_vectors(key)
        if model is None:
            return np.empty(0, dtype=np.int64)
        return self._database.columns(f"SELECT key FROM {model.table}")["key"]

    def failed(self, key: str) -> dict[int, str]:
        """What the model cannot take, and why."""
        model = self.models.get(key)
        sql = "SELECT key, reason FROM failed WHERE number = ?"
        return dict(self._database.query(sql, [model.number])) if model else {}

    def places(self, model: Model) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The places of all rows of a model, ascending, and their keys."""
        found = self._database.columns(f"SELECT place, key FROM {model.table} ORDER BY place")
        return found["place"], found["key"]

    def read(self, model: Model, places: NDArray[np.int64]) -> NDArray[np.float32]:
        """The vectors at these places, which are all that the model has, ascending."""
        matrix = np.empty((len(places), model.dimensions or 0), dtype=np.float32)
        for at in range(0, len(places), _READ_ROWS):
            part = places[at : at + _READ_ROWS]
            sql = f"SELECT place, vector FROM {model.table} WHERE place BETWEEN ? AND ?"
            found = self._database.columns(sql, [int(part[0]), int(part[-1])])
            for row, vector in zip(np.searchsorted(places, found["place"]).tolist(), found["vector"], strict=True):
                matrix[row] = vector
        return matrix

    def vectors(self, key: str, keys: Sequence[int]) -> list[NDArray[np.float32]]:
        """The vectors of these keys, those that there are, in the order in which they came."""
        model = self._with_vectors(key)
        if model is None:
            return []
        sql = f"SELECT vector FROM {model.table} WHERE {_AMONG} ORDER BY place"
        return list(self._database.columns(sql, [list(keys)])["vector"])

    def products(self, model: Model, query: NDArray[np.float32]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Places, in any order, and the product of the vector at each with `query`."""
        text = f"[{','.join(map(repr, query.tolist()))}]"  # a list of 384 numbers takes five times as long to bind
        sql = f"SELECT place, array_inner_product(vector, ?::FLOAT[{model.dimensions}]) AS score FROM {model.table}"
        found = self._database.columns(sql, [text])
        return found["place"], found["score"]

    @property
    def is_lasting(self) -> bool:
        """Whether it has a file."""
        return self._database.path is not None

    def size(self) -> int:
        """Bytes on disk; 0 in memory."""
        return self._database.size()

    # ── writing ─────────────────────────────────────────────────────────────────────────────────

    def add(self, key: str, name: str, keys: NDArray[np.int64], vectors: NDArray[np.float32]) -> Rows:
        """Put in those vectors whose keys have none, in one transaction, and give these back.

        Raises
        ------
        ModelFailedError : the model's earlier vectors have another length.
        """
        known = self._model(key, name)
        dimensions = vectors.shape[1]
        if known.dimensions is not None:
            check_length(known, dimensions)
        new = np.sort(np.unique(keys, return_index=True)[1])
        new = new[~np.isin(keys[new], self.keys(key))]
        rows = Rows(np.arange(len(new)) + self._places_so_far(known), keys[new], vectors[new])
        model = replace(known, name=name, dimensions=dimensions)
        with self._database.transaction():
            if known.dimensions is None:
                self._database.execute(
                    f"CREATE TABLE {model.table} (place BIGINT NOT NULL, key BIGINT NOT NULL,"
                    f" vector FLOAT[{dimensions}] NOT NULL)"
                )
            self._write(model)
            columns = {"place": rows.places, "key": rows.keys, "vector": column(list(rows.vectors))}
            self._database.insert(model.table, columns)
        self._learn(model)
        self._next_place[model.number] = self._places_so_far(model) + len(new)
        return rows

    def set_aside(self, key: str, keys: Sequence[int], reason: str) -> None:
        """Note what the model cannot take."""
        model = self._model(key, key)
        known = self.failed(key)
        new = np.array([number for number in dict.fromkeys(keys) if number not in known], dtype=np.int64)
        with self._database.transaction():
            self._write(model)
            reasons = column([reason] * len(new))
            self._database.insert("failed", {"number": _same(model.number, new), "key": new, "reason": reasons})
        self._learn(model)

    def settle(self, key: str, chunks: NDArray[np.int64], now: int, grace: int) -> NDArray[np.int64]:
        """Keep this model only, as complete, and of its vectors those of `chunks`; the keys of those that it drops.

        `now` is in seconds since 1970. A vector is dropped when its chunk was not there `grace` seconds ago, nor since.
        """
        model = self._with_vectors(key)
        if model is None:
            return np.empty(0, dtype=np.int64)
        others = [other for other in self.models.values() if other.key != key]
        gone = set(np.setdiff1d(self.keys(key), chunks).tolist())
        since = dict(self._database.query("SELECT key, since FROM gone WHERE number = ?", [model.number]))
        due = np.array([number for number in gone if since.get(number, now) <= now - grace], dtype=np.int64)
        marks = {number: since.get(number, now) for number in gone.difference(due.tolist())}
        if model.complete and not others and marks == since:
            return due
        model = replace(model, complete=True)
        with self._database.transaction():
            for other in others:
                self._database.execute(f"DROP TABLE IF EXISTS {other.table}")
                for table in ("models", "failed"):
                    self._database.execute(f"DELETE FROM {table} WHERE number = ?", [other.number])
            self._write(model)
            self._database.execute("DELETE FROM gone")
            marked = np.array(list(marks), dtype=np.int64)
            times = np.array(list(marks.values()), dtype=np.int64)
            self._database.insert("gone", {"number": _same(model.number, marked), "key": marked, "since": times})
            self._database.execute(f"DELETE FROM {model.table} WHERE {_AMONG}", [due.tolist()])
        self.models = {key: model}
        self._database.checkpoint()
        return due

    def close(self) -> None:
        """Give the file back. Reading threads must have finished."""
        self._database.close()

    # ── models ──────────────────────────────────────────────────────────────────────────────────

    def _with_vectors(self, key: str) -> Model | None:
        model = self.models.get(key)
        return model if model is not None and model.dimensions is not None else None

    def _model(self, key: str, name: str) -> Model:
        number = max((known.number for known in self.models.values()), default=0) + 1
        return self.models.get(key) or Model(number=number, key=key, name=name)

    def _write(self, model: Model) -> None:
        if self.models.get(model.key) != model:
            self._database.execute("DELETE FROM models WHERE number = ?", [model.number])
            row = [model.number, model.key, model.name, model.dimensions, model.complete]
            self._database.execute("INSERT INTO models VALUES (?, ?, ?, ?, ?)", row)

    def _learn(self, model: Model) -> None:
        self.models = {**self.models, model.key: model}

    def _places_so_far(self, model: Model) -> int:
        if model.number not in self._next_place:
            sql = f"SELECT coalesce(max(place) + 1, 0) FROM {model.table}"
            self._next_place[model.number] = 0 if model.dimensions is None else self._database.query(sql)[0][0]
        return self._next_place[model.number]


def check_length(model: Model, dimensions: int) -> None:
    """Refuse a vector that cannot be compared with the model's others.

    Raises
    ------
    ModelFailedError
    """
    if model.dimensions != dimensions:
        raise ModelFailedError(
            f"model '{model.name}' now gives vectors of {dimensions} numbers, and gave {model.dimensions} before",
            hint="another model goes by its name: name the right one, or delete the vectors' file to begin anew",
        )


def _same(number: int, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.full(len(rows), number, dtype=np.int64)
