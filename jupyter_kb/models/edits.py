"""Guarded edits and what they did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from jupyter_kb.models.links import ResolvedLink
from jupyter_kb.models.notes import OutlineNode, SectionRef

Operation = Literal[
    "replace",
    "append",
    "prepend",
    "insert_before",
    "insert_after",
    "insert_child",
    "rename",
    "rewrite",
    "delete",
    "move",
]


@dataclass(frozen=True, kw_only=True)
class SectionEdit:
    """One guarded edit.

    `expected_hash` is the hash of the text that the caller read: the subtree's or the section's own; any prefix of at
    least 12 digits (`strict` wants all 64). The part whose hash was given is the part that is replaced.
    `heading` is the new heading's text for insert_before, insert_after, insert_child and rename.
    `rewrite` takes the whole text in `body`, byte for byte: with its heading line; or, without heading path and line,
    that of the whole note, whose hash it then names.
    `target` is the heading path of the section of the same note beside which move puts this one, as its sibling and
    with all below it, `place` on which side.
    `update_links`, of rename: rewrite the links of the vault that name the heading, each note under its own guard.
    `strict` selects the structural rules: literal splice, no line-end normalisation, replace only.
    """

    section: SectionRef
    expected_hash: str
    operation: Operation = "replace"
    body: str = ""
    heading: str | None = None
    dry_run: bool = False
    strict: bool = False
    target: str | tuple[str, ...] | None = None
    place: Literal["before", "after"] = "after"
    update_links: bool = False


@dataclass(frozen=True, kw_only=True)
class UpdatedLinks:
    """`count` links in a note that follow (or would follow) a renamed heading."""

    file: str
    title: str
    count: int


@dataclass(frozen=True, kw_only=True)
class LeftLinks:
    """`count` links in a note that could not follow a renamed heading, and why."""

    file: str
    count: int
    reason: str


@dataclass(frozen=True, kw_only=True)
class EditResult:
    """What an edit did (or would do, with `dry_run`).

    `sections` is the whole fresh outline, `changed` the heading paths whose hash is new; `diff` is unified;
    `removed` lists the heading paths that are gone, topmost only; `broken_links` are the links that pointed at them and
    do not find what they meant elsewhere. With `update_links`, `links_updated` has the notes whose links follow, the
    renamed one first, and `links_left` what could not; those are not in `broken_links`. Of a whole note `heading_path`
    is None, and `content_hash` that of the file.
    """

    file: str
    heading_path: str | None
    content_hash: str | None
    version: str
    sections: tuple[OutlineNode, ...]
    changed: tuple[str, ...]
    diff: str
    written: bool
    removed: tuple[str, ...] = ()
    broken_links: tuple[ResolvedLink, ...] = ()
    links_updated: tuple[UpdatedLinks, ...] = ()
    links_left: tuple[LeftLinks, ...] = ()
