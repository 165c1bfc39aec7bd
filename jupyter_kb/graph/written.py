"""What links mean that stand in no indexed note: in a text that is shown, or is being written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from jupyter_kb.graph.attachments import Attachments
from jupyter_kb.graph.catalog import Catalog, Note
from jupyter_kb.graph.resolve import Resolution, VaultResolver, WrittenLink
from jupyter_kb.markdown.lines import readable
from jupyter_kb.markdown.links import destination_parts, wiki_parts

if TYPE_CHECKING:
    from jupyter_kb.index.database import Database
    from jupyter_kb.vault.vault import Vault


@dataclass(frozen=True, kw_only=True)
class Written:
    """A link as a text has it: what stands between the brackets of `[[…]]` before the `|`, or a Markdown link's
    destination.
    """

    syntax: Literal["wiki", "markdown"]
    target: str
    embed: bool = False


def resolve_written(
    database: Database, vault: Vault, file: str | None, links: Sequence[Written]
) -> list[Resolution | None]:
    """What each of these links means as if it stood in the note `file`; None for one that leads out of the vault.

    The note need not exist; without one, links are those of a text that lies in the vault's own folder.
    """
    name = readable(file or "")
    with database.snapshot():
        catalog = Catalog(database)
        source = (catalog.note(name) if name else None) or _unknown(name)
        written = [_link(source, link) for link in links]
        resolver = VaultResolver(catalog, Attachments(vault))
        resolver.expect([link for link in written if link is not None])
        return [None if link is None else resolver.resolve(link) for link in written]


def _unknown(file: str) -> Note:
    return Note(note_id=-1, path=file, stem=file.rpartition("/")[2].removesuffix(".md"))


def _link(source: Note, link: Written) -> WrittenLink | None:
    target = readable(link.target)
    parts = wiki_parts(target) if link.syntax == "wiki" else destination_parts(target)
    if parts is None:
        return None
    return WrittenLink(
        source=source,
        kind="embed" if link.embed else "wikilink" if link.syntax == "wiki" else "markdown",
        syntax=link.syntax,
        raw_target=target,
        file_part=parts[0],
        fragment=parts[1],
    )
