"""Directives for reference pages made from the program itself: errors, tools, prompts, magics, routes and values."""

from __future__ import annotations

import inspect
import json
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from jupyter_kb import errors
from jupyter_kb.cli.exits import EXIT_STATUS
from jupyter_kb.magics.commands import COMMANDS, EVERYWHERE
from jupyter_kb.magics.manual import explained, spelled
from jupyter_kb.mcp.prompts import list_prompts
from jupyter_kb.mcp.toolsets import find_toolset
from jupyter_kb.rest.openapi import document


def _errors() -> list[type[errors.KBError]]:
    """The classes of the error page, in its order."""
    classes = [value for value in vars(errors).values() if isinstance(value, type)]
    return [cls for cls in classes if issubclass(cls, errors.KBError) and cls is not errors.KBError]


def _parse(directive: SphinxDirective, lines: list[str]) -> list[nodes.Node]:
    """The lines, as if they stood in the page where the directive stands."""
    container = nodes.Element()
    container.document = directive.state.document
    content = StringList(lines, source=directive.get_location())
    directive.state.nested_parse(content, directive.content_offset, container)
    return list(container.children)


class ErrorTable(SphinxDirective):
    """The errors of ``jupyter_kb/errors.py``, a row each, in their order there."""

    def run(self) -> list[nodes.Node]:
        """Write the table."""
        self.env.note_dependency(errors.__file__)
        rows = ["| Code | Class | HTTP status | Exit status | What happened |", "|---|---|---|---|---|"]
        for cls in _errors():
            meaning = " ".join(inspect.cleandoc(cls.__doc__ or "").split())
            rows.append(f"| `{cls.code}` | `{cls.__name__}` | {cls.status} | {EXIT_STATUS[cls]} | {meaning} |")
        return _parse(self, rows)


class ToolList(SphinxDirective):
    """The MCP tools of a toolset as a client lists them, with their parameters: ``{kb-tools} vault``."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Write a definition list, a tool an entry."""
        self.env.note_reread()  # the page depends on too many modules to name them
        lines: list[str] = []
        for tool in sorted(find_toolset(self.arguments[0]).tools, key=lambda tool: tool.name):
            lines += [f"`{tool.name}`", f": {tool.description}", ""]
            schema = tool.input_schema()
            for name, about in schema["properties"].items():
                needed = ", required" if name in schema.get("required", ()) else _default(about)
                lines.append(f"  - `{name}` ({_type(about)}{needed}) {about.get('description', '')}".rstrip())
            lines.append("")
        return _parse(self, lines)


class MagicList(SphinxDirective):
    """The commands of the notebook magic ``%kb``, a section each, with their options."""

    def run(self) -> list[nodes.Node]:
        """Write a definition list, a command an entry."""
        self.env.note_reread()
        lines: list[str] = []
        for command in COMMANDS.values():
            lines += [f"`{command.usage}`", f": {command.summary[0].upper()}{command.summary[1:]}. {command.about}", ""]
            if command.examples:
                lines += [
                    "  ```text",
                    *(f"  {line}" for one in command.examples for line in one.splitlines()),
                    "  ```",
                    "",
                ]
            lines += [
                f"  - `{spelled(option)}` {explained(option)}" for option in command.options if option not in EVERYWHERE
            ]
            lines.append("")
        return _parse(self, lines)


class RouteList(SphinxDirective):
    """The routes of the REST API as its document has them, with what they take and answer."""

    def run(self) -> list[nodes.Node]:
        """Write a definition list, a route an entry."""
        self.env.note_reread()
        lines: list[str] = []
        for path, methods in document()["paths"].items():
            for method, about in methods.items():
                if method != "parameters":
                    lines += _route(f"{method.upper()} {path.removeprefix('/')}", about)
        return _parse(self, lines)


def _route(name: str, about: dict[str, Any]) -> list[str]:
    answer = next(response for status, response in about["responses"].items() if status.startswith("2"))
    content = answer["content"]["application/json"]["schema"]
    right = " Needs the right to write." if about["x-right"] == "write" else ""
    lines = [f"`{name}`", f": {about['summary']}.{right} Answers {_type(content)}.", ""]
    lines += [f"  {line}".rstrip() for line in about.get("description", "").splitlines()] + [""]
    for one in about.get("parameters", ()):
        where = "header, " if one["in"] == "header" else ""
        needed = ", required" if one["required"] else _default(one["schema"])
        lines.append(f"  - `{one['name']}` ({where}{_type(one['schema'])}{needed}) {one['description']}")
    if body := about.get("requestBody"):
        lines.append(f"  - body ({_type(body['content']['application/json']['schema'])}) {body['description']}")
    return [*lines, ""]


class ValueList(SphinxDirective):
    """The values that the REST API takes and answers, as its document has them."""

    def run(self) -> list[nodes.Node]:
        """Write a definition list, a value an entry."""
        self.env.note_reread()
        lines: list[str] = []
        for name, about in document()["components"]["schemas"].items():
            description = [line.strip() for line in about.get("description", "").splitlines()]
            lines += [f"`{name}`", f": {' '.join(filter(None, description))}".rstrip(), ""]
            lines += [
                f"  - `{field}` ({_type(schema)}{_default(schema)})" for field, schema in about["properties"].items()
            ]
            lines.append("")
        return _parse(self, lines)


class PromptList(SphinxDirective):
    """The MCP prompts as a client lists them, with their arguments."""

    def run(self) -> list[nodes.Node]:
        """Write a definition list, a prompt an entry."""
        self.env.note_reread()
        lines: list[str] = []
        for prompt in list_prompts().prompts:
            lines += [f"`{prompt.name}`", f": {prompt.description}.", ""]
            for argument in prompt.arguments or []:
                lines.append(
                    f"  - `{argument.name}`{' (required)' if argument.required else ''} {argument.description}"
                )
            lines.append("")
        return _parse(self, lines)


def _default(about: dict[str, Any]) -> str:
    return f", default `{json.dumps(about['default'])}`" if "default" in about else ""


def _type(about: dict[str, Any]) -> str:
    """A JSON schema in a few words."""
    if "$ref" in about:
        return f"`{about['$ref'].rpartition('/')[2]}`"
    if "const" in about:
        return f"`{about['const']}`"
    if "enum" in about:
        return ", ".join(f"`{value}`" for value in about["enum"])
    if choices := about.get("anyOf") or about.get("oneOf"):
        return " or ".join(_type(choice) for choice in choices)
    kind = about.get("type", "any value")
    if isinstance(kind, list):
        return " or ".join(kind)
    return f"list of {_type(about.get('items', {}))}" if kind == "array" else str(kind)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directives."""
    app.add_directive("kb-errors", ErrorTable)
    app.add_directive("kb-routes", RouteList)
    app.add_directive("kb-tools", ToolList)
    app.add_directive("kb-magics", MagicList)
    app.add_directive("kb-values", ValueList)
    app.add_directive("kb-prompts", PromptList)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
