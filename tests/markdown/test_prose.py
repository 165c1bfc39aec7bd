"""What is prose and what is not: where a word is found in a text that holds it in every place there is."""

from __future__ import annotations

import re
import time

import pytest

from jupyter_kb.markdown.document import parse
from jupyter_kb.markdown.prose import occurrences

KITE = re.compile("kite", re.IGNORECASE)


def found(text: str, pattern: re.Pattern[str] = KITE) -> list[str]:
    """The words at the places that were found, with the character before and behind each."""
    document = parse(text.encode())
    body = document.body
    return [body[max(start - 1, 0) : end + 1] for start, end in occurrences(body, document.blocks, pattern)]


@pytest.mark.parametrize(
    "text",
    [
        "A (kite) flies.",
        "# A\n\n- one\n  - (kite)\n",
        "> [!note] Title\n> quoted\n> (kite)\n",
        "| a | b |\n|---|---|\n| x | (kite) |\n",
        "it costs $5 and a (kite) costs $6",
        "[[other]] and a (kite) beside `code` and #tag\n",
        "one `tick and a (kite)",
        "50 %% of a (kite)",
        "**(kite)** and <b>bold</b>",
        "[x]: nowhere.md\n\nA (kite)[^1].\n\n[^1]: note\n",
    ],
)
def test_words_of_a_paragraph_list_quote_or_table_are_prose(text: str) -> None:
    assert found(text) == ["(kite)"]


@pytest.mark.parametrize(
    "text",
    [
        "[[kite]] ![[kite]] [[other|kite]] [[other#kite]]",
        "[kite](x.md) [x](kite.md) ![kite](x.png) [kite](https://a.example)",
        "[kite][1] and [1]\n\n[1]: kite.md 'kite'\n",
        "`kite` and ``a kite ` b``",
        "```\nkite\n```\n",
        "~~~ kite\nkite\n~~~\n",
        "    kite\n",
        "---\ntitle: kite\n---\n",
        "%% kite %%",
        "%%\nkite\n\nkite\n%%\n",
        "<!-- kite -->",
        "a <!-- kite --> b",
        "<div>\nkite\n</div>\n",
        'a <span title="kite">b</span>',
        "<https://kite.example> https://a.example/kite www.kite.example",
        "#kite and #a/kite",
        "$kite$ and $$kite$$",
        "$$\nkite\n$$\n",
        "a[^kite] b",
        "# A kite\n",
        "A kite\n======\n",
    ],
)
def test_links_code_formulas_comments_names_and_front_matter_are_none(text: str) -> None:
    assert found(text) == []


def test_each_place_is_found_once_and_in_order() -> None:
    text = "kite, [[kite]], a kite\nand a kite `kite`\n\nkite\n"

    assert found(text) == ["kite,", " kite\n", " kite ", "\nkite\n"]


def test_a_place_in_a_quote_is_that_in_the_text() -> None:
    document = parse(b"> a\n> two kites\n")

    ((start, end),) = occurrences(document.body, document.blocks, KITE)

    assert (document.body[start:end], start) == ("kite", document.body.index("kite"))


def test_a_text_full_of_openings_takes_no_longer_than_its_length() -> None:
    for piece in ("$kite ", "`kite ", "[kite ", "%%kite ", "$$kite ", "<kite ", "[^kite "):
        begin = time.perf_counter()
        found(piece * 20_000)
        assert time.perf_counter() - begin < 5
