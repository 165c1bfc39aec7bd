"""What can be configured: names, values, and the settings that follow."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest
from traitlets import TraitError

from jupyter_kb.config import TOOLSETS, VaultTraits
from jupyter_kb.mcp.toolsets import TOOLSETS as OFFERED
from jupyter_kb.settings import Settings


def test_every_setting_can_be_configured_and_has_help() -> None:
    traits = VaultTraits.class_traits(config=True)

    assert {field.name for field in dataclasses.fields(Settings)} <= set(traits)
    assert [name for name, trait in traits.items() if not trait.help] == []


def test_the_toolsets_are_those_that_there_are() -> None:
    assert tuple(OFFERED) == TOOLSETS


def test_what_is_not_configured_stays_as_the_vault_was_last_indexed() -> None:
    remembered = Settings(language="german", exclude=("drafts/",))

    chosen = VaultTraits(exclude=["archive/"], read_only=True).vault_settings(remembered)

    assert chosen == Settings(language="german", exclude=("archive/",), read_only=True)
    assert VaultTraits().vault_settings() == Settings()


def test_without_vaults_the_root_is_the_one_vault(tmp_path: Path) -> None:
    root = tmp_path / "My notes (2024)"
    root.mkdir()

    assert VaultTraits().folders(root) == {"My-notes-2024": root}
    assert VaultTraits().folders(Path("/")) == {"vault": Path("/")}


def test_folders_are_relative_to_the_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/anna")
    traits = VaultTraits(vaults={"a": "notes", "b": "/srv/b", "c": "~/c"})

    assert traits.folders(tmp_path) == {"a": tmp_path / "notes", "b": Path("/srv/b"), "c": Path("/home/anna/c")}


def test_the_first_vault_is_the_default_one() -> None:
    assert VaultTraits().chosen_default(["b", "a"]) == "b"
    assert VaultTraits(default_vault="a").chosen_default(["b", "a"]) == "a"
    with pytest.raises(TraitError, match="'c' is not among"):
        VaultTraits(default_vault="c").chosen_default(["b", "a"])


@pytest.mark.parametrize(
    "values",
    [
        {"vaults": {"a/b": "x"}},
        {"vaults": {"..": "x"}},
        {"vaults": {"": "x"}},
        {"vaults": {"a": " "}},
        {"vaults": {"a ": "x"}},
        {"language": "klingon"},
        {"device": "gpu"},
        {"dtype": "int8"},
        {"embedding_url": "localhost:8080"},
        {"model": ""},
        {"weight": 1.5},
        {"toolsets": ["memory!"]},
        {"max_file_bytes": 0},
        {"workers": 0},
    ],
    ids=str,
)
def test_values_that_make_no_sense_are_refused(values: dict[str, Any]) -> None:
    with pytest.raises(TraitError):
        VaultTraits(**values)


@pytest.mark.parametrize("name", ["lab", "My notes", "日本語", "a.b-c_d~e+f", "2024"])
def test_names_of_vaults_may_be_of_any_script(name: str) -> None:
    assert VaultTraits(vaults={name: "x"}).vaults == {name: "x"}
