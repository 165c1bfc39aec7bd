"""Notes as HTML: what is shown, and that nothing a note holds can run, load or lead astray."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_kb.errors import RequestTooLargeError
from jupyter_kb.graph.resolve import Resolution
from jupyter_kb.graph.written import Written
from jupyter_kb.models import LinkTarget
from jupyter_kb.render.note import LONGEST, is_allowed, render

# ── the means ───────────────────────────────────────────────────────────────────────────────────


def resolve(links: Sequence[Written]) -> list[Resolution | None]:
    """Links with `gone` in them lead nowhere, all others to what they name."""
    found: list[Resolution | None] = []
    for link in links:
        if "gone" in link.target:
            found.append(Resolution(status="missing", reason=f"no note is named '{link.target}'"))
        else:
            file, _, heading = link.target.partition("#")
            target = LinkTarget(file=file, heading_path=heading or None)
            found.append(Resolution(status="resolved", target=target))
    return found


def html(markdown: str) -> str:
    return render(markdown, resolve).html


_ATTRIBUTES = {
    "a": {"class", "href", "title", "target", "rel", "data-kb-file", "data-kb-heading", "data-kb-target"},
    "code": {"class"},
    "div": {"class"},
    "input": {"class", "type", "checked", "disabled"},
    "li": {"class"},
    "ol": {"class", "start"},
    "span": {"class"},
    "sup": {"class"},
    "td": {"style"},
    "th": {"style"},
    "ul": {"class"},
}
_BARE = {*("h1", "h2", "h3", "h4", "h5", "h6", "p", "em", "strong", "s", "pre", "blockquote", "hr", "br")}
_BARE |= {*("table", "thead", "tbody", "tr")}
_EMPTY = {"br", "hr", "input"}


class Inspector(HTMLParser):
    """Reads HTML as a browser would, and complains about what a note may not bring."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.hrefs: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in _ATTRIBUTES or tag in _BARE, f"a <{tag}>"
        names = [name for name, _ in attrs]
        assert set(names) <= _ATTRIBUTES.get(tag, set()), f"<{tag} {names}>"
        assert len(names) == len(set(names))
        values = dict(attrs)
        if tag == "a":
            assert "a" not in self.open, "a link inside a link"
            self._check_link(values)
        if tag == "input":
            assert (values["type"], values["disabled"]) == ("checkbox", "disabled")
        if "style" in values:
            assert values["style"] in ("text-align:left", "text-align:right", "text-align:center")
        if tag not in _EMPTY:
            self.open.append(tag)

    def _check_link(self, values: dict[str, str | None]) -> None:
        href = values.get("href")
        if href is None:
            assert values["class"], values
            assert "kb-missing" in str(values["class"])
            return
        self.hrefs.append(href)
        if href == "#":
            assert values.get("data-kb-file") is not None
        else:
            assert re.match(r"(?:https?|mailto):", href, re.IGNORECASE), href
            assert not re.search(r"[\x00-\x20\x7f]", href), href
            assert values["rel"] == "noopener noreferrer"

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> of nothing"
        assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _EMPTY:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    def handle_decl(self, decl: str) -> None:
        raise AssertionError(f"a declaration: {decl}")

    def handle_pi(self, data: str) -> None:
        raise AssertionError(f"an instruction: {data}")

    def unknown_decl(self, data: str) -> None:
        raise AssertionError(f"a declaration: {data}")


def inspected(markdown: str) -> Inspector:
    """The HTML of a text, after it has been found harmless."""
    inspector = Inspector()
    inspector.feed(html(markdown))
    inspector.close()
    assert inspector.open == []
    return inspector


# ── harm ────────────────────────────────────────────────────────────────────────────────────────

