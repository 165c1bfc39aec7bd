"""The magics that read: outline, get, backlinks, links, insert."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jupyter_kb.errors import InvalidRequestError
from jupyter_kb.magics.reports import Message
from jupyter_kb.magics.results import Headings, Links, Section
from jupyter_kb.models import LinkTarget, SectionRef
from jupyter_kb.render.lines import count, visible, visible_lines

if TYPE_CHECKING:
    from jupyter_kb.magics.grammar import Arguments
    from jupyter_kb.magics.session import Session
    from jupyter_kb.models import LinkPage, SectionContent

_MOST_LINKS = 200


def outline(session: Session, arguments: Arguments) -> Headings:
    """The headings of a note."""
    return Headings(session, session.kb.outline(note(session, arguments)))


def get(session: Session, arguments: Arguments) -> Section:
    """The exact text of a section; from now on it counts as seen."""
    content = read(session, arguments)
    session.remember(content)
    rendered = session.kb.render(content.content, file=content.file).html if arguments.get("render") else None
    return Section(session, content, own=arguments.get("own", False), rendered=rendered)


def backlinks(session: Session, arguments: Arguments) -> Links:
    """The links that point to a note or section."""
    target = _target(session, arguments)
    page = _links(session, target, arguments, "in")
    return Links(session, page, f"{_counted(page)} to {_name(target)}", target)


def links(session: Session, arguments: Arguments) -> Links:
    """The links in a note or section, to it, or both."""
    target = _target(session, arguments)
    direction = arguments.get("direction", "out")
    way = {"out": "in", "in": "to", "both": "in and to"}[direction]
    page = _links(session, target, arguments, direction)
    return Links(session, page, f"{_counted(page)} {way} {_name(target)}", target if direction == "in" else None)


def insert(session: Session, arguments: Arguments, shell: Any) -> Message:
    """Put a section into a cell below."""
    content = read(session, arguments)
    text = visible_lines(content.content).rstrip("\n")
    as_code = arguments.get("magic", False)
    shell.set_next_input(f"%%markdown\n{text}" if as_code else text, replace=False)
    how = "run it to show the section" if as_code else "press Esc, M there to make a Markdown cell of it"
    return Message(f"{place_name(content)} is in the cell below.", f"In JupyterLab: {how}.")


# ── small parts ─────────────────────────────────────────────────────────────────────────────────


def note(session: Session, arguments: Arguments) -> str:
    """The key of the note that the line names.

    Raises
    ------
    InvalidRequestError : it names none. NoteNotFoundError : no note is called so.
    """
    if not arguments.note:
        raise InvalidRequestError("name a note", hint="the Tab key lists them")
    return session.kb.find_note(arguments.note)


def read(session: Session, arguments: Arguments) -> SectionContent:
    """The section that the line names by its heading or by a line; the whole note where it names neither."""
    line = arguments.get("line")
    if line is not None and arguments.heading is not None:
        raise InvalidRequestError("give a HEADING or --line, not both")
    section = SectionRef(file=note(session, arguments), heading_path=arguments.heading, line=line)
    return session.kb.get_section(section, children=not arguments.get("own", False))


def place_name(content: SectionContent) -> str:
    """Where a section stands, in a line."""
    return _name(LinkTarget(file=content.file, heading_path=content.heading_path))


def _target(session: Session, arguments: Arguments) -> LinkTarget:
    """The note or section that the line names, by its whole heading path."""
    if arguments.heading is None:
        return LinkTarget(file=note(session, arguments))
    content = read(session, arguments)
    return LinkTarget(file=content.file, heading_path=content.heading_path)


def _links(session: Session, target: LinkTarget, arguments: Arguments, direction: Any) -> LinkPage:
    return session.kb.links(
        target.file,
        target.heading_path,
        direction=direction,
        kind=arguments.get("kind"),
        limit=arguments.get("limit", _MOST_LINKS),
        offset=arguments.get("offset", 0),
    )


def _counted(page: LinkPage) -> str:
    shown = f"{len(page.links):,} of " if len(page.links) < page.total else ""
    return shown + count(page.total, "link")


def _name(target: LinkTarget) -> str:
    return visible(target.file) + (f" > {visible(target.heading_path)}" if target.heading_path else "")
