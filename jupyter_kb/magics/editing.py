"""`%kb edit` and `%%kb edit`: a section into a cell, and a cell into the section that this notebook saw."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jupyter_kb.errors import ConflictError, InvalidRequestError
from jupyter_kb.magics.places import below_heading
from jupyter_kb.magics.reading import place_name, read
from jupyter_kb.magics.refusal import MagicError
from jupyter_kb.magics.reports import Conflict, Edit, Message
from jupyter_kb.magics.results import Section
from jupyter_kb.magics.writing import write
from jupyter_kb.models import LinkTarget, SectionRef
from jupyter_kb.render.lines import visible

if TYPE_CHECKING:
    from jupyter_kb.magics.grammar import Arguments
    from jupyter_kb.magics.session import Session
    from jupyter_kb.models import SectionContent

_DIGITS = 16


def put_into_cell(session: Session, arguments: Arguments, line: str, shell: Any) -> Message:
    """Put a cell below that holds the text of the section, and that writes it back when it runs."""
    _check(arguments)
    content = read(session, arguments)
    body = below_heading(content)
    if visible_text(body) != body.replace("\r\n", "\n"):
        raise InvalidRequestError(
            f"{place_name(content)} holds characters that a cell cannot hold", hint="`jupyter kb edit` can edit it"
        )
    session.remember(content)
    shell.set_next_input(f"%%kb {line.strip()}\n{visible_text(body).rstrip(chr(10))}", replace=False)
    return Message(f"{place_name(content)} is in the cell below.", "Change it there; running that cell writes it back.")


def write_cell(session: Session, arguments: Arguments, cell: str) -> Edit:
    """Write a cell into the section, if that is still as this notebook saw it.

    Raises
    ------
    MagicError : the notebook did not see the text (it is shown), or the section changed (both texts are shown).
    """
    _check(arguments)
    if not cell.strip() and not arguments.get("empty"):
        raise InvalidRequestError("the cell is empty", hint="to take the text of the section away, add --empty")
    now = read(session, arguments)
    expected = arguments.get("hash")
    seen = session.seen(now.file, now.heading_path)
    if expected is None:
        if seen is None:
            raise _unseen(session, now)
        expected = seen.content_hash
    place = SectionRef(file=now.file, heading_path=now.heading_path)
    if not now.heading_path:  # an empty heading, which only its line names
        place = SectionRef(file=now.file, line=now.line_range.start)
    try:
        written = write(
            session,
            place,
            expected,
            cell,
            operation=arguments.get("operation", "replace"),
            dry_run=arguments.get("dry_run", False),
        )
    except ConflictError as error:
        raise _changed(now, cell, error, seen.text if seen and seen.content_hash == expected else None) from error
    return Edit(written.result, session)


def visible_text(text: str) -> str:
    """Text as a cell can hold it."""
    from jupyter_kb.render.lines import visible_lines

    return visible_lines(text)


def _check(arguments: Arguments) -> None:
    if arguments.heading is None and arguments.get("line") is None:
        raise InvalidRequestError(
            "name the section: NOTE > HEADING", hint="the text above the first heading is called Preamble"
        )


def _unseen(session: Session, now: SectionContent) -> MagicError:
    from IPython.display import display

    display(Section(session, now))  # type: ignore[no-untyped-call]
    name, digits = place_name(now), now.content_hash[:_DIGITS]
    return MagicError(
        f"not written: this notebook has not read '{_short(now)}', shown above; "
        f"run `%kb get {name}` first, or add --hash {digits}"
    )


def _changed(now: SectionContent, cell: str, error: ConflictError, read_text: str | None) -> MagicError:
    from IPython.display import display

    current = str(error.details.get("current_content", now.content))
    current_hash = str(error.details.get("current_hash", now.content_hash))
    place = LinkTarget(file=now.file, heading_path=now.heading_path)
    mine = _with_heading(current, cell)
    display(Conflict(place, current, mine, read=read_text, content_hash=current_hash))  # type: ignore[no-untyped-call]
    return MagicError(
        f"not written: '{_short(now)}' changed since it was read, both texts are above; "
        "read it again with `%kb get` before you run this cell"
    )


def _short(content: SectionContent) -> str:
    return visible(content.heading or content.file)


def _with_heading(current: str, cell: str) -> str:
    """The new text with the heading that stands above it in the note, so that both sides can be compared."""
    first = current.split("\n", 1)[0]
    has_heading = first.lstrip().startswith("#") and not cell.lstrip().startswith(first.strip())
    return f"{first}\n\n{cell.strip(chr(10))}\n" if has_heading else cell
