"""Hypothesis strategies for notes: Markdown as people, programs and accidents write it."""

from __future__ import annotations

from hypothesis import strategies as st

_WORDS = (
    "alpha",
    "beta",
    "gamma",
    "é",
    "日本語",
    "note",
    "x",
    "A > B",
    "Preamble",
    "`code`",
    "*em*",
    "[2]",
    "#tag",
    "100%",
)
_LINE_ENDS = ("\n", "\n", "\n", "\r\n", "\r")

_FRAGMENTS = (
    "[[note]]",
    "[[folder/note#Heading|alias]]",
    "[[a\\|b]]",
    "![[embed.png]]",
    "[text](file.md)",
    '[text](<my file.md> "title")',
    "![image](img.png)",
    "[ref][label]",
    "[label]",
    "`[[code]]`",
    "<http://x.y/[[z]]>",
    "<!-- [[hidden]] -->",
    "<b title='[[attr]]'>",
    "%%[[hidden]]%%",
    "%%",
    "^block-1",
    "#tag/nested",
    "[^1]",
    "\\[[escaped]]",
    "**strong",
    "``",
    "](",
    "[[",
    "]]",
    "|",
)


def words() -> st.SearchStrategy[str]:
    """A few words and inline constructs on one line."""
    return st.lists(st.sampled_from(_WORDS + _FRAGMENTS), min_size=1, max_size=5).map(" ".join)


def _paragraph() -> st.SearchStrategy[list[str]]:
    return st.lists(words(), min_size=1, max_size=3)


def _atx() -> st.SearchStrategy[list[str]]:
    return st.builds(
        lambda indent, level, text, closing: [f"{indent}{'#' * level}{text}{closing}"],
        st.sampled_from(("", "", "", " ", "   ")),
        st.integers(1, 7),
        st.one_of(st.just(""), words().map(lambda text: " " + text), st.sampled_from(("\tA", " A", " B", "x"))),
        st.sampled_from(("", "", " #", " ###  ", "   ", "\t")),
    )


def _setext() -> st.SearchStrategy[list[str]]:
    return st.builds(
        lambda text, underline: [*text, underline],
        _paragraph(),
        st.sampled_from(("=", "===", "-", "---", "  ----  ", "= =")),
    )


def _fence() -> st.SearchStrategy[list[str]]:
    return st.builds(
        lambda opening, inside, closing: [opening, *inside, *closing],
        st.sampled_from(("```", "````python", "~~~", "  ```")),
        st.lists(st.sampled_from(("# not a heading", "[[no link]]", "", "```", "~~~~", "text")), max_size=4),
        st.sampled_from((["```"], ["````"], ["~~~"], [])),
    )


def _plain() -> st.SearchStrategy[list[str]]:
    return st.sampled_from(
        (
            [""],
            ["", ""],
            ["   "],
            ["\t"],
            ["---"],
            ["***"],
            ["    indented code", "", "    # more"],
            ["<div>", "# html [[in html]]", "</div>", ""],
            ["<!--", "# comment", "", "[[hidden]]", "-->"],
            ["<script>", "", "[[no]]"],
            ["[label]: target.md"],
            ["[label]: target.md 'title", "over lines'", ""],
            ["[^1]: a footnote [[in it]]", "", "    # inside"],
            ["| a | [[b\\|c]] |", "|---|---|", "| `x|y` | [t](u.md) |"],
            ["a | b", "- | -"],
            ["%%", "[[hidden]]", "", "%%"],
            ["...", "---"],
            ["\x0c"],
            ["\u2028 # x"],
        )
    )


def _contained(inner: st.SearchStrategy[list[str]]) -> st.SearchStrategy[list[str]]:
    """Blocks inside a quote or a list item, with the odd lazy line."""

    def wrap(lines: list[str], prefix: tuple[str, str], lazy: bool) -> list[str]:
        first, rest = prefix
        wrapped = [first + lines[0], *(rest + line for line in lines[1:])]
        return [*wrapped, "lazy line"] if lazy else wrapped

    prefixes = st.sampled_from(
        (
            ("> ", "> "),
            (">", ">"),
            ("> ", ">\t"),
            ("- ", "  "),
            ("1. ", "   "),
            ("* ", "\t"),
            ("-\t", "\t"),
            ("  - ", "    "),
        )
    )
    return st.builds(wrap, inner, prefixes, st.booleans())


def blocks() -> st.SearchStrategy[list[str]]:
    """The lines of one block."""
    flat = st.one_of(_paragraph(), _atx(), _atx(), _setext(), _fence(), _plain())
    return st.recursive(
        flat, lambda inner: _contained(st.lists(inner, min_size=1, max_size=2).map(_flat)), max_leaves=4
    )


def _flat(parts: list[list[str]]) -> list[str]:
    return [line for part in parts for line in part]


def bodies() -> st.SearchStrategy[str]:
    """Markdown without front matter; line ends are line feeds only."""
    return st.lists(blocks(), max_size=8).map(lambda parts: "\n".join(_flat(parts)))


_FRONT_MATTER = (
    "",
    "",
    "",
    "---\ntitle: A note\ntags: [a, b/c]\naliases: other\n---\n",
    "---\n---\n",
    "---  \ndate: 2024-01-05\n---\t\n",
    "---\nbad: yaml: here\n---\n",
    "---\nnever: closed\n",
    "---\n- a list\n---\n",
)


@st.composite
def vault_texts(draw: st.DrawFn, *, lone_returns: bool = True) -> str:
    """A whole note as text: front matter or none, any line ends, with and without a last one."""
    text = draw(st.sampled_from(_FRONT_MATTER)) + draw(bodies()) + draw(st.sampled_from(("", "\n", "\n\n", "\n \n")))
    style = draw(st.sampled_from(("\n", "\n", "\r\n", "mixed")))
    ends = [end for end in _LINE_ENDS if lone_returns or end != "\r"]
    if style == "mixed":
        lines = text.split("\n")
        return "".join(line + draw(st.sampled_from(ends)) for line in lines[:-1]) + lines[-1]
    return text.replace("\n", style)


@st.composite
def vault_bytes(draw: st.DrawFn, *, lone_returns: bool = True) -> bytes:
    """A whole note as it may lie on disk: with a byte order mark, NULs and bytes that are not UTF-8 now and then."""
    data = draw(vault_texts(lone_returns=lone_returns)).encode()
    for _ in range(draw(st.sampled_from((0, 0, 0, 1, 2)))):
        place = draw(st.integers(0, len(data)))
        data = data[:place] + draw(st.sampled_from((b"\xff", b"\0", b"\xc3", b"\xed\xa0\x80"))) + data[place:]
    return (b"\xef\xbb\xbf" if draw(st.integers(0, 9)) == 0 else b"") + data
