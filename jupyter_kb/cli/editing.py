"""The command that changes a section under the guard of its hash: edit."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from jupyter_kb.cli import console
from jupyter_kb.cli.command import Command
from jupyter_kb.cli.options import (
    file_argument,
    heading_argument,
    json_option,
    line_option,
    opened,
    section,
    vault_options,
)

if TYPE_CHECKING:
    from jupyter_kb.cli.editor import Draft
    from jupyter_kb.errors import ConflictError
    from jupyter_kb.kb import KnowledgeBase
    from jupyter_kb.models import EditResult, SectionContent, SectionEdit, SectionRef

_OPERATIONS = ("replace", "append", "prepend", "insert-after", "insert-child", "rename", "delete")
_WITHOUT_TEXT = ("rename", "delete")
_WITH_HEADING = ("insert-after", "insert-child", "rename")
_BLANK_LINES = re.compile(r"(?:[ \t]*(?:\r\n|\n|\r))+")


@click.command(cls=Command, short_help="Change one section of a note, and nothing else in it.")
@file_argument
@heading_argument
@line_option
@click.option("--body", metavar="TEXT", help="The new text.")
@click.option(
    "--body-file",
    type=click.Path(dir_okay=False, allow_dash=True),
    metavar="PATH",
    help="Read the new text from a file, or from standard input (`-`).",
)
@click.option("--expected-hash", metavar="HASH", help="Hash of the text you read (`get --json`), or 12 digits of it.")
@click.option("--operation", type=click.Choice(_OPERATIONS), default="replace", help="What to do (default: replace).")
@click.option("--heading", "new_heading", metavar="TEXT", help="The heading for insert-after, insert-child and rename.")
@click.option("--own", is_flag=True, help="In the editor: only the section's own text, without its sub-sections.")
@click.option("--dry-run", is_flag=True, help="Print the change as a diff; write nothing.")
@json_option
@vault_options
def edit(
    file: str,
    heading: str | None,
    line: int | None,
    body: str | None,
    body_file: str | None,
    expected_hash: str | None,
    operation: str,
    new_heading: str | None,
    own: bool,
    dry_run: bool,
    as_json: bool,
    vault: Path | None,
    index_dir: Path | None,
) -> None:
    """Change one section of a note, and nothing else in it.

    Without --body and --body-file your editor ($VISUAL or $EDITOR) opens on the text below the heading. The hash of the
    section is taken when the text is read: if somebody else changes it meanwhile, nothing is overwritten, and your text
    is kept in a file.

    With --body or --body-file, --expected-hash must name the text that you read: `jupyter kb get FILE HEADING --json`
    prints it as `content_hash`. The hash of the whole section replaces its sub-sections too; the hash of `get --own`
    replaces the text up to the first sub-heading.

    \b
    jupyter kb edit kite.md "Flight > Landing"
    jupyter kb edit kite.md Landing --body-file new.md --expected-hash 9f86d081884c
    jupyter kb edit kite.md Landing --operation rename --heading Touchdown --expected-hash 9f86d081884c
    """
    _check_usage(heading, line, body, body_file, operation, new_heading)
    if expected_hash is None and _text_given(body, body_file, operation):
        raise _hash_required(file, heading, line)
    # Only these leave links behind, which the index knows; the next command that needs it takes in any edit.
    with opened(vault, index_dir, indexed=operation in _WITHOUT_TEXT) as kb:
        from jupyter_kb.models import SectionEdit

        request = SectionEdit(
            section=section(kb, file, heading, line),
            expected_hash=expected_hash or "",
            operation=operation.replace("-", "_"),  # type: ignore[arg-type]
            body=_body(body, body_file),
            heading=new_heading,
            dry_run=dry_run,
        )
        if _text_given(body, body_file, operation):
            result: EditResult | None = _edit(kb, request, file, heading)
        else:
            result = _edit_in_editor(kb, request, own)
    if result is not None:
        _show(result, dry_run, as_json)


def _check_usage(
    heading: str | None,
    line: int | None,
    body: str | None,
    body_file: str | None,
    operation: str,
    new_heading: str | None,
) -> None:
    from jupyter_kb.cli.editor import editor_available

    if heading is None and line is None:
        raise click.UsageError("name the section: its HEADING, or --line")
    if body is not None and body_file is not None:
        raise click.UsageError("give --body or --body-file, not both")
    if operation in _WITH_HEADING and new_heading is None:
        raise click.UsageError(f"--operation {operation} needs --heading")
    if operation not in _WITH_HEADING and new_heading is not None:
        raise click.UsageError(f"--heading belongs to {', '.join(_WITH_HEADING)}, not to {operation}")
    if operation in _WITHOUT_TEXT and (body is not None or body_file is not None):
        raise click.UsageError(f"--operation {operation} takes no text")
    if not _text_given(body, body_file, operation) and not editor_available():
        raise click.UsageError("no terminal for an editor: give --body or --body-file (`-` is standard input)")


def _text_given(body: str | None, body_file: str | None, operation: str) -> bool:
    """Whether the request is whole, so that no editor is needed."""
    return body is not None or body_file is not None or operation in _WITHOUT_TEXT


def _body(body: str | None, body_file: str | None) -> str:
    from jupyter_kb.cli.editor import read_text

    if body_file is None:
        return body or ""
    return read_text(sys.stdin.buffer.read() if body_file == "-" else Path(body_file).read_bytes())


def _hash_required(file: str, heading: str | None, line: int | None) -> Exception:
    from jupyter_kb.errors import HashRequiredError

    command = _get_command(file, heading, line)
    return HashRequiredError(
        "an edit must name the hash of the text that it replaces",
        hint=f"read the section with `{command} --json` and give its content_hash as --expected-hash",
    )


def _edit(kb: KnowledgeBase, request: SectionEdit, file: str, heading: str | None) -> EditResult:
    from jupyter_kb.errors import ConflictError

    try:
        return kb.edit_section(request, actor="command line")
    except ConflictError as error:
        again = _get_command(file, heading, request.section.line)
        error.hint = f"look at it again with `{again}`; if your change still makes sense, give its hash of today"
        raise


def _get_command(file: str, heading: str | None, line: int | None) -> str:
    return shlex.join(["jupyter", "kb", "get", file, *(["--line", str(line)] if heading is None else [heading])])


def _show(result: EditResult, dry_run: bool, as_json: bool) -> None:
    from jupyter_kb.render import text

    if as_json:
        console.write_json(result)
        return
    if dry_run and console.styled(sys.stdout):
        console.show(text.diff(result.diff))
    elif dry_run:
        console.show_text(result.diff)
    console.show(text.edit(result), err=dry_run)


# ── in the editor ───────────────────────────────────────────────────────────────────────────────


def _edit_in_editor(kb: KnowledgeBase, request: SectionEdit, own: bool) -> EditResult | None:
    """Let a person change the text, and write it if the section is still what they were shown. None: no change."""
    from dataclasses import replace

    from jupyter_kb.cli.editor import Draft
    from jupyter_kb.errors import KBError
    from jupyter_kb.render.lines import visible, words

    read = _read(kb, request.section, request.expected_hash, own)
    text = _text_below_heading(read) if request.operation == "replace" else ""
    draft = Draft(text, read.heading)
    place = visible(" > ".join(filter(None, (read.file, read.heading_path))))
    console.show([words(f"{place}  hash {read.content_hash[:16]}", "muted")], err=True)
    edited = draft.edit()
    if edited == text:
        draft.discard()
        console.show([words("No change: nothing was written.")], err=True)
        return None
    try:
        result = kb.edit_section(replace(request, expected_hash=read.content_hash, body=edited), actor="command line")
    except BaseException as error:
        if isinstance(error, KBError):
            _explain_refusal(error, read, request, draft)
        console.show([words(f"Your text is kept in {draft.path}", "warning")], err=True)
        raise
    draft.discard()
    return result


def _read(kb: KnowledgeBase, place: SectionRef, expected_hash: str, own: bool) -> SectionContent:
    """The text to change: the whole section or its own text, whichever the given hash means."""
    from jupyter_kb.errors import ConflictError

    read = kb.get_section(place, children=not own)
    if not expected_hash or read.content_hash.startswith(expected_hash):
        return read
    other = kb.get_section(place, children=own)
    if other.content_hash.startswith(expected_hash):
        return other
    raise ConflictError(
        f"section '{read.heading_path}' in '{read.file}' changed since it was read",
        hint="leave --expected-hash out to edit the text as it is now",
        current_hash=read.content_hash,
        current_content=read.content,
    )


def _text_below_heading(read: SectionContent) -> str:
    from jupyter_kb.markdown.document import parse

    data = read.content.encode("utf-8", "surrogateescape")
    start = parse(data).sections[0].heading_range.end if read.level else 0
    below = data[start:].decode("utf-8", "surrogateescape")
    blank = _BLANK_LINES.match(below)
    below = below[blank.end() :] if blank else below
    return below if not below or below.endswith(("\n", "\r")) else below + ("\r\n" if "\r\n" in read.content else "\n")


def _explain_refusal(error: Exception, read: SectionContent, request: SectionEdit, draft: Draft) -> None:
    """Say how to go on: on a conflict show the whole text of today, with what changed in it since it was read."""
    from jupyter_kb.errors import ConflictError, KBError

    assert isinstance(error, KBError)
    error.details["draft"] = str(draft.path)
    again = ["jupyter", "kb", "edit", read.file]
    again += ["--line", str(request.section.line)] if request.section.line else [read.heading_path]
    if request.operation != "replace":
        again += ["--operation", request.operation.replace("_", "-")]
    if request.heading is not None:
        again += ["--heading", request.heading]
    if isinstance(error, ConflictError):
        _show_what_changed(error, read)
    current = str(error.details.get("current_hash") or read.content_hash)
    again += ["--body-file", str(draft.path), "--expected-hash", current[:16]]
    error.hint = f"bring the two together in that file, then: {shlex.join(again)}"


def _show_what_changed(error: ConflictError, read: SectionContent) -> None:
    import difflib

    from jupyter_kb.render import text

    before, now = read.content.splitlines(), str(error.details.get("current_content", "")).splitlines()
    whole = len(before) + len(now)
    changed = difflib.unified_diff(before, now, "as you read it", "as it is now", n=whole, lineterm="")
    console.show(text.diff("\n".join(changed)), err=True)
