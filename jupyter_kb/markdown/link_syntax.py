"""The syntax of wikilinks and of Markdown links' destinations; each match takes time with its own length."""

from __future__ import annotations

import re

_WIKILINK = re.compile(r"(!?)\[\[(?![ \t]*[\]|])([^\[\]|\n]++)(?:\|((?:[^\[\]\n]|\[[^\[\]\n]*\])*+))?\]\]")
_ANGLED = re.compile(r"<((?:[^<>\\\n]|\\.)*+)>")
_PLAIN_PART = re.compile(r"(?:[^ ()\\\x00-\x1f\x7f]|\\[!-/:-@\[-`{-~]|\\(?=\S))++")
_BLANKS = re.compile(r"[ \t\n]*")
_TITLE = re.compile(r"\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\]|\\.)*+'|\((?:[^()\\]|\\.)*+\)", re.DOTALL)
_PATH_MARKS = re.compile(r"[/.#:]")
_MAX_PARENTHESES = 32


def match_wikilink(text: str, position: int) -> re.Match[str] | None:
    """The wikilink or embed that begins at `position`: its `!` (or nothing), target and alias.

    `[[2]](https://…)` is how people cite, a Markdown link whose text is in brackets; `[[Note]](aside)` is a wikilink.
    """
    match = _WIKILINK.match(text, position)
    if match and text.startswith("(", match.end()):
        cited = inline_target(text, match.end() + 1)
        if cited and _PATH_MARKS.search(cited[0]):
            return None
    return match


def inline_target(text: str, position: int) -> tuple[str, int] | None:
    """Destination and end of `(destination "title")`, read from behind the parenthesis."""
    blanks = _BLANKS.match(text, position)
    position = blanks.end() if blanks else position
    if text[position : position + 1] == "<":
        angled = _ANGLED.match(text, position)
        if not angled:
            return None
        target, position = angled[1], angled.end()
    else:
        start, depth = position, 0
        while True:
            part = _PLAIN_PART.match(text, position)
            position = part.end() if part else position
            character = text[position : position + 1]
            if character == "(" and depth < _MAX_PARENTHESES:
                depth += 1
            elif character == ")" and depth:
                depth -= 1
            else:
                break
            position += 1
        if depth:
            return None
        target = text[start:position]
    blanks = _BLANKS.match(text, position)
    if blanks and blanks.end() > position:
        position = blanks.end()
        title = _TITLE.match(text, position)
        if title:
            blanks = _BLANKS.match(text, title.end())
            position = blanks.end() if blanks else title.end()
    return (target, position + 1) if text[position : position + 1] == ")" else None
