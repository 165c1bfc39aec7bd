"""The index of a vault: tables in DuckDB, derived from the notes and rebuilt from them whenever in doubt."""
