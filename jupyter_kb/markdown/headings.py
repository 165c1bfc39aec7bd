"""A heading's text: what a reader sees of it, without markup."""

from __future__ import annotations

import re

from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from jupyter_kb.markdown.commonmark import CommonMark, trimmed
from jupyter_kb.markdown.lines import readable
from jupyter_kb.markdown.link_syntax import match_wikilink

# Beyond these a heading is no heading but an accident, and reading it takes time with its length times its brackets.
MAX_LENGTH = 1_000
MAX_WORK = 20_000

_MARKUP = re.compile(r"[\\`*_\[\]<>&!~=]")
_INDENT = re.compile(r"[ \t]*\n[ \t]*")
# A private character: an equals sign in code or HTML, which marks no highlight.
_LITERAL_EQUALS = "\ue03d"
_HIGHLIGHT = re.compile(r"==(?=\S)(.+?)(?<=\S)==(?!=)")


def heading_text(raw: str) -> str:
    """The plain text of a heading's Markdown source (several lines for a setext heading).

    Markers of emphasis, strike-through and highlights are dropped; code keeps its content, links their text, wikilinks
    their alias (else their target), images their alternative text; embeds and inline HTML stay as they are written.
    """
    if not raw:
        return ""
    raw = readable(raw).replace("\0", "\ufffd")
    text = _INDENT.sub(" ", raw) if "\n" in raw else raw
    if not _MARKUP.search(text) or len(text) > MAX_LENGTH or text.count("[") * len(text) > MAX_WORK:
        return trimmed(text)
    plain = _plain(_MD.parseInline(raw, {})[0].children or [])
    if "==" in plain:
        plain = _HIGHLIGHT.sub(r"\1", plain)
    # An entity may stand for a line end; a name has one line.
    return trimmed(plain.replace(_LITERAL_EQUALS, "=").replace("\n", " ").replace("\r", " "))


def _plain(tokens: list[Token]) -> str:
    parts: list[str] = []
    for token in tokens:
        if token.type in ("softbreak", "hardbreak"):
            parts.append(" ")
        elif token.type == "image":
            parts.append(_plain(token.children or []))
        elif token.type in ("code_inline", "html_inline"):
            parts.append(token.content.replace("=", _LITERAL_EQUALS))
        else:
            parts.append(token.content)
    return "".join(parts)


def _wikilink(state: StateInline, silent: bool) -> bool:
    found = match_wikilink(state.src, state.pos)
    if not found or found.end() > state.posMax:
        return False
    if not silent:
        embed, target, alias = found.groups()
        state.push("text", "", 0).content = found[0] if embed else (alias or target)
    state.pos = found.end()
    return True


_MD = CommonMark().enable("strikethrough")
_MD.inline.ruler.before("link", "wikilink", _wikilink)
# The rulers compile themselves at first use, which two threads must not do at once.
_MD.parseInline("*")
