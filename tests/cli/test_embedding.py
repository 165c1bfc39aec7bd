"""embed: what is remembered for a vault, what is not, and what search then says."""

from __future__ import annotations

import pytest

from jupyter_kb.index.location import locate
from jupyter_kb.settings import DEFAULT_MODEL, Settings
from tests.cli.sessions import Vault


def settings(vault: Vault) -> Settings:
    found = locate(vault.root, vault.index_dir).settings()
    assert found is not None
    return found


def test_embedding_makes_search_find_by_meaning(kites: Vault) -> None:
    made = kites.run("embed", "--model", "hashing")

    assert made.exit_code == 0, made.stderr
    assert "pieces of text embedded" in made.stdout
    assert '"mode": "hybrid"' in kites.run("search", "bowline", "--json").stdout


@pytest.mark.parametrize(
    ("options", "status"),
    [
        (["--model", "nobody/nothing"], 5),
        (["--model", "./no/such/folder"], 5),
        (["--model", " "], 2),
        (["--rerank", "nobody/nothing"], 5),
        (["--device", "gpu"], 2),
        (["--url", "localhost:8080"], 2),
    ],
)
def test_what_is_misspelt_is_refused_and_not_remembered(kites: Vault, options: list[str], status: int) -> None:
    kites.run("embed", "--model", "hashing")
    before = settings(kites)

    refused = kites.run("embed", *options)

    assert refused.exit_code == status
    assert refused.stdout == ""
    assert settings(kites) == before


def test_none_takes_options_back(kites: Vault) -> None:
    server = ["--rerank", "http://localhost:1/v1", "--key-file", "key.txt"]
    assert kites.run("embed", "--model", "hashing", *server).exit_code == 0
    assert settings(kites).rerank == "http://localhost:1/v1"

    kites.run("embed", "--rerank", "none", "--key-file", "none", "--url", "none")

    found = settings(kites)
    assert (found.rerank, found.api_key_file, found.embedding_url) == (None, None, None)
    assert found.model == "hashing"


def test_a_key_is_in_one_place(kites: Vault) -> None:
    kites.run("embed", "--model", "hashing", "--key-env", "KITE_KEY")
    kites.run("embed", "--key-file", "key.txt")

    assert (settings(kites).api_key_env, settings(kites).api_key_file) == (None, "key.txt")


def test_without_a_model_search_is_by_words_and_says_so_only_when_asked_for_more(kites: Vault) -> None:
    kites.run("embed", "--model", "hashing")

    off = kites.run("embed", "--model", "none")

    assert (off.exit_code, off.stdout) == (0, "search by meaning is switched off for this vault: words only\n")
    assert "Note" not in kites.run("search", "bowline").stderr
    assert "switched off" in kites.run("search", "bowline", "--mode", "semantic").stderr
    again = kites.run("embed")
    assert again.exit_code == 5
    assert f"jupyter kb embed --model {DEFAULT_MODEL}" in again.stderr
