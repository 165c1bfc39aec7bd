"""Where a vault's index lies, which settings it was built with, and which vault a folder belongs to."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import os
import re
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jupyter_kb.errors import InvalidRequestError, VaultNotFoundError
from jupyter_kb.settings import Settings

DATABASE_NAME = "index.duckdb"
VECTORS_NAME = "vectors.duckdb"
_DESCRIPTION_NAME = "vault.json"


_PASSWORD = re.compile(r"(?<=://)[^/@\s]*@")


def _is_patterns(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(pattern, str) for pattern in value)


def _is_language(value: object) -> bool:
    import Stemmer  # late: only where a description is read

    return value == "none" or value in Stemmer.algorithms()


def _is_number(value: object, most: float = math.inf) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= most


def _is_count(value: object) -> bool:
    return type(value) is int and value >= 0


def _or_none(valid: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: value is None or valid(value)


def _is_name(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_address(value: object) -> bool:
    return isinstance(value, str) and re.match(r"https?://[^/\s]", value) is not None


def _is_device(value: object) -> bool:
    return isinstance(value, str) and re.fullmatch(r"auto|cpu|mps|cuda(:\d+)?", value) is not None


_VALID: dict[str, Callable[[object], bool]] = {
    "include": _is_patterns,
    "exclude": _is_patterns,
    "hidden": lambda value: isinstance(value, bool),
    "max_file_bytes": lambda value: type(value) is int and value > 0,
    "language": _is_language,
    "watch": lambda value: value in ("auto", "poll", "off"),
    "lock_timeout": _is_number,
    "model": _is_name,
    "device": _is_device,
    "dtype": lambda value: value in ("auto", "float32", "bfloat16", "float16"),
    "threads": _is_count,
    "query_prefix": _or_none(lambda value: isinstance(value, str)),
    "passage_prefix": _or_none(lambda value: isinstance(value, str)),
    "idle_seconds": _is_number,
    "embedding_url": _or_none(_is_address),
    "api_key_env": _or_none(_is_name),
    "api_key_file": _or_none(_is_name),
    "rerank": _or_none(_is_name),
    "rerank_seconds": _is_number,
    "weight": lambda value: _is_number(value, 1),
    "vector_memory": _is_count,
}
"""The settings that are remembered, and what their values may be; the file may have been edited by hand. Where a key to
a server stands is remembered, the key is not."""


@dataclass(frozen=True, kw_only=True)
class IndexLocation:
    """The folder of one vault's index: derived data only, safe to delete."""

    root: Path
    folder: Path

    @property
    def database(self) -> Path:
        """The DuckDB file."""
        return self.folder / DATABASE_NAME

    @property
    def vectors(self) -> Path:
        """The DuckDB file of the vectors: beside the index, so that they outlive its rebuilding."""
        return self.folder / VECTORS_NAME

    def exists(self) -> bool:
        """Whether the vault was indexed here before."""
        return (self.folder / _DESCRIPTION_NAME).is_file()

    def settings(self) -> Settings | None:
        """The settings remembered from the last `save`; None when there are none or they cannot be read.

        A value that makes no sense is passed over, and costs no other one.
        """
        try:
            stored = json.loads((self.folder / _DESCRIPTION_NAME).read_text(encoding="utf-8"))["settings"]
            known: dict[str, Any] = {name: stored[name] for name in _VALID if name in stored}
        except (OSError, ValueError, KeyError, TypeError):
            return None  # derived data: a damaged description is simply written anew
        known = {name: value for name, value in known.items() if _VALID[name](value)}
        values: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in known.items()}
        return Settings(**values)

    def save(self, settings: Settings) -> None:
        """Make the folder (mode 0700: it holds the notes' words) and remember the settings in it."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        text = json.dumps({"root": os.fspath(self.root), "settings": _remembered(settings)}, indent=2)
        handle, temporary = tempfile.mkstemp(dir=self.folder, prefix=".vault-", suffix=".tmp")
        with os.fdopen(handle, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text + "\n")
        os.replace(temporary, self.folder / _DESCRIPTION_NAME)


def _remembered(settings: Settings) -> dict[str, object]:
    known = {name: value for name, value in dataclasses.asdict(settings).items() if name in _VALID}
    for name in ("embedding_url", "rerank"):
        if known[name]:
            known[name] = _PASSWORD.sub("", known[name])
    return known


def default_index_dir() -> Path:
    """The folder of all indexes: `kb` in Jupyter's data directory."""
    from jupyter_core.paths import jupyter_data_dir  # late: not needed where the caller names a folder

    return Path(jupyter_data_dir()) / "kb"


def locate(root: Path | str, index_dir: Path | str | None = None) -> IndexLocation:
    """Name the index folder of the vault at `root`, whether or not it exists yet.

    One folder a vault below `index_dir`: the vault's name, for people, and a hash of its real path.

    Raises
    ------
    VaultNotFoundError : `root` is no folder.
    InvalidRequestError : the index would lie among the notes (in a hidden folder below the root it may).
    """
    path = Path(root)
    if not path.exists():
        raise VaultNotFoundError(
            f"vault path '{root}' does not exist", hint="name an existing folder of Markdown notes"
        )
    if not path.is_dir():
        raise VaultNotFoundError(
            f"vault path '{root}' is not a directory", hint="name the folder that holds the notes, not a file"
        )
    real = path.resolve()
    parent = Path(index_dir) if index_dir is not None else default_index_dir()
    slug = re.sub(r"[^\w.-]+", "-", real.name).strip("-.")[:40] or "vault"
    digest = hashlib.blake2b(os.fsencode(real), digest_size=6).hexdigest()
    folder = parent.resolve() / f"{slug}-{digest}"
    if folder.is_relative_to(real) and not any(part.startswith(".") for part in folder.relative_to(real).parts):
        raise InvalidRequestError(
            f"the index folder '{parent}' lies inside the vault '{root}'",
            hint="name an index folder outside of it: indexing writes nothing among the notes",
        )
    return IndexLocation(root=real, folder=folder)


def find_vault(start: Path | str, index_dir: Path | str | None = None) -> Path:
    """The nearest folder at or above `start` that has an index; `start` itself when none has."""
    here = Path(start).resolve()
    for folder in (here, *here.parents):
        with suppress(InvalidRequestError):  # above the index folder there is no vault
            if locate(folder, index_dir).exists():
                return folder
    return here
