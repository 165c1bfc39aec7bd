"""What the shared options mean."""

from __future__ import annotations

import json
import os
from pathlib import Path

import click
import pytest

from jupyter_kb.cli.options import filters
from jupyter_kb.kb import KnowledgeBase
from jupyter_kb.models import Filters
from tests.cli.sessions import Vault, invoke


@pytest.mark.parametrize(
    ("condition", "field", "value"),
    [
        ("year=2024", "year", 2024),
        ("draft=true", "draft", True),
        ("draft=no", "draft", "no"),
        ("weight=1.5", "weight", 1.5),
        ("author.name=Ada Lovelace", "author.name", "Ada Lovelace"),
        ("date=2024-05-01", "date", "2024-05-01"),
        ("year='2024'", "year", "2024"),
        ("topic=#home", "topic", "#home"),
        ("topic=C # notes", "topic", "C # notes"),
        ("topic='a # b'", "topic", "a # b"),
        ("topic=*", "topic", "*"),
        ("spaced = out ", "spaced", "out"),
        ("title=Kites: a history", "title", "Kites: a history"),
        ("title=[draft]", "title", "[draft]"),
        ("title=a=b", "title", "a=b"),
        ("title=@home", "title", "@home"),
        ("title=!!python/object:os.system x", "title", "!!python/object:os.system x"),
    ],
)
def test_a_condition_is_a_yaml_scalar_or_else_text(condition: str, field: str, value: object) -> None:
    assert filters((), (), (condition,)).front_matter == {field: value}


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        (["year>=2020"], {"year": {"gte": 2020}}),
        (["year>2020", "year<=2024"], {"year": {"gt": 2020, "lte": 2024}}),
        (["day<2024-05-31"], {"day": {"lt": "2024-05-31"}}),
        (["status=active|done"], {"status": ["active", "done"]}),
        (["status=1|true|1"], {"status": [1, True, 1]}),
        ([r"title=Either\|Or"], {"title": "Either|Or"}),
        ([r"title=Either\|Or|Both"], {"title": ["Either|Or", "Both"]}),
        (["title=one, two"], {"title": "one, two"}),
        (["tags=a", "tags=b"], {"tags": {"all_of": ["a", "b"]}}),
        (["tags=a", "year=2", "tags=b"], {"tags": {"all_of": ["a", "b"]}, "year": 2}),
        (["due"], {"due": {"exists": True}}),
        (["!due"], {"due": {"exists": False}}),
        (["! due", "!due"], {"due": {"exists": False}}),
        (["due", "due=soon"], {"due": "soon"}),
        (["due", "due<2024-05-31"], {"due": {"lt": "2024-05-31"}}),
        (["a.b c"], {"a.b c": {"exists": True}}),
    ],
)
def test_conditions_on_one_field_hold_together(conditions: list[str], expected: dict[str, object]) -> None:
    assert filters((), (), conditions).front_matter == expected


@pytest.mark.parametrize(
    ("conditions", "said"),
    [
        ([""], "names no field"),
        (["!"], "names no field"),
        (["=2024"], "names no field"),
        ([">2024"], "names no field"),
        (["year="], "has no value; `!FIELD`"),
        (["year=null"], "has no value"),
        (["year=1||2"], "has no value"),
        (["year>="], "has no value"),
        (["year>=soon"], "neither a number nor a date"),
        (["year<true"], "neither a number nor a date"),
        (["year!=2024"], "no such comparison; there are FIELD=VALUE"),
        (["year==2024"], "no such comparison"),
        (["year=>2024"], "no such comparison"),
        (["!year=2024"], "no such comparison"),
        (["year>1", "year>2"], "twice"),
        (["year=1|2", "year=3|4"], "twice"),
        (["year", "!year"], "twice"),
        (["!year", "year=1"], "exclude each other"),
        (["year=1|2", "year=1"], "exclude each other"),
        (["year=1", "year>0"], "exclude each other"),
    ],
)
def test_a_condition_that_is_none_is_wrong_usage(conditions: list[str], said: str) -> None:
    with pytest.raises(click.BadParameter, match=said) as refusal:
        filters((), (), conditions)
    assert refusal.value.param_hint == "--where"


def test_all_conditions_become_one_filter() -> None:
    chosen = filters(("a/*",), ("#b",), ("c=1",), "2024-05-31", "2024-06-01T00:00:00Z", ("D", "E > F"))

    assert chosen == Filters(
        path=("a/*",),
        tags=("b",),
        front_matter={"c": 1},
        modified_after="2024-05-31",
        modified_before="2024-06-01T00:00:00Z",
        heading_prefix=("D", "E > F"),
    )


@pytest.mark.parametrize("command", ["search", "grep"])
@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--modified-after", "May", "'May' is not a date; write a date as 2024-05-31"),
        ("--modified-before", "2024-02-30", "'2024-02-30' is not a date"),
        ("--under", " ", "a heading is empty"),
        ("--where", "year!=2", "'year!=2' has no such comparison"),
    ],
)
def test_an_option_that_makes_no_sense_is_named(kites: Vault, command: str, option: str, value: str, said: str) -> None:
    result = kites.run(command, "wind", option, value)

    assert result.exit_code == 2
    assert f"Error: Invalid value for {option}" in result.stderr.replace("'--", "--")
    assert said in result.stderr


@pytest.mark.parametrize("command", ["search", "grep"])
def test_a_field_that_no_note_has_is_said_to_be_none(kites: Vault, command: str) -> None:
    result = kites.run(command, "wind", "--where", "yaer>2000")

    assert result.exit_code == 2
    assert "filter 'yaer': no note has this front-matter field" in result.stderr
    assert "did you mean 'year'" in result.stderr


def test_options_choose_notes_and_headings(kites: Vault) -> None:
    os.utime(kites.root / "kite.md", (0, 0))

    def lines(*options: str) -> list[str]:
        return [line.partition(":")[0] for line in kites.run("grep", "wind", *options).stdout.splitlines()]

    assert set(lines()) == {"kite.md", "docs/tools.md"}
    assert set(lines("--where", "year>=2024", "--where", "year<2025")) == {"kite.md"}
    assert set(lines("--where", "!year")) == {"docs/tools.md"}
    assert set(lines("--modified-before", "1970-01-02")) == {"kite.md"}
    assert set(lines("--modified-after", "1970-01-02")) == {"docs/tools.md"}
    assert set(lines("--under", "reel")) == {"docs/tools.md"}
    assert set(lines("--under", "flight")) == {"kite.md"}
    assert lines("--under", "Flight", "--under", "Launch") == []


def test_tags_may_be_written_with_their_sign() -> None:
    assert filters((), ("#toy", "wind"), ()).tags == ("toy", "wind")


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
