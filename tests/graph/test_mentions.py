"""Mentions: where a note is named without a link, with the exact place, in bounded time."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from jupyter_kb.errors import NoteNotFoundError
from jupyter_kb.graph.mentions import Mentions
from jupyter_kb.models import Mention, MentionPage
from tests.graph.conftest import MakeVault
from tests.graph.vaults import IndexedVault


def mentions(vault: IndexedVault, file: str, *, limit: int = 50, offset: int = 0) -> MentionPage:
    return Mentions(vault.database, vault.vault).of(file, limit=limit, offset=offset)


def places(page: MentionPage) -> set[tuple[str, int, str]]:
    return {(mention.source.file, mention.line, mention.text) for mention in page.mentions}


def test_title_and_aliases_are_found_in_other_notes_in_any_case(make_vault: MakeVault) -> None:
    vault = make_vault(
        {
            "kite.md": "---\naliases: [Drachen]\n---\n# Stunt kite\n\nA stunt kite is a Drachen.\n",
            "log.md": "# Log\n\nThe STUNT KITE flew.\n\n## Later\n\nA drachen, too.\n",
            "file name.md": "kite.md is no title\n",
        }
    )

    page = mentions(vault, "kite.md")

    assert places(page) == {("log.md", 3, "STUNT KITE"), ("log.md", 7, "drachen")}
    assert (page.total, page.more) == (2, False)
    assert [mention.source.heading_path for mention in page.mentions] == ["Log", "Log > Later"]


def test_a_place_is_exact_in_its_line_and_in_the_file(make_vault: MakeVault) -> None:
    text = "\ufeff---\na: b\n---\r\n\r\n# 记录\r\n\r\n> 风 and 🪁 a Kite here  \r\n".encode() + b"\xff Kite\r\n"
    vault = make_vault({"kite.md": "# Kite\n", "log.md": text})

    first, second = mentions(vault, "kite.md").mentions

    assert first.context == "> 风 and 🪁 a Kite here  "
    for mention in (first, second):
        assert mention.context[slice(*mention.span)] == mention.text == "Kite"
        assert text[mention.byte_range.start : mention.byte_range.end] == b"Kite"
        assert b"Kite" in text.splitlines()[mention.line - 1]
    assert second.context == "\ufffd Kite"
    assert first.source.file == "log.md"
    place = first.source.byte_range
    assert text[place.start : place.end].startswith("# 记录".encode())


def test_only_whole_words_are_names_where_words_are_written_apart(make_vault: MakeVault) -> None:
    vault = make_vault(
        {
            "cat.md": "# Cat\n",
            "c.md": "---\ntitle: C++\n---\n",
            "log.md": "concatenate cats cat_1 Cat's cat, café-cat 一只Cat在 C++11 C++. C+++\n",
        }
    )

    assert [mention.span for mention in mentions(vault, "cat.md").mentions] == [(23, 26), (29, 32), (39, 42), (45, 48)]
    assert [mention.span for mention in mentions(vault, "c.md").mentions] == [(56, 59), (61, 64)]


def test_names_of_scripts_without_spaces_are_found_anywhere_from_two_characters_on(make_vault: MakeVault) -> None:
    vault = make_vault(
        {"w.md": "---\naliases: [风, 放风筝的人]\n---\n# 风筝\n", "log.md": "他是放风筝的人，风筝飞得很高。风大。\n"}
    )

    assert [mention.text for mention in mentions(vault, "w.md").mentions] == ["放风筝的人", "风筝"]


def test_short_names_are_not_looked_for(make_vault: MakeVault) -> None:
    vault = make_vault({"ab.md": "# ab\n", "log.md": "ab ab ab\n"})

    assert mentions(vault, "ab.md") == MentionPage(mentions=(), total=0)


def test_of_two_names_at_one_place_the_longer_counts(make_vault: MakeVault) -> None:
    vault = make_vault(
        {"k.md": "---\naliases: [kite, kite festival]\n---\n# Flying\n", "log.md": "The kite festival.\n"}
    )

    assert [mention.text for mention in mentions(vault, "k.md").mentions] == ["kite festival"]


def test_names_with_signs_of_expressions_are_plain_text(make_vault: MakeVault) -> None:
    vault = make_vault(
        {"a.md": "---\ntitle: 'a.b (c) [d]* ^1 | x+'\n---\n", "log.md": "See a.b (c) [d]* ^1 | x+, axb.\n"}
    )

    assert [mention.text for mention in mentions(vault, "a.md").mentions] == ["a.b (c) [d]* ^1 | x+"]


def test_links_to_the_note_are_no_mentions(make_vault: MakeVault) -> None:
    vault = make_vault({"kite.md": "# Kite\n", "log.md": "[[kite]] [Kite](kite.md)\n", "b.md": "[[kite]] and a kite\n"})

    assert places(mentions(vault, "kite.md")) == {("b.md", 1, "kite")}


def test_notes_edited_last_come_first_and_pages_make_the_whole(make_vault: MakeVault) -> None:
    vault = make_vault({"kite.md": "# Kite\n", **{f"{n}.md": "a kite\n\nanother kite\n" for n in range(5)}})
    for number in range(5):
        os.utime(vault.root / f"{number}.md", (1_000_000 + number, 1_000_000 + number))
    vault.indexer.scan()
    asked = Mentions(vault.database, vault.vault)

    whole = asked.of("kite.md", limit=100)
    pages = [asked.of("kite.md", limit=3, offset=offset) for offset in range(0, 10, 3)]

    assert [mention.source.file for mention in whole.mentions[::2]] == ["4.md", "3.md", "2.md", "1.md", "0.md"]
    assert tuple(mention for page in pages for mention in page.mentions) == whole.mentions
    assert {page.total for page in pages} == {10}


def test_a_question_that_runs_out_of_time_is_gone_on_with_by_the_next(make_vault: MakeVault) -> None:
    vault = make_vault({"kite.md": "# Kite\n", **{f"{n}.md": "a kite\n" for n in range(3)}})
    asked = Mentions(vault.database, vault.vault)

    answers = [asked.of("kite.md", seconds=0.0) for _ in range(4)]

    assert [(answer.total, answer.more) for answer in answers] == [(1, True), (2, True), (3, False), (3, False)]


def test_what_was_remembered_is_forgotten_when_the_index_changes(make_vault: MakeVault) -> None:
    vault = make_vault({"kite.md": "# Kite\n", "a.md": "a kite\n"})
    asked = Mentions(vault.database, vault.vault)
    assert asked.of("kite.md").total == 1

    vault.write({"b.md": "one more kite\n", "kite.md": "---\naliases: [wind]\n---\n# Kite\n"})

    assert places(asked.of("kite.md")) == {("a.md", 1, "kite"), ("b.md", 1, "kite")}


def test_a_note_that_cannot_be_read_any_more_is_passed_over(make_vault: MakeVault) -> None:
    vault = make_vault({"kite.md": "# Kite\n", "a.md": "a kite\n", "b.md": "a kite\n"})
    Path(vault.root, "a.md").unlink()

    assert places(mentions(vault, "kite.md")) == {("b.md", 1, "kite")}


def test_a_note_that_is_not_indexed_is_not_found(make_vault: MakeVault) -> None:
    with pytest.raises(NoteNotFoundError):
        mentions(make_vault({"kite.md": "# Kite\n"}), "kit.md")


@pytest.mark.data
def test_the_first_page_is_there_in_a_third_of_a_second_however_often_a_note_is_named(hub: IndexedVault) -> None:
    found: list[Mention] = []
    for file in ("05 - Concepts/Obsidian Publish.md", "05 - Concepts/Zettelkasten.md"):
        took = []
        for _ in range(3):
            asked = Mentions(hub.database, hub.vault)
            begin = time.perf_counter()
            found += asked.of(file).mentions
            took.append(time.perf_counter() - begin)
        assert min(took) < 0.3
    assert found
