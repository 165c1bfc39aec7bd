"""What the shared options mean."""

from __future__ import annotations

import json
import os
from pathlib import Path

import click
import pytest

from jupyter_kb.cli.options import filters
from jupyter_kb.kb import KnowledgeBase
from tests.cli.sessions import Vault, invoke


@pytest.mark.parametrize(
    ("condition", "field", "value"),
    [
        ("year=2024", "year", 2024),
        ("draft=true", "draft", True),
        ("draft=no", "draft", False),
        ("weight=1.5", "weight", 1.5),
        ("author.name=Ada Lovelace", "author.name", "Ada Lovelace"),
        ("date=2024-05-01", "date", "2024-05-01"),
        ("year='2024'", "year", "2024"),
        ("gone=null", "gone", None),
        ("gone=", "gone", None),
        ("title=Kites: a history", "title", "Kites: a history"),
        ("title=[draft]", "title", "[draft]"),
        ("title=a=b", "title", "a=b"),
        ("title=@home", "title", "@home"),
        ("title=!!python/object:os.system x", "title", "!!python/object:os.system x"),
    ],
)
def test_a_condition_is_a_yaml_scalar_or_else_text(condition: str, field: str, value: object) -> None:
    assert filters(None, (), (condition,)).front_matter == {field: value}


@pytest.mark.parametrize("condition", ["year", "=2024", ""])
def test_a_condition_without_a_field_is_wrong_usage(condition: str) -> None:
    with pytest.raises(click.BadParameter):
        filters(None, (), (condition,))


def test_tags_may_be_written_with_their_sign() -> None:
    assert filters(None, ("#toy", "wind"), ()).tags == ("toy", "wind")


