"""edit_section of the vault toolset: you replace exactly what you read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from blake3 import blake3

from jupyter_kb.errors import ConflictError
from jupyter_kb.kb import KnowledgeBase
from tests.mcp.driving import Agent, agent, write

NOTE = "# Flight\n\nSteady wind.\n\n## Launch\n\nRun forward.\n\n## Landing\n\nPull the line.\n"


def short(text: str) -> str:
    return blake3(text.encode()).hexdigest()[:16]


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Agent]:
    write(tmp_path, {"kite.md": NOTE, "log.md": "# Log\n\nSee [[kite#Landing]].\n"})
    with agent(tmp_path, "vault") as (client, _):
        yield client


def read(client: Agent, heading_path: str, **options: Any) -> Any:
    return client.call("get_section", file="kite.md", heading_path=heading_path, **options)["content_hash"]


def test_what_was_read_is_replaced_and_the_answer_goes_on_from_there(client: Agent, tmp_path: Path) -> None:
    answer = client.call(
        "edit_section",
        file="kite.md",
        heading_path="Launch",
        expected_hash=read(client, "Launch"),
        body="Run into the wind.",
    )
    again = client.call("get_section", file="kite.md", heading_path=answer["heading_path"])

    assert (tmp_path / "kite.md").read_text() == NOTE.replace("Run forward.", "Run into the wind.")
    assert answer["written"] is True
    assert answer["content_hash"] == again["content_hash"] == short("## Launch\n\nRun into the wind.")
    assert answer["version"] == again["version"]
    assert "-Run forward.\n+Run into the wind.\n" in answer["diff"]
    (flight,) = answer["sections"]
    assert flight["content_hash"] == read(client, "Flight")
    assert [node["heading_path"] for node in flight["children"]] == ["Flight > Launch"]
    assert flight["children"][0]["content_hash"] == answer["content_hash"]


def test_whoever_read_the_own_text_replaces_only_that_however_often(client: Agent, tmp_path: Path) -> None:
    first = client.call(
        "edit_section",
        file="kite.md",
        heading_path="Flight",
        expected_hash=read(client, "Flight", children=False),
        body="No wind.",
    )
    second = client.call(
        "edit_section",
        file="kite.md",
        heading_path="Flight",
        expected_hash=first["content_hash"],
        body="Gale.",
    )

    assert (tmp_path / "kite.md").read_text() == NOTE.replace("Steady wind.", "Gale.")
    assert second["content_hash"] == short("# Flight\n\nGale.")


def test_whoever_read_the_whole_subtree_replaces_all_of_it(client: Agent, tmp_path: Path) -> None:
    client.call(
        "edit_section", file="kite.md", heading_path="Flight", expected_hash=read(client, "Flight"), body="Calm."
    )

    assert (tmp_path / "kite.md").read_text() == "# Flight\n\nCalm.\n"


@pytest.mark.parametrize("digits", [12, 13, 16, 64])
def test_any_prefix_of_a_hash_of_at_least_twelve_digits_will_do(digits: int, client: Agent) -> None:
    whole = blake3(b"## Launch\n\nRun forward.").hexdigest()

    answer = client.call(
        "edit_section", file="kite.md", heading_path="Launch", expected_hash=whole[:digits].upper(), body="x"
    )

    assert answer["written"]


@pytest.mark.parametrize(
    ("expected", "code"), [("", "hash-required"), (None, "hash-required"), ("953d5b4fbc0", "invalid-request")]
)
def test_without_a_hash_nothing_is_written(expected: str | None, code: str, client: Agent, tmp_path: Path) -> None:
    refusal = client.refused("edit_section", file="kite.md", line=5, expected_hash=expected, body="x")

    assert refusal["code"] == code
    assert refusal["hint"]
    assert (tmp_path / "kite.md").read_text() == NOTE


OPERATIONS = [
    ({"operation": "append", "body": "Let go."}, "Run forward.\n\nLet go.\n\n## Landing"),
    ({"operation": "prepend", "body": "Stand."}, "## Launch\n\nStand.\n\nRun forward.\n\n## Landing"),
    ({"operation": "insert_before", "heading": "Glide", "body": "Go."}, "## Glide\n\nGo.\n\n## Launch"),
    ({"operation": "insert_after", "heading": "Glide", "body": "Go."}, "forward.\n\n## Glide\n\nGo.\n\n## Landing"),
    ({"operation": "insert_child", "heading": "Check", "body": "Go."}, "forward.\n\n### Check\n\nGo.\n\n## Landing"),
    ({"operation": "rename", "heading": "Take-off"}, "Steady wind.\n\n## Take-off\n\nRun forward.\n\n## Landing"),
    ({"operation": "delete"}, "# Flight\n\nSteady wind.\n\n## Landing\n\nPull the line.\n"),
    ({"operation": "replace", "body": ""}, "Steady wind.\n\n## Launch\n\n## Landing"),
]


@pytest.mark.parametrize(("arguments", "expected"), OPERATIONS, ids=[str(o[0]["operation"]) for o in OPERATIONS])
def test_every_operation_does_what_its_name_says(
    arguments: dict[str, Any], expected: str, client: Agent, tmp_path: Path
) -> None:
    expected_hash = read(client, "Launch")

    dry = client.call(
        "edit_section", file="kite.md", heading_path="Launch", expected_hash=expected_hash, dry_run=True, **arguments
    )
    untouched = (tmp_path / "kite.md").read_text()
    done = client.call("edit_section", file="kite.md", heading_path="Launch", expected_hash=expected_hash, **arguments)

    assert untouched == NOTE
    assert dry["dry_run"] is True
    assert "written" not in dry
    assert dry["diff"] == done["diff"]
    assert dry["version"] == done["version"]
    assert expected in (tmp_path / "kite.md").read_text()


def test_a_conflict_brings_the_text_of_now_and_what_changed_since_the_read(client: Agent, tmp_path: Path) -> None:
    expected = read(client, "Launch")
    write(tmp_path, {"kite.md": NOTE.replace("Run forward.", "Run backward.")})

    refusal = client.refused(
        "edit_section", file="kite.md", heading_path="Launch", expected_hash=expected, body="Mine."
    )
    retry = client.call(
        "edit_section",
        file="kite.md",
        heading_path="Launch",
        expected_hash=refusal["current_hash"],
        body="Run backward. Mine.",
    )

    assert refusal["code"] == "conflict"
    assert refusal["current_content"] == "## Launch\n\nRun backward."
    assert refusal["current_hash"] == short("## Launch\n\nRun backward.")
    assert "-Run forward.\n+Run backward." in refusal["diff_since_read"]
    assert "current_hash" in refusal["hint"]
    assert retry["written"]


def test_a_conflict_over_the_own_text_speaks_of_the_own_text(client: Agent, tmp_path: Path) -> None:
    expected = read(client, "Flight", children=False)
    write(tmp_path, {"kite.md": NOTE.replace("Steady", "Gusty")})

    refusal = client.refused(
        "edit_section", file="kite.md", heading_path="Flight", expected_hash=expected, body="Mine."
    )
    client.call(
        "edit_section", file="kite.md", heading_path="Flight", expected_hash=refusal["current_hash"], body="Mine."
    )

    assert refusal["current_content"] == "# Flight\n\nGusty wind."
    assert refusal["current_hash"] == short("# Flight\n\nGusty wind.")
    assert (tmp_path / "kite.md").read_text() == NOTE.replace("Steady wind.", "Mine.")


def test_a_change_elsewhere_in_the_note_is_no_conflict(client: Agent, tmp_path: Path) -> None:
    expected = read(client, "Landing")
    write(tmp_path, {"kite.md": "New first line.\n\n" + NOTE.replace("Run forward.", "Changed.")})

    client.call("edit_section", file="kite.md", heading_path="Landing", expected_hash=expected, body="Mine.")

    text = (tmp_path / "kite.md").read_text()
    assert "Changed." in text
    assert text.endswith("## Landing\n\nMine.\n")


def test_a_long_conflict_keeps_back_the_hash_of_what_it_cannot_show(client: Agent, tmp_path: Path) -> None:
    write(tmp_path, {"long.md": "# Long\n\n" + "old words\n" * 3_000})
    expected = client.call("get_section", file="long.md", line=1, max_tokens=20_000)["content_hash"]
    write(tmp_path, {"long.md": "# Long\n\n" + "new words\n" * 3_000})

    refusal = client.refused("edit_section", file="long.md", line=1, expected_hash=expected, body="Mine.")

    assert not {"current_hash", "current_content", "diff_since_read"} & set(refusal)
    assert "get_section" in refusal["hint"]


def test_a_body_that_repeats_the_heading_line_is_refused_and_not_changed_in_silence(
    client: Agent, tmp_path: Path
) -> None:
    refusal = client.refused(
        "edit_section",
        file="kite.md",
        heading_path="Launch",
        expected_hash=read(client, "Launch"),
        body="## Launch\n\nRun fast.\n",
    )

    assert "own heading line out" in refusal["hint"]
    assert (tmp_path / "kite.md").read_text() == NOTE


def test_a_body_that_would_escape_is_refused_with_a_way_out(client: Agent, tmp_path: Path) -> None:
    refusal = client.refused(
        "edit_section",
        file="kite.md",
        heading_path="Launch",
        expected_hash=read(client, "Launch"),
        body="x\n\n## Other\n",
    )

    assert refusal["code"] == "invalid-body"
    assert "insert_after" in refusal["hint"]
    assert (tmp_path / "kite.md").read_text() == NOTE


def test_an_edit_that_swallows_what_follows_is_refused(client: Agent, tmp_path: Path) -> None:
    refusal = client.refused(
        "edit_section",
        file="kite.md",
        heading_path="Launch",
        expected_hash=read(client, "Launch"),
        body="```\nopen",
    )

    assert refusal["code"] == "unverified-edit"
    assert (tmp_path / "kite.md").read_text() == NOTE


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"operation": "replace"}, "missing argument 'body'"),
        ({"operation": "append"}, "missing argument 'body'"),
        ({"operation": "rename"}, "'rename' needs a heading"),
        ({"operation": "insert_after", "body": "x"}, "'insert_after' needs a heading"),
        ({"operation": "overwrite", "body": "x"}, "argument 'operation' must be one of"),
    ],
)
def test_what_an_operation_lacks_is_named(
    arguments: dict[str, Any], message: str, client: Agent, tmp_path: Path
) -> None:
    refusal = client.refused(
        "edit_section", file="kite.md", heading_path="Launch", expected_hash=read(client, "Launch"), **arguments
    )

    assert message in refusal["message"]
    assert refusal["code"] == "invalid-request"
    assert (tmp_path / "kite.md").read_text() == NOTE


def test_renaming_a_heading_reports_the_links_that_it_breaks(client: Agent) -> None:
    answer = client.call(
        "edit_section",
        file="kite.md",
        heading_path="Landing",
        expected_hash=read(client, "Landing"),
        operation="rename",
        heading="Touchdown",
    )

    (link,) = answer["broken_links"]
    assert link["from"] == {"file": "log.md", "heading_path": "Log", "line": 3}
    assert link["raw_target"] == "kite#Landing"


def test_one_of_two_equal_headings_is_addressed_by_its_line(client: Agent, tmp_path: Path) -> None:
    write(tmp_path, {"twice.md": "# M\n\n## A\n\none\n\n# N\n\n## A\n\ntwo\n"})
    expected = client.call("get_section", file="twice.md", line=9)["content_hash"]

    refusal = client.refused("edit_section", file="twice.md", heading_path="A", expected_hash=expected, body="x")
    client.call("edit_section", file="twice.md", line=9, expected_hash=expected, body="x")

    assert refusal["code"] == "ambiguous-section"
    assert (tmp_path / "twice.md").read_text() == "# M\n\n## A\n\none\n\n# N\n\n## A\n\nx\n"


def test_the_kind_of_hash_is_found_out_where_the_reading_is_forgotten(tmp_path: Path) -> None:
    write(tmp_path, {"kite.md": NOTE})
    own = short("# Flight\n\nSteady wind.")

    with agent(tmp_path, "vault") as (client, _):
        answer = client.call("edit_section", file="kite.md", heading_path="Flight", expected_hash=own, body="Calm.")

    assert answer["content_hash"] == short("# Flight\n\nCalm.")
    assert (tmp_path / "kite.md").read_text() == NOTE.replace("Steady wind.", "Calm.")


@pytest.mark.parametrize("toolset", ["vault", "structural"])
def test_a_note_that_keeps_changing_is_a_refusal_without_a_text_to_go_on_with(
    tmp_path: Path, toolset: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def keeps_changing(*_: object, **__: object) -> None:
        raise ConflictError("file 'kite.md' kept changing while it was being written", hint="try again later")

    write(tmp_path, {"kite.md": NOTE})
    monkeypatch.setattr(KnowledgeBase, "edit_section", keeps_changing)
    with agent(tmp_path, toolset) as (client, _):
        refusal = client.refused(
            "edit_section", file="kite.md", heading_path="Flight > Launch", expected_hash="0" * 64, body="x"
        )

    assert "kept changing" in refusal["message"]
    assert "current_hash" not in refusal
