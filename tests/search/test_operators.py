"""Filters that are written into a query."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_kb.kb import KnowledgeBase
from jupyter_kb.models import Filters, SearchRequest
from jupyter_kb.search.filters import MOST_TAGS
from jupyter_kb.search.operators import narrowed
from jupyter_kb.settings import Settings


def described(query: str) -> str:
    """The query that is left | folders | tags."""
    asked = narrowed(SearchRequest(query=query))
    return "|".join((asked.query, " ".join(asked.filters.folders), " ".join(asked.filters.tags)))


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("gain switch", "gain switch||"),
        ("gain in:papers", "gain|papers|"),
        ("in:papers gain", "gain|papers|"),
        ("gain in:papers switch", "gain switch|papers|"),
        ("tag:todo in:lab", "|lab|todo"),
        ("tag:#todo", "||#todo"),
        ("tag:method/optical x", "x||method/optical"),
        ("-in:archive x", "x|!archive|"),
        ("x -tag:draft", "x||!draft"),
        ('in:"lab notes" x', "x|lab notes|"),
        ('tag:"a b"', "||a b"),
        ("in:lab/logs/ in:/papers", "|lab/logs /papers|"),
        ("in:中文 位置", "位置|中文|"),
        ("in: papers", "in: papers||"),
        ('in:""', 'in:""||'),
        ("tag:# x", "tag:# x||"),
        ("in:*", "in:*||"),
        ("log in:papers, x", "log x|papers,|"),
        ("main:x plugin:y", "main:x plugin:y||"),
        ("IN:papers", "IN:papers||"),
        ("+in:papers", "+in:papers||"),
        ('"see in:papers" x', '"see in:papers" x||'),
        ('"see in:papers', '"see|papers|'),
        ('-"in:papers x"', '-"in:papers x"||'),
        ('in:"papers"x', 'in:"papers"x||'),
    ],
)
def test_operators_become_filters_and_all_else_stays(query: str, expected: str) -> None:
    assert described(query) == expected


def test_operators_join_the_filters_that_are_there() -> None:
    filters = Filters(path="*.md", tags=("a",), folders=("x",))

    asked = narrowed(SearchRequest(query="tag:b in:y", filters=filters)).filters

    assert asked == Filters(path="*.md", tags=("a", "b"), folders=("x", "y"))


def test_more_operators_than_a_filter_may_have_are_words() -> None:
    asked = narrowed(SearchRequest(query=" ".join(f"tag:t{number}" for number in range(MOST_TAGS + 2))))

    assert len(asked.filters.tags) == MOST_TAGS
    assert asked.query == f"tag:t{MOST_TAGS} tag:t{MOST_TAGS + 1}"


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    root = tmp_path_factory.mktemp("v")
    notes = {
        "papers/a.md": "# A\n\nlight #todo\n",
        "papers/deep/b.md": "# B\n\nlight light #todo/later\n",
        "old/papers/c.md": "# C\n\nlight\n",
        "Papers of d.md": "# D\n\nlight dark\n",
    }
    for path, text in notes.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    with KnowledgeBase.open(root, settings=Settings(model="none"), index_dir=tmp_path_factory.mktemp("i")) as kb:
        yield kb


@pytest.mark.parametrize(
    ("query", "files"),
    [
        ("light in:papers", "a b c"),
        ("light in:/papers", "a b"),
        ("light tag:#todo", "a b"),
        ("light in:deep", "b"),
        ("light -in:deep in:PAPERS", "a c"),
        ("light tag:todo", "a b"),
        ("light -tag:todo", "c d"),
        ("light tag:todo tag:todo/later", "b"),
        ("in:papers", "a b c"),
        ("-in:papers", "d"),
        ("dark in:papers", ""),
        ("light in:nowhere", ""),
    ],
)
def test_a_search_stays_within_folders_and_tags_of_its_query(kb: KnowledgeBase, query: str, files: str) -> None:
    found = kb.search(SearchRequest(query=query, mode="text"))

    assert sorted(hit.title.lower() for hit in found.hits) == files.split()
    assert found.query == query


def test_a_folder_with_a_stroke_before_it_is_one_at_the_root(kb: KnowledgeBase) -> None:
    found = kb.search(SearchRequest(query="light", mode="text", filters=Filters(folders=("/papers", "!/papers/deep"))))

    assert [hit.file for hit in found.hits] == ["papers/a.md"]


@given(st.text(alphabet='in:tag"-#/ xé中!', max_size=30))
def test_whatever_is_typed_is_a_query(kb: KnowledgeBase, query: str) -> None:
    for mode in ("hybrid", "text", "headings"):
        kb.search(SearchRequest(query=query, mode=mode))