ATTACKS = [
    "<script>alert(1)</script>",
    "<SCRIPT SRC=//evil.example/x.js></SCRIPT>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "<iframe src=javascript:alert(1)></iframe>",
    "<a href=javascript:alert(1)>x</a>",
    "<details open ontoggle=alert(1)>",
    "<style>@import '//evil.example'</style>",
    "<base href=//evil.example>",
    "<form action=//evil.example><input name=q>",
    "<meta http-equiv=refresh content='0;url=//evil.example'>",
    "<object data=x><embed src=x>",
    "<math><mtext><script>alert(1)</script>",
    "<!--><script>alert(1)</script>-->",
    "<!-- --!><script>alert(1)</script> -->",
    "<![CDATA[<script>alert(1)</script>]]>",
    "<?xml version='1.0'?><!DOCTYPE html>",
    "<<script>script>alert(1)<</script>/script>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x]( javascript:alert(1) )",
    "[x](<javascript:alert(1)>)",
    "[x](<java\tscript:alert(1)>)",
    "[x](java&#10;script:alert(1))",
    "[x](java&Tab;script:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](&#x1;javascript:alert(1))",
    "[x](\u0001javascript:alert(1))",
    "[x](\u00a0javascript:alert(1))",
    "[x](\u200bjavascript:alert(1))",
    "[x](\ufeffjavascript:alert(1))",
    "[x](javascript&colon;alert(1))",
    "[x](javascript%3Aalert(1))",
    "[x](javascript\\:alert(1))",
    "[x](\\javascript:alert(1))",
    "[x](vbscript:msgbox(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](data:image/svg+xml,<svg/onload=alert(1)>)",
    "[x](file:///etc/passwd)",
    "[x](blob:https://evil.example/1)",
    "[x](view-source:javascript:alert(1))",
    "[x](//evil.example)",
    "[x](\\\\evil.example)",
    "[x](/\\evil.example)",
    "[x](https:javascript:alert(1))",
    '[x](https://ok.example" onmouseover="alert(1))',
    "[x](https://ok.example 'a\" onmouseover=alert(1) x=\"')",
    '[x](https://ok.example "><script>alert(1)</script>")',
    '[x](note.md "><script>alert(1)</script>")',
    "[x]: javascript:alert(1)\n\n[x]",
    "[x]: <javascript:alert(1)> 'title'\n\n[text][x]",
    "![x](javascript:alert(1))",
    "![x](data:image/png;base64,AAAA)",
    '![x" onerror="alert(1)](https://e.example/x.png)',
    "![x](https://e.example/x.png'onerror='alert(1))",
    "![<img src=x onerror=alert(1)>](x.png)",
    "<javascript:alert(1)>",
    "<data:text/html,x>",
    "<https://ok.example/\"onmouseover='alert(1)'>",
    '<a@b.c" onclick=x>',
    "[[javascript:alert(1)]]",
    "[[x|<script>alert(1)</script>]]",
    '[[x" onclick="alert(1)|y]]',
    '[[gone" onmouseover="alert(1)|y]]',
    "[[<script>alert(1)</script>]]",
    "![[<img src=x onerror=alert(1)>]]",
    "[[a]](javascript:alert(1))",
    "[[[[a]]]]",
    "[[a|[[b]]]]",
    "[a [[b]] c](https://ok.example)",
    "[a ![[b]] [[c|d]] ![e](f.png) g](https://ok.example)",
    "[a [b](c.md) d](e.md)",
    "![a [[b]] ![c](d.png)](e.png)",
    "[![a](b.png)](https://ok.example)",
    "**[[a**|b]] **",
    "`[[a` | b]]`",
    '```x" onclick="alert(1)\n</code></pre><script>alert(1)</script>\n```',
    "~~~<script>\nx\n~~~",
    "    </code></pre><script>alert(1)</script>",
    "| a |\n|:-:|\n| <script>alert(1)</script> |",
    '| [[a\\|<b>]] |\n|-|\n| ![[c\\|d" onclick=x]] |',
    "- [ ] <script>alert(1)</script>\n- [x] [x](javascript:alert(1))",
    "- [ ] \n- [x]",
    "$<script>alert(1)</script>$",
    "$$\n</div><script>alert(1)</script>\n$$",
    "x $$<b>$$ y",
    "x[^1]\n\n[^1]: <script>alert(1)</script> [x](javascript:alert(1))",
    "x[^<script>]\n\n[^<script>]: y",
    "%%<script>%% alert(1) </script>",
    "---\ntitle: <script>alert(1)</script>\n---\n<script>alert(2)</script>",
    "# <script>alert(1)</script>\n\n<h1 onclick=x>\n===",
    "1. [x](javascript:alert(1))\n\n999999999. y",
    "> [!note] <script>alert(1)</script>",
    "&lt;script&gt;alert(1)&lt;/script&gt; &#60;script&#62;",
    "\udc80<script>\udcff [[\udc80]] [x](\udc80.md) ![y](https://e.example/\udc80)",
    "\0<scr\0ipt>",
    "[x](javascript:alert(1)\n)",
    "a\u2028<script>\u2029[x](java\u2028script:alert(1))",
]


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: ascii(attack[:40]))
def test_no_attack_gets_through(attack: str) -> None:
    inspected(attack)


