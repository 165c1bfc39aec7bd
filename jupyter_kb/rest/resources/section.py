"""One section: its exact text with its hash as ETag, and edits of it that name in If-Match the hash they replace."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Literal

from jupyter_kb.errors import HashRequiredError, InvalidRequestError
from jupyter_kb.models import EditResult, Operation, SectionContent, SectionEdit, SectionRef
from jupyter_kb.operations import Operations
from jupyter_kb.rest.route import Given, Reply, route

_TAG = re.compile(r'\s*(?:W/)?"([^"]*)"\s*(?:,|$)')


@route("GET", "vaults/{vault}/section", errors=(304, 409, 413))
def section(
    vault: Operations,
    *,
    file: Annotated[str, "The note's path in the vault"],
    heading_path: Annotated[
        tuple[str, ...],
        "`A > B`, or a unique end of it; given several times, each is one heading. The whole note without any name",
    ] = (),
    heading: Annotated[tuple[str, ...], "Instead of `heading_path`: its headings, each by itself"] = (),
    line: Annotated[int | None, Given(text="A line of the section, from 1, instead of its name", minimum=1)] = None,
    exact: Annotated[bool, "Only the whole heading path names a section; of equal ones the first is meant"] = False,
    children: Annotated[bool, "With the sections below it"] = True,
    levels_up: Annotated[int, "Take the section so many levels above instead"] = 0,
    if_none_match: Annotated[
        str | None,
        Given(text="A hash that is known already: 304 if it is still today's", source="header", name="if-none-match"),
    ] = None,
) -> Reply[SectionContent]:
    """The exact text of one section.

    Its `content_hash` comes as ETag too. Bytes that are not UTF-8 are lone surrogates `\\udc80` to `\\udcff`; they must
    be sent back as they came.
    """
    ref = SectionRef(file=file, heading_path=_heading_path(heading_path, heading), line=line, exact=exact)
    found = vault.get_section(ref, children=children, levels_up=levels_up)
    headers = {"ETag": f'"{found.content_hash}"'}
    known = _TAG.findall(if_none_match or "")
    if found.content_hash in known or (if_none_match or "").strip() == "*":
        return Reply(value=None, status=304, headers=headers)
    return Reply(value=found, headers=headers)


def _heading_path(joined: tuple[str, ...], headings: tuple[str, ...]) -> str | tuple[str, ...] | None:
    if joined and headings:
        raise InvalidRequestError("give heading_path or heading, not both", field="heading")
    if headings or len(joined) > 1:
        return headings or joined
    return joined[0] if joined else None


@dataclass(frozen=True, kw_only=True)
class SectionPatch:
    """A `SectionEdit` without its hash, which stands in the header If-Match."""

    section: SectionRef
    operation: Operation = "replace"
    body: str = ""
    heading: str | None = None
    dry_run: bool = False
    strict: bool = False
    target: str | tuple[str, ...] | None = None
    place: Literal["before", "after"] = "after"
    update_links: bool = False


@route("PATCH", "vaults/{vault}/section", right="write", errors=(403, 409, 412, 413, 422, 428, 507))
def edit_section(
    vault: Operations,
    *,
    patch: Annotated[SectionPatch, Given(text="What to change, and how", source="body")],
    if_match: Annotated[
        str | None,
        Given(
            text="In quotes, the hash of the text that is replaced, as it was read", source="header", name="if-match"
        ),
    ] = None,
    wait: Annotated[float | None, "Seconds to wait for a scan that is already running"] = None,
    reader: Annotated[str, "The reader of reports (POST reindex) who makes this change, and need not be told"] = "",
    actor: Annotated[str, Given(source="actor")] = "local",
) -> Reply[EditResult]:
    """Change one section under the guard of its hash.

    If the text is not what the hash stands for, nothing is written, and the error (412) holds today's: `current_hash`
    and `current_content`. The section's new hash comes as ETag, unless it is gone or `dry_run` was set.
    """
    edit = SectionEdit(
        section=patch.section,
        expected_hash=_expected(if_match),
        operation=patch.operation,
        body=patch.body,
        heading=patch.heading,
        dry_run=patch.dry_run,
        strict=patch.strict,
        target=patch.target,
        place=patch.place,
        update_links=patch.update_links,
    )
    done = vault.edit_section(edit, actor=actor, reader=reader, wait=wait)
    return Reply(value=done, headers={"ETag": f'"{done.content_hash}"'} if done.written and done.content_hash else {})


def _expected(if_match: str | None) -> str:
    """The one hash of If-Match. `*` would overwrite whatever is there, so it counts as none."""
    text = (if_match or "").strip()
    if text in ("", "*", '""'):
        raise HashRequiredError(
            "an edit names the hash of the text that it replaces: the header If-Match is missing or says nothing",
            hint="read the section, and send its ETag back as If-Match",
        )
    if "," in text:
        raise InvalidRequestError("If-Match names one hash, that of the text to be replaced", field="if-match")
    found = _TAG.fullmatch(text)
    return found[1] if found else text
