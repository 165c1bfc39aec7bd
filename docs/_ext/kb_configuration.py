"""Directives for the configuration of the Jupyter server: ``{kb-options}`` from its traits, ``{kb-events}``."""

from __future__ import annotations

import inspect
from importlib import resources
from typing import Any

import yaml
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from jupyter_kb.config import VaultTraits
from jupyter_kb.server.events import SCHEMAS


def _parse(directive: SphinxDirective, lines: list[str]) -> list[nodes.Node]:
    """The lines, as if they stood in the page where the directive stands."""
    container = nodes.Element()
    container.document = directive.state.document
    content = StringList(lines, source=directive.get_location())
    directive.state.nested_parse(content, directive.content_offset, container)
    return list(container.children)


class OptionList(SphinxDirective):
    """The options of ``jupyter_kb/config.py``, in their order there, with their help."""

    def run(self) -> list[nodes.Node]:
        """Write a definition list, an option an entry."""
        self.env.note_dependency(inspect.getfile(VaultTraits))
        traits = VaultTraits.class_traits(config=True)
        lines: list[str] = []
        for name in [name for name in vars(VaultTraits) if name in traits]:
            trait = traits[name]
            kind = " or ".join(f"`{value}`" for value in trait.values) if hasattr(trait, "values") else _kind(trait)
            default = trait.default()
            shown = f", default `{default!r}`" if default not in (None, "", {}) else ""
            first, *others = inspect.cleandoc(str(trait.help)).split("\n\n")
            lines += [f"`c.JupyterKB.{name}` ({kind}{shown})", f": {' '.join(first.split())}", ""]
            lines += [line for other in others for line in (f"  {' '.join(other.split())}", "")]
        return _parse(self, lines)


def _kind(trait: Any) -> str:
    kinds = {"Unicode": "text", "Bool": "yes or no", "Int": "number", "Float": "number", "List": "list"}
    return kinds.get(type(trait).__name__, "names and folders")


class EventList(SphinxDirective):
    """The events that the server tells, with their fields, from their schemas."""

    def run(self) -> list[nodes.Node]:
        """Write a definition list, an event an entry."""
        lines: list[str] = []
        for name in SCHEMAS:
            file = resources.files("jupyter_kb.server") / "event_schemas" / f"{name}.yaml"
            self.env.note_dependency(str(file))
            schema = yaml.safe_load(file.read_text(encoding="utf-8"))
            lines += [f"`{schema['$id']}`", f": {' '.join(schema['description'].split())}", ""]
            lines += [
                f"  - `{field}` {about.get('description', '')}".rstrip()
                for field, about in schema["properties"].items()
            ]
            lines.append("")
        return _parse(self, lines)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directives."""
    app.add_directive("kb-options", OptionList)
    app.add_directive("kb-events", EventList)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
