"""Where the pieces of text that a search found stand in their files, as these are on disk now."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from jupyter_kb.errors import KBError
from jupyter_kb.markdown.document import Document, parse
from jupyter_kb.models import Hit

if TYPE_CHECKING:
    from jupyter_kb.vault.vault import Vault


def placed(vault: Vault, hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """The same hits with `passage_bytes` and `passage_lines`; without them where the file has moved on."""
    documents: dict[str, Document | None] = {}
    for hit in hits:
        if hit.span is not None and hit.file not in documents:
            documents[hit.file] = None
            with suppress(KBError):
                documents[hit.file] = parse(vault.read(hit.file, suggest=False))
    return tuple(_placed(documents.get(hit.file), hit) for hit in hits)


def _placed(document: Document | None, hit: Hit) -> Hit:
    if document is None or hit.span is None:
        return hit
    section = next((one for one in document.sections if one.start == hit.byte_range.start), None)
    if section is None or section.own_hash != hit.own_hash:
        return hit
    passage_bytes, passage_lines = document.own_place(section, *hit.span)
    return replace(hit, passage_bytes=passage_bytes, passage_lines=passage_lines)
