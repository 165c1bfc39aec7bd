"""Autoloading: one file of our own among IPython's startup files."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from jupyter_kb.errors import InvalidRequestError
from jupyter_kb.magics import startup

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """IPython's folder of this test."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    return tmp_path / "ipython" / "profile_default" / "startup"


def test_it_is_turned_on_and_off_and_either_may_be_repeated(folder: Path) -> None:
    assert not startup.is_enabled()
    assert startup.enable()
    assert not startup.enable()
    assert startup.is_enabled()
    assert [path.name for path in folder.iterdir()] == [startup.NAME]
    assert startup.disable()
    assert not startup.disable()
    assert list(folder.iterdir()) == []


def test_other_startup_files_are_left_alone(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "00-mine.py").write_text("import this\n", encoding="utf-8")
    startup.enable()
    startup.disable()

    assert (folder / "00-mine.py").read_text(encoding="utf-8") == "import this\n"


@pytest.mark.parametrize("content", ["mine = 1\n", "", "\udcff"])
def test_a_file_of_that_name_that_is_not_ours_is_neither_replaced_nor_removed(folder: Path, content: str) -> None:
    folder.mkdir(parents=True)
    path = folder / startup.NAME
    path.write_bytes(content.encode("utf-8", "surrogateescape"))
    for change in (startup.enable, startup.disable):
        with pytest.raises(InvalidRequestError, match="not a file that jupyter-kb wrote"):
            change()

    assert path.read_bytes() == content.encode("utf-8", "surrogateescape")
    assert not startup.is_enabled()


def test_an_older_file_of_ours_is_renewed(folder: Path) -> None:
    startup.enable()
    path = folder / startup.NAME
    text = path.read_text(encoding="utf-8")
    path.write_text(text + "# an older one\n", encoding="utf-8")

    assert startup.enable()
    assert path.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("profile", ["", "..", "a/b"])
def test_a_profile_is_a_plain_name(profile: str) -> None:
    with pytest.raises(InvalidRequestError):
        startup.enable(profile)


def test_a_shell_starts_with_the_magic_and_with_no_other_name(tmp_path: Path) -> None:
    startup.enable()
    names = "[name for name in dir() if not name.startswith('_')]"

    assert "%kb search QUERY" in _ipython("%kb", tmp_path, PYTHONPATH=str(ROOT))
    assert "jupyter" not in _ipython(f"print({names})", tmp_path, PYTHONPATH=str(ROOT))


def test_an_environment_without_the_package_starts_as_ever(tmp_path: Path) -> None:
    startup.enable()
    program = (
        "import sys; sys.modules['jupyter_kb'] = None; from IPython import start_ipython;"
        "start_ipython(['--simple-prompt', '-c', 'print(6 * 7)'])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, check=True)

    assert (done.stdout.strip(), done.stderr) == ("42", "")


def _ipython(code: str, folder: Path, **environment: str) -> str:
    command = [sys.executable, "-m", "IPython", "--simple-prompt", "-c", code]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=folder, check=True, env={**os.environ, **environment}
    )
    return done.stdout
