"""Results as objects of Python."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.magics.shells import Notebook


def test_lists_are_indexed_sliced_and_iterated(notebook: Notebook) -> None:
    hits = notebook.run("%kb search gain")

    assert hits[-1] is list(hits)[-1]
    assert len(hits[2:5]) == 3
    assert hits[2:5][0] is hits[2]
    assert hits[0] in hits
    assert hits.total > len(hits) == 10
    assert repr(hits) == f"<Hits: 10 of {hits.total} results for “gain”>"
    with pytest.raises(IndexError):
        hits[10]


def test_a_slice_is_shown_like_the_whole(notebook: Notebook) -> None:
    for line in ("%kb search gain", "%kb outline kestrel", "%kb links npq-protocol"):
        rows = notebook.run(line)
        part = rows[1:3]
        assert type(part) is type(rows)
        html = part._repr_mimebundle_()["text/html"]
        assert html.count("<li>") == 2
        assert html.count("<li>") < rows._repr_mimebundle_()["text/html"].count("<li>")


@pytest.mark.parametrize(
    ("line", "columns"),
    [
        ("%kb search gain", {"file", "title", "heading_path", "line", "score", "snippet", "content_hash"}),
        ("%kb outline kestrel", {"level", "heading", "heading_path", "line", "size", "content_hash"}),
        ("%kb links npq-protocol", {"file", "line", "kind", "status", "target_file", "context"}),
        ("%kb backlinks kestrel", {"file", "line", "kind", "status", "target_file", "context"}),
    ],
)
def test_lists_become_data_frames(notebook: Notebook, line: str, columns: set[str]) -> None:
    pytest.importorskip("pandas")
    rows = notebook.run(line)
    frame = rows.to_frame()

    assert len(frame) == len(rows)
    assert columns <= set(frame.columns)


def test_an_empty_list_becomes_an_empty_frame_with_its_columns(notebook: Notebook) -> None:
    pytest.importorskip("pandas")
    frame = notebook.run("%kb search zzzz").to_frame()

    assert len(frame) == 0
    assert "heading_path" in frame.columns


def test_without_pandas_the_error_says_what_to_install(notebook: Notebook, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)

    with pytest.raises(ImportError, match="needs pandas, which is not installed here: `%pip install pandas`"):
        notebook.run("%kb search gain").to_frame()


def test_hits_tell_what_the_search_knew(notebook: Notebook) -> None:
    (hit,) = notebook.run("%kb search standing sample of heat-killed cells -n 1")

    assert (hit.file, hit.heading_path, hit.title) == ("inbox.md", "Inbox > Ideas", "Inbox")
    assert hit.score > 0
    assert "heat-killed" in hit.snippet
    assert "heat-killed" in hit.passage
    assert repr(hit) == "<Found inbox.md > Inbox > Ideas>"


def test_sections_without_a_name_are_read_by_their_line(notebook: Notebook, demo_vault: Path) -> None:
    (demo_vault / "bare.md").write_text(
        "only words, xylophone\n\n#\n\nbelow an empty heading, marimba\n", encoding="utf-8"
    )

    assert "xylophone" in notebook.run("%kb search xylophone")[0].text
    assert "marimba" in notebook.run("%kb search marimba")[0].text


def test_notes_are_linked_where_the_notebook_lies_above_or_below_them(
    notebook: Notebook, demo_vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def html() -> str:
        shown: str = notebook.run("%kb outline npq-protocol")._repr_mimebundle_()["text/html"]
        return shown

    assert 'href="./vault/methods/npq-protocol.md"' in html()
    monkeypatch.chdir(demo_vault / "daily")
    assert 'href="./../methods/npq-protocol.md"' in html()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    assert "href" not in html()
