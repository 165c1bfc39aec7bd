"""One DuckDB database for one vault: a single owner process, a single writer, a cursor for each reading thread."""

from __future__ import annotations

import contextlib
import logging
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import duckdb

from jupyter_kb.errors import IndexUnavailableError
from jupyter_kb.index.contents import schema_of, tables_of
from jupyter_kb.index.files import beside, is_file, scratch
from jupyter_kb.index.ownership import IndexOwnedError, own

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection
    from filelock import BaseFileLock
    from numpy.typing import NDArray

_T = TypeVar("_T")

_log = logging.getLogger(__name__)

SCHEMA_VERSION = 8
"""Raised with every change of the tables or of what is put into them; an index of another version is rebuilt."""

# Small row groups let a look-up of a few terms skip most of the sorted postings (0.9 instead of 2.7 ms a million rows).
_ROW_GROUP = 8192
_PORTION = 2_000  # rows made into Python's at once: meanwhile no other thread runs
_CONFIG = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "preserve_insertion_order": False,
}
_TABLE = re.compile(r"^CREATE TABLE (\w+)", re.MULTILINE)
_CLOSING = 2.0
_UNWRITTEN = "Could not write"  # the disk is full, say: what is in the file is sound
_DAMAGE = (duckdb.FatalException, duckdb.InternalException, duckdb.IOException, duckdb.SerializationException)

Columns = dict[str, "NDArray[Any]"]
"""Rows of one table, an array a column: numbers, or `object` for text and for what may be None (NULL)."""


