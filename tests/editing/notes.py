"""One note on disk and edits of it, for the tests of this room."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jupyter_kb.editing.section import SectionOutcome, edit_section
from jupyter_kb.markdown.document import Document, parse
from jupyter_kb.models import Operation, SectionEdit, SectionRef
from jupyter_kb.settings import Settings
from jupyter_kb.vault.vault import Vault

FILE = "n.md"


def raw(text: str) -> bytes:
    """A note written on one line: ⏎ is a line feed, ␍ a carriage return, ␠ a blank."""
    return text.translate({0x23CE: "\n", 0x240D: "\r", 0x2420: " "}).encode("utf-8", "surrogateescape")


class Note:
    """A vault with a single note in it."""

    def __init__(self, root: Path, data: str | bytes, settings: Settings | None = None) -> None:
        self.path = root / FILE
        self.path.write_bytes(data if isinstance(data, bytes) else raw(data))
        self.vault = Vault(root, settings)

    @property
    def data(self) -> bytes:
        return self.path.read_bytes()

    @property
    def document(self) -> Document:
        return parse(self.data)

    def hash(self, heading_path: str, *, own: bool = False) -> str:
        """Today's hash of a section."""
        section = self.document.find(heading_path, exact=True)
        return section.own_hash if own else section.content_hash

    def edit(
        self,
        heading_path: str | tuple[str, ...] | None = None,
        operation: Operation = "replace",
        body: str = "",
        *,
        heading: str | None = None,
        own: bool = False,
        line: int | None = None,
        expected: str | None = None,
        **more: Any,
    ) -> SectionOutcome:
        """Edit a section, with its current hash unless another is `expected`."""
        if expected is None:
            found = self.document.locate(SectionRef(file=FILE, heading_path=heading_path, line=line))
            expected = found.own_hash if own else found.content_hash
        return edit_section(
            self.vault,
            SectionEdit(
                section=SectionRef(file=FILE, heading_path=heading_path, line=line),
                expected_hash=expected,
                operation=operation,
                body=raw(body).decode("utf-8", "surrogateescape"),
                heading=heading,
                **more,
            ),
        )

    def edit_strictly(
        self, heading_path: str, body: str, *, file: str = FILE, expected: str | None = None
    ) -> SectionOutcome:
        """Replace a section by the structural rules."""
        return edit_section(
            self.vault,
            SectionEdit(
                section=SectionRef(file=file, heading_path=heading_path, exact=True),
                expected_hash=self.hash(heading_path) if expected is None else expected,
                body=raw(body).decode(),
                strict=True,
            ),
        )
