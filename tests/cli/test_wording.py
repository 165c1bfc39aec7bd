"""How the command line says what other rooms report."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import click
import pytest

from jupyter_kb import errors
from jupyter_kb.cli import exits
from jupyter_kb.cli.indexing import KINDS
from jupyter_kb.cli.wording import command, short, translated
from jupyter_kb.models import DiagnosticKind
from tests.cli.sessions import Vault, invoke


@pytest.mark.parametrize(
    ("hint", "said"),
    [
        ("search for them without is_regex", "search for them without -E"),
        ("dry_run shows what the edit would do", "--dry-run shows what the edit would do"),
        ("pass its content_hash on as expected_hash", "pass its content_hash on as --expected-hash"),
        ("did you mean 'dry_run'?", "did you mean 'dry_run'?"),
        ("use insert_after or append", "use insert-after or append"),
        ("start it, or change `embedding_url`", "start it, or change `--url`"),
    ],
)
def test_arguments_of_other_interfaces_are_called_by_their_options(hint: str, said: str) -> None:
    assert translated({"message": "no", "hint": hint})["hint"] == said


def test_people_read_short_hashes_and_programs_long_ones(capsys: pytest.CaptureFixture[str]) -> None:
    error = errors.ConflictError(f"changed: current hash {'0a' * 32}", current_hash="0a" * 32)

    exits.tell(error)
    exits.tell(error, as_json=True)

    people, programs = capsys.readouterr().err.splitlines()
    assert people == f"Error: changed: current hash {'0a' * 8}"
    assert programs.count("0a" * 32) == 2
    assert short("f" * 40) == "f" * 40  # a version is no hash of a section


def test_the_home_folder_is_a_tilde_in_messages(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/home/me")

    exits.tell(PermissionError(13, "Permission denied", "/home/me/a.md"))
    exits.tell(errors.VaultNotFoundError("vault path '/home/mean' does not exist"))

    assert (
        capsys.readouterr().err == "Error: ~/a.md: Permission denied\nError: vault path '/home/mean' does not exist\n"
    )


def test_a_command_to_paste_names_the_places_that_were_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")

    @click.command()
    @click.option("--vault", type=Path)
    @click.option("--index-dir", type=Path)
    def probe(vault: Path | None, index_dir: Path | None) -> None:
        click.echo(command("get", "my note.md"))

    def said(*arguments: str) -> str:
        from click.testing import CliRunner

        return CliRunner().invoke(probe, arguments).output.strip()

    assert said() == "jupyter kb get 'my note.md'"
    assert said("--vault", "/home/me/my notes", "--index-dir", "/tmp/x") == (
        "jupyter kb get 'my note.md' --vault ~/'my notes' --index-dir /tmp/x"
    )


def test_the_command_after_indexing_finds_the_same_vault(kites: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "see `jupyter kb diagnostics`" in invoke("index", ".").stdout

    monkeypatch.chdir(kites.root.parent)
    assert "see `jupyter kb diagnostics --vault notes`" in invoke("index", "notes").stdout
    assert "see `jupyter kb diagnostics --vault notes`" in invoke("status", "--vault", "notes").stdout


def test_a_refused_hash_hint_names_the_vault(kites: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(kites.root.parent)

    result = invoke("edit", "kite", "Launch", "--body", "x", "--vault", "notes")

    assert "`jupyter kb get kite Launch --json --vault notes`" in result.stderr


def test_the_kinds_in_the_help_are_all_there_are() -> None:
    assert get_args(DiagnosticKind) == KINDS
    shown = " ".join(invoke("diagnostics", "--help").output.split())
    assert all(kind in shown for kind in KINDS)
