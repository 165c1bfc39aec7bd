"""embed: what is remembered for a vault, what is not, and what search then says."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_kb.index.location import locate
from jupyter_kb.kb import KnowledgeBase
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

    assert settings(kites).api_key_env is None
    assert (settings(kites).api_key_file or "").endswith("key.txt")


def test_relative_paths_are_taken_for_what_they_mean_here(
    kites: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    missing = kites.run("embed", "--model", "./models/none")
    kites.run("embed", "--model", "hashing", "--key-file", "key.txt")

    assert missing.exit_code == 5
    assert str(tmp_path / "models" / "none") in missing.stderr
    assert settings(kites).api_key_file == str(tmp_path / "key.txt")


def test_vectors_whose_file_cannot_be_used_are_not_made(kites: Vault) -> None:
    assert kites.run("embed", "--model", "hashing").exit_code == 0
    file = next(kites.index_dir.glob("*/vectors.duckdb"))
    file.unlink()
    file.mkdir()

    refused = kites.run("embed")

    assert refused.exit_code == 5
    assert "would be lost" in refused.stderr


def test_without_a_model_search_is_by_words_and_says_so_only_when_asked_for_more(kites: Vault) -> None:
    kites.run("embed", "--model", "hashing")

    off = kites.run("embed", "--model", "none")

    assert (off.exit_code, off.stdout) == (0, "search by meaning is switched off for this vault: words only\n")
    assert "Note" not in kites.run("search", "bowline").stderr
    assert "switched off" in kites.run("search", "bowline", "--mode", "semantic").stderr
    again = kites.run("embed")
    assert again.exit_code == 5
    assert f"jupyter kb embed --model {DEFAULT_MODEL}" in again.stderr


def test_while_another_program_owns_the_index_its_vectors_are_said_to_be_there(kites: Vault) -> None:
    kites.run("embed", "--model", "hashing")
    with KnowledgeBase.open(kites.root, index_dir=kites.index_dir):
        found = kites.run("search", "bowline")
        alike = kites.run("search", "--like", "kite#Landing")
        made = kites.run("embed")
        told = kites.run("status").stdout

    assert (found.exit_code, alike.exit_code, made.exit_code) == (0, 5, 5)
    assert "searched by words only: the vectors are with the index on disk" in found.stderr
    assert "the vectors are with the index on disk" in alike.stderr
    assert "vectors made now would be lost" in made.stderr
    assert "`jupyter kb embed` makes them" not in found.stderr + alike.stderr + told


def test_options_of_a_refused_embedding_are_not_remembered(kites: Vault) -> None:
    kites.run("embed", "--model", "hashing")
    before = settings(kites)
    with KnowledgeBase.open(kites.root, index_dir=kites.index_dir):
        refused = kites.run("embed", "--model", "hashing:7", "--rerank", "http://localhost:1/v1")

    assert refused.exit_code == 5
    assert settings(kites) == before


def test_pieces_are_shown_by_their_own_lines(kites: Vault) -> None:
    paragraphs = [f"Kite {number}. " + "The cord is wound on the reel. " * 30 for number in range(3)]
    (kites.root / "long.md").write_text("# Long\n\n" + "\n\n".join(paragraphs) + "\n", encoding="utf-8")
    kites.run("embed", "--model", "hashing")

    shown = kites.run("search", "kite", "--path", "long.md", "--granularity", "chunk", "--per-file", "0").stdout

    ranges = {line.split()[0] for line in shown.splitlines() if line.startswith("  ") and line.strip()[0].isdigit()}
    assert ranges == {"3", "5", "7"}
