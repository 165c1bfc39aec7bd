"""Sections as objects of a notebook: their exact text, and the guarded way to change it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from jupyter_kb.errors import HashRequiredError
from jupyter_kb.magics.grammar import quoted
from jupyter_kb.models import SectionRef

if TYPE_CHECKING:
    from jupyter_kb.magics.reports import Edit
    from jupyter_kb.magics.session import Session
    from jupyter_kb.models import Operation, SectionContent

_BLANK_LINES = re.compile(r"(?:[ \t]*(?:\r\n|\n|\r))+")


class Place:
    """A section of a note. Its text is read from the note when it is first asked for.

    Attributes
    ----------
    file : the note's path in its vault.
    heading_path : the headings down to it, joined by ` > `.
    line : where it begins, as far as is known.
    """

    def __init__(self, session: Session, file: str, heading_path: str, line: int | None = None) -> None:
        self.file = file
        self.heading_path = heading_path
        self.line = line
        self._session = session
        self._content: SectionContent | None = None
        self._seen: str | None = None

    def __str__(self) -> str:
        """As a magic's line names it, so that `%kb get {hit}` works."""
        steps = [quoted(self.file), *(quoted(step) for step in self.heading_path.split(" > "))]
        return " > ".join(steps if self.heading_path else steps[:1])

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self}>"

    @property
    def content(self) -> SectionContent:
        """The section as it was when its text was first asked for, with its ranges and hash."""
        if self._content is None:
            self._content = self._session.kb.get_section(self._reference())
            self._seen = self._content.content_hash
        return self._content

    @property
    def text(self) -> str:
        """The exact text, its heading and sub-sections included."""
        return self.content.content

    @property
    def body(self) -> str:
        """The text below the heading: what `edit` replaces."""
        return below_heading(self.content)

    def edit(
        self, body: str, *, operation: Operation = "replace", hash: str | None = None, dry_run: bool = False
    ) -> Edit:
        """Write a new text below the heading, if the section is still as it was when its `text` was looked at.

        `hash` stands for having looked. With `dry_run` the difference is made and nothing is written.

        Raises
        ------
        HashRequiredError : the text was never looked at. ConflictError : it changed since; nothing was written.
        """
        from jupyter_kb.magics.reports import Edit
        from jupyter_kb.magics.writing import write

        expected = hash or self._seen
        if expected is None:
            raise HashRequiredError(
                f"the text of '{self.heading_path or self.file}' was not looked at",
                hint="look at .text or .body first, or name the hash of what you replace: .edit(…, hash=…)",
            )
        written = write(self._session, self._reference(), expected, body, operation=operation, dry_run=dry_run)
        if written.result.written:
            self._content, self._seen = None, written.next_hash
        return Edit(written.result, self._session)

    def _reference(self) -> SectionRef:
        # The empty heading is a heading too, and only its line names it.
        if self.heading_path or self.line is None:
            return SectionRef(file=self.file, heading_path=self.heading_path or None)
        return SectionRef(file=self.file, line=self.line)


def below_heading(content: SectionContent) -> str:
    """The text of a section without its heading and the blank lines that follow it."""
    return _without_blank_lines(split_heading(content)[1])


def split_heading(content: SectionContent) -> tuple[str, str]:
    """The heading of a section as it is written, with its line end, and everything below it."""
    if not content.level:
        return "", content.content
    from jupyter_kb.markdown.document import parse

    data = content.content.encode("utf-8", "surrogateescape")
    end = parse(data).sections[0].heading_range.end
    head, below = data[:end], data[end:]
    return head.decode("utf-8", "surrogateescape"), below.decode("utf-8", "surrogateescape")


def without_own_heading(body: str, content: SectionContent) -> str:
    """A new text without the section's own heading, where somebody left it standing above it exactly as it is."""
    heading = split_heading(content)[0].strip().replace("\r\n", "\n")
    given = _without_blank_lines(body)
    if heading and (given + "\n").startswith(heading + "\n"):
        return _without_blank_lines(given[len(heading) + 1 :])
    return body


def _without_blank_lines(text: str) -> str:
    blank = _BLANK_LINES.match(text)
    return text[blank.end() :] if blank else text
