"""search and grep of the vault toolset."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from blake3 import blake3

from jupyter_kb.mcp.results import as_json
from tests.mcp.driving import Agent, agent, write

LONG = "Lasers drift with temperature. " + "The warm laboratory makes filler sentences longer. " * 60

FILES: dict[str, str | bytes | None] = {
    "lab/laser.md": f"---\ntags: [method/optical]\nstatus: done\n---\n# Laser\n\n{LONG}\n\n## Alignment\n\n"
    "Use two mirrors and a pinhole.\n\n### Mirrors\n\nClean them.\n",
    "lab/pump.md": "---\ntags: [method]\n---\n# Pump\n\nOil the pump; see error E0382.\n\n"
    "## Alignment\n\nNone needed.\n",
    "reading.md": "# Reading\n\nA pinhole camera has no lens.\n",
}


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Agent]:
    write(tmp_path, FILES)
    with agent(tmp_path, "vault") as (client, _):
        yield client


def test_a_result_names_the_section_and_carries_its_passage(client: Agent) -> None:
    (first, *others) = client.call("search", query="two mirrors pinhole")["results"]

    assert (first["file"], first["heading_path"]) == ("lab/laser.md", "Laser > Alignment")
    assert "Use two mirrors and a pinhole." in first["text"]
    assert {row["file"] for row in others} >= {"reading.md"}


def test_a_complete_result_can_be_edited_at_once_without_harm_to_what_was_not_shown(
    client: Agent, tmp_path: Path
) -> None:
    (first, *_) = client.call("search", query="two mirrors pinhole")["results"]
    own = b"## Alignment\n\nUse two mirrors and a pinhole."

    assert first["complete"] is True
    assert first["content_hash"] == blake3(own).hexdigest()[:16]

    client.call(
        "edit_section",
        file=first["file"],
        heading_path=first["heading_path"],
        expected_hash=first["content_hash"],
        body="Use three mirrors.",
    )
    text = (tmp_path / "lab/laser.md").read_text()

    assert text.endswith("## Alignment\n\nUse three mirrors.\n\n### Mirrors\n\nClean them.\n")


def test_a_long_section_gives_its_best_passage_and_no_hash(client: Agent) -> None:
    (first, *_) = client.call("search", query="lasers drift")["results"]

    assert first["heading_path"] == "Laser"
    assert "drift" in first["text"]
    assert len(first["text"]) <= 1_000
    assert "complete" not in first
    assert "content_hash" not in first


def test_the_context_may_be_short_or_none(client: Agent) -> None:
    snippet = client.call("search", query="lasers drift", context="snippet")["results"][0]
    nothing = client.call("search", query="lasers drift", context="none")["results"][0]

    assert "drift" in snippet["text"]
    assert len(snippet["text"]) <= 160
    assert set(nothing) == {"file", "heading_path"}


def test_headings_are_searched_alone_when_asked(client: Agent) -> None:
    answer = client.call("search", query="alignment", mode="headings")
    nothing = client.call("search", query="pinhole", mode="headings")

    assert [(row["file"], row["heading_path"]) for row in answer["results"]] == [
        ("lab/laser.md", "Laser > Alignment"),
        ("lab/pump.md", "Pump > Alignment"),
        ("lab/laser.md", "Laser > Alignment > Mirrors"),
    ]
    assert nothing == {"results": []}


@pytest.mark.parametrize("mode", ["hybrid", "semantic"])
def test_meaning_is_answered_by_words_and_says_so(mode: str, client: Agent) -> None:
    answer = client.call("search", query="pinhole", mode=mode)

    assert answer["results"]
    assert answer["mode_used"] == "text"


def test_the_mode_is_named_only_when_it_is_another(client: Agent) -> None:
    assert "mode_used" not in client.call("search", query="pinhole", mode="text")
    assert "mode_used" not in client.call("search", query="pinhole", mode="headings")


@pytest.mark.parametrize(
    ("filters", "files"),
    [
        ({"path": "lab/**"}, {"lab/laser.md"}),
        ({"path": "READ"}, {"reading.md"}),
        ({"tags": ["method/optical"]}, {"lab/laser.md"}),
        ({"tags": "#method"}, {"lab/laser.md"}),
        ({"tags": ["nothing"]}, set()),
        ({"filters": {"status": "done"}}, {"lab/laser.md"}),
        ({"filters": '{"status": "open"}'}, set()),
        ({"filters": {"front_matter": {"status": "done"}}}, {"lab/laser.md"}),
        ({"filters": {"frontmatter": {"status": {"exists": True}}, "tags": "method"}}, set()),
    ],
)
def test_filters_hold_together_with_the_query(filters: dict[str, object], files: set[str], client: Agent) -> None:
    rows = client.call("search", query="pinhole", **filters)["results"]

    assert {row["file"] for row in rows} == files


def test_results_are_paged_and_capped_per_note(client: Agent) -> None:
    page = client.call("search", query="alignment mirrors pump pinhole", limit=2)
    following = client.call("search", query="alignment mirrors pump pinhole", limit=2, offset=page["next_offset"])
    documents = client.call("search", query="alignment mirrors pump pinhole", granularity="document")

    assert page["has_more"] is True
    assert len(page["results"]) == 2
    rows = [(row["file"], row["heading_path"]) for row in page["results"] + following["results"]]
    assert len(rows) == len(set(rows))
    files = [row["file"] for row in documents["results"]]
    assert len(files) == len(set(files)) == 3


def test_words_find_sections_and_no_chunks_and_the_answer_says_so(client: Agent) -> None:
    assert client.call("search", query="pinhole", granularity="chunk")["granularity_used"] == "section"


def test_the_answer_keeps_its_budget_and_says_what_it_left_out(tmp_path: Path) -> None:
    write(tmp_path, {f"{n:02}.md": f"# Note {n}\n\n{LONG}\n" for n in range(30)})

    with agent(tmp_path, "vault") as (client, _):
        answer = client.call("search", query="lasers", limit=30, max_tokens=1_000)

    assert len(as_json(answer)) <= 4_000
    assert answer["has_more"] is True
    assert answer["next_offset"] == len(answer["results"])
    assert "left_out" in answer


def test_explaining_adds_scores_lines_and_hashes(client: Agent) -> None:
    row = client.call("search", query="pinhole", explain=True)["results"][0]

    assert {"line_range", "content_hash", "score", "rank"} <= set(row)


def test_without_a_query_what_fulfils_the_filters_is_listed_with_its_number(client: Agent) -> None:
    answer = client.call("search", tags=["method"])

    sections = client.call("search", tags=["method"], granularity="section", limit=2)

    assert [(row["file"], row["heading_path"]) for row in answer["results"]] == [
        ("lab/laser.md", "Laser"),
        ("lab/pump.md", "Pump"),
    ]
    assert answer["total"] == 2
    assert sections["total"] == 5
    assert sections["has_more"] is True


def test_a_list_may_come_newest_first_with_its_dates(client: Agent, tmp_path: Path) -> None:
    for age, name in enumerate(["lab/pump.md", "reading.md", "lab/laser.md"]):
        os.utime(tmp_path / name, (1_700_000_000 - age, 1_700_000_000 - age))

    newest = client.call("search", order_by="modified", limit=2)["results"]
    by_path = client.call("search", order_by="path")["results"]

    assert [(row["file"], row["modified"]) for row in newest] == [
        ("lab/pump.md", "2023-11-14T22:13:20+00:00"),
        ("reading.md", "2023-11-14T22:13:19+00:00"),
    ]
    assert by_path == client.call("search", order_by="relevance")["results"]
    assert [row["file"] for row in by_path] == ["lab/laser.md", "lab/pump.md", "reading.md"]
    assert "modified" not in by_path[0]


@pytest.mark.parametrize("asked", [{"query": "pinhole"}, {"more_like": "reading.md"}])
def test_what_is_ranked_is_not_ordered_otherwise(asked: dict[str, str], client: Agent) -> None:
    refusal = client.refused("search", order_by="modified", **asked)

    assert refusal["code"] == "invalid-request"
    assert "leave query and more_like out" in refusal["hint"]


def test_an_argument_among_the_filters_is_told_where_it_belongs(client: Agent) -> None:
    refusal = client.refused("search", filters={"path": "lab/**", "front_matter": {"status": "done"}})

    assert refusal["message"] == "filter 'path': no note has this front-matter field"
    assert refusal["hint"] == "path is an argument of search itself, beside filters"


def test_a_tag_that_no_note_has_is_told_with_near_ones(client: Agent) -> None:
    answer = client.call("search", query="pinhole", tags=["metod"])

    assert answer["results"] == []
    assert answer["unknown_tags"] == {"metod": ["method"]}


def test_no_hit_is_an_empty_list(client: Agent) -> None:
    assert client.call("search", query="zebra", mode="text") == {"results": []}


# ── grep ────────────────────────────────────────────────────────────────────────────────────────


def test_grep_finds_exact_characters_with_line_and_section(client: Agent) -> None:
    assert client.call("grep", pattern="e0382") == {
        "matches": [
            {"file": "lab/pump.md", "heading_path": "Pump", "line": 6, "text": "Oil the pump; see error E0382."}
        ],
        "total": 1,
    }
    assert client.call("grep", pattern="e0382", case_sensitive=True) == {"matches": [], "total": 0}


def test_grep_takes_regular_expressions_and_context(client: Agent) -> None:
    answer = client.call("grep", pattern=r"^Use\s+two", is_regex=True, context_lines=2)

    (match,) = answer["matches"]
    assert match["heading_path"] == "Laser > Alignment"
    assert match["before"] == ["## Alignment", ""]
    assert match["after"] == ["", "### Mirrors"]


def test_grep_counts_and_names_notes(client: Agent) -> None:
    files = client.call("grep", pattern="pinhole", output="files")
    counts = client.call("grep", pattern="pump", output="counts", path="lab")

    assert files["files"] == ["lab/laser.md", "reading.md"]
    assert files["total"] == 2
    assert counts["counts"] == [{"file": "lab/pump.md", "count": 2}]


def test_grep_is_paged(client: Agent) -> None:
    first = client.call("grep", pattern="a", limit=3)
    second = client.call("grep", pattern="a", limit=3, offset=first["next_offset"])

    assert first["has_more"] is True
    lines = [(match["file"], match["line"]) for match in first["matches"] + second["matches"]]
    assert len(lines) == len(set(lines)) == 6


def test_grep_shows_a_long_line_around_its_match(client: Agent, tmp_path: Path) -> None:
    write(tmp_path, {"long.md": "# L\n\n" + "x" * 5_000 + "NEEDLE" + "y" * 5_000 + "\n"})

    (match,) = client.call("grep", pattern="needle")["matches"]

    assert "NEEDLE" in match["text"]
    assert match["text"].startswith("…")
    assert match["text"].endswith("…")
    assert len(match["text"]) < 400


def test_a_bad_expression_is_explained(client: Agent) -> None:
    refusal = client.refused("grep", pattern="(", is_regex=True)

    assert refusal["code"] == "invalid-request"
