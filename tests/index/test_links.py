"""Names folded, and links as rows."""

from __future__ import annotations

import pytest

from jupyter_kb.index.links import fold, name_key, rows
from jupyter_kb.markdown.document import parse


@pytest.mark.parametrize(
    ("name", "folded"),
    [("Kite", "kite"), ("ÉCOLE", "école"), ("E\u0301cole", "école"), ("Straße", "strasse"), ("注", "注"), ("", "")],
)
def test_names_are_folded(name: str, folded: str) -> None:
    assert fold(name) == folded
    assert fold(fold(name)) == folded


@pytest.mark.parametrize(
    ("path", "key"),
    [("a/B c.md", "b c"), ("B.MD", "b"), ("a/b.txt", "b.txt"), ("b", "b"), (".md", ""), ("", ""), ("x.md/y", "y")],
)
def test_a_path_is_known_by_its_last_segment_without_md(path: str, key: str) -> None:
    assert name_key(path) == key


def test_links_become_rows_in_order() -> None:
    document = parse(b"[[Top]]\n\n# A\n\n![[Dir/Kite.md#Tail|x]] and [m](../b%20c.md#d)\n")
    assert list(rows(7, document.links)) == [
        (7, 0, 0, 1, 0, 7, "wikilink", "Top", "Top", None, None, "top"),
        (7, 1, 1, 5, 14, 37, "embed", "Dir/Kite.md#Tail", "Dir/Kite.md", "Tail", "x", "kite"),
        (7, 1, 2, 5, 42, 60, "markdown", "../b%20c.md#d", "../b c.md", "d", "m", "b c"),
    ]
