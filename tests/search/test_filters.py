"""Filters: by path, tag, front matter, time and heading, and no way into the SQL."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from jupyter_kb.errors import InvalidRequestError
from jupyter_kb.index.notes import ORDINAL_BITS
from jupyter_kb.models import Filters
from jupyter_kb.search.conditions import MOST_FIELDS, MOST_LISTED, MOST_VALUES
from jupyter_kb.search.filters import MOST_HEADINGS, MOST_TAGS, Scope, matching_notes, scope, unknown_tags
from tests.index.vaults import IndexedVault, indexed
from tests.search import drawn

NOTES: dict[str, str | bytes] = {
    "Inbox.md": "",
    "methods/npq.md": (
        "---\ntags: [method/optical, Draft]\nstatus: active\nyear: 2024\nok: true\nnone:\nday: 2024-05-31\n---\n"
        "# Guide\n\n## Setup\n\n### Linux\n\n## Use\n\n# Other\n\n## Setup\n"
    ),
    "methods/deep/dye.md": (
        "---\ntags: [methods]\nauthors: [Mira, Jo]\ntiming: {dark: 20.0, steps: [1, 2]}\n"
        "day: 2024-06-01 10:00:00 +02:00\nsteps:\n  - {name: mix, minutes: 5}\n  - {name: wait, minutes: 40}\n---\n"
        "#inline/tag\n\n# Guide > Setup\n\n# Dye\n"
    ),
    "projects/a'b.md": "---\nstatus: \"it's\"\nyear: '2024'\nnone: ''\ndue: later\n---\n# The plan\n\n# Log\n\n# Log\n",
}


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Iterator[IndexedVault]:
    with indexed(tmp_path_factory.mktemp("v"), NOTES) as vault:
        yield vault


def found(vault: IndexedVault, **filters: Any) -> list[str] | None:
    notes = matching_notes(vault.database, Filters(**filters))
    if notes is None:
        return None
    assert notes.tolist() == sorted(set(notes.tolist()))
    paths = dict(vault.database.query("SELECT note_id, path FROM notes"))
    return sorted(paths[note].rpartition("/")[2] for note in notes.tolist())


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"path": "methods/"}, ["dye.md", "npq.md"]),
        ({"path": "METHODS"}, ["dye.md", "npq.md"]),
        ({"path": "methods/*"}, ["npq.md"]),
        ({"path": "methods/**"}, ["dye.md", "npq.md"]),
        ({"path": "n*.md"}, ["npq.md"]),
        ({"path": "a'b"}, ["a'b.md"]),
        ({"path": "%"}, []),
        ({"path": ("n*.md", "A'B")}, ["a'b.md", "npq.md"]),
        ({"path": ()}, None),
        ({"tags": ("method",)}, ["npq.md"]),
        ({"tags": ("method/optical",)}, ["npq.md"]),
        ({"tags": ("METHOD", "draft")}, ["npq.md"]),
        ({"tags": ("#method/",)}, ["npq.md"]),
        ({"tags": ("method/opt",)}, []),
        ({"tags": ("inline",)}, ["dye.md"]),
        ({"tags": ("method", "methods")}, []),
        ({"path": "methods", "tags": ("draft",), "front_matter": {"year": 2024}}, ["npq.md"]),
        ({}, None),
        ({"path": ""}, None),
    ],
)
def test_filters_pass(vault: IndexedVault, filters: dict[str, Any], expected: list[str] | None) -> None:
    assert found(vault, **filters) == expected


@pytest.mark.parametrize(
    ("front_matter", "expected"),
    [
        ({"status": "active"}, ["npq.md"]),
        ({"status": "Active"}, []),
        ({"status": "it's"}, ["a'b.md"]),
        ({"year": 2024}, ["a'b.md", "npq.md"]),
        ({"year": "2024"}, ["a'b.md", "npq.md"]),
        ({"ok": True}, ["npq.md"]),
        ({"authors": "Jo"}, ["dye.md"]),
        ({"timing.dark": 20}, ["dye.md"]),
        ({"timing.steps": 2}, ["dye.md"]),
        ({"steps.name": "wait"}, ["dye.md"]),
        ({"status": ["active", "it's", "gone"]}, ["a'b.md", "npq.md"]),
        ({"status": ("active", "gone")}, ["npq.md"]),
        ({"authors": {"any_of": ["Jo", "Ada"]}}, ["dye.md"]),
        ({"authors": {"all_of": ["Jo", "Mira", "Jo"]}}, ["dye.md"]),
        ({"authors": {"all_of": ["Jo", "Ada"]}}, []),
        ({"year": {"gte": 2024}}, ["a'b.md", "npq.md"]),
        ({"year": {"gt": 2024}}, []),
        ({"year": {"gt": 2023.5, "lte": "2024"}}, ["a'b.md", "npq.md"]),
        ({"timing.steps": {"gt": 1, "lt": 2}}, []),
        ({"steps.minutes": {"gt": 10, "lt": 50}}, ["dye.md"]),
        ({"day": {"lte": "2024-05-31"}}, ["npq.md"]),
        ({"day": {"gte": "2024-06-01T08:00:00Z"}}, ["dye.md"]),
        ({"day": {"gt": "2024-06-01T08:00:00Z"}}, []),
        ({"day": {"gte": 0}}, []),
        ({"status": {"gte": 0}}, []),
        ({"due": {"exists": True}}, ["a'b.md"]),
        ({"due": {"exists": False}}, ["Inbox.md", "dye.md", "npq.md"]),
        ({"none": {"exists": True}}, []),
        ({"none": {"exists": False}}, ["Inbox.md", "a'b.md", "dye.md", "npq.md"]),
        ({"timing": {"exists": True}}, ["dye.md"]),
        ({"title": "Guide"}, ["npq.md"]),
        ({"title": ["Inbox", "The plan"]}, ["Inbox.md", "a'b.md"]),
        ({"title": {"all_of": ["Inbox", "The plan"]}}, []),
        ({"title": {"exists": True}}, ["Inbox.md", "a'b.md", "dye.md", "npq.md"]),
        ({"status": "active", "year": {"lt": 2024}}, []),
    ],
)
def test_front_matter_is_asked_for(vault: IndexedVault, front_matter: dict[str, Any], expected: list[str]) -> None:
    assert found(vault, front_matter=front_matter) == expected


def test_a_tag_that_no_note_has_is_told_with_near_ones(vault: IndexedVault) -> None:
    asked = ["Draft", "method", "method/optcal", "drafts", "nothing at all", "inline"]

    assert unknown_tags(vault.database, asked) == (
        ("method/optcal", ("method/optical",)),
        ("drafts", ("Draft",)),
        ("nothing at all", ()),
    )


def test_a_title_of_the_front_matter_goes_before_the_headings(tmp_path: Path) -> None:
    with indexed(tmp_path / "v", {"n.md": "---\ntitle: ' Seen '\n---\n# Heading\n", "m.md": "# Heading\n"}) as vault:
        assert found(vault, front_matter={"title": "Seen"}) == ["n.md"]
        assert found(vault, front_matter={"title": "Heading"}) == ["m.md"]


def test_a_large_mapping_exists_by_what_is_in_it(tmp_path: Path) -> None:
    fields = "".join(f"  f{number}: {'x' * 50}\n" for number in range(100))
    with indexed(tmp_path / "v", {"n.md": f"---\nlarge:\n{fields}---\n", "m.md": "---\nsmall: 1\n---\n"}) as vault:
        assert found(vault, front_matter={"large": {"exists": True}}) == ["n.md"]
        assert found(vault, front_matter={"large": {"exists": False}}) == ["m.md"]
        assert found(vault, front_matter={"large": "x"}) == []


# ── refusals ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"gte": 1, "any_of": [1]}, "'year': any_of and gte exclude each other"),
        ({"any_of": [1], "all_of": [1]}, "'year': any_of and all_of exclude each other"),
        ({"exists": True, "gte": 1}, "'year': exists stands alone"),
        ({"exists": "yes"}, "'year': exists is true or false"),
        ({"ne": 1}, "'year': unknown operator 'ne'"),
        ({"gte": 1, "maximum": 3}, "'year': unknown operator 'maximum'"),
        ({}, "'year': the object is empty"),
        (None, "'year': null is no value"),
        ([1, None], "'year': null is no value"),
        ([], "'year': the list is empty"),
        ({"all_of": []}, "'year': all_of is empty"),
        ({"any_of": "x"}, "'year': any_of is a list"),
        ([[1]], "'year': a value is text, a number, true or false, not a list"),
        ({"all_of": [{"x": 1}]}, "'year': a value is text, a number, true or false, not an object"),
        ({"gte": "soon"}, "'year': gte needs a number or a date, not 'soon'"),
        ({"lt": True}, "'year': lt needs a number or a date, not true"),
        ({"gte": "2024-02-30"}, "'year': gte needs a number or a date"),
        ({"gte": 1, "lt": "2024-01-01"}, "'year': a range lies between two numbers or two dates"),
        ({"gte": float("nan")}, "'year': gte needs a number"),
        (["x"] * (MOST_VALUES + 1), f"'year': at most {MOST_VALUES} values"),
    ],
)
def test_a_condition_that_makes_no_sense_names_its_field(vault: IndexedVault, asked: Any, said: str) -> None:
    with pytest.raises(InvalidRequestError) as refusal:
        found(vault, front_matter={"status": "active", "year": asked})

    assert said in refusal.value.message


def test_refusals_say_what_to_write_instead(vault: IndexedVault) -> None:
    def hint(front_matter: dict[str, Any]) -> str:
        with pytest.raises(InvalidRequestError) as refusal:
            found(vault, front_matter=front_matter)
        return refusal.value.hint or ""

    assert "any_of, all_of, gte, gt, lte, lt, exists" in hint({"timing": {"dark": 20}})
    assert "'timing.dark'" in hint({"timing": {"dark": 20}})
    assert '{"exists": false}' in hint({"year": None})
    assert "2024-05-31" in hint({"day": {"gte": "May"}})


def test_at_most_so_many_conditions(vault: IndexedVault) -> None:
    assert found(vault, tags=("method",) * MOST_TAGS) == ["npq.md"]
    assert found(vault, front_matter={"year": [*range(MOST_VALUES - 1), 2024]}) == ["a'b.md", "npq.md"]
    for filters in (
        {"tags": ("",)},
        {"tags": ("#",)},
        {"tags": ("t",) * (MOST_TAGS + 1)},
        {"front_matter": {f"f{number}": 1 for number in range(MOST_FIELDS + 1)}},
        {"front_matter": {" ": 1}},
        {"heading_prefix": ("Guide",) * (MOST_HEADINGS + 1)},
        {"heading_prefix": ("Guide", " ")},
        {"heading_prefix": ("\u200b\u00ad",)},
        {"path": "[z-a]"},
    ):
        with pytest.raises(InvalidRequestError):
            found(vault, **filters)


@pytest.mark.parametrize(
    "asked", ["x", {"gte": 1}, {"all_of": ["x", "y"]}, {"exists": True}, {"exists": False}, ["x", "y"]]
)
def test_a_field_that_no_note_has_is_refused_with_those_that_are_there(vault: IndexedVault, asked: Any) -> None:
    with pytest.raises(InvalidRequestError, match="'Yaer': no note has this front-matter field") as refusal:
        found(vault, path="nowhere", front_matter={"Yaer": asked})

    details = refusal.value.details
    assert details["suggestions"][0] == "year"
    assert "'year'" in (refusal.value.hint or "")
    assert {"status", "authors", "timing.dark", "title"} <= set(details["fields"])
    assert "timing.dark" in (refusal.value.hint or "")
    assert details["fields"].index("year") < details["fields"].index("authors"), "the most frequent ones come first"


def test_a_refusal_lists_no_more_fields_than_one_can_read(tmp_path: Path) -> None:
    fields = "".join(f"field{number}: 1\n" for number in range(100))
    with indexed(tmp_path / "v", {"n.md": f"---\n{fields}---\n", "m.md": "---\nfield77: 2\n---\n"}) as vault:
        with pytest.raises(InvalidRequestError) as refusal:
            found(vault, front_matter={"fild99": 1})
        assert refusal.value.details["suggestions"][0] == "field99"
        assert len(refusal.value.details["fields"]) == MOST_LISTED
        assert refusal.value.details["fields"][0] == "field77"


def test_without_any_front_matter_there_is_still_the_title(tmp_path: Path) -> None:
    with indexed(tmp_path / "v", {"n.md": "# One\n"}) as vault:
        assert found(vault, front_matter={"title": "One"}) == ["n.md"]
        with pytest.raises(InvalidRequestError) as refusal:
            found(vault, front_matter={"status": 1})
        assert refusal.value.details == {"fields": ["title"], "suggestions": []}
        assert refusal.value.hint == "the fields are title"


# ── time ────────────────────────────────────────────────────────────────────────────────────────


def test_notes_are_chosen_by_when_they_were_modified(tmp_path: Path) -> None:
    midnight = 1_717_113_600  # 2024-05-31T00:00:00Z
    with indexed(tmp_path / "v") as vault:
        for name, seconds in (("before", midnight - 1), ("at", midnight), ("after", midnight + 1)):
            vault.write({f"{name}.md": ""})
            os.utime(vault.root / f"{name}.md", (seconds, seconds))
        vault.indexer.scan()

        for moment in (
            "2024-05-31",
            "2024-05-31T00:00:00Z",
            "2024-05-31t02:00:00+02:00",
            "2024-05-30 23:00:00.0-01:00",
        ):
            assert found(vault, modified_after=moment) == ["after.md", "at.md"], moment
            assert found(vault, modified_before=moment) == ["before.md"], moment
        assert found(vault, modified_after="2024-05-31", modified_before="2024-05-31T00:00:01Z") == ["at.md"]
        assert found(vault, modified_after="9999-12-31", modified_before="0001-01-01") == []
        assert len(found(vault, modified_after="0001-01-01", modified_before="9999-12-31") or ()) == 3


@pytest.mark.parametrize(
    "text", ["", "yesterday", "2024", "2024-02-30", "2024-05-31T10:00:00", "2024-05-31T10:00Z", "31.5.2024"]
)
def test_what_is_no_date_is_refused_and_named(vault: IndexedVault, text: str) -> None:
    with pytest.raises(InvalidRequestError, match=r"^modified_before: .* is not a date$") as refusal:
        found(vault, modified_before=text)
    assert "2024-05-31T14:00:00Z" in (refusal.value.hint or "")


# ── headings ────────────────────────────────────────────────────────────────────────────────────


def under(vault: IndexedVault, *headings: str, **filters: Any) -> list[str]:
    passing = scope(vault.database, Filters(heading_prefix=headings, **filters))
    assert passing is not None
    assert passing.sections is not None
    assert passing.sections.tolist() == sorted(passing.sections.tolist())
    assert passing.notes.tolist() == sorted({section >> ORDINAL_BITS for section in passing.sections.tolist()})
    paths = dict(vault.database.query("SELECT section_id, heading_path FROM sections"))
    return [paths[section] for section in passing.sections.tolist()]


@pytest.mark.parametrize(
    ("headings", "expected"),
    [
        (["Guide"], ["Guide", "Guide > Setup", "Guide > Setup > Linux", "Guide > Use"]),
        (["Setup"], ["Guide > Setup", "Guide > Setup > Linux", "Other > Setup"]),
        (["Guide", "Setup"], ["Guide > Setup", "Guide > Setup > Linux"]),
        (["guide", " SET\u200bUP "], ["Guide > Setup", "Guide > Setup > Linux"]),
        (["Setup", "Linux"], ["Guide > Setup > Linux"]),
        (["Guide", "Linux"], []),
        (["Set"], []),
        (["Setup", "Guide"], []),
        (["Guide > Setup"], ["Guide > Setup"]),
        (["the   PLAN"], ["The plan"]),
        (["Log"], ["Log", "Log[2]"]),
        (["log[2]"], ["Log[2]"]),
        (["Preamble"], []),
        (["nowhere"], []),
    ],
)
def test_sections_are_chosen_by_whole_headings_above_them(
    vault: IndexedVault, headings: list[str], expected: list[str]
) -> None:
    assert sorted(under(vault, *headings)) == sorted(expected)


def test_a_heading_that_looks_like_a_path_is_one_heading(vault: IndexedVault) -> None:
    assert found(vault, heading_prefix=("Guide > Setup",)) == ["dye.md"]
    assert found(vault, heading_prefix=("Guide", "Setup")) == ["npq.md"]


def test_headings_go_together_with_conditions_on_the_note(vault: IndexedVault) -> None:
    assert under(vault, "Setup", front_matter={"status": "active"}, path="npq") != []
    assert under(vault, "Setup", front_matter={"status": "it's"}) == []


def test_the_unicode_form_of_a_heading_counts(tmp_path: Path) -> None:
    with indexed(
        tmp_path / "v", {"n.md": "# Caf\u00e9\n", "m.md": "# Cafe\u0301\n", "s.md": "# Stra\u00dfe\n"}
    ) as vault:
        assert found(vault, heading_prefix=("CAF\u00c9",)) == ["n.md"]
        assert found(vault, heading_prefix=("cafe\u0301",)) == ["m.md"]
        assert found(vault, heading_prefix=("STRASSE",)) == ["s.md"]


def test_headings_follow_the_index_from_write_to_write(tmp_path: Path) -> None:
    with indexed(tmp_path / "v", {"a.md": "# One\n\n## Two\n", "b.md": "# Three\n"}) as vault:
        assert under(vault, "One") == ["One", "One > Two"]
        vault.write({"a.md": "# Zero\n\n# One\n\n## Four\n\n## Five\n", "c.md": "# One\n"})
        (vault.root / "b.md").unlink()
        vault.indexer.scan()
        assert under(vault, "One") == ["One", "One > Four", "One > Five", "One"]
        assert under(vault, "Two") == under(vault, "Three") == []
        (vault.root / "a.md").unlink()
        vault.indexer.scan()
        assert under(vault, "one") == ["One"]


def test_a_note_that_was_written_again_is_found_as_before(tmp_path: Path) -> None:
    note = "---\ntags: [t]\nyear: {}\n---\n# One\n\n## Two\n"
    with indexed(tmp_path / "v", {f"{name}.md": note.format(1) for name in "abc"}) as vault:
        assert len(under(vault, "One")) == 6
        vault.write({"a.md": note.format(22)})
        vault.indexer.scan()

        assert under(vault, "Two") == ["One > Two"] * 3
        everything = ["a.md", "b.md", "c.md"]
        assert found(vault, tags=("t",)) == everything
        for asked in ([1, 22], {"gte": 1}, {"exists": True}):
            assert found(vault, front_matter={"year": asked}) == everything
        assert found(vault, front_matter={"year": {"exists": False}}) == []


def test_an_old_state_of_the_index_is_not_kept_for_the_new_one(tmp_path: Path) -> None:
    with indexed(tmp_path / "v", {"a.md": "# One\n"}) as vault:
        with vault.database.snapshot():
            vault.write({"b.md": "# One\n"})
            vault.indexer.scan()
            under(vault, "One")
        assert under(vault, "One") == ["One", "One"]


# ── as a whole ──────────────────────────────────────────────────────────────────────────────────

HOSTILE = ["' OR 1=1 --", "x'; DROP TABLE notes; --", "%", "_", "\\", "\0", "a' OR 'a'='a", "*' OR '1", "\ud800"]


@pytest.mark.parametrize("text", HOSTILE)
def test_values_never_become_sql(vault: IndexedVault, text: str) -> None:
    for filters in (
        {"path": text},
        {"tags": (text,)},
        {"front_matter": {"status": text}},
        {"front_matter": {"status": [text, text + "x"]}},
        {"front_matter": {"status": {"all_of": [text, text + "x"]}}},
        {"front_matter": {"title": text}},
        {"heading_prefix": (text,)},
    ):
        assert found(vault, **filters) == []
    for asked in (text, {"exists": False}, {"gte": 1}):
        with pytest.raises(InvalidRequestError, match="no note has this"):
            found(vault, front_matter={text: asked})
    assert vault.indexer.counts().notes == 4


@given(notes=drawn.VAULTS, asked=st.lists(drawn.FILTERS, min_size=1, max_size=6))
@example(notes={}, asked=[Filters(path="b"), Filters(heading_prefix=("A",))])
def test_filters_agree_with_a_plain_reading_of_the_notes(notes: dict[str, drawn.Note], asked: list[Filters]) -> None:
    with drawn.written(notes) as vault:
        documents, mtimes = drawn.read(vault)
        ids = dict(vault.database.query("SELECT path, note_id FROM notes"))
        every = vault.database.columns("SELECT section_id FROM sections ORDER BY section_id")["section_id"]
        for filters in asked:
            if drawn.unknown(documents, filters):
                with pytest.raises(InvalidRequestError, match="no note has"):
                    scope(vault.database, filters)
                continue
            expected = {
                ids[key] << ORDINAL_BITS | ordinal
                for key, ordinals in drawn.passing(documents, mtimes, filters).items()
                for ordinal in ordinals
            }
            passing = scope(vault.database, filters)
            if passing is None:
                assert filters == Filters()
                continue
            assert set(every[passing.mask(every)].tolist()) == expected, filters
            assert passing.notes.tolist() == sorted({section >> ORDINAL_BITS for section in expected}), filters
            assert (passing.sections is None) == (not filters.heading_prefix)


def test_a_mask_is_in_the_order_of_what_it_is_asked() -> None:
    one = Scope(notes=np.array([2, 5]), sections=np.array([2 << ORDINAL_BITS | 3, 5 << ORDINAL_BITS]))
    sections = np.array([5 << ORDINAL_BITS, 9 << ORDINAL_BITS, 2 << ORDINAL_BITS, 2 << ORDINAL_BITS | 3])

    assert one.mask(sections).tolist() == [True, False, False, True]
    assert Scope(notes=one.notes).mask(sections).tolist() == [True, False, True, True]
    assert Scope(notes=one.notes[:0]).mask(sections).tolist() == [False] * 4
