"""Markdown as HTML, for previews."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from jupyter_kb.models import Rendered
from jupyter_kb.operations import Operations
from jupyter_kb.rest.route import Given, route


@dataclass(frozen=True, kw_only=True)
class RenderBody:
    """Markdown, and the note in which it stands: links may be relative to that."""

    markdown: str
    file: str | None = None


@route("POST", "vaults/{vault}/render", errors=(413,))
def render(vault: Operations, *, body: Annotated[RenderBody, Given(text="The text", source="body")]) -> Rendered:
    """Markdown as HTML that can be shown as it is: nothing in it runs or loads; links into the vault are resolved."""
    return vault.render(body.markdown, file=body.file)
