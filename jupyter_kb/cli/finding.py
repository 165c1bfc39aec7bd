"""Commands that find: search (by words or headings) and grep (by characters)."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from jupyter_kb.cli import console, exits
from jupyter_kb.cli.command import Command
from jupyter_kb.cli.options import (
    EVERYTHING,
    filter_options,
    filters,
    json_option,
    markdown_option,
    note_key,
    opened,
    vault_options,
)
from jupyter_kb.cli.wording import command
from jupyter_kb.settings import DEFAULT_WEIGHT

if TYPE_CHECKING:
    from jupyter_kb.models import (
        Filters,
        Fusion,
        Granularity,
        GrepResults,
        Order,
        SearchMode,
        SearchRequest,
        SearchResults,
        SectionRef,
    )
    from jupyter_kb.render.lines import Line
    from jupyter_kb.sharing import SharedKnowledgeBase


_FILLED = 64
"""Pieces of text without a vector that a search embeds first: the model is started anyway."""
_CAP = 3
"""Sections of one note, unless asked otherwise."""
_APART = "the vectors are with the index on disk, which this process works without"
_NOUNS: dict[Granularity, str] = {"section": "section", "chunk": "piece", "document": "note"}


@click.command(cls=Command, short_help="Find the sections that answer a question, best first.")
@click.argument("query", nargs=-1)
@click.option(
    "--mode",
    type=click.Choice(["hybrid", "semantic", "text", "headings"]),
    help="`hybrid`: by meaning and by words (the default, where there are vectors; see `embed`). `semantic`: by "
    "meaning only. `text`: by words only. `headings`: names of sections only.",
)
@click.option(
    "--granularity",
    type=click.Choice(["section", "chunk", "document"]),
    help="What to find: sections (the default), pieces of about 1,000 characters, or notes, each at its best section.",
)
@click.option(
    "--like", metavar="NOTE[#HEADING]", help="Instead of a QUERY: what is like this section, or this note's beginning."
)
@click.option("--limit", "-n", type=click.IntRange(min=1), default=10, metavar="N", help="At most N of them (10).")
@click.option("--offset", type=click.IntRange(min=0), default=0, metavar="N", help="Skip the first N.")
@click.option(
    "--per-file",
    type=click.IntRange(min=0),
    metavar="N",
    help=f"At most N sections of one note; 0 for any number (default: {_CAP}, in mode headings any number).",
)
@filter_options
@click.option(
    "--order",
    type=click.Choice(["path", "title", "modified"]),
    help="Without a QUERY: the order of the list (default: path).",
)
@click.option("--descending", is_flag=True, help="Without a QUERY: the other way round.")
@click.option(
    "--weight", type=click.FloatRange(0, 1), metavar="W", help=f"Share of meaning in hybrid mode ({DEFAULT_WEIGHT})."
)
@click.option(
    "--fusion",
    type=click.Choice(["weighted", "rrf"]),
    default="weighted",
    help="How hybrid mode joins both rankings: by scores (the default) or by ranks.",
)
@click.option("--rerank/--no-rerank", default=None, help="Let a reranker judge the best 50 (default: if one is set).")
@click.option(
    "--context",
    type=click.Choice(["snippet", "passage", "none"]),
    default="snippet",
    help="Text to show of each section: a snippet (the default), its best passage, or none.",
)
@click.option("--explain", "-v", is_flag=True, help="Show scores, ranks and hashes too.")
@json_option
@markdown_option
@vault_options
def search(
    query: tuple[str, ...],
    mode: SearchMode | None,
    granularity: Granularity | None,
    like: str | None,
    limit: int,
    offset: int,
    per_file: int | None,
    order: Order | None,
    descending: bool,
    weight: float | None,
    fusion: Fusion,
    rerank: bool | None,
    context: Literal["snippet", "passage", "none"],
    explain: bool,
    as_json: bool,
    as_markdown: bool,
    vault: Path | None,
    index_dir: Path | None,
    **filtering: Any,
) -> int:
    """Find the sections that answer QUERY, best first.

    Ask as you would ask a person, or give words: any of them may match, more of them rank higher. `"two words"` asks
    for a phrase, `+word` must be there, `-word` must not, `word*` is the beginning of a word. Quote them from your
    shell, and put `--` before a QUERY that begins with `-`. Without a QUERY all notes that pass the filters are
    listed. Exit status 1 means that nothing was found.

    \b
    jupyter kb search "how long may samples stay in light"
    jupyter kb search "dark adaptation" --tag method --where 'year>=2024'
    jupyter kb search '+E0382 borrow* -closure' --mode text --path 'book/**'
    jupyter kb search --like "methods/dark adaptation.md#Timing"
    jupyter kb search --order modified --descending --limit 5
    """
    from jupyter_kb.errors import ModelError
    from jupyter_kb.models import SearchRequest
    from jupyter_kb.render import lines, markdown, text

    asked = " ".join(query).strip()
    ranks = bool(asked) or like is not None
    if like is not None and asked:
        raise click.UsageError("give a QUERY or --like, not both")
    if like is not None and mode in ("text", "headings"):
        raise click.UsageError(f"--like goes by meaning; --mode {mode} does not")
    if ranks and (order or descending):
        raise click.UsageError("what answers a QUERY is ordered by rank; --order and --descending are for lists")
    capped = _CAP if mode != "headings" and ranks else None
    with opened(vault, index_dir, indexed=True) as kb:
        request = SearchRequest(
            query=asked,
            mode=mode if mode and ranks else "hybrid",
            filters=filters(**filtering),
            limit=limit,
            offset=offset,
            per_file=capped if per_file is None else per_file or None,
            granularity=granularity,
            like=_section_like(kb, like) if like is not None else None,
            fusion=fusion,
            weight=weight,
            rerank=rerank,
            explain=explain,
            order_by=order,
            descending=descending,
        )
        with console.waiting("Searching"):
            try:
                results = kb.search(request, fresh=False, fill=_FILLED)
            except ModelError as error:
                if kb.standing == "private":
                    error.message, error.hint = f"--like goes by meaning, and {_APART}", None
                raise
        if results.note and results.mode == "text" and kb.settings.model != "none" and kb.standing == "private":
            results = replace(results, note=f"searched by words only: {_APART}")
        elif results.note and mode is None and not _has_vectors(kb):
            results = replace(results, note=None)  # who has no vectors, and asked for no mode, wants words
        _tell(results)
        if as_json:
            console.write_json(_search_json(results, context, explain))
        elif as_markdown:
            console.show_text(markdown.search(results))
        elif results.hits:
            console.show(text.search(results, explain=explain, context=context))
            what = _NOUNS[granularity or ("section" if ranks else "document")]
            console.show(lines.footer(len(results.hits), offset, results.total, f"{what}s"), err=True)
        else:
            console.show(_nothing_found(kb, request, results), err=True)
    return exits.OK if results.hits else exits.NOTHING_FOUND


def _has_vectors(kb: SharedKnowledgeBase) -> bool:
    model = kb.status().model
    return model is not None and bool(model.embedded or model.replaces)


def _section_like(kb: SharedKnowledgeBase, name: str) -> SectionRef:
    """The section that `note#heading path` means."""
    from jupyter_kb.models import SectionRef

    file, mark, heading = name.partition("#")
    return SectionRef(file=note_key(kb, file), heading_path=heading.strip() if mark else None)


def _tell(results: SearchResults) -> None:
    """On standard error: what was done differently from what was asked, and what is not found yet."""
    from jupyter_kb.render.lines import count, visible, with_tilde, words

    if results.note:
        console.show([words(f"Note: {visible(with_tilde(results.note))}", "muted")], err=True)
    if results.pending:
        pieces = count(results.pending, "piece")
        told = f"Note: {pieces} of text cannot be found by meaning yet; `{command('embed')}` sees to it"
        console.show([words(told, "muted")], err=True)


def _search_json(results: SearchResults, context: str, explain: bool) -> dict[str, object]:
    left_out = {"snippet": {"text", "complete"}, "passage": set(), "none": {"snippet", "marks", "text", "complete"}}
    hidden = left_out[context] | {"span"} | (set() if explain else {"explanation"})
    hits = [
        {key: value for key, value in vars(hit).items() if key not in hidden and value is not None}
        for hit in results.hits
    ]
    return {
        "query": results.query,
        "mode": results.mode,
        "results": hits,
        "total": results.total,
        "has_more": results.has_more,
        **({"note": results.note} if results.note else {}),
        **({"pending": results.pending} if results.pending else {}),
        **({"reranked": True} if results.reranked else {}),
        **({"unknown_tags": dict(results.unknown_tags)} if results.unknown_tags else {}),
    }


def _nothing_found(kb: SharedKnowledgeBase, request: SearchRequest, results: SearchResults) -> Iterator[Line]:
    """Say so, and what else to try, the likeliest first."""
    from jupyter_kb.render.lines import visible, with_tilde, words

    ranks = bool(request.query) or request.like is not None
    noun = _NOUNS[request.granularity or ("section" if ranks else "document")]
    if results.total:
        yield words(f"No more {noun}s: there are {results.total}, and --offset skips {request.offset}.")
        return
    if request.query:
        yield words(f"No {noun} matches {request.query!r}.")
    elif request.like is not None:
        yield words(f"No {noun} is like it.")
    else:
        yield words(f"No {noun} passes the filters." if _given(request.filters) else f"No {noun} is there.")
    for tag, near in results.unknown_tags:
        meant = f"; did you mean {' or '.join(map(repr, near))}?" if near else "."
        yield words(f"No note has the tag {tag!r}{meant}")
    if not kb.status().notes:
        place = visible(with_tilde(str(kb.root)))
        yield words(f"{place} holds no notes (.md files); --vault names another folder.", "muted")
        return
    if given := _given(request.filters):
        yield words(f"Try it without {given}.", "muted")
    if not request.query:
        return
    if any(word.startswith(("+", "-", '"')) for word in request.query.split()):
        yield words('Try it without "quotes", + and -: any of the words may match then.', "muted")
    if request.mode == "headings":
        yield words("Try --mode text: it looks into the text, not only at headings.", "muted")
    else:
        yield words("Try the beginning of a word (`adapt*`), or `jupyter kb grep` for exact characters.", "muted")


def _given(filters: Filters) -> str:
    """The options that filter, as far as they were given."""
    given = {
        "--path": filters.path,
        "--tag": filters.tags,
        "--where": filters.front_matter,
        "--modified-after": filters.modified_after,
        "--modified-before": filters.modified_before,
        "--under": filters.heading_prefix,
    }
    return " and ".join(option for option, value in given.items() if value)


@click.command(cls=Command, short_help="Find the lines that hold these characters.")
@click.argument("pattern", nargs=-1, required=True)
@click.option("--regex", "-E", "is_regex", is_flag=True, help="PATTERN is a regular expression.")
@click.option("--case-sensitive", "-s", is_flag=True, help="Exact case: tell capital from small letters.")
@click.option(
    "--context", "-C", "context_lines", type=click.IntRange(0, 100), default=0, metavar="N", help="Lines around it."
)
@click.option("--files", "-l", is_flag=True, help="Only the names of the notes that match.")
@click.option("--count", "-c", is_flag=True, help="Only how many lines match in each note.")
@click.option("--limit", "-n", type=click.IntRange(min=1), metavar="N", help="At most N lines (default: all).")
@filter_options
@json_option
@vault_options
def grep(
    pattern: tuple[str, ...],
    is_regex: bool,
    case_sensitive: bool,
    context_lines: int,
    files: bool,
    count: bool,
    limit: int | None,
    paths: tuple[str, ...],
    tags: tuple[str, ...],
    where: tuple[str, ...],
    modified_after: str | None,
    modified_before: str | None,
    under: tuple[str, ...],
    as_json: bool,
    vault: Path | None,
    index_dir: Path | None,
) -> int:
    """Find the lines that hold the characters of PATTERN, in any case of letters, and the section of each.

    `-s` asks for exact case. Several words are one PATTERN, joined by single blanks. The notes are read as they are on
    disk. On a terminal matches are grouped by note; in a pipe each is one line, `file:line:text`. Exit status 1 means
    that no line matches.
    """
    from jupyter_kb.models import GrepRequest
    from jupyter_kb.render import text

    wanted = " ".join(pattern)
    request = GrepRequest(
        pattern=wanted,
        is_regex=is_regex,
        case_sensitive=case_sensitive,
        filters=filters(paths, tags, where, modified_after, modified_before, under),
        context_lines=context_lines,
        limit=limit or EVERYTHING,
    )
    with opened(vault, index_dir, indexed=False) as kb:
        results = kb.grep(request)
    if as_json:
        console.write_json({"pattern": wanted, **vars(results), "counts": dict(results.counts)})
    elif files or count:
        console.show(text.counts(results, numbers=count))
    elif console.styled(sys.stdout):
        console.show(text.grep(results, wanted, is_regex=is_regex, case_sensitive=case_sensitive))
    else:
        console.show(text.grep_flat(results))
    if not as_json:
        console.show(_grep_footer(results, wanted), err=True)
    return exits.OK if results.total else exits.NOTHING_FOUND


def _grep_footer(results: GrepResults, pattern: str) -> Iterator[Line]:
    from jupyter_kb.render.lines import words

    if results.truncated == "time":
        yield words("Stopped: the search took too long. Narrow it with --path, or use a simpler expression.", "warning")
    elif not results.total:
        yield words(f"No line matches {pattern!r}.")
        yield words("`jupyter kb search` finds words in any form and order.", "muted")
    elif results.truncated == "limit":
        yield words(f"{len(results.matches)} of {results.total} lines; --limit shows more.", "muted")
