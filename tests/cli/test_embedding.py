"""The command `embed`: what it remembers, and when it refuses to begin."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jupyter_kb.kb import KnowledgeBase
from tests.cli.sessions import Vault


def remembered(vault: Vault) -> dict[str, object]:
    settings: dict[str, object] = json.loads(next(vault.index_dir.glob("*/vault.json")).read_text())
    return dict(settings.get("settings", settings))  # type: ignore[call-overload]


def test_relative_paths_are_remembered_as_what_they_meant(
    vault: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.write({"a.md": "# A\n"})
    monkeypatch.chdir(tmp_path)

    result = vault.run("embed", "--model", "./models/none", "--rerank", "../judge", "--key-file", "key.txt")

    assert result.exit_code == 5
    assert str(tmp_path / "models" / "none") in result.stderr
    settings = remembered(vault)
    assert settings["model"] == str(tmp_path / "models" / "none")
    assert settings["rerank"] == str(tmp_path.parent / "judge")
    assert settings["api_key_file"] == str(tmp_path / "key.txt")


def test_names_of_models_are_remembered_as_they_are(vault: Vault) -> None:
    vault.write({"a.md": "# A\n"})
    assert vault.run("embed", "--model", "hashing:8").exit_code == 0
    assert remembered(vault)["model"] == "hashing:8"


def test_vectors_that_would_be_lost_are_not_made(vault: Vault) -> None:
    vault.write({"a.md": "# A\n"})
    with KnowledgeBase.open(vault.root, index_dir=vault.index_dir):
        taken = vault.run("embed", "--model", "hashing:8")
    assert taken.exit_code == 5
    assert "another process owns the index" in taken.stderr

    assert vault.run("embed", "--model", "hashing:8").exit_code == 0
    file = next(vault.index_dir.glob("*/vectors.duckdb"))
    file.unlink()
    file.mkdir()
    unusable = vault.run("embed")
    assert unusable.exit_code == 5
    assert "would be lost" in unusable.stderr
