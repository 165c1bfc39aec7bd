"""Values as text for people: what was found, what a note holds, what an edit did."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Literal

from jupyter_kb.models import (
    Diagnostic,
    EmbedResult,
    FolderNode,
    GrepResults,
    Hit,
    LinkPage,
    LinkTarget,
    ModelStatus,
    Outline,
    OutlineNode,
    ReindexReport,
    ResolvedLink,
    ScanResult,
    SearchResults,
    Status,
)
from jupyter_kb.render.lines import Line, Span, count, marked, moment, size, visible, with_tilde, words

# ── finding ─────────────────────────────────────────────────────────────────────────────────────


def search(
    results: SearchResults, *, explain: bool = False, context: Literal["snippet", "passage", "none"] = "snippet"
) -> Iterator[Line]:
    """Hits grouped by note: line range, heading path, and a snippet with the matched words marked (or a passage)."""
    width = max((len(_range(hit)) for hit in results.hits), default=0)
    for number, (file, hits) in enumerate(_by_file(results.hits).items()):
        if number:
            yield Line()
        yield _note(file, hits[0].title, hits[0].modified)
        for hit in hits:
            name = visible(hit.heading_path) or "(empty heading)"
            yield Line(lead=((f"  {_range(hit):>{width}}  ", "line"),), body=((name, "heading"),))
            if explain:
                told = f"score {hit.score:.4g}{legs(hit)}  hash {hit.content_hash[:16]}"
                yield Line(lead=((" " * (width + 4), ""),), body=((told, "muted"),))
            if context == "snippet" and hit.snippet:
                yield Line(lead=((" " * (width + 4), ""),), body=marked(hit.snippet, hit.marks))
            elif context == "passage":
                for text in hit.text.splitlines():
                    yield Line(lead=((" " * (width + 4), ""),), body=((visible(text), ""),))


def ranked(results: SearchResults, *, explain: bool = False) -> Iterator[Line]:
    """Hits in their order, each with the index by which a program names it, its place, lines and snippet."""
    width = len(str(len(results.hits)))
    for number, hit in enumerate(results.hits):
        place = f" > {visible(hit.heading_path)}" if hit.heading_path else ""
        body: tuple[Span, ...] = ((visible(hit.file), "file"), (place, "heading"), (f"  {_range(hit)}", "line"))
        yield Line(lead=((f"[{number}]".rjust(width + 2) + " ", "muted"),), body=body)
        if explain:
            yield Line(lead=((" " * (width + 3), ""),), body=((f"score {hit.score:.4g}{legs(hit)}", "muted"),))
        if hit.snippet:
            yield Line(lead=((" " * (width + 3), ""),), body=marked(hit.snippet, hit.marks))


def legs(hit: Hit) -> str:
    """Rank and score by words and by meaning, where a search used both."""
    found = hit.explanation
    if found is None:
        return ""
    told = ""
    if found.text_rank is not None:
        told += f"  words #{found.text_rank} {found.text_score:.4g}"
    if found.vector_rank is not None:
        told += f"  meaning #{found.vector_rank} {found.vector_score:.3f}"
    if found.rerank_score is not None:
        told += f"  reranker {found.rerank_score:.4g}"
    return told


def grep(results: GrepResults, pattern: str, *, is_regex: bool, case_sensitive: bool) -> Iterator[Line]:
    """Matching lines under their note and section, with context; a pattern that is plain text is marked in them."""
    marks = None if is_regex or not pattern else re.compile(re.escape(pattern), 0 if case_sensitive else re.IGNORECASE)
    width = max((len(str(match.line + len(match.after))) for match in results.matches), default=0)
    file: str | None = None
    heading: str | None = None
    for match in results.matches:
        if match.file != file:
            if file is not None:
                yield Line()
            yield _note(match.file)
        elif match.before or match.after:
            yield words("  --", "muted")
        if match.heading_path and not (match.file == file and match.heading_path == heading):
            yield Line(lead=((" " * (width + 4), ""),), body=((visible(match.heading_path), "muted"),))
        file, heading = match.file, match.heading_path
        for number, text in enumerate(match.before, match.line - len(match.before)):
            yield Line(lead=((f"  {number:>{width}}- ", "muted"),), body=((visible(text), "muted"),))
        found = [] if marks is None else [hit.span() for hit in marks.finditer(match.text)]
        yield Line(lead=((f"  {match.line:>{width}}: ", "line"),), body=marked(match.text, found))
        for number, text in enumerate(match.after, match.line + 1):
            yield Line(lead=((f"  {number:>{width}}- ", "muted"),), body=((visible(text), "muted"),))


def grep_flat(results: GrepResults) -> Iterator[Line]:
    """Matching lines as `file:line:text`, as editors and other programs read them; context as `file-line-text`."""
    for match in results.matches:
        file = visible(match.file)
        for number, text in enumerate(match.before, match.line - len(match.before)):
            yield words(f"{file}-{number}-{visible(text)}")
        yield words(f"{file}:{match.line}:{visible(match.text)}")
        for number, text in enumerate(match.after, match.line + 1):
            yield words(f"{file}-{number}-{visible(text)}")


def counts(results: GrepResults, *, numbers: bool) -> Iterator[Line]:
    """The notes with a match; with `numbers`, how many lines match in each."""
    for file, number in results.counts:
        yield words(f"{visible(file)}:{number}" if numbers else visible(file), "file")


# ── reading ─────────────────────────────────────────────────────────────────────────────────────


def outline(value: Outline, *, depth: int = 6, hashes: bool = False) -> Iterator[Line]:
    """The heading tree of a note, the line of each heading before it, and `[2]` behind the second of two equal ones."""
    yield _note(value.file, value.title)
    width = max((len(str(node.line_range.start)) for node in _flat(value.sections)), default=0)

    def rows(nodes: Sequence[OutlineNode], above: str, guide: str, level: int) -> Iterator[Line]:
        for node in nodes:
            last = node is nodes[-1]
            branch = "" if level == 1 else guide + ("└─ " if last else "├─ ")
            body: list[Span] = [(visible(node.heading) or "(empty heading)", "muted" if node.level == 0 else "heading")]
            body.append((visible(node.heading_path.removeprefix(above).removeprefix(node.heading)), "muted"))
            if hashes:
                body.append((f"  {node.content_hash[:16]}", "muted"))
            lead: tuple[Span, ...] = ((f"  {node.line_range.start:>{width}}  ", "line"), (branch, "muted"))
            yield Line(lead=lead, body=tuple(body))
            if level < depth:
                below = "" if level == 1 else guide + ("   " if last else "│  ")
                yield from rows(node.children, f"{node.heading_path} > ", below, level + 1)

    yield from rows(value.sections, "", "", 1)


def tree(folder: FolderNode, *, depth: int | None = None) -> Iterator[Line]:
    """The folders of a vault with how many notes lie in and below them, and the notes."""
    total = folder.notes + folder.notes_below
    yield Line(body=((visible(folder.name) + "/", "file"), (f"  {count(total, 'note')}", "muted")))

    def rows(node: FolderNode, guide: str, level: int) -> Iterator[Line]:
        entries: list[FolderNode | str] = [*node.folders, *node.files]
        for entry in entries:
            last = entry is entries[-1]
            lead: tuple[Span, ...] = ((guide + ("└─ " if last else "├─ "), "muted"),)
            if isinstance(entry, str):
                yield Line(lead=lead, body=((visible(entry.rsplit("/", 1)[-1]), ""),))
                continue
            holds = f"  {entry.notes + entry.notes_below:,}"
            yield Line(lead=lead, body=((visible(entry.name) + "/", "file"), (holds, "muted")))
            if depth is None or level < depth:
                yield from rows(entry, guide + ("   " if last else "│  "), level + 1)

    yield from rows(folder, "", 1)


def links(page: LinkPage, *, asked: LinkTarget | None = None) -> Iterator[Line]:
    """Links under the note they stand in: line, the link as written, and what it means unless that was `asked` for."""
    width = max((len(str(link.line)) for link in page.links), default=0)
    file = None
    for number, link in enumerate(page.links):
        if link.source.file != file:
            if file is not None:
                yield Line()
            file = link.source.file
            yield _note(file)
        body: list[Span] = [(written(link), "")]
        if asked is None or link.target != asked:
            body.extend(meaning(link))
        if link.source.heading_path:
            body.append((f"  in {visible(link.source.heading_path)}", "muted"))
        yield Line(lead=((f"  {link.line:>{width}}  ", "line"),), body=tuple(body))
        following = page.links[number + 1] if number + 1 < len(page.links) else None
        if following is not None and (following.source.file, following.line) == (file, link.line):
            continue  # the line around them is shown once, after the last of its links
        context = visible(link.context).strip()
        if context and context != written(link):
            yield Line(lead=((" " * (width + 4), ""),), body=((context, "muted"),))


def diagnostics(found: Iterable[Diagnostic]) -> Iterator[Line]:
    """One line each, `file:line: message`, and what to do about it below."""
    for entry in found:
        place = visible(entry.file) + (f":{entry.line}" if entry.line else "") + ": "
        yield Line(lead=((place, "file"),), body=((visible(entry.message), ""), (f"  [{entry.kind}]", "muted")))
        if entry.hint:
            yield Line(lead=(("    ", ""),), body=((visible(entry.hint), "muted"),))


def status(value: Status, *, see: str = "jupyter kb diagnostics") -> Iterator[Line]:
    """A small table of the vault and its index; `see` is the command that lists the diagnostics."""
    for name, text in status_rows(value, see=see):
        yield Line(lead=((f"{name:<12} ", "muted"),), body=((text, ""),))


def status_rows(value: Status, *, see: str = "jupyter kb diagnostics") -> list[tuple[str, str]]:
    """Names and values of that table; a row without a name goes on with the one before it."""
    place = "in memory only"
    if value.index_location:
        place = f"{visible(with_tilde(value.index_location))} ({size(value.index_bytes)})"
    rows = [
        ("vault", f"{visible(value.vault)} ({visible(with_tilde(value.root))})"),
        ("notes", f"{value.notes:,}"),
        ("sections", f"{value.sections:,}"),
        ("links", f"{value.links:,}"),
        ("diagnostics", f"{value.diagnostics:,}" + (f"  see `{visible(see)}`" if value.diagnostics else "")),
        ("index", place),
        ("last scan", moment(value.last_scan) if value.last_scan else "none yet since the index was opened"),
        ("language", value.language),
        ("read-only", "yes" if value.read_only else "no"),
        ("version", value.version),
    ]
    if value.indexing:
        rows.append(("indexing", f"{value.indexing[0]:,} of {value.indexing[1]:,} notes"))
    rows += _model(value.model, apart=value.index_location is None) if value.model else [("model", "none: words only")]
    if value.note:
        rows.append(("note", visible(with_tilde(value.note))))
    return rows


def _model(model: ModelStatus, *, apart: bool = False) -> Iterator[tuple[str, str]]:
    """`apart`: this process works without the index on disk, and so without its vectors."""
    facts = [fact for fact in (model.device, model.dtype) if fact] or [model.server or "not started"]
    yield "model", visible(f"{with_tilde(model.name)} ({', '.join(facts)})")
    for told in filter(None, (model.problem, model.hint)):
        yield "", visible(with_tilde(told))
    if model.reranker:
        yield "reranker", visible(with_tilde(model.reranker))
    if apart and not model.embedded:
        yield "vectors", "none here: those there may be are with the index on disk"
        return
    if not model.embedded and not model.replaces:
        yield "vectors", "none yet: `jupyter kb embed` makes them"
        return
    share = f"{model.embedded:,} of {model.chunks:,} pieces of text"
    yield "vectors", f"{share} ({size(model.vector_bytes)})"
    if model.replaces:
        yield "", f"until they are complete, those of {visible(model.replaces)} are searched"


def embedding(result: EmbedResult, state: Status) -> Iterator[Line]:
    """What was embedded, and what is there now."""
    enough = result.seconds > 1 and result.embedded > result.seconds  # the start of the model is part of the time
    speed = f", {result.embedded / result.seconds:,.0f} a second" if enough else ""
    told = f"{count(result.embedded, 'piece')} of text embedded in {result.seconds:.1f} s{speed}"
    yield Line(body=((told if result.embedded else "nothing to embed", ""),))
    if result.failed:
        yield words(f"{result.failed:,} could not be embedded: see `jupyter kb diagnostics`", "warning")
    if state.model:
        for name, text in _model(state.model):
            yield Line(lead=((f"{name:<12} ", "muted"),), body=((text, ""),))


# ── changing ────────────────────────────────────────────────────────────────────────────────────


def scan(result: ScanResult, state: Status, *, see: str = "jupyter kb diagnostics") -> Iterator[Line]:
    """What one pass over the vault found, and where the index lies; `see` as in `status`."""
    changes = [(result.added, "added"), (result.changed, "changed"), (result.removed, "removed")]
    told = ", ".join(f"{number:,} {name}" for number, name in changes if number) or "nothing changed"
    yield Line(body=((f"{count(state.notes, 'note')} in {result.seconds:.1f} s: {told}", ""),))
    shown = ("sections", "links", "diagnostics", "index", "note")
    yield from (line for line in status(state, see=see) if line.text.split()[0] in shown)


def reindex(report: ReindexReport) -> Iterator[Line]:
    """What changed since the last report, a note a line."""
    yield words(reindex_title(report))
    for name, told in reindex_rows(report):
        yield Line(lead=((f"{name:<12} ", "muted"),), body=((told, ""),))


def reindex_title(report: ReindexReport) -> str:
    """How many notes changed, and how."""
    changes = (
        (report.files_added, "added"),
        (report.files_changed, "changed"),
        (report.files_removed, "removed"),
    )
    told = ", ".join(f"{count(len(files), 'note')} {name}" for files, name in changes if files) or "nothing changed"
    return f"{told}; {count(report.diagnostics, 'diagnostic')}"


def reindex_rows(report: ReindexReport) -> list[tuple[str, str]]:
    """What happened to each note, and the note with how many of its sections that touched."""
    rows = [("added", visible(file)) for file in report.files_added]
    for change in report.files_changed:
        parts = (
            (change.sections_added, "added"),
            (change.sections_removed, "removed"),
            (change.sections_modified, "changed"),
        )
        told = ", ".join(f"{count(len(paths), 'section')} {name}" for paths, name in parts if paths)
        rows.append(("changed", visible(change.file) + (f" ({told})" if told else "")))
    return rows + [("removed", visible(file)) for file in report.files_removed]


# ── small parts ─────────────────────────────────────────────────────────────────────────────────


def _note(file: str, title: str | None = None, modified: float | None = None) -> Line:
    stem = file.rsplit("/", 1)[-1].removesuffix(".md")
    named = f"  {visible(title)}" if title and title != stem else ""
    changed = "" if modified is None else f"  {moment(datetime.fromtimestamp(modified, UTC).isoformat())}"
    return Line(body=((visible(file), "file"), (named, "muted"), (changed, "line")))


def _by_file(hits: Iterable[Hit]) -> dict[str, list[Hit]]:
    groups: dict[str, list[Hit]] = {}
    for hit in hits:
        groups.setdefault(hit.file, []).append(hit)
    return groups


def _range(hit: Hit) -> str:
    lines = hit.passage_lines or hit.line_range  # of a chunk, the lines of its own
    start, end = lines.start, lines.end
    return str(start) if start == end else f"{start}-{end}"


def _flat(nodes: Iterable[OutlineNode]) -> Iterator[OutlineNode]:
    for node in nodes:
        yield node
        yield from _flat(node.children)


def written(link: ResolvedLink) -> str:
    """A link as it stands in the note, as near as its parts tell."""
    raw = visible(link.raw_target)
    if link.kind != "markdown":
        raw = raw.removesuffix("\\")  # in a table it hides the pipe that follows
    return {"wikilink": f"[[{raw}]]", "embed": f"![[{raw}]]"}.get(link.kind, f"({raw})")


def meaning(link: ResolvedLink) -> Iterator[Span]:
    """What a link points to, with an arrow before it, or why it points to nothing."""
    if link.status == "resolved" and link.target is not None:
        yield f" → {_target(link.target)}", ""
    elif link.status == "ambiguous":
        yield " → several: " + ", ".join(map(_target, link.candidates)), "warning"
    else:
        yield f" → nothing: {visible(link.reason or 'no such note or heading')}", "warning"


def _target(target: LinkTarget) -> str:
    return visible(target.file) + (f" > {visible(target.heading_path)}" if target.heading_path else "")
