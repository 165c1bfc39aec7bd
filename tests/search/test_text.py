"""Full-text search as a whole: which sections, in which order, shown how."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_kb.errors import InvalidRequestError
from jupyter_kb.markdown.document import parse
from jupyter_kb.models import Filters, Hit, SearchRequest
from jupyter_kb.search.text import search
from jupyter_kb.settings import Settings
from tests.index.vaults import IndexedVault, indexed

NOTES: dict[str, str | bytes] = {
    "kestrel.md": """---
title: Kestrel
tags: [instrument/optical]
aliases: [Fluorometer 7]
---
Bench notes.

# Calibration

The lamp drifts. Calibrate with quinine.

## Dark offset

Close the shutter. Dark adaptation takes 20 minutes.

# Repairs

Lamp replaced; the kube-proxy runs elsewhere. See E0382.
""",
    "protocols/npq.md": "# NPQ protocol\n\nDark adaptation of leaves. Adaptation, dark.\n\n## Lamp\n\nActinic light.\n",
    "protocols/light.md": "# Light\n\nlight light light lamp\n",
    "中文.md": "# 命令行\n\n使用命令行工具。\n\n# 工具\n\n命令与行。\n",
    "empty.md": "---\ntags: [hollow]\nowner: Mira\n---\n",
    "Ringing bells.md": "",
    "long.md": "# Long\n\n"
    + "Filling words of no meaning. " * 60
    + "\n\nThe needle is here.\n\n"
    + "More words. " * 60
    + "\n",
}


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Iterator[IndexedVault]:
    with indexed(tmp_path_factory.mktemp("v"), NOTES) as vault:
        yield vault


def hits(vault: IndexedVault, query: str, **options: Any) -> tuple[Hit, ...]:
    return search(vault.database, SearchRequest(query=query, **{"limit": 100, **options})).hits


def places(vault: IndexedVault, query: str, **options: Any) -> list[str]:
    return [f"{hit.file}#{hit.heading_path}" for hit in hits(vault, query, **options)]


# ── which sections ──────────────────────────────────────────────────────────────────────────────


def test_any_word_is_enough_and_more_rank_higher(vault: IndexedVault) -> None:
    found = places(vault, "dark adaptation lamp")
    assert found[0] in ("protocols/npq.md#NPQ protocol", "kestrel.md#Calibration > Dark offset")
    assert {"kestrel.md#Repairs", "protocols/light.md#Light", "protocols/npq.md#NPQ protocol > Lamp"} <= set(found)


def test_a_question_in_plain_words_finds_its_answer(vault: IndexedVault) -> None:
    assert places(vault, "how do I calibrate the drifting lamp?")[0] == "kestrel.md#Calibration"


def test_a_phrase_is_wanted_in_its_order(vault: IndexedVault) -> None:
    assert set(places(vault, '"dark adaptation"')) == {
        "protocols/npq.md#NPQ protocol",
        "kestrel.md#Calibration > Dark offset",
    }
    assert places(vault, '"adaptation dark"') == ["protocols/npq.md#NPQ protocol"]
    assert places(vault, '"dark lamp"') == []


def test_a_phrase_may_stand_in_a_heading_or_be_the_title(vault: IndexedVault) -> None:
    assert places(vault, '"dark offset"') == ["kestrel.md#Calibration > Dark offset"]
    assert places(vault, '"ringing bells"') == ["Ringing bells.md#"]


def test_signs_include_and_exclude(vault: IndexedVault) -> None:
    assert set(places(vault, "lamp +actinic")) == {"protocols/npq.md#NPQ protocol > Lamp"}
    assert "kestrel.md#Repairs" not in places(vault, "lamp -replaced")
    assert places(vault, 'dark -"dark adaptation"') == []
    assert places(vault, "+unknown lamp") == []


def test_an_identifier_is_found_whole_and_by_its_parts(vault: IndexedVault) -> None:
    for query in ("kube-proxy", "kubeproxy", "kube_proxy", "kubeProxy", "proxy", '"kube-proxy"', "E0382", "e0382"):
        assert places(vault, query)[0] == "kestrel.md#Repairs"


def test_a_prefix_finds_all_words_that_begin_so(vault: IndexedVault) -> None:
    assert set(places(vault, "calib*")) == {"kestrel.md#Calibration", "kestrel.md#Calibration > Dark offset"}
    assert places(vault, "zzz*") == []


def test_text_without_spaces_is_found(vault: IndexedVault) -> None:
    assert places(vault, "命令行")[0] == "中文.md#命令行"
    assert places(vault, '"使用命令行"') == ["中文.md#命令行"]
    assert set(places(vault, "令")) == {"中文.md#命令行", "中文.md#工具"}


def test_a_note_is_found_by_its_names(vault: IndexedVault) -> None:
    assert places(vault, "hollow") == ["empty.md#"]
    assert places(vault, "Mira") == ["empty.md#"]
    assert places(vault, "bells") == ["Ringing bells.md#"]
    assert places(vault, "fluorometer") == ["kestrel.md#Preamble"]
    assert places(vault, "kestrel")[0] == "kestrel.md#Preamble"


def test_a_query_without_words_finds_nothing(vault: IndexedVault) -> None:
    for query in ("???", "- + *", '""'):
        assert search(vault.database, SearchRequest(query=query)).total == 0


def test_no_query_lists_everything_in_the_order_of_files(vault: IndexedVault) -> None:
    rows = vault.database.query("SELECT file, heading_path FROM sections ORDER BY file, ordinal")
    assert places(vault, " ") == [f"{file}#{path}" for file, path in rows]
    assert places(vault, "", filters=Filters(path="protocols/light.md")) == ["protocols/light.md#Light"]


def test_a_query_that_only_excludes_lists_the_rest(vault: IndexedVault) -> None:
    everything, without = places(vault, ""), places(vault, "-lamp")
    assert set(without) == set(everything) - set(places(vault, "lamp"))
    assert without == sorted(without, key=everything.index)


def test_filters_come_before_ranking(vault: IndexedVault) -> None:
    found = search(vault.database, SearchRequest(query="lamp", filters=Filters(tags=("instrument",)), limit=1))
    assert (found.total, found.has_more) == (2, True)
    assert found.hits[0].file == "kestrel.md"
    assert places(vault, "lamp", filters=Filters(front_matter={"owner": "Mira"})) == []
    with pytest.raises(InvalidRequestError):
        hits(vault, "lamp", filters=Filters(path="[z-a]"))


# ── how many, in which order ────────────────────────────────────────────────────────────────────


@given(
    st.integers(0, 12),
    st.integers(0, 12),
    st.sampled_from([None, 1, 2]),
    st.sampled_from(["lamp", "", "-dark", "dark lamp light words"]),
)
def test_pages_are_windows_on_one_order(
    vault: IndexedVault, offset: int, limit: int, per_file: int | None, query: str
) -> None:
    whole = search(vault.database, SearchRequest(query=query, limit=1000, per_file=per_file))
    page = search(vault.database, SearchRequest(query=query, limit=limit, offset=offset, per_file=per_file))
    assert page.hits == whole.hits[offset : offset + limit]
    assert page.total == whole.total == len(whole.hits)
    assert page.has_more is (limit > 0 and offset + limit < whole.total)


def test_each_note_gives_at_most_so_many_hits(vault: IndexedVault) -> None:
    everything = hits(vault, "lamp dark words light")
    for cap in (1, 2):
        capped = hits(vault, "lamp dark words light", per_file=cap)
        files = [hit.file for hit in capped]
        assert max(files.count(file) for file in files) <= cap
        best = [hit for hit in everything if [h for h in everything if h.file == hit.file].index(hit) < cap]
        assert list(capped) == best


def test_equal_scores_are_in_the_order_of_files_and_places(tmp_path: Path) -> None:
    twin = "# Twin\n\nsame words\n\n# Twin\n\nsame words\n"
    files: dict[str, str | bytes] = dict.fromkeys(random.Random(1).sample([f"{c}.md" for c in "abcdefgh"], 8), twin)
    with indexed(tmp_path / "v", files) as vault:
        vault.write({"c.md": twin + "\n"})
        vault.indexer.scan()
        found = places(vault, "same words")
        assert found == [f"{c}.md#Twin{n}" for c in "abcdefgh" for n in ("", "[2]")]
        assert [places(vault, "same words", limit=1, offset=i)[0] for i in range(16)] == found


def test_scores_fall(vault: IndexedVault) -> None:
    found = [hit.score for hit in hits(vault, "lamp dark light words")]
    assert found == sorted(found, reverse=True)
    assert found[0] > found[-1] > 0


# ── what is shown ───────────────────────────────────────────────────────────────────────────────


def test_a_hit_says_where_it_is(vault: IndexedVault) -> None:
    (hit,) = hits(vault, "quinine")
    assert isinstance(NOTES["kestrel.md"], str)
    document = parse(NOTES["kestrel.md"].encode())
    section = document.find("Calibration")
    assert (hit.file, hit.title, hit.heading, hit.heading_path) == (
        "kestrel.md",
        "Kestrel",
        "Calibration",
        "Calibration",
    )
    assert hit.text == "The lamp drifts. Calibrate with quinine."
    assert hit.complete
    assert (hit.byte_range, hit.line_range) == (section.byte_range, section.line_range)
    assert (hit.content_hash, hit.own_hash) == (section.content_hash, section.own_hash)
    assert hit.content_hash != hit.own_hash


def test_a_hit_in_a_long_section_shows_the_best_part(vault: IndexedVault) -> None:
    (hit,) = hits(vault, "needle")
    assert isinstance(NOTES["long.md"], str)
    section = parse(NOTES["long.md"].encode()).find("Long")
    assert "The needle is here." in hit.text
    assert not hit.complete
    assert len(hit.text) <= 1000
    assert hit.byte_range == section.byte_range


def test_snippets_are_short_and_marked(vault: IndexedVault) -> None:
    for hit in hits(vault, "lamp dark needle 命令行"):
        assert len(hit.snippet) <= 160
        for start, end in hit.marks:
            assert hit.snippet[start:end].lower() in ("lamp", "dark", "needle", "命令行", "命令")


def test_a_note_without_text_is_not_complete(vault: IndexedVault) -> None:
    (hit,) = hits(vault, "hollow")
    assert (hit.text, hit.complete, hit.heading_path) == ("", False, "")
    assert hit.byte_range.end == len(NOTES["empty.md"])


def test_the_answer_repeats_the_question(vault: IndexedVault) -> None:
    found = search(vault.database, SearchRequest(query="+lamp"))
    assert (found.query, found.mode) == ("+lamp", "text")


# ── always up to date ───────────────────────────────────────────────────────────────────────────


def test_a_change_is_found_at_once_and_what_is_gone_is_not(tmp_path: Path) -> None:
    with indexed(tmp_path / "v", {"a.md": "# A\n\nzebra\n"}) as vault:
        assert places(vault, "zebra") == ["a.md#A"]
        vault.write({"a.md": "# A\n\nlion\n", "b.md": "zebra"})
        vault.indexer.scan()
        assert places(vault, "zebra") == ["b.md#Preamble"]
        (vault.root / "b.md").unlink()
        vault.indexer.update(["b.md"])
        assert places(vault, "zebra") == []
        assert places(vault, "zeb*") == []


def test_another_language_is_used_for_queries_too(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"a.md": "Die Häuser stehen.", "b.md": "die die die"}
    with indexed(tmp_path / "v", files, settings=Settings(language="german")) as vault:
        assert places(vault, "wie ist das Haus") == ["a.md#Preamble"]


@given(st.text(st.sampled_from('lamp dark"+-*命令()[]\\%_\0\n') | st.characters(codec="utf-8"), max_size=30))
def test_no_query_is_an_error(vault: IndexedVault, query: str) -> None:
    found = search(vault.database, SearchRequest(query=query))
    assert found.total >= len(found.hits)


# ── other orders than by rank ───────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("order", "descending"), [("path", False), ("path", True), ("title", False), ("modified", True)]
)
def test_hits_come_note_by_note_in_the_order_asked_for(vault: IndexedVault, order: Any, descending: bool) -> None:
    ranked = search(vault.database, SearchRequest(query="lamp calibrate", mode="text", limit=100))
    asked = SearchRequest(query="lamp calibrate", mode="text", limit=100, order_by=order, descending=descending)
    ordered = search(vault.database, asked)
    notes = dict.fromkeys(hit.file for hit in ordered.hits)
    rows = vault.database.query("SELECT path, title, mtime_ns FROM notes ORDER BY path")
    keys = {path: {"path": path, "title": title.casefold(), "modified": mtime}[order] for path, title, mtime in rows}

    assert len(notes) > 1
    assert list(notes) == [path for path in sorted(keys, key=keys.__getitem__, reverse=descending) if path in notes]
    assert ordered.notes == ranked.notes == len(notes)
    for note in notes:
        assert [h for h in ordered.hits if h.file == note] == [h for h in ranked.hits if h.file == note]


def test_an_order_that_is_not_there_is_refused(vault: IndexedVault) -> None:
    with pytest.raises(InvalidRequestError, match="order_by"):
        search(vault.database, SearchRequest(query="lamp", order_by="size"))  # type: ignore[arg-type]
