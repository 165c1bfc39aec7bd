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
from jupyter_kb.cli.where import front_matter

if TYPE_CHECKING:
    from jupyter_kb.models import Filters, SectionRef
    from jupyter_kb.settings import Settings
    from jupyter_kb.sharing import SharedKnowledgeBase

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


def _date(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    if value is not None:
        from jupyter_kb.errors import InvalidRequestError
        from jupyter_kb.search.comparable import DATE_HINT, instant

        try:
            instant(value, "")
        except InvalidRequestError:
            raise click.BadParameter(f"'{value}' is not a date; {DATE_HINT}") from None
    return value


def _visible(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    if not all(value.strip() for value in values):
        raise click.BadParameter("a heading is empty")
    return values


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
        metavar="CONDITION",
        help="Only notes with this front matter: `status=active`, `status=active|done`, `author.name=Ada`, "
        "`year>=2020`, `due` (has a value), `!due` (has none). Quote it from your shell. May be repeated.",
    ),
    click.option(
        "--modified-after", metavar="DATE", callback=_date, help="Only notes changed on or after it: 2024-05-31."
    ),
    click.option("--modified-before", metavar="DATE", callback=_date, help="Only notes changed before it."),
    click.option(
        "--under",
        multiple=True,
        metavar="HEADING",
        callback=_visible,
        help="Only sections under this heading, itself included. Repeated: headings one below the other.",
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
def opened(vault: Path | None, index_dir: Path | None, *, indexed: bool) -> Iterator[SharedKnowledgeBase]:
    """The knowledge base of the vault that the options name.

    With `indexed` the index is brought up to date first, with a progress bar when that lasts; what follows may then
    ask for `fresh=False`. Without it only notes can be read and edited, and the index file is left to whoever needs it:
    a server that starts at this moment would otherwise find it taken. A process that owns the index already is asked.

    Raises
    ------
    InvalidRequestError : no vault was named, and the one that would be taken is the home folder or the whole disk.
    """
    from jupyter_kb.sharing import SharedKnowledgeBase

    root = vault_root(vault, index_dir)
    known = _is_indexed(root, index_dir)
    with SharedKnowledgeBase(root, index_dir=index_dir, own=indexed, follow=False) as kb:
        if indexed:
            if not known and kb.standing == "owner":
                _tell_first_time(kb)
            with console.progress("Indexing") as follow:
                kb.refresh(follow)
        yield kb


@contextmanager
def owning(root: Path, index_dir: Path | None, settings: Settings) -> Iterator[SharedKnowledgeBase]:
    """The knowledge base for work on the index as a whole, under these settings.

    Where this process owns the index, it answers to the others meanwhile, for it may last; else the owner is asked.

    Raises
    ------
    IndexUnavailableError : another process owns the index, and with other settings.
    """
    from dataclasses import replace

    from jupyter_kb.errors import IndexUnavailableError
    from jupyter_kb.rest.loopback import LoopbackServer
    from jupyter_kb.sharing import SharedKnowledgeBase

    kept = SharedKnowledgeBase(root, settings=settings, index_dir=index_dir, publish=LoopbackServer, follow=False)
    with kept as kb:
        if kb.standing == "guest" and replace(settings, read_only=False) != kb.location.settings():
            raise IndexUnavailableError(
                "another process owns the index, and works with other options than these",
                hint="end it, run this command again, then start it anew",
            )
        yield kb


def vault_root(vault: Path | None, index_dir: Path | None) -> Path:
    """The vault that the options name; without --vault the nearest indexed folder above, else this one.

    Raises
    ------
    InvalidRequestError : no vault was named, and the one that would be taken is the home folder or the whole disk.
    """
    from jupyter_kb.index.location import find_vault

    root = vault if vault is not None else find_vault(Path.cwd(), index_dir)
    if vault is None and not _is_indexed(root, index_dir):
        _check_intended(root)
    return root


def _is_indexed(root: Path, index_dir: Path | None) -> bool:
    from jupyter_kb.errors import InvalidRequestError
    from jupyter_kb.index.location import locate

    try:
        return locate(root, index_dir).exists()
    except InvalidRequestError:  # the folder of the indexes lies in it
        return False


def _check_intended(root: Path) -> None:
    from jupyter_kb.errors import InvalidRequestError

    names = {Path(root.anchor): "the whole disk", Path.home().resolve(): "your home folder"}
    if root in names:
        raise InvalidRequestError(
            f"this is {names[root]}, and nothing says that it is a vault",
            hint="name one with --vault, go into one, or make this one by `jupyter kb index FOLDER`",
        )


def _tell_first_time(kb: SharedKnowledgeBase) -> None:
    from jupyter_kb.render.lines import count, visible, with_tilde, words

    notes = count(len(kb.owned.vault.list()) if kb.owned else 0, "note")
    place = visible(with_tilde(str(kb.root)))
    console.show([words(f"Note: indexing {place} for the first time ({notes})", "muted")], err=True)


def tell_outer_vault(root: Path, index_dir: Path | None) -> None:
    """Say on standard error that a vault lies inside another one that is indexed, where it does."""
    from jupyter_kb.index.location import find_vault
    from jupyter_kb.render.lines import visible, with_tilde, words

    outer = find_vault(root.resolve().parent, index_dir)
    if outer != root.resolve() and _is_indexed(outer, index_dir):
        place = visible(with_tilde(str(outer)))
        console.show([words(f"Note: this folder is part of another vault, {place}", "muted")], err=True)


def chosen_settings(vault: Path, index_dir: Path | None, *, defaults: bool = False, **given: Any) -> Settings:
    """The settings remembered for a vault, with those replaced that were given (neither None nor an empty tuple)."""
    from dataclasses import replace

    from jupyter_kb.index.location import locate
    from jupyter_kb.settings import Settings

    base = locate(vault, index_dir).settings()
    if base is None or defaults:
        base = Settings()
    return replace(base, **{name: value for name, value in given.items() if value not in (None, ())})


def note_key(kb: SharedKnowledgeBase, file: str) -> str:
    """The note that an argument names: relative to the vault, or else (as shells complete it) to the current folder.

    A name that is neither may leave out `.md` and the folders, and be in another case, as long as one note fits.
    """
    root = kb.root
    if "\0" in file or (not os.path.isabs(file) and _is_entry(root / file)):
        return file
    for name in (file, f"{file}.md"):
        folder, last = os.path.split(os.path.abspath(name))
        here = os.path.join(os.path.realpath(folder), last)  # the note is not followed: links lead out of the vault
        if _is_entry(here) and here.startswith(os.path.join(root, "")):
            return Path(os.path.relpath(here, root)).as_posix()
    return kb.find_note(file)


def _is_entry(path: str | Path) -> bool:
    return os.path.lexists(path) and (os.path.islink(path) or not os.path.isdir(path))


def folder_key(kb: SharedKnowledgeBase, name: str) -> str | None:
    """The folder of the vault that an argument names, "" for the vault itself; None where it is no folder of it."""
    root = os.path.realpath(kb.root)
    places = [os.path.abspath(name), os.path.join(root, name)]
    for place in places if name.startswith(".") else reversed(places):
        real = os.path.realpath(place) if "\0" not in name else ""
        if os.path.isdir(real) and (real == root or real.startswith(os.path.join(root, ""))):
            return "" if real == root else Path(os.path.relpath(real, root)).as_posix()
    return None


def section(kb: SharedKnowledgeBase, file: str, heading: str | None, line: int | None) -> SectionRef:
    """The section that the arguments name; the whole note without heading and line."""
    from jupyter_kb.models import SectionRef

    if heading is not None and line is not None:
        raise click.UsageError("give a HEADING or --line, not both")
    return SectionRef(file=note_key(kb, file), heading_path=heading, line=line)


def filters(
    path: str | None,
    tags: Sequence[str],
    where: Sequence[str],
    modified_after: str | None = None,
    modified_before: str | None = None,
    under: Sequence[str] = (),
) -> Filters:
    """The filter options as a value."""
    from jupyter_kb.models import Filters

    return Filters(
        path=path,
        tags=tuple(tag.removeprefix("#") for tag in tags),
        front_matter=front_matter(where),
        modified_after=modified_after,
        modified_before=modified_before,
        heading_prefix=tuple(under),
    )
