"""outline and get_section of the vault toolset."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from blake3 import blake3

from jupyter_kb.mcp.results import as_json
from tests.mcp.driving import Agent, agent, write

KITE = """---
title: Kites
tags: [toy]
---

Opening words.

# Flight

Steady wind.

## Launch

Run forward.

## Landing

Pull the line.

# Storage

Dry place.
"""

FILES: dict[str, str | bytes | None] = {
    "kite.md": KITE,
    "Notes/Sub/Deep Note.md": "# Deep\n\ntext\n",
    "Notes/twice.md": "# May\n\n## Log\n\nfirst\n\n# June\n\n## Log\n\nsecond\n\n# A\n\n# A\n\n# A[2]\n",
    "Notes/long.md": "# Long\n\nintro\n\n" + "".join(f"## Part {n}\n\n{'words ' * 200}\n\n" for n in range(12)),
    "Notes/leaf.md": "# Leaf\n\n" + "".join(f"line {n} of many\n" for n in range(900)),
}


def short(text: str) -> str:
    return blake3(text.encode()).hexdigest()[:16]


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Agent]:
    write(tmp_path, FILES)
    with agent(tmp_path, "vault") as (client, _):
        yield client


# ── outline ─────────────────────────────────────────────────────────────────────────────────────


def test_an_outline_has_places_sizes_and_short_hashes(client: Agent) -> None:
    answer = client.call("outline", file="kite.md")

    assert answer["file"] == "kite.md"
    assert answer["title"] == "Kites"
    assert answer["front_matter"] == {"title": "Kites", "tags": ["toy"]}
    assert [node["heading_path"] for node in answer["sections"]] == ["Preamble", "Flight", "Storage"]
    flight = answer["sections"][1]
    assert [node["heading_path"] for node in flight["children"]] == ["Flight > Launch", "Flight > Landing"]
    assert flight["children"][0] == {
        "heading": "Launch",
        "level": 2,
        "heading_path": "Flight > Launch",
        "line_range": {"start": 12, "end": 14},
        "size": 23,
        "content_hash": short("## Launch\n\nRun forward."),
    }


def test_an_outline_may_be_flat_without_hashes_or_of_one_section(client: Agent) -> None:
    flat = client.call("outline", file="kite.md", max_depth=1, hashes=False)["sections"]
    one = client.call("outline", file="kite.md", heading_path="Flight")

    assert [node.get("below") for node in flat] == [None, 2, None]
    assert all("content_hash" not in node and "children" not in node for node in flat)
    assert [node["heading_path"] for node in one["sections"]] == ["Flight"]
    assert len(one["sections"][0]["children"]) == 2


def test_problems_of_a_note_are_part_of_its_outline(client: Agent, tmp_path: Path) -> None:
    write(tmp_path, {"bad.md": "---\nt: [1\n---\n# A\n"})

    (problem,) = client.call("outline", file="bad.md")["diagnostics"]

    assert problem["kind"] == "front-matter"
    assert problem["hint"]


def test_without_a_file_the_folders_are_shown_with_counts(client: Agent) -> None:
    assert client.call("outline") == {
        "folder": "/",
        "notes": 1,
        "notes_below": 4,
        "folders": [
            {"folder": "Notes", "notes": 3, "notes_below": 1},
            {"folder": "Notes/Sub", "notes": 1},
        ],
        "files": ["kite.md"],
    }


def test_a_folder_instead_of_a_note_shows_what_lies_in_it(client: Agent) -> None:
    answer = client.call("outline", file="Notes/")

    assert answer["folder"] == "Notes"
    assert answer["files"] == ["leaf.md", "long.md", "twice.md"]
    assert answer["folders"] == [{"folder": "Notes/Sub", "notes": 1}]


def test_a_large_tree_and_a_large_outline_keep_the_budget_and_count_the_rest(tmp_path: Path) -> None:
    write(tmp_path, {f"folder {n}/note.md": "# N\n" for n in range(300)})
    write(tmp_path, {f"note {n}.md": "# N\n" for n in range(300)})
    write(tmp_path, {"big.md": "".join(f"# Heading number {n}\n\n## Child\n\n" for n in range(200))})

    with agent(tmp_path, "vault") as (client, _):
        tree = client.call("outline")
        outline = client.call("outline", file="big.md")

    assert len(as_json(tree)) <= 6_000
    assert tree["left_out"]["folders"] + len(tree["folders"]) == 300
    assert len(as_json(outline)) <= 6_000
    assert outline["left_out"]["sections"].startswith(f"{200 - len(outline['sections'])} more")


# ── get_section ─────────────────────────────────────────────────────────────────────────────────


def test_a_section_comes_as_its_exact_text_with_all_that_the_next_call_needs(client: Agent) -> None:
    answer = client.call("get_section", file="kite.md", heading_path="Flight > Launch")

    start = KITE.index("## Launch")
    version = answer.pop("version")
    assert len(version) == 40
    assert answer == {
        "file": "kite.md",
        "heading_path": "Flight > Launch",
        "content": "## Launch\n\nRun forward.",
        "byte_range": {"start": start, "end": start + 23},
        "line_range": {"start": 12, "end": 14},
        "content_hash": short("## Launch\n\nRun forward."),
    }


@pytest.mark.parametrize(
    "name",
    [
        {"heading_path": "Flight > Launch"},
        {"heading_path": "Launch"},
        {"heading_path": ["Flight", "Launch"]},
        {"heading_path": ["Launch"]},
        {"heading_path": '["Flight", "Launch"]'},
        {"line": 12},
        {"line": 14},
        {"line": "13"},
    ],
)
def test_a_section_may_be_named_in_several_ways(name: dict[str, object], client: Agent) -> None:
    assert client.call("get_section", file="kite.md", **name)["heading_path"] == "Flight > Launch"


@pytest.mark.parametrize("file", ["kite", "KITE.md", "./kite.md", "/kite.md"])
def test_a_note_named_inexactly_but_without_doubt_is_found_and_the_answer_has_its_name(
    file: str, client: Agent
) -> None:
    assert client.call("get_section", file=file, heading_path="Storage")["file"] == "kite.md"


def test_a_note_is_found_without_its_folder(client: Agent) -> None:
    assert client.call("outline", file="deep note")["file"] == "Notes/Sub/Deep Note.md"


def test_children_may_be_left_out_and_the_hash_is_then_that_of_the_own_text(client: Agent) -> None:
    whole = client.call("get_section", file="kite.md", heading_path="Flight")
    own = client.call("get_section", file="kite.md", heading_path="Flight", children=False)

    assert own["content"] == "# Flight\n\nSteady wind."
    assert own["content_hash"] == short("# Flight\n\nSteady wind.")
    assert whole["content"].endswith("Pull the line.")
    assert whole["content_hash"] == short(whole["content"])


def test_levels_up_takes_the_section_around(client: Agent) -> None:
    assert client.call("get_section", file="kite.md", line=14, levels_up=1)["heading_path"] == "Flight"
    assert client.call("get_section", file="kite.md", line=14, levels_up=9)["heading_path"] == "Flight"


def test_without_heading_and_line_the_whole_note_is_read(client: Agent) -> None:
    answer = client.call("get_section", file="kite.md")

    assert answer["content"] == KITE
    assert answer["content_hash"] == short(KITE)


def test_a_note_without_sections_is_found_by_its_name_and_read_as_a_whole(client: Agent, tmp_path: Path) -> None:
    write(tmp_path, {"Bare Zebra.md": "---\nstatus: new\n---\n"})

    (row,) = client.call("search", query="zebra")["results"]
    answer = client.call("get_section", file=row["file"], heading_path="")

    assert row == {"file": "Bare Zebra.md"}
    assert answer["content"] == "---\nstatus: new\n---\n"


def test_several_sections_are_read_at_once_and_one_failure_spoils_no_other(client: Agent) -> None:
    answer = client.call(
        "get_section",
        sections=[
            {"file": "kite.md", "heading_path": "Flight > Launch"},
            {"file": "Notes/twice.md", "heading_path": "Log"},
            {"file": "nope.md", "line": 3},
            {"heading_path": "x"},
            {"file": "kite.md", "line": 7, "children": False},
        ],
    )["sections"]

    assert [entry.get("heading_path") for entry in answer] == ["Flight > Launch", "Log", None, "x", "Preamble"]
    assert answer[1]["error"]["code"] == "ambiguous-section"
    assert answer[2]["error"]["code"] == "note-not-found"
    assert answer[3]["error"]["message"] == "missing argument 'file': a string"


def test_at_most_twenty_sections_are_read_at_once(client: Agent) -> None:
    answer = client.call("get_section", file="kite.md", sections=[{"heading_path": "Launch"}] * 25)

    assert len(answer["sections"]) == 20
    assert answer["left_out"].startswith("5 sections")


def test_a_long_section_with_parts_comes_as_its_intro_and_their_outline(client: Agent) -> None:
    answer = client.call("get_section", file="Notes/long.md", heading_path="Long")

    assert answer["outline_only"] is True
    assert answer["content"] == "# Long\n\nintro"
    assert answer["content_hash"] == short("# Long\n\nintro")
    assert [node["heading_path"] for node in answer["outline"]] == [f"Long > Part {n}" for n in range(12)]
    assert len(as_json(answer)) <= 6_000


def test_a_long_note_comes_as_its_outline(client: Agent) -> None:
    answer = client.call("get_section", file="Notes/long.md")

    assert answer["outline_only"] is True
    assert "content_hash" not in answer
    assert answer["outline"][0]["heading_path"] == "Long"


def test_a_long_section_without_parts_is_cut_openly_and_its_hash_is_kept_back(client: Agent) -> None:
    cut = client.call("get_section", file="Notes/leaf.md", heading_path="Leaf")
    needed = int(cut["left_out"].partition("max_tokens ")[2].split()[0])
    whole = client.call("get_section", file="Notes/leaf.md", heading_path="Leaf", max_tokens=needed)

    assert cut["truncated"] is True
    assert cut["content"].endswith("of many\n")
    assert "content_hash" not in cut
    assert len(as_json(cut)) <= 6_000
    assert whole["content"].startswith(cut["content"])
    assert whole["content_hash"] == short(whole["content"])


def test_equal_headings_are_listed_with_their_lines_and_never_guessed_between(client: Agent) -> None:
    refusal = client.refused("get_section", file="Notes/twice.md", heading_path="Log")
    collision = client.refused("get_section", file="Notes/twice.md", heading_path="A[2]")
    later = client.call("get_section", file="Notes/twice.md", line=refusal["candidates"][1]["line"])

    assert refusal["code"] == "ambiguous-section"
    assert refusal["candidates"] == [
        {"heading_path": "May > Log", "line": 3},
        {"heading_path": "June > Log", "line": 9},
    ]
    assert "line" in refusal["hint"]
    assert [candidate["line"] for candidate in collision["candidates"]] == [15, 17]
    assert later["content"] == "## Log\n\nsecond"


def test_the_first_of_equal_siblings_is_read_by_its_path_and_tells_of_the_others(client: Agent) -> None:
    first = client.call("get_section", file="Notes/twice.md", heading_path="A")

    assert first["line_range"]["start"] == 13
    assert first["same_heading_at_lines"] == [15]


def test_an_unknown_section_or_note_is_answered_with_near_names_and_what_to_call(client: Agent) -> None:
    section = client.refused("get_section", file="kite.md", heading_path="Lunch")
    note = client.refused("outline", file="kites.md")
    line = client.refused("get_section", file="kite.md", line=999)

    assert section["suggestions"][0] == "Flight > Launch"
    assert "outline" in section["hint"]
    assert note["suggestions"][0] == "kite.md"
    assert "search" in note["hint"]
    assert line["code"] == "section-not-found"


@pytest.mark.parametrize("file", ["../kite.md", "a/../../kite.md", "x\0.md"])
def test_no_road_leads_out_of_the_vault(file: str, client: Agent) -> None:
    assert client.refused("get_section", file=file)["code"] == "invalid-path"
    assert client.refused("outline", file=file)["code"] == "invalid-path"
