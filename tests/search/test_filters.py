"""Filters: by path, tag and front matter, and no way into the SQL."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from jupyter_kb.errors import InvalidRequestError
from jupyter_kb.models import Filters
from jupyter_kb.search.filters import MOST_CONDITIONS, conditions, matching_notes
from tests.index.vaults import IndexedVault, indexed

NOTES: dict[str, str | bytes] = {
    "Inbox.md": "",
    "methods/npq.md": "---\ntags: [method/optical, Draft]\nstatus: active\nyear: 2024\nok: true\nnone:\n---\n",
    "methods/deep/dye.md": (
        "---\ntags: [methods]\nauthors: [Mira, Jo]\ntiming: {dark: 20.0, steps: [1, 2]}\n---\n#inline/tag\n"
    ),
    "projects/a'b.md": "---\nstatus: \"it's\"\nyear: '2024'\n---\n",
}


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Iterator[IndexedVault]:
    with indexed(tmp_path_factory.mktemp("v"), NOTES) as vault:
        yield vault


def found(vault: IndexedVault, **filters: Any) -> list[str] | None:
    notes = matching_notes(vault.database, Filters(**filters))
    if notes is None:
        return None
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
        ({"tags": ("method",)}, ["npq.md"]),
        ({"tags": ("method/optical",)}, ["npq.md"]),
        ({"tags": ("METHOD", "draft")}, ["npq.md"]),
        ({"tags": ("#method/",)}, ["npq.md"]),
        ({"tags": ("method/opt",)}, []),
        ({"tags": ("inline",)}, ["dye.md"]),
        ({"tags": ("method", "methods")}, []),
        ({"front_matter": {"status": "active"}}, ["npq.md"]),
        ({"front_matter": {"status": "Active"}}, []),
        ({"front_matter": {"status": "it's"}}, ["a'b.md"]),
        ({"front_matter": {"year": 2024}}, ["a'b.md", "npq.md"]),
        ({"front_matter": {"year": "2024"}}, ["a'b.md", "npq.md"]),
        ({"front_matter": {"ok": True}}, ["npq.md"]),
        ({"front_matter": {"none": None}}, ["npq.md"]),
        ({"front_matter": {"authors": "Jo"}}, ["dye.md"]),
        ({"front_matter": {"authors": ["Mira", "Jo"]}}, ["dye.md"]),
        ({"front_matter": {"authors": ("Mira", "Jo")}}, ["dye.md"]),
        ({"front_matter": {"authors": ["Jo"]}}, []),
        ({"front_matter": {"timing.dark": 20}}, ["dye.md"]),
        ({"front_matter": {"timing.steps": 2}}, ["dye.md"]),
        ({"front_matter": {"timing": {"steps": [1, 2], "dark": 20.0}}}, ["dye.md"]),
        ({"front_matter": {"missing": None}}, []),
        ({"path": "methods", "tags": ("draft",), "front_matter": {"year": 2024}}, ["npq.md"]),
        ({}, None),
        ({"path": ""}, None),
    ],
)
def test_filters_pass(vault: IndexedVault, filters: dict[str, Any], expected: list[str] | None) -> None:
    assert found(vault, **filters) == expected


HOSTILE = ["' OR 1=1 --", "x'; DROP TABLE notes; --", "%", "_", "\\", "\0", "a' OR 'a'='a", "*' OR '1"]


@pytest.mark.parametrize("text", HOSTILE)
def test_values_never_become_sql(vault: IndexedVault, text: str) -> None:
    for filters in (
        {"path": text},
        {"tags": (text,)},
        {"front_matter": {text: text}},
        {"front_matter": {"status": text}},
    ):
        assert found(vault, **filters) == []
        for sql, parameters in conditions(Filters(**filters)):
            assert text not in sql or text in ("%", "_", "\\")
            assert sql.count("?") == len(parameters)
    assert vault.indexer.counts().notes == 4


def test_a_glob_that_makes_no_sense_is_said_to(vault: IndexedVault) -> None:
    with pytest.raises(InvalidRequestError, match="glob"):
        found(vault, path="[z-a]")


def test_an_empty_tag_and_too_many_conditions_are_refused(vault: IndexedVault) -> None:
    assert found(vault, tags=("method",) * MOST_CONDITIONS) == ["npq.md"]
    for filters in ({"tags": ("",)}, {"tags": ("#",)}, {"tags": ("t",) * (MOST_CONDITIONS + 1)}):
        with pytest.raises(InvalidRequestError):
            found(vault, **filters)
