"""Facets: what there is to filter by, with counts that filters confirm."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from jupyter_kb.kb import KnowledgeBase
from jupyter_kb.models import Facets, Filters, FolderCount, PropertyCount, SearchRequest, TagCount, ValueCount
from jupyter_kb.search import facets as facets_module
from jupyter_kb.settings import Settings

NOTES = {
    "a.md": "---\ntags: [wind]\nyear: 2024\ndone: true\n---\n#Wind/Strong here\n",
    "docs/b.md": "---\ntags: [Wind, sky]\nyear: 2024.0\nauthors: [ada, bob, ada]\nmeta: {kind: x}\n---\n",
    "docs/deep/c.md": "---\ntags: [wind/strong]\nyear: '2023'\nauthors: [ada]\nrelated: '[[a]]'\n---\n",
    "docs/deep/d.md": "---\nauthors: []\nsummary: " + "long " * 60 + "\n---\n# D\n",
    "plain.md": "# Plain\n",
}


def made(root: Path, notes: Mapping[str, str]) -> KnowledgeBase:
    for name, text in notes.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return KnowledgeBase.open(root, settings=Settings(model="none"), in_memory=True)


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[KnowledgeBase]:
    with made(tmp_path, NOTES) as opened:
        yield opened


@pytest.fixture
def facets(vault: KnowledgeBase) -> Facets:
    return vault.facets()


def test_tags_are_counted_as_a_filter_finds_them(vault: KnowledgeBase, facets: Facets) -> None:
    assert facets.tags == (
        TagCount(name="Wind", count=3),
        TagCount(name="Wind/Strong", count=2),
        TagCount(name="sky", count=1),
    )
    for tag in facets.tags:
        listed = vault.search(SearchRequest(filters=Filters(tags=(tag.name,)), granularity="document"))
        assert listed.total == tag.count


def test_folders_count_the_notes_below_them(facets: Facets) -> None:
    assert facets.folders == (FolderCount(path="docs", count=3), FolderCount(path="docs/deep", count=2))
    assert facets.notes == 5


def test_properties_come_with_their_scalars_and_the_items_of_their_lists(facets: Facets) -> None:
    found = {one.name: one for one in facets.properties}

    assert [one.name for one in facets.properties[:3]] == ["authors", "tags", "year"]
    assert found["authors"] == PropertyCount(
        name="authors", count=3, values=(ValueCount(value="ada", count=2), ValueCount(value="bob", count=1))
    )
    assert found["year"].values == (ValueCount(value="2024", count=2), ValueCount(value="2023", count=1))
    assert found["done"].values == (ValueCount(value="true", count=1),)
    assert found["meta.kind"].values == (ValueCount(value="x", count=1),)
    assert found["meta"].values == ()
    assert found["related"].values == (ValueCount(value="[[a]]", count=1),)


def test_a_value_as_long_as_a_text_is_left_off_and_counted(facets: Facets) -> None:
    assert [(one.count, one.values, one.more_values) for one in facets.properties if one.name == "summary"] == [
        (1, (), 1)
    ]


def test_what_is_left_off_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(facets_module, "MOST", 3)
    monkeypatch.setattr(facets_module, "MOST_PROPERTIES", 2)
    notes = {f"folder{n}/{n}.md": f"---\ntags: [tag{n}]\nkind: value{n:02}\nfield{n}: 1\n---\n" for n in range(25)}

    with made(tmp_path, notes) as vault:
        facets = vault.facets()

    assert ([tag.name for tag in facets.tags], facets.more_tags) == (["tag0", "tag1", "tag10"], 22)
    assert (len(facets.folders), facets.more_folders) == (3, 22)
    assert [(one.name, len(one.values), one.more_values) for one in facets.properties] == [
        ("kind", 20, 5),
        ("tags", 20, 5),
    ]
    assert facets.more_properties == 25


def test_a_vault_without_anything_has_none(tmp_path: Path) -> None:
    with made(tmp_path, {}) as vault:
        assert vault.facets() == Facets(notes=0, tags=(), folders=(), properties=())


def test_a_new_note_is_counted_at_once(vault: KnowledgeBase, tmp_path: Path) -> None:
    before = vault.facets().notes
    (tmp_path / "new.md").write_text("#fresh\n")

    after = vault.facets()

    assert after.notes == before + 1
    assert TagCount(name="fresh", count=1) in after.tags
