"""What links mean that stand in no indexed note: in a text that is shown, or is being written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from jupyter_kb.errors import InvalidRequestError
from jupyter_kb.graph.attachments import Attachments
from jupyter_kb.graph.catalog import Catalog, Note, bare
from jupyter_kb.graph.near import NearNames
from jupyter_kb.graph.resolve import Resolution, VaultResolver, WrittenLink, is_attachment
from jupyter_kb.markdown.lines import readable
from jupyter_kb.markdown.links import destination_parts, wiki_parts
from jupyter_kb.models import ResolvedTarget

if TYPE_CHECKING:
    from jupyter_kb.index.database import Database
    from jupyter_kb.vault.vault import Vault

MOST_TARGETS = 500
_MOST_MISSING = 100
"""So many missing notes get suggestions, at 3 ms each."""
_LONGEST_NAME = 200


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
    with database.snapshot():
        return _resolved(Catalog(database), vault, file, links)


class Targets:
    """Tells what targets of wikilinks mean, and keeps what it needs for suggestions until the index changes.

    Safe to use from several threads.
    """

    def __init__(self, database: Database, vault: Vault) -> None:
        self._database = database
        self._vault = vault
        self._names: tuple[int | None, NearNames] | None = None

    def resolve(self, file: str | None, targets: Sequence[str]) -> tuple[ResolvedTarget, ...]:
        """What wikilinks with these targets mean as if they stood in the note `file`; all from a `|` on does not count.

        Raises
        ------
        InvalidRequestError : there are more than `MOST_TARGETS`.
        """
        if len(targets) > MOST_TARGETS:
            raise InvalidRequestError(
                f"at most {MOST_TARGETS} targets are resolved at once, not {len(targets)}", field="targets"
            )
        links = [Written(syntax="wiki", target=readable(target).partition("|")[0]) for target in targets]
        with self._database.snapshot() as generation:
            catalog = Catalog(self._database)
            found = [found for found in _resolved(catalog, self._vault, file, links) if found is not None]  # all
            missing = [
                link.target
                for link, one in zip(links, found, strict=True)
                if one.status == "missing" and one.target is None
            ]
            first = list(dict.fromkeys(missing))[:_MOST_MISSING]
            near = {target: self._near(catalog, generation, target) for target in first}
        return tuple(
            ResolvedTarget(
                raw_target=readable(target),
                status=one.status,
                target=one.target,
                candidates=one.candidates,
                reason=one.reason,
                suggestions=near.get(link.target, ()),
            )
            for target, link, one in zip(targets, links, found, strict=True)
        )

    def _near(self, catalog: Catalog, generation: int | None, target: str) -> tuple[str, ...]:
        """Each as a link may name it: the note's own name, or its path where several have that name."""
        name = bare(wiki_parts(target)[0].rstrip("/").rpartition("/")[2])
        if not name or len(name) > _LONGEST_NAME or is_attachment(name):
            return ()
        names = self._names
        if names is None or names[0] is None or names[0] != generation:
            names = generation, NearNames(bare(path.rpartition("/")[2]) for path in catalog.paths())
            self._names = names
        found: list[str] = []
        for near in names[1].several(name):
            notes = catalog.named(near)
            found += [near] if len(notes) == 1 else [bare(note.path) for note in notes]
        return tuple(found[:3])


def _resolved(catalog: Catalog, vault: Vault, file: str | None, links: Sequence[Written]) -> list[Resolution | None]:
    name = readable(file or "")
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
