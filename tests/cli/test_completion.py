"""Shell completion."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from jupyter_kb.cli import program
from jupyter_kb.cli.completion import SHELLS
from tests.cli.sessions import Vault, environment, invoke


def candidates(*words: str) -> list[str]:
    """What may follow the words; the last is incomplete."""
    *given, incomplete = words
    return [item.value for item in ShellComplete(program, {}, "jupyter-kb", "X").get_completions(given, incomplete)]


def test_commands_are_completed() -> None:
    assert candidates("gr") == ["grep"]
    assert set(candidates("")) == set(program.commands)


def test_notes_are_completed(kites: Vault) -> None:
    assert candidates("get", "") == ["docs/tools.md", "kite.md"]
    assert candidates("edit", "docs/") == ["docs/tools.md"]


def test_notes_of_the_vault_that_is_named_are_completed(kites: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(kites.root.parent)

    assert candidates("get", "--vault", str(kites.root), "k") == ["kite.md"]


def test_headings_of_the_note_are_completed(kites: Vault) -> None:
    assert candidates("get", "kite.md", "Fl") == ["Flight", "Flight > Launch", "Flight > Landing"]
    assert candidates("get", "tools", "R") == ["Reel"]


def test_tags_are_completed(kites: Vault) -> None:
    assert candidates("search", "kites", "--tag", "") == ["toy", "wind/strong"]


@pytest.mark.parametrize("words", [("get", "ghost.md", ""), ("get", "--vault", "nowhere", ""), ("get", "../x.md", "")])
def test_what_is_not_there_completes_to_nothing(vault: Vault, words: tuple[str, ...]) -> None:
    assert candidates(*words) == []


@pytest.mark.parametrize("shell", SHELLS)
def test_every_shell_has_its_script(shell: str) -> None:
    result = invoke("completion", shell)

    assert result.exit_code == 0
    assert "jupyter-kb" in result.output
    assert "_JUPYTER_KB_COMPLETE" in result.output


def test_the_shell_in_use_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHELL", "/usr/bin/fish")

    assert invoke("completion").output == invoke("completion", "fish").output


def test_an_unknown_shell_is_wrong_usage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHELL", "/bin/elvish")

    assert invoke("completion").exit_code == 2


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize(
    ("typed", "reply"),
    [
        (r"get kite.md Flight\ \>\ La", [r"Flight\ \>\ Launch", r"Flight\ \>\ Landing"]),
        ("get kite.md 'Flight > Lau", ["Flight > Launch"]),
        ("get do", ["docs/tools.md"]),
    ],
)
def test_bash_gets_heading_paths_as_one_quoted_word(kites: Vault, tmp_path: Path, typed: str, reply: list[str]) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    command = folder / "jupyter-kb"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m jupyter_kb.cli "$@"\n')
    command.chmod(0o755)
    # Words as bash itself splits them: a quoted or escaped blank does not end one.
    words = ["jupyter-kb", *typed.split(" ", 2)]
    script = 'eval "$(jupyter-kb completion bash)"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); '
    script += "_jupyter_kb_completion jupyter-kb; printf '%s\\n' \"${COMPREPLY[@]}\""

    done = subprocess.run(
        ["bash", "--norc", "-c", script, "bash", *words],
        env=environment(PATH=f"{folder}{os.pathsep}{os.environ['PATH']}"),
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout.splitlines() == reply
