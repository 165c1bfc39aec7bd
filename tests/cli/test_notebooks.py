"""`jupyter kb magics`."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_kb.cli import main
from jupyter_kb.magics import startup


def test_autoloading_is_turned_on_and_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))

    def says(*options: str) -> str:
        with pytest.raises(SystemExit) as ended:
            main(["magics", *options])
        assert ended.value.code == 0
        return capsys.readouterr().out.splitlines()[0]

    assert says() == "Autoloading of %kb is off."
    assert says("--enable") == "New kernels load %kb."
    assert startup.is_enabled()
    assert says("--enable") == "New kernels load %kb already."
    assert says() == "Autoloading of %kb is on."
    assert says("--disable") == "New kernels do not load %kb any more."
    assert says("--disable") == "No kernel loads %kb: nothing to do."


def test_a_foreign_file_is_reported_and_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    path = startup.startup_file()
    path.parent.mkdir(parents=True)
    path.write_text("mine = 1\n", encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        main(["magics", "--enable"])

    assert ended.value.code == 2
    assert "not a file that jupyter-kb wrote" in capsys.readouterr().err
    assert path.read_text(encoding="utf-8") == "mine = 1\n"
