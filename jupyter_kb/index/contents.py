"""What an attached database file holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def tables_of(connection: DuckDBPyConnection) -> set[str]:
    """The names of its tables."""
    rows = connection.execute("SELECT table_name FROM duckdb_tables() WHERE database_name = 'kb'").fetchall()
    return {name for (name,) in rows}


def schema_of(connection: DuckDBPyConnection) -> str | None:
    """The version of its schema; None for a new file."""
    if not tables_of(connection):
        return None
    row = connection.execute("SELECT value FROM meta WHERE key = 'schema'").fetchone()
    return str(row[0]) if row else "unknown"
