"""Options and arguments that several commands share, and the opening of the vault they name."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from jupyter_kb.cli import console
from jupyter_kb.cli.completion import complete_file, complete_heading, complete_tag

if TYPE_CHECKING:
    from jupyter_kb.kb import KnowledgeBase
    from jupyter_kb.models import Filters, SectionRef
    from jupyter_kb.settings import Settings

F = TypeVar("F", bound=Callable[..., Any])
EVERYTHING = 1_000_000_000  # a limit that limits nothing


def several(*decorators: Callable[[F], F]) -> Callable[[F], F]:
    """One decorator that does what several do, the first one outermost."""

    def decorate(function: F) -> F:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


def _known_language(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    if value is None or value == "none":
        return value
    import Stemmer

    known = sorted({"none", *Stemmer.algorithms()})
    if value not in known:
        raise click.BadParameter(f"'{value}' is not one of {', '.join(known)}")
    return value


index_dir_option = click.option(
    "--index-dir",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Folder of the indexes (default: `kb` in Jupyter's data directory).",
)
vault_options = several(
    click.option(
        "--vault",
        type=click.Path(path_type=Path),
        metavar="VAULT",
        help="Folder of the notes (default: the nearest indexed folder above, else this one).",
    ),
    index_dir_option,
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
markdown_option = click.option("--markdown", "as_markdown", is_flag=True, help="Print Markdown, to paste into a note.")
paging_options = several(
    click.option("--limit", type=click.IntRange(min=0), metavar="N", help="At most N of them (default: all)."),
    click.option("--offset", type=click.IntRange(min=0), default=0, metavar="N", help="Skip the first N."),
)
filter_options = several(
    click.option("--path", metavar="GLOB", help="Only notes whose path matches a glob, or holds this text."),
    click.option(
        "--tag",
        "tags",
        multiple=True,
        metavar="TAG",
        shell_complete=complete_tag,
        help="Only notes with this tag or one nested in it. May be repeated.",
    ),
    click.option(
        "--where",
        multiple=True,
        metavar="FIELD=VALUE",
        help="Only notes with this front matter, a YAML scalar: `year=2024`, `draft=true`, `author.name=Ada`. "
        "May be repeated.",
    ),
)
settings_options = several(
    click.option("--hidden/--no-hidden", default=None, help="Take hidden files and folders in too."),
    click.option("--include", multiple=True, metavar="PATTERN", help="Only notes that match it (gitignore syntax)."),
    click.option("--exclude", multiple=True, metavar="PATTERN", help="No notes that match it (gitignore syntax)."),
    click.option(
        "--language",
        metavar="NAME",
        callback=_known_language,
        help="Language of the notes, for word stems: english, german, … or none.",
    ),
)
file_argument = click.argument("file", shell_complete=complete_file)
heading_argument = click.argument("heading", required=False, shell_complete=complete_heading)
line_option = click.option("--line", type=click.IntRange(min=1), metavar="N", help="Name the section by a line in it.")


@contextmanager
def opened(vault: Path | None, index_dir: Path | None, *, indexed: bool) -> Iterator[KnowledgeBase]:
    """The knowledge base of the vault that the options name.

    With `indexed` the index is brought up to date first, with a progress bar when that lasts; what follows may then
    ask for `fresh=False`. Without it only notes can be read and edited, and the index file is left to whoever needs it:
    a server that starts at this moment would otherwise find it taken.
    """
    from jupyter_kb.index.location import find_vault
    from jupyter_kb.kb import KnowledgeBase

    root = vault if vault is not None else find_vault(Path.cwd(), index_dir)
    with KnowledgeBase.open(root, index_dir=index_dir, in_memory=not indexed) as kb:
        if indexed:
            with console.progress("Indexing") as follow:
                kb.scan(follow)
        yield kb


def chosen_settings(vault: Path, index_dir: Path | None, *, defaults: bool = False, **given: Any) -> Settings:
    """The settings remembered for a vault, with those replaced that were given (neither None nor empty)."""
    from dataclasses import replace

    from jupyter_kb.index.location import locate
    from jupyter_kb.settings import Settings

    base = locate(vault, index_dir).settings()
    if base is None or defaults:
        base = Settings()
    return replace(base, **{name: value for name, value in given.items() if value not in (None, ())})


def note_key(kb: KnowledgeBase, file: str) -> str:
    """The note that an argument names: relative to the vault, or else (as shells complete it) to the current folder."""
    root = kb.vault.root
    if "\0" in file or (os.path.lexists(root / file) and not os.path.isabs(file)):
        return file
    folder, name = os.path.split(os.path.abspath(file))
    here = os.path.join(os.path.realpath(folder), name)  # the note itself is not followed: links lead out of the vault
    if os.path.lexists(here) and here.startswith(os.path.join(root, "")):
        return Path(os.path.relpath(here, root)).as_posix()
    return file


def section(kb: KnowledgeBase, file: str, heading: str | None, line: int | None) -> SectionRef:
    """The section that the arguments name; the whole note without heading and line."""
    from jupyter_kb.models import SectionRef

    if heading is not None and line is not None:
        raise click.UsageError("give a HEADING or --line, not both")
    return SectionRef(file=note_key(kb, file), heading_path=heading, line=line)


def filters(path: str | None, tags: Sequence[str], where: Sequence[str]) -> Filters:
    """The filter options as a value."""
    from jupyter_kb.models import Filters

    return Filters(path=path, tags=tuple(tag.removeprefix("#") for tag in tags), front_matter=dict(map(_field, where)))


def _field(condition: str) -> tuple[str, Any]:
    name, equals, value = condition.partition("=")
    if not equals or not name.strip():
        raise click.BadParameter(f"'{condition}' is not FIELD=VALUE", param_hint="--where")
    return name.strip(), _scalar(value)


def _scalar(text: str) -> Any:
    """A YAML scalar, typed as in front matter (dates as ISO text); anything else is taken as the text it is."""
    import yaml

    try:
        value = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError):
        return text
    if isinstance(value, (dict, list, set, bytes)):
        return text
    return value.isoformat() if hasattr(value, "isoformat") else value
