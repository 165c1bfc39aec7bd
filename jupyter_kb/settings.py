"""How a vault is read, indexed and written: plain frozen values, no reading of files or environment here."""

from __future__ import annotations

from dataclasses import dataclass

DEFAULT_MODEL = "sentence-transformers/all-MiniLM-L6-v2"


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What may differ from vault to vault.

    Attributes
    ----------
    include : gitignore-style patterns; when given, only notes matching one of them are in the vault.
    exclude : gitignore-style patterns left out, on top of the defaults and the vault's `.kbignore`.
    hidden : walk hidden files and folders too.
    max_file_bytes : larger files are listed with a diagnostic, not read (bytes).
    language : Snowball stemmer for the text index (`english`, `german`, …; `none` for no stemming).
    read_only : refuse every write into the vault.
    watch : how a server learns of changes made by other programs: `auto` (the system tells; network folders are looked
        at every few seconds), `poll` (all are looked at), `off` (each read compares the index with the disk).
    lock_timeout : seconds to wait for another process's write to the same file.
    model : embedding model: a folder, or a name that is looked for in the local hub cache; `none` for no vectors. With
        `embedding_url` the name that the server knows it by.
    device : `auto`, `cpu`, `cuda` (ROCm too), `cuda:1`, `mps`.
    dtype : `auto`, `float32`, `bfloat16`, `float16`.
    threads : CPU threads of the model; 0 for all but one.
    query_prefix, passage_prefix : what the model wants in front of texts; None for what the model itself says.
    idle_seconds : after so long without work the model's process ends.
    embedding_url : base of an OpenAI-compatible API (`http://localhost:8080/v1`), instead of a local model.
    api_key_env, api_key_file : where the key for `embedding_url` and `rerank` stands; never the key itself.
    rerank : a cross-encoder (folder or name), or the base of an API that serves `/rerank`; None for none.
    rerank_seconds : how long a reranker may take; past it the order stays as it was.
    weight : share of meaning in hybrid ranking, the rest is words (0 to 1).
    vector_memory : vectors beyond so many bytes are not kept in memory, but searched on disk.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    hidden: bool = False
    max_file_bytes: int = 8 * 1024 * 1024
    language: str = "english"
    read_only: bool = False
    watch: str = "auto"
    lock_timeout: float = 10.0
    model: str = DEFAULT_MODEL
    device: str = "auto"
    dtype: str = "auto"
    threads: int = 0
    query_prefix: str | None = None
    passage_prefix: str | None = None
    idle_seconds: float = 300.0
    embedding_url: str | None = None
    api_key_env: str | None = None
    api_key_file: str | None = None
    rerank: str | None = None
    rerank_seconds: float = 5.0
    weight: float = 0.65
    vector_memory: int = 1024 * 1024 * 1024