class Database:
    """The tables of an SQL file of this room, in a file or in memory.

    Parameters
    ----------
    path : the database file, created with its folder when missing; None keeps everything in memory.
    schema, version : the SQL file, and the number of its layout.
    memory_limit : DuckDB's own limit for its buffers, such as `200MB`.
    threads : threads that one statement may use.
    lock : the file's lock, where the caller took it already (`ownership.own`); it is released by `close`.

    Raises
    ------
    IndexOwnedError : another process (or another Database of this one) holds the file.
    OSError : the folder cannot be made or written.

    A file that is damaged, or of another schema version, is replaced by an empty one (`rebuilt` is then true).
    """

    def __init__(
        self,
        path: Path | None,
        *,
        schema: str = "schema.sql",
        version: int = SCHEMA_VERSION,
        memory_limit: str = "200MB",
        threads: int = 2,
        lock: BaseFileLock | None = None,
    ) -> None:
        self.path = path
        self._schema, self._version = schema, str(version)
        self.rebuilt = False
        self.generation = 0
        """Changes with every write (odd while it is committed): whoever caches what is read from here compares it."""
        self._config: dict[str, str | bool | int | float | list[str]] = {
            **_CONFIG,
            "memory_limit": memory_limit,
            "threads": threads,
            # what does not fit into memory; by default that would go into the working folder, which may be a vault
            "temp_directory": str(beside(path, ".tmp") if path else scratch()),
        }
        self._writing = threading.RLock()
        self._depth = 0
        self._meta: tuple[int, dict[str, str]] = (-1, {})
        self._local = threading.local()
        self._cursors: list[DuckDBPyConnection] = []
        self._lock = lock if path is None or lock is not None else own(path)
        try:
            self._connection = self._open()
            self._writer = self._cursor()
        except BaseException as error:
            if self._lock is not None:
                self._lock.release()
            if isinstance(error, duckdb.Error) and _UNWRITTEN in str(error):
                raise OSError(str(error).splitlines()[0]) from error
            raise

    # ── reading ─────────────────────────────────────────────────────────────────────────────────

    def query(self, sql: str, parameters: Sequence[Any] | Mapping[str, Any] = ()) -> list[tuple[Any, ...]]:
        """Rows of one statement. Inside `snapshot()` or `transaction()` of the same thread it sees that state."""
        with self._guarded():
            result = self._reader().execute(sql, parameters or None)
            return [row for rows in iter(lambda: result.fetchmany(_PORTION), []) for row in rows]

    def columns(self, sql: str, parameters: Sequence[Any] | Mapping[str, Any] = ()) -> dict[str, NDArray[Any]]:
        """The same, as one numpy array a column."""
        with self._guarded():
            return self._reader().execute(sql, parameters or None).fetchnumpy()

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[int | None]:
        """Let several queries of this thread see one and the same state of the index.

        Gives the `generation` of that state; None while a write is under way, for then it has no number yet.
        """
        if self._in_transaction():
            yield None
            return
        if hasattr(self._local, "snapshot"):
            yield self._local.snapshot
            return
        cursor = self._reader()
        generation = self.generation
        with self._guarded():
            cursor.execute("BEGIN")
        try:
            with self._guarded():
                cursor.execute("SELECT 1 FROM meta LIMIT 1")  # only this chooses the state
            # a commit raises the number before it begins and after it is done
            settled = generation == self.generation and generation % 2 == 0
            self._local.snapshot = generation if settled else None
            yield self._local.snapshot
        finally:
            self._local.__dict__.pop("snapshot", None)
            with contextlib.suppress(duckdb.Error):
                cursor.execute("ROLLBACK")

    def consistently(self, read: Callable[[int | None], _T]) -> _T:
        """The result of `read`, all of whose queries see one state of the index; it is given the state's `generation`.

        Cheaper than `snapshot()`: `read` runs without a transaction, and once more if a write came in between. So it
        must not mind rows that are missing, and have no effects.
        """
        for _ in range(2):
            generation = self.generation
            if generation % 2 or self._in_transaction() or hasattr(self._local, "snapshot"):
                break
            try:
                result = read(generation)
            except Exception:  # of rows that do not fit together, if a write came in between
                if generation == self.generation:
                    raise
                continue
            if generation == self.generation:
                return result
        with self.snapshot() as settled:
            return read(settled)

    # ── writing ─────────────────────────────────────────────────────────────────────────────────

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """All writes of the block become visible together, or none. One thread at a time; nested blocks join."""
        with self._writing:
            if self._depth:
                yield
                return
            with self._guarded():
                self._writer.execute("BEGIN")
            self._depth = 1
            self._local.writing = True
            try:
                yield
            except BaseException:
                with contextlib.suppress(duckdb.Error):
                    self._writer.execute("ROLLBACK")
                raise
            else:
                self.generation += 1
                try:
                    with self._guarded():
                        self._writer.execute("COMMIT")
                finally:
                    self.generation += 1
            finally:
                self._depth = 0
                self._local.writing = False

    def execute(self, sql: str, parameters: Sequence[Any] | Mapping[str, Any] = ()) -> None:
        """One writing statement, in a transaction of its own unless one is open."""
        with self.transaction(), self._guarded():
            self._writer.execute(sql, parameters or None)

    def insert(self, table: str, columns: Columns, *, new: str | None = None) -> None:
        """Append rows (a million in 50 ms).

        With `new`, only rows whose value in that column the table does not hold yet.
        """
        rows = columns
        if not rows or not len(next(iter(rows.values()))):
            return
        names = ", ".join(rows)
        where = f"WHERE NOT EXISTS (SELECT 1 FROM {table} t WHERE t.{new} = rows.{new})" if new else ""
        with self.transaction(), self._guarded():
            # DuckDB finds `rows` by its name in this function's frame
            self._writer.execute(f"INSERT INTO {table} ({names}) SELECT {names} FROM rows {where}")

    def update(self, table: str, columns: Columns, *, key: str) -> None:
        """Set columns of the rows whose `key` (one of the columns) is given."""
        rows = columns
        assignments = ", ".join(f"{name} = rows.{name}" for name in rows if name != key)
        with self.transaction(), self._guarded():
            self._writer.execute(f"UPDATE {table} SET {assignments} FROM rows WHERE {table}.{key} = rows.{key}")

    def meta(self, key: str) -> str | None:
        """A value of the meta table; None where it has none."""
        if self._in_transaction():
            return dict(self.query("SELECT key, value FROM meta")).get(key)
        generation, values = self._meta
        if generation != self.generation:
            generation = self.generation  # before the rows are read: a write in between only means one more reading
            values = dict(self.query("SELECT key, value FROM meta"))
            self._meta = generation, values
        return values.get(key)

    def set_meta(self, key: str, value: str) -> None:
        """Set a value of the meta table."""
        with self.transaction():
            self.execute("DELETE FROM meta WHERE key = ?", [key])
            self.execute("INSERT INTO meta VALUES (?, ?)", [key, value])

    # ── whole ───────────────────────────────────────────────────────────────────────────────────

    def size(self) -> int:
        """Bytes on disk, the write-ahead log included; 0 in memory."""
        if self.path is None:
            return 0
        # Only stat: opening and closing the file here would drop DuckDB's lock on it.
        return sum(file.stat().st_size for file in (self.path, beside(self.path, ".wal")) if file.exists())

    def clear(self) -> None:
        """Forget all rows, keep the tables."""
        with self.transaction():
            for (table,) in self.query("SELECT table_name FROM information_schema.tables WHERE table_catalog = 'kb'"):
                if table != "meta":
                    self.execute(f"DELETE FROM {table}")

    def checkpoint(self) -> None:
        """Fold the write-ahead log into the file; skipped while a reader holds an old state."""
        with self._writing, contextlib.suppress(duckdb.TransactionException):
            self._writer.execute("CHECKPOINT kb")

    def close(self) -> None:
        """Give the file back. Reading threads must have finished."""
        with self._writing:
            for cursor in (*self._cursors, self._connection):
                with contextlib.suppress(duckdb.Error):
                    cursor.close()
            self._cursors.clear()
            if self._lock is not None:
                self._lock.release()

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ── opening ─────────────────────────────────────────────────────────────────────────────────

    def _open(self) -> DuckDBPyConnection:
        location = str(self.path or ":memory:")
        if self.path is not None and beside(self.path, ".damaged").exists():
            self._discard("it was found damaged")
        elif self.path is not None and not all(map(is_file, (self.path, beside(self.path, ".wal")))):
            self._discard("it is no file")  # a pipe would be waited for
        wrong = None
        try:
            connection, found = self._attached(location)
            if found is not None and found != self._version:
                wrong = f"its schema version is {found}, not {self._version}"
            elif found is not None and (lacking := self._lacking(connection)):
                wrong = f"it has no table {lacking[0]}"
            if wrong is not None:
                connection.close()
        except duckdb.Error as error:
            wrong = str(error).splitlines()[0]
            if _UNWRITTEN in wrong:
                raise
        if wrong is not None:
            self._discard(wrong)
            connection, found = self._attach(location)
        if found is None:
            self._create(connection)
        return connection

    def _attached(self, location: str) -> tuple[DuckDBPyConnection, str | None]:
        """As `_attach`; waits for a process that has given up its lock on the index and is about to close the file."""
        until = time.monotonic() + _CLOSING
        while True:
            try:
                return self._attach(location)
            except duckdb.IOException as error:
                if "Could not set lock" not in str(error):
                    raise
                if time.monotonic() > until:
                    raise IndexOwnedError(f"another program has the index {location} open") from error
            time.sleep(0.01)

    def _attach(self, location: str) -> tuple[DuckDBPyConnection, str | None]:
        """The file with the schema version that it carries, None when it is new; left alone where that fails."""
        connection = duckdb.connect(":memory:", config=self._config)
        quoted = location.replace("'", "''")
        try:
            connection.execute(f"ATTACH '{quoted}' AS kb (ROW_GROUP_SIZE {_ROW_GROUP})")
            connection.execute("USE kb")
            return connection, schema_of(connection)
        except BaseException:
            connection.close()
            raise

    def _lacking(self, connection: DuckDBPyConnection) -> list[str]:
        """Tables of the schema that the file does not have."""
        there = tables_of(connection)
        return [name for name in _TABLE.findall(self._statements()) if name not in there]

    def _statements(self) -> str:
        return resources.files(__package__).joinpath(self._schema).read_text(encoding="utf-8")

    def _create(self, connection: DuckDBPyConnection) -> None:
        connection.execute("BEGIN")
        connection.execute(self._statements())
        connection.execute("INSERT INTO meta VALUES ('schema', ?)", [self._version])
        connection.execute("COMMIT")

    def _discard(self, reason: str) -> None:
        assert self.path is not None
        _log.warning("the index %s is rebuilt from nothing: %s", self.path, reason)
        self.rebuilt = True
        for file in (self.path, beside(self.path, ".wal"), beside(self.path, ".damaged")):
            file.unlink(missing_ok=True)

    # ── cursors ─────────────────────────────────────────────────────────────────────────────────

    def _cursor(self) -> DuckDBPyConnection:
        cursor = self._connection.cursor()
        cursor.execute("USE kb")
        self._cursors.append(cursor)
        return cursor

    def _in_transaction(self) -> bool:
        return getattr(self._local, "writing", False)

    def _reader(self) -> DuckDBPyConnection:
        if self._in_transaction():
            return self._writer
        cursor: DuckDBPyConnection | None = getattr(self._local, "cursor", None)
        if cursor is None:
            cursor = self._local.cursor = self._cursor()
        return cursor

    @contextlib.contextmanager
    def _guarded(self) -> Iterator[None]:
        """Note damage found while running, so that the next start rebuilds the file."""
        try:
            yield
        except duckdb.Error as error:
            reason = str(error).splitlines()[0]
            if _UNWRITTEN in reason:
                raise IndexUnavailableError(
                    f"the index cannot be written: {reason}",
                    hint="free some space, or name another index folder; reading and editing by path need no index",
                ) from error
            if not isinstance(error, _DAMAGE) and "Corrupt" not in reason:  # a wrong checksum has no class of its own
                raise
            if self.path is not None:
                with contextlib.suppress(OSError):
                    beside(self.path, ".damaged").touch()
            raise IndexUnavailableError(
                f"the index cannot be used: {reason}",
                hint="start again: the index is then rebuilt from the notes",
            ) from error
