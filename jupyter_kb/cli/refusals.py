"""What a refused edit tells: the text as it is now, and the command that goes on from there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from jupyter_kb.cli import console
from jupyter_kb.cli.wording import command

if TYPE_CHECKING:
    from jupyter_kb.errors import ConflictError, KBError
    from jupyter_kb.models import SectionContent, SectionEdit, SectionRef

_MOST_LINES = 40
_DIGITS = 16


def hash_required(file: str, heading: str | None, line: int | None) -> Exception:
    """The error for a text without the hash of what it replaces."""
    from jupyter_kb.errors import HashRequiredError

    read = command("get", file, *_place(heading, line), "--json")
    return HashRequiredError(
        "an edit must name the hash of the text that it replaces",
        hint=f"read the section with `{read}` and give its content_hash as --expected-hash",
    )


def explain_conflict(error: ConflictError, request: SectionEdit, text: list[str], *, silent: bool) -> None:
    """Show the section as it is now, unless `silent`, and give the command that repeats the edit on it.

    `text` is the option with the new text, as it was given.
    """
    now, own = str(error.details["current_hash"]), error.details.get("current_own_hash")
    if not silent:
        _show_text(request.section, str(error.details["current_content"]))
    # Where a section has sub-sections, the hash of its own text is the one that cannot delete them.
    chosen = str(own) if own and request.operation == "replace" else now
    again = repeat(request, request.section.file, _heading(request.section), text, chosen)
    error.hint = f"if your change still makes sense, repeat it with the current hash: {again}"
    if chosen != now:
        error.hint += f" (to replace its sub-sections as well: {now[:_DIGITS]})"


def explain_refusal(error: KBError, read: SectionContent, request: SectionEdit, draft: Path, *, silent: bool) -> None:
    """After an edit in the editor: what changed meanwhile, and how to go on with the draft."""
    from jupyter_kb.errors import ConflictError, InvalidBodyError, UnverifiedEditError

    error.details["draft"] = str(draft)
    current = str(error.details.get("current_hash") or read.content_hash)
    again = repeat(request, read.file, read.heading_path, ["--body-file", str(draft)], current)
    if isinstance(error, ConflictError):
        if not silent:
            _show_what_changed(error, read)
        error.hint = f"bring the two together in that file, then: {again}"
    elif isinstance(error, (InvalidBodyError, UnverifiedEditError)):
        error.hint = f"{error.hint or 'the text does not fit'}; correct it in that file, then: {again}"
    else:
        error.hint = f"{error.hint or 'your text is safe in that file'}; then: {again}"


def repeat(request: SectionEdit, file: str, heading: str | None, text: list[str], expected: str) -> str:
    """The command that does this edit on the text with the hash `expected`."""
    words = ["edit", file, *_place(heading, request.section.line)]
    if request.operation != "replace":
        words += ["--operation", request.operation.replace("_", "-")]
    if request.heading is not None:
        words += ["--heading", request.heading]
    if request.target is not None:
        target = request.target
        words += [f"--{request.place}", target if isinstance(target, str) else " > ".join(target)]
    if request.update_links:
        words.append("--update-links")
    return command(*words, *text, "--expected-hash", expected[:_DIGITS])


def given_text(body: str | None, body_file: str | None) -> list[str]:
    """The option that gave the new text; a text of several lines is not repeated."""
    if body_file is not None:
        return ["--body-file", body_file]
    if body is None:
        return []
    return ["--body", body if body.isprintable() else "TEXT"]


def _place(heading: str | None, line: int | None) -> list[str]:
    return ["--line", str(line)] if line is not None else [heading or ""]


def _heading(place: SectionRef) -> str | None:
    path = place.heading_path
    return " > ".join(path) if isinstance(path, tuple) else path


def _show_text(place: SectionRef, content: str) -> None:
    from jupyter_kb.render.lines import Line, visible, words

    lines = content.splitlines()
    name = visible(f"{place.file} > {_heading(place) or f'line {place.line}'}")
    shown = [Line(lead=(("  ", ""),), body=((visible(line), ""),)) for line in lines[:_MOST_LINES]]
    left = [words(f"  … {len(lines) - _MOST_LINES} more lines", "muted")] if len(lines) > _MOST_LINES else []
    console.show([words(f"{name} is now:", "muted"), *shown, *left], err=True)


def _show_what_changed(error: ConflictError, read: SectionContent) -> None:
    import difflib

    from jupyter_kb.render import edits

    before, now = read.content.splitlines(), str(error.details.get("current_content", "")).splitlines()
    whole = len(before) + len(now)
    changed = difflib.unified_diff(before, now, "as you read it", "as it is now", n=whole, lineterm="")
    console.show(edits.diff("\n".join(changed)), err=True)
