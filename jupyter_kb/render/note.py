"""A note's Markdown as HTML that can be shown as it is: nothing in it runs, loads or leads where the reader cannot see.

Raw HTML is shown as text. Links lead to `http`, `https` and `mailto` only; those into the vault carry what they resolve
to as data, for the page around them to act on; images of other servers are links, since loading one tells that server
who reads the note.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.tasklists import tasklists_plugin

from jupyter_kb.errors import RequestTooLargeError
from jupyter_kb.graph.written import Written
from jupyter_kb.markdown.frontmatter import read_front_matter
from jupyter_kb.markdown.lines import encode, readable, with_line_feeds
from jupyter_kb.models import Rendered
from jupyter_kb.render.note_syntax import add_comments, add_formulas, add_wikilinks

if TYPE_CHECKING:
    from jupyter_kb.graph.resolve import Resolution

LONGEST = 1_000_000
"""Characters; a longer text would take many seconds."""

Resolve = Callable[[Sequence[Written]], Sequence["Resolution | None"]]

_ELSEWHERE = ("http:", "https:", "mailto:")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)
_INVISIBLE = re.compile(r"[\x00-\x20\x7f-\xa0\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff\\]+")


def render(markdown: str, resolve: Resolve) -> Rendered:
    """The HTML of a text; `resolve` says what its links into the vault mean, all in one call.

    Front matter and comments (`%%…%%`, `<!-- … -->`) are left out, formulas stay as they are written.

    Raises
    ------
    RequestTooLargeError : more than `LONGEST` characters.
    """
    if len(markdown) > LONGEST:
        raise RequestTooLargeError(
            f"the text has {len(markdown):,} characters; {LONGEST:,} are shown at most", hint="render a section of it"
        )
    env: dict[str, Any] = {}
    tokens = _MD.parse(_text(markdown), env)
    links = list(_links(tokens))
    for link, resolution in zip(links, resolve([link.written for link in links]), strict=True):
        link.token.meta["kb"] = _attributes(link, resolution)
    return Rendered(html=_MD.renderer.render(tokens, _MD.options, env))


def _text(markdown: str) -> str:
    front_matter, _ = read_front_matter(encode(markdown))
    if front_matter is not None:
        markdown = encode(markdown)[front_matter.byte_range.end :].decode("utf-8", "replace")
    return readable(with_line_feeds(markdown))


# ── links ───────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class _Link:
    token: Token
    written: Written


def _links(tokens: Sequence[Token]) -> Iterator[_Link]:
    """The links into the vault. Links do not nest in HTML: one inside another one is left to be shown as text."""
    for token in tokens:
        depth = 0
        for child in token.children or ():
            depth -= child.type == "link_close"
            child.meta["inside"] = depth > 0
            depth += child.type == "link_open"
            if not child.meta["inside"] and (written := _written(child)):
                yield _Link(child, written)


def _written(token: Token) -> Written | None:
    """A link into the vault; None for any other token."""
    if token.type == "wikilink":
        return Written(syntax="wiki", target=token.content, embed=token.meta["embed"])
    if token.type not in ("link_open", "image"):
        return None
    target = str(token.attrs["href" if token.type == "link_open" else "src"])
    if leads_elsewhere(target):
        return None
    return Written(syntax="markdown", target=target, embed=token.type == "image")


def leads_elsewhere(destination: str) -> bool:
    """Whether a destination that `is_allowed` leads out of the vault."""
    return _SCHEME.match(destination) is not None


def is_allowed(destination: str) -> bool:
    """Whether a destination may be a link: into the vault, or by one of the schemes that run nothing."""
    # browsers pass over such characters before and in a scheme, so they must not hide one
    plain = _INVISIBLE.sub("", destination).lower()
    return plain.startswith(_ELSEWHERE) == leads_elsewhere(destination) and (
        leads_elsewhere(destination) or not _SCHEME.match(plain)
    )


def _attributes(link: _Link, resolution: Resolution | None) -> dict[str, str]:
    """The attributes of a link into the vault."""
    names = ["kb-link"] + (["kb-embed"] if link.written.embed else [])
    if resolution is None or resolution.status != "resolved" or resolution.target is None:
        reason = resolution.reason if resolution else None
        return {"class": " ".join([*names, "kb-missing"]), "data-kb-target": link.written.target, "title": reason or ""}
    attributes = {"class": " ".join(names), "data-kb-file": resolution.target.file}
    if resolution.target.heading_path is not None:
        attributes["data-kb-heading"] = resolution.target.heading_path
    return {**attributes, "href": "#"}


# ── HTML ────────────────────────────────────────────────────────────────────────────────────────


def _opening(attributes: dict[str, str], tag: str = "a") -> str:
    written = (f' {name}="{escapeHtml(readable(value))}"' for name, value in attributes.items() if value)
    return f"<{tag}{''.join(written)}>"


def _outside(destination: str, kind: str = "") -> dict[str, str]:
    return {"class": kind, "href": destination, "target": "_blank", "rel": "noopener noreferrer"}


class _Renderer(RendererHTML):
    """markdown-it's own HTML, apart from links, images, formulas and footnotes, which could lead or load."""

    def link_open(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        """A link into the vault by what it resolves to, any other one by its destination."""
        token = tokens[idx]
        if token.meta["inside"]:
            return ""
        attributes = token.meta.get("kb") or _outside(str(token.attrs["href"]))
        return _opening({"title": str(token.attrs.get("title", "")), **attributes})

    def link_close(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        """The end of a link."""
        return "" if tokens[idx].meta["inside"] else "</a>"

    def wikilink(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        """A wikilink or embed: a link to what it resolves to, with its alias or target as text."""
        token = tokens[idx]
        text = escapeHtml(token.meta["text"])
        return text if token.meta["inside"] else f"{_opening(token.meta['kb'])}{text}</a>"

    def image(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        """A link to the picture, with its description as text: the reader decides whether it is loaded."""
        token = tokens[idx]
        source = str(token.attrs["src"])
        text = escapeHtml(_plain(token.children or ()) or source)
        if token.meta["inside"]:
            return text
        return f"{_opening(token.meta.get('kb') or _outside(source, 'kb-image'))}{text}</a>"

    def fence(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        """A code block with the name of its language, where it looks like one."""
        token = tokens[idx]
        language = re.match(r"[\w+#.-]{1,40}(?=\s|$)", token.info.strip())
        kind = {"class": f"language-{language[0]}"} if language else {}
        return f"<pre>{_opening(kind, 'code')}{escapeHtml(token.content)}</code></pre>\n"

    def math_inline(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        """A formula as it is written, marks included, for the page to typeset."""
        mark = tokens[idx].markup
        return f'<span class="kb-math">{mark}{escapeHtml(tokens[idx].content)}{mark}</span>'

    math_inline_double = math_inline

    def math_block(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        """A formula on lines of its own."""
        return f'<div class="kb-math">$${escapeHtml(tokens[idx].content)}$$</div>\n'

    def footnote_ref(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        """The number of a footnote. Without an anchor: several texts may stand on one page."""
        return f'<sup class="kb-footnote">{int(tokens[idx].meta["id"]) + 1}</sup>'

    def footnote_block_open(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        """The list of footnotes at the end."""
        return '<ol class="kb-footnotes">\n'

    def footnote_block_close(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        """Its end."""
        return "</ol>\n"

    def footnote_open(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        """One footnote."""
        return "<li>"

    def footnote_close(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        """Its end."""
        return "</li>\n"

    def footnote_anchor(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        """The way back: none, as there is no way there."""
        return ""


def _plain(tokens: Sequence[Token]) -> str:
    """The text of inline tokens."""
    return "".join(
        token.meta["text"]
        if token.type == "wikilink"
        else _plain(token.children or ())
        if token.type == "image"
        else token.content or (" " if token.type in ("softbreak", "hardbreak") else "")
        for token in tokens
        if token.type != "html_inline"
    )


class _NoteMarkdown(MarkdownIt):
    def validateLink(self, url: str) -> bool:  # noqa: N802 - markdown-it's name
        """Whether a destination makes a link; otherwise the source is shown."""
        return is_allowed(url)


def _parser() -> MarkdownIt:
    parser = _NoteMarkdown("commonmark", {"html": False}, renderer_cls=_Renderer)
    parser.enable(["table", "strikethrough"])
    parser.use(footnote_plugin, inline=False)
    parser.use(tasklists_plugin)
    parser.use(add_wikilinks).use(add_formulas).use(add_comments)
    for name, rule in _Renderer(parser).rules.items():  # the plugins brought their own
        parser.renderer.rules[name] = rule  # type: ignore[attr-defined]
    return parser


_MD = _parser()