def test_a_note_is_named_from_the_vault_or_from_where_one_stands(kites: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(kites.root / "docs")

    for name in ("docs/tools.md", "tools.md", "./tools.md", "../docs/tools.md", str(kites.root / "docs" / "tools.md")):
        result = kites.run("get", name, "Reel")
        assert (result.exit_code, result.stdout) == (0, "# Reel\n\nWinds the cord."), name


def test_the_vault_comes_before_where_one_stands(kites: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    kites.write({"docs/kite.md": "# Another kite\n"})
    monkeypatch.chdir(kites.root / "docs")

    assert kites.run("outline", "kite.md").stdout.startswith("kite.md  All about kites\n")


def test_a_file_outside_the_vault_stays_out_of_reach(kites: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    outside = kites.root.parent / "outside.md"
    outside.write_text("# Secret\n")
    (kites.root / "link.md").symlink_to(outside)

    for name in (str(outside), "../outside.md", "link.md", "docs/../../outside.md"):
        result = kites.run("get", name)
        assert result.exit_code in (2, 3), name
        assert "Secret" not in result.output


def test_the_nearest_indexed_folder_above_is_the_vault(kites: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    assert invoke("index", ".").exit_code == 0
    monkeypatch.chdir(kites.root / "docs")

    files = [hit["file"] for hit in json.loads(invoke("search", "reel", "--json").stdout)["results"]]

    assert files[0] == "docs/tools.md"


def test_without_an_index_above_the_current_folder_is_the_vault(kites: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(kites.root / "docs")

    files = [hit["file"] for hit in json.loads(invoke("search", "reel", "--json").stdout)["results"]]

    assert set(files) == {"tools.md"}


def test_reading_a_note_makes_no_index(kites: Vault) -> None:
    for arguments in (["outline"], ["outline", "kite.md"], ["get", "kite.md"], ["grep", "wind"]):
        assert invoke(*arguments).exit_code == 0

    assert not kites.index_dir.exists()


def test_no_command_writes_into_the_vault(kites: Vault) -> None:
    before = sorted(os.walk(kites.root))

    for arguments in (["index", "."], ["search", "wind"], ["links", "kite.md"], ["diagnostics"], ["status"]):
        assert invoke(*arguments).exit_code == 0

    assert sorted(os.walk(kites.root)) == before


def test_an_index_that_is_taken_does_not_stop_a_search(kites: Vault) -> None:
    with KnowledgeBase.open(kites.root, index_dir=kites.index_dir):
        result = kites.run("search", "reel")

    assert result.exit_code == 0
    assert result.stdout.startswith("docs/tools.md")
    assert result.stderr.startswith("Note: another process owns the index")


def test_an_index_that_is_taken_is_not_rebuilt(kites: Vault) -> None:
    with KnowledgeBase.open(kites.root, index_dir=kites.index_dir):
        result = invoke("index", ".", "--rebuild", "--index-dir", str(kites.index_dir))

    assert result.exit_code == 5


def test_the_index_lies_where_the_option_says(kites: Vault, tmp_path: Path) -> None:
    folder = tmp_path / "elsewhere"

    result = invoke("index", ".", "--index-dir", str(folder))

    assert str(folder) in result.stdout
    assert [path.name for path in folder.glob("notes-*/index.duckdb")] == ["index.duckdb"]


def test_a_note_is_named_by_what_it_can_only_mean(kites: Vault) -> None:
    for name in ("tools", "tools.md", "docs/tools", "TOOLS"):
        result = kites.run("get", name, "Reel")
        assert (result.exit_code, result.stdout) == (0, "# Reel\n\nWinds the cord."), name
    assert kites.run("backlinks", "tools").stdout.startswith("kite.md")


def test_a_name_of_several_notes_lists_them(kites: Vault) -> None:
    kites.write({"more/tools.md": "# Other\n"})

    result = kites.run("get", "tools")

    assert result.exit_code == 2
    assert "  docs/tools.md\n  more/tools.md\n" in result.stderr


def test_a_note_that_is_left_out_is_said_to_be(kites: Vault) -> None:
    kites.write({".kbignore": "docs/\n"})

    result = kites.run("get", "docs/tools.md")

    assert "'docs/tools.md' is no note of this vault: it is left out" in result.stderr


def test_a_folder_is_outlined_from_the_vault_or_from_where_one_stands(
    kites: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("docs", "docs/", str(kites.root / "docs")):
        assert kites.run("outline", name).stdout == "docs/  1 note\n└─ tools.md\n", name
    assert kites.run("outline", str(kites.root.parent)).exit_code != 0

    monkeypatch.chdir(kites.root / "docs")
    assert kites.run("outline", ".").stdout == "docs/  1 note\n└─ tools.md\n"
    assert kites.run("outline", "..").stdout.startswith("notes/  2 notes\n")


def test_the_first_indexing_of_a_folder_is_announced_once(kites: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(kites.root.parent))

    first, second = invoke("search", "wind"), invoke("search", "wind")

    assert first.stderr == "Note: indexing ~/notes for the first time (2 notes)\n"
    assert second.stderr == ""


@pytest.mark.parametrize("command", [["status"], ["search", "wind"], ["grep", "wind"], ["get", "kite"]])
def test_the_home_folder_is_no_vault_unless_somebody_says_so(
    kites: Vault, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    monkeypatch.setenv("HOME", str(kites.root))

    refused = invoke(*command)

    assert refused.exit_code == 2
    assert "home folder" in refused.stderr
    assert "--vault" in refused.stderr
    assert not kites.index_dir.exists()
    assert invoke(*command, "--vault", ".").exit_code == 0
    invoke("index", ".")
    assert invoke(*command).exit_code == 0


def test_the_whole_disk_is_no_vault(kites: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")

    assert invoke("status").exit_code == 2


def test_a_vault_inside_another_one_is_pointed_out(kites: Vault) -> None:
    assert "part of another vault" not in invoke("index", ".").stderr

    for command in (["index", "docs"], ["status", "--vault", "docs"]):
        assert f"Note: this folder is part of another vault, {kites.root}\n" in invoke(*command).stderr
