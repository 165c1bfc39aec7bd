"""Tab in `%kb` lines, through IPython's completer."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.magics.shells import Notebook


@pytest.fixture(params=[False, True], ids=["without jedi", "with jedi"])
def typing(notebook: Notebook, request: pytest.FixtureRequest) -> Notebook:
    """A shell in which somebody types."""
    notebook.shell.Completer.use_jedi = request.param
    notebook.run("import os")  # something that other completers would offer
    return notebook


@pytest.mark.parametrize(
    ("line", "offers"),
    [
        ("%kb se", ["%kb search"]),
        ("%kb in", ["%kb insert"]),
        ("hits = %kb se", ["hits = %kb search"]),
        ("%%kb ed", ["%%kb edit"]),
        ("%kb help st", ["%kb help status"]),
        ("%kb search --ta", ["%kb search --tag"]),
        ("%kb search x --mode h", ["%kb search x --mode hybrid", "%kb search x --mode headings"]),
        ("%kb search --mode=te", ["%kb search --mode=text"]),
        ("%kb get methods/npq", ["%kb get methods/npq-protocol.md"]),
        ("%kb get METHODS/NPQ", ["%kb get methods/npq-protocol.md"]),
        ("%kb get npq", ["%kb get methods/npq-protocol.md"]),
        ("%kb get --own methods/npq", ["%kb get --own methods/npq-protocol.md"]),
        ("%kb get npq-protocol > Seq", ["%kb get npq-protocol > NPQ protocol > Sequence"]),
        ("%kb get npq-protocol > NPQ protocol > S", _S := [
            "%kb get npq-protocol > NPQ protocol > Sample preparation",
            "%kb get npq-protocol > NPQ protocol > Sequence",
        ]),
        ("%%kb edit inbox > Inbox > Id", ["%%kb edit inbox > Inbox > Ideas"]),
        ("%kb search --tag method/o", ["%kb search --tag method/optical"]),
        ("%kb search --tag=LAS", ["%kb search --tag=laser"]),
        ("%kb backlinks kestrel > daily", ["%kb backlinks kestrel > Kestrel > Operation > Daily check"]),
    ],
)  # fmt: skip
def test_tab_completes(typing: Notebook, line: str, offers: list[str]) -> None:
    assert typing.complete(line) == offers


def test_names_with_blanks_need_no_quotes_and_quotation_marks_get_them(typing: Notebook, demo_vault: Path) -> None:
    (demo_vault / "two words.md").write_text("# It is\n\n## 'quoted' > so\n", encoding="utf-8")

    assert typing.complete("%kb get two wo") == ["%kb get two words.md"]
    (line,) = typing.complete("%kb get two words.md > quo")
    assert typing.run(line).heading_path == "It is > 'quoted' > so"


def test_a_folder_is_completed_for_use(typing: Notebook, tmp_path: Path) -> None:
    (tmp_path / "my notes").mkdir()
    (tmp_path / "my file").touch()

    (line,) = typing.complete(f"%kb use {tmp_path}/my")

    assert line == f"%kb use {tmp_path}/my notes"
    assert typing.complete(f"%kb use {tmp_path}/none/x") == []


def test_an_ordinary_line_is_left_to_others(typing: Notebook) -> None:
    assert "os.path" in typing.complete("os.pat")
    assert "x = 'say %kb search" not in typing.complete("x = 'say %kb se")


def test_a_vault_that_cannot_be_reached_gives_no_completions_and_no_noise(
    typing: Notebook, capsys: pytest.CaptureFixture[str], demo_vault: Path
) -> None:
    for note in demo_vault.rglob("*.md"):
        note.unlink()
    demo_vault.rename(demo_vault.with_name("gone"))

    assert [line for line in typing.complete("%kb get npq-protocol > Se") if "Sequence" in line] == []
    assert capsys.readouterr() == ("", "")
