"""Rows for showing: kept while nothing is written, and never longer."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from jupyter_kb.search import rows
from jupyter_kb.search.rows import section_rows
from tests.index.vaults import IndexedVault, indexed


@pytest.fixture
def vault(tmp_path_factory: pytest.TempPathFactory) -> Iterator[IndexedVault]:
    with indexed(
        tmp_path_factory.mktemp("v"), {f"{name}.md": f"# {name}\n\ntext of {name}" for name in "abc"}
    ) as vault:
        yield vault


def sections(vault: IndexedVault) -> list[int]:
    return [section for (section,) in vault.database.query("SELECT section_id FROM sections ORDER BY section_id")]


def texts(vault: IndexedVault, wanted: list[int]) -> list[str]:
    found = vault.database.consistently(lambda generation: section_rows(vault.database, wanted, generation))
    return [found[section].text for section in wanted if section in found]


def test_rows_are_those_of_the_index(vault: IndexedVault) -> None:
    assert texts(vault, sections(vault)) == ["text of a", "text of b", "text of c"]
    assert texts(vault, []) == []
    assert texts(vault, [1, *sections(vault)[:1]]) == ["text of a"]


def test_kept_rows_are_not_read_again(vault: IndexedVault, monkeypatch: pytest.MonkeyPatch) -> None:
    texts(vault, sections(vault)[:2])
    asked: list[list[int]] = []
    query = vault.database.query

    def noted(sql: str, parameters: list[list[int]]) -> list[tuple[object, ...]]:
        asked.append(parameters[0])
        return query(sql, parameters)

    wanted = sections(vault)
    monkeypatch.setattr(vault.database, "query", noted)
    assert texts(vault, wanted) == ["text of a", "text of b", "text of c"]
    assert asked == [wanted[2:]]


def test_a_write_makes_them_be_read_again(vault: IndexedVault) -> None:
    wanted = sections(vault)
    texts(vault, wanted)
    vault.write({"a.md": "# a\n\nother"})
    (vault.root / "b.md").unlink()
    vault.indexer.scan()
    assert texts(vault, wanted) == ["other", "text of c"]


def test_after_some_reads_everything_is_kept(vault: IndexedVault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "READS", 1)
    wanted = sections(vault)
    assert texts(vault, wanted[:1]) == ["text of a"]
    assert texts(vault, wanted[1:2]) == ["text of b"]
    assert rows._kept[vault.database].complete
    monkeypatch.setattr(vault.database, "query", lambda *_: 1 / 0)
    assert texts(vault, [*wanted, 1]) == ["text of a", "text of b", "text of c"]


def test_no_more_than_so_much_text_is_kept(vault: IndexedVault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "MOST_BYTES", 41)
    for _ in range(3):
        for section in sections(vault):
            assert texts(vault, [section])[0].startswith("text of")
            assert rows._kept[vault.database].characters <= 10
    assert not rows._kept[vault.database].complete


def test_many_threads_get_their_rows(vault: IndexedVault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "MOST_BYTES", 41)
    asked = sections(vault) * 40
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda section: texts(vault, [section]), asked))
    assert found == [["text of a"], ["text of b"], ["text of c"]] * 40