@pytest.mark.parametrize(
    "outer", ["> {}", "- {}", "# {}", "| {} |\n|-|", "**{}**", "[{}](https://ok.example)", "[[a|{}]]"]
)
def test_no_attack_gets_through_inside_of_something_else(outer: str) -> None:
    for attack in ATTACKS:
        inspected(outer.format(attack))


@given(
    st.lists(
        st.sampled_from(ATTACKS)
        | st.sampled_from([*"[]()!<>\"&|`$%#\\:='", "[[", "]]", "%%", "](", "\n", "\n\n", " "]),
        max_size=12,
    )
)
def test_no_mixture_of_attacks_gets_through(parts: list[str]) -> None:
    inspected("".join(parts))


@given(st.text())
def test_no_text_gets_through_as_anything_but_text(text: str) -> None:
    inspected(text)


@given(st.text(st.sampled_from("javscript:JAVSCRIPT \t\n\0/\\#&;%\u200b\u00a0dta"), max_size=24))
def test_what_may_be_a_link_is_no_scheme_that_runs_something(destination: str) -> None:
    if is_allowed(destination):
        seen = re.sub(r"[\x00-\x20]", "", destination).lower()  # what a browser makes of it
        assert not seen.startswith(("javascript:", "data:", "vbscript:"))


@pytest.mark.parametrize(
    ("destination", "allowed"),
    [
        ("note.md", True),
        ("../a b.md#x", True),
        ("#heading", True),
        ("https://a.example", True),
        ("HTTP://a.example", True),
        ("mailto:a@b.example", True),
        ("", True),
        ("//a.example", False),
        ("ftp://a.example", False),
        ("tel:1", False),
        ("x:y", False),
        (" javascript:x", False),
        ("\x01javascript:x", False),
    ],
)
def test_only_schemes_that_run_nothing_may_be_links(destination: str, allowed: bool) -> None:
    assert is_allowed(destination) is allowed


def test_pictures_of_other_servers_are_not_loaded() -> None:
    shown = inspected("![a chart](https://e.example/track.png)")

    assert shown.hrefs == ["https://e.example/track.png"]
    assert shown.text == "a chart\n"


@pytest.mark.parametrize(
    "text",
    [
        "[" * 20_000,
        "[[" * 20_000,
        "![" * 20_000,
        "%%\n" * 20_000,
        "%%\nx\n\n" * 9_999,
        "<!--\n\n" * 20_000,
        "<!-- " * 20_000,
        "$ " * 20_000,
        "$$\n" * 20_000,
        "> " * 20_000,
        "`" * 20_000,
        "[^1]" * 20_000,
        "|" * 20_000,
        "- " * 9_999,
    ],
    ids=lambda text: ascii(text[:5]),
)
def test_no_text_takes_long(text: str) -> None:
    started = time.process_time()

    inspected(text)

    assert time.process_time() - started < 20


def test_a_text_that_is_too_long_is_refused() -> None:
    with pytest.raises(RequestTooLargeError):
        render("x" * (LONGEST + 1), resolve)


