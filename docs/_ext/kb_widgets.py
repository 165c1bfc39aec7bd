"""A directive for the widgets: ``{kb-widgets}``, from their docstrings and the help of their traits."""

from __future__ import annotations

import inspect
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from jupyter_kb import widgets

_KINDS = {"Unicode": "text", "Int": "number", "Bool": "yes or no", "List": "list"}


class WidgetList(SphinxDirective):
    """The widgets, each with what it takes, its traits and its methods."""

    def run(self) -> list[nodes.Node]:
        """Write a section for each."""
        sections: list[nodes.Node] = []
        for name in widgets.__all__:
            kind = getattr(widgets, name)
            self.env.note_dependency(inspect.getfile(kind))
            section = nodes.section(ids=[name.lower()], names=[name.lower()])
            section += nodes.title("", name)
            self.state.document.note_implicit_target(section, section)
            section += self._parsed("\n".join(_lines(kind)).split("\n"))
            sections.append(section)
        return sections

    def _parsed(self, lines: list[str]) -> list[nodes.Node]:
        container = nodes.Element()
        container.document = self.state.document
        content = StringList(lines, source=self.get_location())
        self.state.nested_parse(content, self.content_offset, container)
        return list(container.children)


def _lines(kind: Any) -> list[str]:
    text = inspect.cleandoc(kind.__doc__)
    about, _, rest = text.partition("\n\nParameters\n----------\n")
    parameters, _, _ = rest.partition("\n\nExamples\n--------\n")
    lines = [about, "", *_parameters(parameters), ""]
    lines += ["| Trait | | |", "|---|---|---|"]
    for name, trait in kind.class_own_traits().items():
        if not name.startswith("_"):
            lines.append(f"| `{name}` | {_kind(trait)} | {trait.help} |")
    lines.append("| `problem` | text | What went wrong last, in a sentence; empty when nothing did. |")
    lines += ["", *_members(kind)]
    return lines


def _kind(trait: Any) -> str:
    if hasattr(trait, "values"):
        return ", ".join(f"`{value}`" for value in trait.values)
    return _KINDS[type(trait).__name__]


def _parameters(text: str) -> list[str]:
    """NumPy's parameter list as a definition list."""
    lines: list[str] = []
    for line in text.split("\n"):
        name, colon, told = line.partition(" : ")
        if colon and not line.startswith(" "):
            lines += ["", f"`{name}`", f": {told}"]
        elif line.strip():
            lines.append(f"  {line.strip()}")
    return lines


def _members(kind: Any) -> list[str]:
    lines: list[str] = []
    for name, member in vars(kind).items():
        told = inspect.getdoc(member)
        if name.startswith("_") or told is None:
            continue
        if isinstance(member, property):
            lines += [f"`.{name}`", f": {' '.join(told.split())}", ""]
        elif inspect.isfunction(member) and name != "close":
            lines += [f"`.{name}()`", f": {' '.join(told.split())}", ""]
    return lines


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive."""
    app.add_directive("kb-widgets", WidgetList)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
