"""Commands that find: search (by words or headings) and grep (by characters)."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from jupyter_kb.cli import console, exits
from jupyter_kb.cli.command import Command
from jupyter_kb.cli.options import (
    EVERYTHING,
    filter_options,
    filters,
    json_option,
    markdown_option,
    opened,
    vault_options,
)

if TYPE_CHECKING:
    from jupyter_kb.kb import KnowledgeBase
    from jupyter_kb.models import GrepResults, SearchMode, SearchRequest, SearchResults
    from jupyter_kb.render.lines import Line


@click.command(cls=Command, short_help="Find the sections that answer a query, best first.")
@click.argument("query", nargs=-1, required=True)
@click.option(
    "--mode",
    type=click.Choice(["text", "headings"]),
    default="text",
    help="`text`: words anywhere, best match first (the default). `headings`: names of sections only.",
)
@click.option("--limit", "-n", type=click.IntRange(min=1), default=10, metavar="N", help="At most N sections (10).")
@click.option("--offset", type=click.IntRange(min=0), default=0, metavar="N", help="Skip the first N sections.")
@click.option("--per-file", type=click.IntRange(min=1), metavar="N", help="At most N sections of one note.")
@filter_options
@click.option(
    "--context",
    type=click.Choice(["snippet", "passage", "none"]),
    default="snippet",
    help="Text to show of each section: a snippet (the default), its best passage, or none.",
)
@click.option("--explain", "-v", is_flag=True, help="Show scores and hashes too.")
@json_option
@markdown_option
@vault_options
def search(
    query: tuple[str, ...],
    mode: SearchMode,
    limit: int,
    offset: int,
    per_file: int | None,
    path: str | None,
    tags: tuple[str, ...],
    where: tuple[str, ...],
    context: Literal["snippet", "passage", "none"],
    explain: bool,
    as_json: bool,
    as_markdown: bool,
    vault: Path | None,
    index_dir: Path | None,
) -> int:
    """Find the sections that answer QUERY, best first.

    Any of the words may match, more of them rank higher. `"two words"` asks for a phrase, `+word` must be there,
    `-word` must not, `word*` is the beginning of a word. Quote them from your shell, and put `--` before a QUERY that
    begins with `-`. Exit status 1 means that nothing was found.

    \b
    jupyter kb search "dark adaptation" --tag method
    jupyter kb search '+E0382 borrow* -closure' --path 'book/**'
    jupyter kb search launch --mode headings --json
    """
    from jupyter_kb.models import SearchRequest
    from jupyter_kb.render import lines, markdown, text

    request = SearchRequest(
        query=" ".join(query),
        mode=mode,
        filters=filters(path, tags, where),
        limit=limit,
        offset=offset,
        per_file=per_file,
    )
    with opened(vault, index_dir, indexed=True) as kb:
        results = kb.search(request, fresh=False)
        if as_json:
            console.write_json(_search_json(results, context))
        elif as_markdown:
            console.show_text(markdown.search(results))
        elif results.hits:
            console.show(text.search(results, explain=explain, context=context))
            console.show(lines.footer(len(results.hits), offset, results.total, "sections"), err=True)
        else:
            console.show(_nothing_found(kb, request, results), err=True)
    return exits.OK if results.hits else exits.NOTHING_FOUND


def _search_json(results: SearchResults, context: str) -> dict[str, object]:
    left_out = {"snippet": {"text", "complete"}, "passage": set(), "none": {"snippet", "marks", "text", "complete"}}
    hits = [
        {key: value for key, value in vars(hit).items() if key not in left_out[context] and value is not None}
        for hit in results.hits
    ]
    return {
        "query": results.query,
        "mode": results.mode,
        "results": hits,
        "total": results.total,
        "has_more": results.has_more,
    }


def _nothing_found(kb: KnowledgeBase, request: SearchRequest, results: SearchResults) -> Iterator[Line]:
    """Say so, and what else to try, the likeliest first."""
    from jupyter_kb.models import Filters
    from jupyter_kb.render.lines import visible, with_tilde, words

    if results.total:
        yield words(f"No more sections: there are {results.total}, and --offset skips {request.offset}.")
        return
    yield words(f"No section matches {request.query!r}.")
    if not kb.status().notes:
        place = visible(with_tilde(str(kb.vault.root)))
        yield words(f"{place} holds no notes (.md files); --vault names another folder.", "muted")
        return
    if request.filters != Filters():
        yield words("Try it without --path, --tag or --where.", "muted")
    if any(word.startswith(("+", "-", '"')) for word in request.query.split()):
        yield words('Try it without "quotes", + and -: any of the words may match then.', "muted")
    if request.mode == "headings":
        yield words("Try --mode text: it looks into the text, not only at headings.", "muted")
    else:
        yield words("Try the beginning of a word (`adapt*`), or `jupyter kb grep` for exact characters.", "muted")


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
    path: str | None,
    tags: tuple[str, ...],
    where: tuple[str, ...],
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
        filters=filters(path, tags, where),
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