# ── what is shown ───────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("[[Note]]", '<a class="kb-link" data-kb-file="Note" href="#">Note</a>'),
        ("[[Note#A]]", '<a class="kb-link" data-kb-file="Note" data-kb-heading="A" href="#">Note &gt; A</a>'),
        ("[[x#A#B|]]", '<a class="kb-link" data-kb-file="x" data-kb-heading="A#B" href="#">x &gt; A &gt; B</a>'),
        (
            "[[#gone]]",
            '<a class="kb-link kb-missing" data-kb-target="#gone" title="no note is named \'#gone\'">gone</a>',
        ),
        ("[[Note|shown]]", '<a class="kb-link" data-kb-file="Note" href="#">shown</a>'),
        ("[[gone]]", '<a class="kb-link kb-missing" data-kb-target="gone" title="no note is named \'gone\'">gone</a>'),
        ("![[pic.png]]", '<a class="kb-link kb-embed" data-kb-file="pic.png" href="#">pic.png</a>'),
        (
            "[text](note.md#A 'tip')",
            '<a title="tip" class="kb-link" data-kb-file="note.md" data-kb-heading="A" href="#">text</a>',
        ),
        ("![alt *text*](pic.png)", '<a class="kb-link kb-embed" data-kb-file="pic.png" href="#">alt text</a>'),
        (
            "[**b** `c`](https://a.example)",
            '<a href="https://a.example" target="_blank" rel="noopener noreferrer">'
            "<strong>b</strong> <code>c</code></a>",
        ),
        ("<a@b.example>", '<a href="mailto:a@b.example" target="_blank" rel="noopener noreferrer">a@b.example</a>'),
        (
            "![](https://a.example/x.png)",
            '<a class="kb-image" href="https://a.example/x.png" target="_blank" rel="noopener noreferrer">https://a.example/x.png</a>',
        ),
        ("`[[code]]`", "<code>[[code]]</code>"),
        ("\\[[not a link]]", "[[not a link]]"),
        ("~~gone~~ *em*", "<s>gone</s> <em>em</em>"),
        ("$a_b$ and $5 or $6", '<span class="kb-math">$a_b$</span> and $5 or $6'),
        ("x $$y_1$$ z", 'x <span class="kb-math">$$y_1$$</span> z'),
        ("a %%hidden [[x]]%% b", "a  b"),
        ("100%% sure", "100%% sure"),
        ("`%%` a %% b", "<code>%%</code> a %% b"),
        ("a <!-- hidden --> b", "a  b"),
        ("a<br>b", "a&lt;br&gt;b"),
        ("[x](javascript:y)", "[x](javascript:y)"),
    ],
)
def test_inline_markdown_is_shown(markdown: str, expected: str) -> None:
    assert html(markdown) == f"<p>{expected}</p>\n"
    inspected(markdown)


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("---\na: 1\n---\nText", "<p>Text</p>\n"),
        ("---\n\nText", "<hr />\n<p>Text</p>\n"),
        ("\ufeff---\r\na: 1\r\n---\r\n# A\r\n", "<h1>A</h1>\n"),
        ("%%\nhidden\n\nmore\n%%\nText", "<p>Text</p>\n"),
        ("%% a %%\n\nText", "<p>Text</p>\n"),
        ("%%\nnever closed", "<p>%%\nnever closed</p>\n"),
        ("<!-- a\n\nb -->\n\nText", "<p>Text</p>\n"),
        ("Text\n<!-- a -->\nmore", "<p>Text</p>\n<p>more</p>\n"),
        ("```python x\na < b\n```", '<pre><code class="language-python">a &lt; b\n</code></pre>\n'),
        ("    a", "<pre><code>a\n</code></pre>\n"),
        ("$$\na < b\n$$", '<div class="kb-math">$$\na &lt; b\n$$</div>\n'),
        (
            "a[^n]\n\n[^n]: Note.",
            '<p>a<sup class="kb-footnote">1</sup></p>\n<ol class="kb-footnotes">\n<li><p>Note.</p>\n</li>\n</ol>\n',
        ),
        (
            "- [x] done",
            '<ul class="contains-task-list">\n<li class="task-list-item"><input class="task-list-item-checkbox" '
            'checked="checked" disabled="disabled" type="checkbox"> done</li>\n</ul>\n',
        ),
        (
            "| [[a\\|b]] |\n|-:|\n| x |",
            '<table>\n<thead>\n<tr>\n<th style="text-align:right">'
            '<a class="kb-link" data-kb-file="a" href="#">b</a></th>\n'
            '</tr>\n</thead>\n<tbody>\n<tr>\n<td style="text-align:right">x</td>\n</tr>\n</tbody>\n</table>\n',
        ),
        ("<div>\n\n**b**\n\n</div>", "<p>&lt;div&gt;</p>\n<p><strong>b</strong></p>\n<p>&lt;/div&gt;</p>\n"),
    ],
    ids=lambda value: ascii(value[:20]),
)
def test_blocks_of_markdown_are_shown(markdown: str, expected: str) -> None:
    assert html(markdown) == expected


def test_a_link_within_a_link_is_text() -> None:
    shown = html("[a ![b](c.png) ![[d]]](https://ok.example)")

    assert shown.count("<a ") == 1
    assert ">a b d</a>" in shown


def test_all_links_of_a_text_are_resolved_in_one_call() -> None:
    calls: list[Sequence[Written]] = []

    def watched(links: Sequence[Written]) -> list[Resolution | None]:
        calls.append(links)
        return resolve(links)

    render("[[a]] [b](c.md)\n\n- ![[d]]\n- ![e](f.png) [g](https://h.example)", watched)

    assert calls == [
        [
            Written(syntax="wiki", target="a"),
            Written(syntax="markdown", target="c.md"),
            Written(syntax="wiki", target="d", embed=True),
            Written(syntax="markdown", target="f.png", embed=True),
        ]
    ]
