"""Values as HTML for a notebook: no scripts, no handlers, and all that notes hold is text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from html import escape, unescape

from jupyter_kb.models import (
    EditResult,
    Hit,
    LinkPage,
    LinkTarget,
    Outline,
    OutlineNode,
    ReindexReport,
    ResolvedLink,
    SearchMode,
    SearchResults,
    SectionContent,
    Status,
    VaultInfo,
)
from jupyter_kb.render import edits, text
from jupyter_kb.render.comparison import side_by_side
from jupyter_kb.render.elements import Html, coded, element, join, spans
from jupyter_kb.render.frames import frame
from jupyter_kb.render.lines import Line, count, marked, visible, with_tilde
from jupyter_kb.render.style import STYLE

Address = Callable[[str], str | None]
"""The address under which a note can be opened from where the HTML is shown, None where there is none."""

_DIGITS = 16
_KINDS = {"+": "kb-added", "-": "kb-removed", "@": "kb-hunk", "\\": "kb-hunk"}
_INTO_VAULT = re.compile(r'(?P<start><a class="kb-link" data-kb-file="(?P<file>[^"]*)"[^>]*?) href="#"')
_ARROW = Html(" › ")


def page(*parts: str) -> Html:
    """Parts as one output that brings its style along."""
    return element("div", element("style", Html(STYLE)), *parts, class_="jupyter-kb")


def message(*lines: str) -> Html:
    """A few lines of prose; the first is the matter, the others are muted."""
    return page(*(element("p", line, class_="kb-muted" if at else None) for at, line in enumerate(lines)))


# ── finding ─────────────────────────────────────────────────────────────────────────────────────


def search(results: SearchResults, *, explain: bool = False, address: Address | None = None) -> Html:
    """Hits with the index by which a program names them, from 0, and perhaps how they came there; remarks below."""
    query = visible(results.query)
    # Only JupyterLab's panel can do it, and shows this where it is there.
    every = (
        element("a", "Show all in panel", class_="kb-show-all", role="button", tabindex="0", data_kb_query=query)
        if query
        else ""
    )
    title = join([element("strong", query or "All notes"), element("span", _counted(results), class_="kb-small")])
    rows = [_hit(number, hit, results.mode, explain, address) for number, hit in enumerate(results.hits)]
    remarks = [element("p", coded(remark), class_="kb-small kb-line-of-text") for remark in search_remarks(results)]
    listed = element("ol", *rows, class_="kb-hits") if rows else Html("")
    name = f"Search results for {query}" if query else None
    return frame(title, listed, *remarks, beside=every, name=name, kind="kb-of-search")


def _counted(results: SearchResults) -> str:
    shown, total = len(results.hits), results.total
    return f"{shown:,} of {count(total, 'section')}" if shown < total else count(total, "section")


def _hit(number: int, hit: Hit, mode: SearchMode, explain: bool, address: Address | None) -> Html:
    headings = hit.heading_path.split(" > ") if hit.heading_path else []
    folder = hit.file.rpartition("/")[0]
    steps = ([folder] if folder else []) + headings[headings[:1] == [hit.title] :]
    place = join([part for step in steps for part in (_ARROW, element("bdi", step))][1:])
    title = element(
        "a",
        element("bdi", hit.title),
        class_="kb-link kb-title",
        href=address(hit.file) if address else None,
        title=f"{visible(hit.file)}, {_lines(hit)}",
        data_kb_file=hit.file,
        data_kb_heading=hit.heading_path or None,
    )
    by_meaning = mode != "text" and bool(hit.snippet) and not hit.marks
    why = element("span", "≈ meaning", class_="kb-small kb-why", title="Found by meaning: the words differ")
    return _row(
        str(number),
        element("div", title, " ", _small(place), why if by_meaning else "", class_="kb-hit-name"),
        element("div", spans(marked(hit.snippet, hit.marks))) if hit.snippet else "",
        element("div", _ranks(hit), class_="kb-small") if explain else "",
    )


def search_title(results: SearchResults) -> str:
    """How many hits there are, for what, and how it was searched."""
    shown, total = len(results.hits), results.total
    number = f"{shown:,} of {total:,} results" if shown < total else count(total, "result")
    return f"{number} for “{visible(results.query)}”" if results.query else number


def search_remarks(results: SearchResults) -> Iterator[str]:
    """What the reader should know of an answer besides its hits; code stands in backticks."""
    if results.query and not results.total:
        exact = any(word.startswith(("+", "-", '"')) for word in results.query.split())
        yield (
            'Without "quotes", + and - any of the words may match.'
            if exact
            else "Try other words, or the beginning of one: `adapt*`."
        )
    if results.note:
        yield with_tilde(results.note)
    if results.indexing:
        yield f"The index is being built: {results.indexing[0]:,} of {results.indexing[1]:,} notes so far."
    if results.pending and results.mode != "text":
        yield f"{count(results.pending, 'piece')} of text cannot be found by meaning yet."


def _lines(hit: Hit) -> str:
    lines = hit.passage_lines or hit.line_range
    return f"line {lines.start}" if lines.start == lines.end else f"lines {lines.start}–{lines.end}"


def _ranks(hit: Hit) -> str:
    return f"score {hit.score:.4g}{text.legs(hit)}".replace("  ", " · ")


# ── reading ─────────────────────────────────────────────────────────────────────────────────────


def outline(value: Outline, *, address: Address | None = None) -> Html:
    """The heading tree of a note, indented, with indices as in `search` and the lines of the headings."""
    rows = []
    for number, (depth, node) in enumerate(_flat(value.sections)):
        name = join(
            [*[element("span", class_="kb-depth")] * depth, element("bdi", node.heading or "(empty heading)")],
        )
        line = _small(f"line {node.line_range.start}")
        rows.append(_row(str(number), name, " ", line))
    title = [_file(value.file, address)]
    if value.title and value.title != _stem(value.file):
        title.append(element("span", f"  {value.title}", class_="kb-muted"))
    return page(_top(*title), element("ul", *rows, class_="kb-rows kb-tree"), *_warnings(value))


def section(
    content: SectionContent, *, own: bool = False, rendered: str | None = None, address: Address | None = None
) -> Html:
    """A section with its place, lines and hash: its exact text, or (`rendered`) the safe HTML made of it.

    `own`: it was read without its sub-sections.
    """
    lines = content.line_range
    facts = f"lines {lines.start}–{lines.end} · hash {content.content_hash[:_DIGITS]}"
    facts += " · without its sub-sections" if own else ""
    head = _top(_place(content.file, content.heading_path, address), element("div", facts, class_="kb-small"))
    if rendered is None:
        return page(head, element("pre", content.content))
    return join([page(head), element("div", Html(_opening(rendered, address)))])  # beside it: a page has its own style


def _opening(rendered: str, address: Address | None) -> str:
    """Rendered Markdown whose links into the vault open the note, where it has an address."""

    def link(found: re.Match[str]) -> str:
        href = address(unescape(found["file"])) if address else None
        return f'{found["start"]} href="{escape(href)}"' if href else found[0]

    return _INTO_VAULT.sub(link, rendered)


def links(found: LinkPage, title: str, *, asked: LinkTarget | None = None, address: Address | None = None) -> Html:
    """Links with where they stand and the line around them.

    With `asked`, their common target, the place of each comes first; otherwise the link and what it means.
    """
    rows = []
    for number, link in enumerate(found.links):
        place = _place(link.source.file, link.source.heading_path, address)
        line = _small(f"line {link.line}")
        meant = join([element("code", text.written(link)), spans(text.meaning(link))])
        if asked is None:
            parts = [element("div", meant), element("div", place, " ", line, class_="kb-small")]
        else:
            parts = [element("div", place, " ", line), element("div", meant) if link.target != asked else Html("")]
        rows.append(_row(str(number), parts[0], _context(link), parts[1]))
    return page(_top(title), element("ul", *rows, class_="kb-rows"))


def _context(link: ResolvedLink) -> Html:
    """The line around a link, the link marked as it stands there."""
    context, written = link.context.strip(), text.written(link)
    if not context or context == written:
        return Html("")
    begin, end = (written[:-2], r"(?:\\?\|[^\]]*)?\]\]") if written.endswith("]]") else (written, "")
    found = re.search(re.escape(begin) + end, context)
    if found is None:
        return element("div", context)
    return element("div", context[: found.start()], element("mark", found[0]), context[found.end() :])


# ── the vault ───────────────────────────────────────────────────────────────────────────────────


def status(value: Status, *, see: str = "jupyter kb diagnostics") -> Html:
    """A table of the vault and its index; `see` is the command that lists the diagnostics."""
    return page(_table(text.status_rows(value, see=see)))


def reindex(report: ReindexReport) -> Html:
    """The notes that came, went and changed since the last report."""
    return page(_top(text.reindex_title(report)), _table(text.reindex_rows(report)))


def vaults(known: Sequence[VaultInfo], current: str | None) -> Html:
    """The vaults that can be used, the `current` one marked."""
    rows = [
        element(
            "tr",
            element("td", "●" if vault.root == current else ""),
            element("td", element("span", vault.name, class_="kb-file")),
            element("td", with_tilde(vault.root)),
            element("td", vault.problem or ("default" if vault.is_default else ""), class_="kb-muted"),
        )
        for vault in known
    ]
    return page(_top(count(len(known), "vault")), element("table", element("tbody", *rows)))


# ── changing ────────────────────────────────────────────────────────────────────────────────────


def edit(result: EditResult, *, address: Address | None = None) -> Html:
    """What an edit did or would do: the section, its new hash, what went with it, and the difference."""
    verb = ("Wrote " if result.written else "Would write ") if result.diff else "No change in "
    head = element("div", verb, _place(result.file, result.heading_path or "", address))
    digits = (result.content_hash or "")[:_DIGITS]
    told = f"new hash {digits}" if result.diff and result.written else f"hash {digits}"
    warnings = [_warning(line.text) for line in edits.edit(result) if _is_warning(line)]
    return page(
        _top(head, element("div", told, class_="kb-small") if digits else ""),
        *warnings,
        *_broken(result),
        diff(result.diff) if result.diff else "",
    )


def diff(unified: str) -> Html:
    """A unified diff, its first two lines (which repeat the file's name) left out."""
    lines = unified.removesuffix("\n").split("\n")[2:]
    rows = (element("span", visible(line) + "\n", class_=_KINDS.get(line[:1], "kb-same")) for line in lines)
    return element("pre", *rows, class_="kb-diff")


def conflict(place: LinkTarget, now: str, mine: str, *, read: str | None = None, hash: str = "") -> Html:
    """Two texts side by side, neither of them lost: the note's, `now`, and the one that was not written, `mine`.

    `read` is the text on which the edit was based, where that is known.
    """
    title = element("div", "Not written, changed meanwhile: ", _place(place.file, place.heading_path or "", None))
    since = (
        [
            element(
                "details",
                element("summary", "What changed since it was read"),
                side_by_side(read, now, "As it was read", "In the note now"),
            )
        ]
        if read is not None
        else []
    )
    facts = element("div", f"hash now {hash[:_DIGITS]}", class_="kb-small") if hash else ""
    return page(_top(title, facts), side_by_side(now, mine, "In the note now", "Your text, not written"), *since)


def _broken(result: EditResult) -> Iterator[Html]:
    if result.broken_links:
        rows = [
            element("li", _place(link.source.file, link.source.heading_path, None), f" {text.written(link)}")
            for link in result.broken_links
        ]
        yield element("ul", *rows, class_="kb-small")


# ── small parts ─────────────────────────────────────────────────────────────────────────────────


def _top(*parts: str) -> Html:
    return element("div", *parts, class_="kb-top")


def _small(told: str) -> Html:
    return element("span", told, class_="kb-small")


def _row(number: str, *parts: str) -> Html:
    return element(
        "li", element("span", number, class_="kb-number"), element("div", *filter(None, parts), class_="kb-row")
    )


def _table(rows: Iterable[tuple[str, str]]) -> Html:
    return element(
        "table",
        element("tbody", *(element("tr", element("th", name), element("td", coded(told))) for name, told in rows)),
    )


def _place(file: str, heading_path: str, address: Address | None) -> Html:
    parts: list[str] = [_file(file, address)]
    for heading in heading_path.split(" > ") if heading_path else ():
        parts += [element("span", _ARROW, class_="kb-muted"), element("bdi", heading)]
    return join(parts)


def _file(file: str, address: Address | None) -> Html:
    href = address(file) if address else None
    name = element("bdi", file, class_="kb-file")
    return element("a", name, href=href) if href else name


def _warning(told: str) -> Html:
    return element("p", told, class_="kb-warning")


def _warnings(value: Outline) -> Iterator[Html]:
    for entry in value.diagnostics:
        yield _warning(f"line {entry.line}: {entry.message}" if entry.line else entry.message)


def _is_warning(line: Line) -> bool:
    return _is_of(line, "warning")


def _is_of(line: Line, style: str) -> bool:
    return any(span == style for _, span in (*line.lead, *line.body))


def _flat(nodes: Sequence[OutlineNode], depth: int = 0) -> Iterator[tuple[int, OutlineNode]]:
    for node in nodes:
        yield depth, node
        yield from _flat(node.children, depth + 1)


def _stem(file: str) -> str:
    return file.rsplit("/", 1)[-1].removesuffix(".md")
