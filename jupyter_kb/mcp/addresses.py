"""Addresses of notes and sections, written and read: `kb://VAULT/path.md#Heading%20%3E%20Sub-heading`."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote, unquote_to_bytes

from jupyter_kb.errors import InvalidRequestError

SCHEME = "kb"
_IN_PATHS = "/!$&'()*+,;=:@"  # what RFC 3986 lets stand in a path


@dataclass(frozen=True, kw_only=True)
class Address:
    """A note of a vault, or with `heading_path` one of its sections."""

    vault: str
    file: str
    heading_path: str | None = None

    def __str__(self) -> str:
        fragment = f"#{_escaped(self.heading_path, '')}" if self.heading_path else ""
        return f"{SCHEME}://{_escaped(self.vault, '')}/{_escaped(self.file, _IN_PATHS)}{fragment}"


def read_address(text: str) -> Address:
    """What an address names.

    Raises
    ------
    InvalidRequestError : it is no address of a note.
    """
    scheme, separator, rest = text.strip().partition("://")
    rest, _, fragment = rest.partition("#")
    vault, _, file = rest.partition("/")
    if not (separator and scheme.lower() == SCHEME and vault and file):
        raise InvalidRequestError(
            f"'{text[:200]}' is no address of a note",
            hint=f"an address is {SCHEME}://VAULT/path.md or {SCHEME}://VAULT/path.md#Heading > Sub-heading",
        )
    return Address(vault=_plain(vault), file=_plain(file), heading_path=_plain(fragment) or None)


def templates(vault: str) -> tuple[str, str]:
    """The URI templates (RFC 6570) of a note and of a section of it."""
    note = f"{SCHEME}://{_escaped(vault, '')}/{{+path}}"
    return note, note + "#{section}"


def _escaped(text: str, safe: str) -> str:
    return quote(text.encode("utf-8", "surrogateescape"), safe=safe)


def _plain(text: str) -> str:
    return unquote_to_bytes(text).decode("utf-8", "surrogateescape")
