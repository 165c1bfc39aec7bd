"""Where an index lies, and the settings it remembers."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import replace
from pathlib import Path

import pytest

from jupyter_kb.index.location import IndexLocation, locate
from jupyter_kb.settings import Settings

CHOSEN = Settings(
    include=("a/",),
    exclude=("b/", "*.c.md"),
    hidden=True,
    max_file_bytes=1000,
    language="none",
    watch="poll",
    lock_timeout=1.5,
    model="/models/small",
    device="cuda:1",
    dtype="bfloat16",
    threads=3,
    query_prefix="query: ",
    passage_prefix="",
    idle_seconds=0.5,
    embedding_url="http://localhost:8080/v1",
    api_key_env="KEY",
    api_key_file="~/key",
    rerank="https://localhost/v1",
    rerank_seconds=3,
    weight=0.25,
    vector_memory=0,
)


@pytest.fixture
def location(tmp_path: Path) -> IndexLocation:
    (tmp_path / "notes").mkdir()
    return locate(tmp_path / "notes", tmp_path / "index")


def edit(location: IndexLocation, **values: object) -> None:
    """Edit the remembered settings, as somebody might by hand."""
    path = location.folder / "vault.json"
    stored = json.loads(path.read_text())
    stored["settings"].update(values)
    path.write_text(json.dumps(stored))


def test_index_and_vectors_lie_in_one_folder(location: IndexLocation) -> None:
    assert location.database.parent == location.vectors.parent == location.folder
    assert location.database != location.vectors


def test_all_settings_but_the_right_to_write_are_remembered(location: IndexLocation) -> None:
    assert location.settings() is None
    location.save(dataclasses.replace(CHOSEN, read_only=True))
    assert location.settings() == CHOSEN
    defaults = Settings()
    for field in dataclasses.fields(Settings):
        if field.name != "read_only":
            assert getattr(CHOSEN, field.name) != getattr(defaults, field.name), "each differs from its default here"


def test_what_an_older_release_saved_is_completed_with_defaults(location: IndexLocation) -> None:
    location.save(CHOSEN)
    path = location.folder / "vault.json"
    stored = json.loads(path.read_text())
    for name in ("model", "weight", "vector_memory"):
        del stored["settings"][name]
    path.write_text(json.dumps(stored))
    defaults = Settings()
    assert location.settings() == dataclasses.replace(
        CHOSEN, model=defaults.model, weight=defaults.weight, vector_memory=defaults.vector_memory
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("include", "a"),
        ("hidden", 1),
        ("max_file_bytes", 0),
        ("language", "klingon"),
        ("watch", "sometimes"),
        ("watch", True),
        ("lock_timeout", -1),
        ("model", ""),
        ("model", None),
        ("model", 7),
        ("device", "tpu"),
        ("device", "cuda:x"),
        ("device", None),
        ("dtype", "float8"),
        ("dtype", []),
        ("threads", -1),
        ("threads", 1.5),
        ("threads", True),
        ("query_prefix", 1),
        ("passage_prefix", []),
        ("idle_seconds", "5"),
        ("idle_seconds", float("nan")),
        ("embedding_url", "localhost:8080"),
        ("embedding_url", "file:///etc/passwd"),
        ("embedding_url", "http://"),
        ("api_key_env", ""),
        ("api_key_file", 3),
        ("rerank", ""),
        ("rerank_seconds", -0.1),
        ("weight", 1.1),
        ("weight", True),
        ("weight", None),
        ("vector_memory", -1),
        ("vector_memory", 1.0),
    ],
)
def test_settings_that_cannot_be_are_not_taken(location: IndexLocation, name: str, value: object) -> None:
    location.save(CHOSEN)
    edit(location, **{name: value})
    assert location.settings() == replace(CHOSEN, **{name: getattr(Settings(), name)})
    location.save(CHOSEN)
    assert location.settings() == CHOSEN


def test_a_key_is_never_stored(location: IndexLocation) -> None:
    location.save(
        Settings(embedding_url="https://user:secret@host/v1", rerank="http://secret@host:80/v1", api_key_env="KEY")
    )
    assert "secret" not in (location.folder / "vault.json").read_text()
    settings = location.settings()
    assert settings is not None
    assert (settings.embedding_url, settings.rerank) == ("https://host/v1", "http://host:80/v1")


@pytest.mark.parametrize("text", ["", "{", "[]", '{"settings": 1}', "{}"])
def test_a_description_that_cannot_be_read_is_none(location: IndexLocation, text: str) -> None:
    location.save(CHOSEN)
    (location.folder / "vault.json").write_text(text)
    assert location.settings() is None
