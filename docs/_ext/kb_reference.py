"""Directives for reference pages that are made from the program itself: ``{kb-errors}`` and ``{kb-tools}``."""

from __future__ import annotations

import asyncio
import inspect
import tempfile
from collections.abc import Iterator
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from jupyter_kb import errors


def _subclasses(cls: type[errors.KBError]) -> Iterator[type[errors.KBError]]:
    for child in cls.__subclasses__():
        yield child
        yield from _subclasses(child)


def _parse(directive: SphinxDirective, lines: list[str]) -> list[nodes.Node]:
    """The lines, as if they stood in the page where the directive stands."""
    container = nodes.Element()
    container.document = directive.state.document
    content = StringList(lines, source=directive.get_location())
    directive.state.nested_parse(content, directive.content_offset, container)
    return list(container.children)


class ErrorTable(SphinxDirective):
    """The errors of ``jupyter_kb/errors.py``: code, class, HTTP status, meaning; a row each, in their order there."""

    def run(self) -> list[nodes.Node]:
        """Write the table."""
        self.env.note_dependency(errors.__file__)
        rows = ["| Code | Class | HTTP status | What happened |", "|---|---|---|---|"]
        for cls in _subclasses(errors.KBError):
            meaning = " ".join(inspect.cleandoc(cls.__doc__ or "").split())
            rows.append(f"| `{cls.code}` | `{cls.__name__}` | {cls.status} | {meaning} |")
        return _parse(self, rows)


class ToolList(SphinxDirective):
    """The MCP tools of a toolset as a client lists them, with their parameters: ``{kb-tools} vault``."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Write a definition list, a tool an entry."""
        self.env.note_reread()  # the page depends on too many modules to name them
        lines: list[str] = []
        for tool in _tools(self.arguments[0]):
            lines += [f"`{tool.name}`", ": " + " ".join((tool.description or "").split()), ""]
            schema: dict[str, Any] = tool.input_schema
            required = schema.get("required", [])
            for name, about in schema.get("properties", {}).items():
                lines.append(f"  - `{name}` ({_type(about)}{_default(name, about, required)}) {_text(about)}".rstrip())
            lines.append("")
        return _parse(self, lines)


def _text(about: dict[str, Any]) -> str:
    return " ".join(about.get("description", "").split())


def _default(name: str, about: dict[str, Any], required: list[str]) -> str:
    if name in required:
        return ", required"
    value = about.get("default")
    return f", default `{value}`" if value not in (None, [], {}, "") else ""


def _type(about: dict[str, Any]) -> str:
    if "enum" in about:
        return " or ".join(f"`{value}`" for value in about["enum"])
    if "anyOf" in about:
        return " or ".join(_type(choice) for choice in about["anyOf"] if choice.get("type") != "null")
    if about.get("type") == "array":
        return f"list of {_type(about.get('items', {}))}"
    return str(about.get("type", "object"))


def _tools(toolset: str) -> list[Any]:
    from jupyter_kb.kb import KnowledgeBase
    from jupyter_kb.mcp.server import build_server

    with tempfile.TemporaryDirectory() as folder, KnowledgeBase.open(folder, in_memory=True) as kb:
        return list(asyncio.run(build_server(kb, toolset=toolset).list_tools()))


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directives."""
    app.add_directive("kb-errors", ErrorTable)
    app.add_directive("kb-tools", ToolList)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
