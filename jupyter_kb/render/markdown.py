"""Values as Markdown: lists of wikilinks, to paste into a note."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from jupyter_kb.models import LinkPage, Outline, OutlineNode, SearchResults
from jupyter_kb.render.lines import marked, visible, visible_lines

_MARKDOWN = re.compile(r"([\\`*_\[\]<>|#~$])")


def search(results: SearchResults) -> str:
    """Hits as a list of wikilinks with their snippets."""
    rows = []
    for hit in results.hits:
        text = "".join(
            f"**{escaped(part)}**" if style == "mark" else escaped(part)
            for part, style in marked(hit.snippet, hit.marks)
        )
        rows.append(f"- {wikilink(hit.file, hit.heading)}" + (f": {text}" if text.strip() else ""))
    return "".join(row + "\n" for row in rows)


def outline(value: Outline) -> str:
    """The heading tree as a nested list of wikilinks."""

    def rows(nodes: Sequence[OutlineNode], indent: str) -> Iterator[str]:
        for node in nodes:
            yield f"{indent}- {wikilink(value.file, node.heading if node.level else '')}\n"
            yield from rows(node.children, indent + "  ")

    return "".join(rows(value.sections, ""))


def links(page: LinkPage) -> str:
    """Links as a list: where each stands and the line around it."""
    places = ((link, link.source.heading_path.rsplit(" > ", 1)[-1]) for link in page.links)
    return "".join(
        f"- {wikilink(link.source.file, heading)}: {escaped(link.context).strip()}\n" for link, heading in places
    )


def fenced(text: str, language: str = "") -> str:
    """Text as a code block whose fence is longer than any in it."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{visible_lines(text).rstrip()}\n{fence}\n"


def table(rows: Iterable[tuple[str, str]], title: str = "") -> str:
    """Names and values as a table of two columns."""
    body = "".join(f"| {escaped(name)} | {escaped(told)} |\n" for name, told in rows)
    head = f"{escaped(title)}\n\n" if title else ""
    return head + (f"| | |\n|---|---|\n{body}" if body else "")


def wikilink(file: str, heading: str = "") -> str:
    """A wikilink to a note or to a heading of it, shown as `note > heading`."""
    target = visible(file).removesuffix(".md")
    if not heading or re.search(r"[\[\]|#^]", heading):
        return f"[[{target}]]"
    return f"[[{target}#{visible(heading)}|{target.rsplit('/', 1)[-1]} > {visible(heading)}]]"


def escaped(text: str) -> str:
    """Text on one line of which nothing is read as Markdown."""
    return _MARKDOWN.sub(r"\\\1", visible(text))
