"""Directives for the reference of the JupyterLab interface, read from its sources: commands, keys, settings, menus."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

FRONT = Path(__file__).parents[2] / "labextension"

_COMMAND = re.compile(r"(?:/\*\*(?P<about>(?:(?!\*/).)*)\*/\s*)?(?P<name>\w+): '(?P<id>jupyter-kb:[\w-]+)'", re.DOTALL)
_REGISTERED = re.compile(r"\badd(?:Command)?\(\s*Commands\.(\w+),(.*?)(?=\badd(?:Command)?\(|\Z)", re.DOTALL)
_NOT_LABEL = re.compile(r"\b(?:caption|icon|describedBy|isEnabled|isVisible|execute|async)\b|found =>|\(commands,")
_TEXT = re.compile(r"__\(\s*'([^']*)'")
_KEYS = {"Accel": "Ctrl", " ": "Space", "ArrowUp": "↑", "ArrowDown": "↓"}
_MAC = {**_KEYS, "Accel": "Cmd", "Alt": "Option"}
# What a key is bound to, in words; a selector that is not here is a warning.
_WHERE = {
    "body": "anywhere",
    ".jp-CodeMirrorEditor": "an editor, the cursor in a link",
    "a.kb-link": "a link in rendered Markdown",
    ".jp-kb-section-tab": "the section editor",
}

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Command:
    """One command; `labels` are what the palette and the menus call it."""

    id: str
    labels: tuple[str, ...]
    about: str


@dataclass(frozen=True)
class Shortcut:
    """One key of a command, as people write it, and the place where it works."""

    command: str
    keys: str
    mac: str
    selector: str


def commands() -> list[Command]:
    """The commands of ``src/commands.ts`` that a plugin registers, in their order there."""
    found = [_registered(path) for path in sorted((FRONT / "src" / "plugins").glob("*.ts"))]
    registered = {name: texts for texts_of_file in found for name, texts in texts_of_file.items()}
    listed = []
    for match in _COMMAND.finditer((FRONT / "src" / "commands.ts").read_text(encoding="utf-8")):
        about = " ".join(line.strip().lstrip("*").strip() for line in (match["about"] or "").splitlines()).strip()
        if match["name"] in registered:
            listed.append(Command(match["id"], registered[match["name"]], about))
    return listed


def _registered(path: Path) -> dict[str, tuple[str, ...]]:
    """The labels of each command that a plugin's module registers."""
    texts = {}
    for name, rest in _REGISTERED.findall(path.read_text(encoding="utf-8")):
        end = _NOT_LABEL.search(rest)
        texts[name] = tuple(_TEXT.findall(rest[: end.start()] if end else rest))
    return texts


def schemas() -> dict[str, Any]:
    """The schemas of the plugins by their names; `session`, which has the settings, is the first."""
    files = sorted((FRONT / "schema").glob("*.json"), key=lambda path: (path.stem != "session", path.stem))
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in files}


def shortcuts() -> list[Shortcut]:
    """The keys that the schemas bind."""
    return [
        Shortcut(
            one["command"],
            _spelled(one["keys"], _KEYS),
            _spelled(one.get("macKeys", one["keys"]), _MAC),
            one["selector"],
        )
        for schema in schemas().values()
        for one in schema.get("jupyter.lab.shortcuts", ())
    ]


def _spelled(chords: list[str], names: dict[str, str]) -> str:
    return ", then ".join("+".join(names.get(key, key) for key in chord.split(" ")) for chord in chords)


class _Interface(SphinxDirective):
    """A directive whose page is made anew when the sources change."""

    def _read(self, *folders: str) -> None:
        for folder in folders:
            for path in sorted((FRONT / folder).glob("*")):
                self.env.note_dependency(str(path))

    def _parse(self, lines: list[str]) -> list[nodes.Node]:
        container = nodes.Element()
        container.document = self.state.document
        self.state.nested_parse(StringList(lines, source=self.get_location()), self.content_offset, container)
        return list(container.children)

    def _warn(self, text: str) -> None:
        _log.warning(text, location=self.get_location())


class CommandList(_Interface):
    """Every command with its labels, its identifier, its keys and what it takes."""

    def run(self) -> list[nodes.Node]:
        """Write a definition list, a command an entry."""
        self._read("src/plugins", "src", "schema")
        lines: list[str] = []
        for command in commands():
            if not command.labels or not command.about:
                self._warn(f"command without a label or without a comment in commands.ts: {command.id}")
            keys = [f"`{one.keys}`" for one in shortcuts() if one.command == command.id]
            lines += [
                ", ".join(command.labels) + (f" ({', '.join(dict.fromkeys(keys))})" if keys else ""),
                f": {command.about}",
                "",
                f"  `{command.id}`",
                "",
            ]
        return self._parse(lines)


class ShortcutTable(_Interface):
    """The keys that JupyterLab's shortcut editor can change."""

    def run(self) -> list[nodes.Node]:
        """Write the table."""
        self._read("src/plugins", "src", "schema")
        labels = {command.id: command.labels[0] for command in commands() if command.labels}
        rows = ["| Command | Keys | On macOS | Where |", "|---|---|---|---|"]
        for one in shortcuts():
            if one.selector not in _WHERE or one.command not in labels:
                self._warn(f"key of an unknown command or place: {one.command} in {one.selector}")
            where = _WHERE.get(one.selector, one.selector)
            rows.append(f"| {labels.get(one.command, one.command)} | `{one.keys}` | `{one.mac}` | {where} |")
        return self._parse(rows)


class SettingList(_Interface):
    """The settings, with their values and defaults."""

    def run(self) -> list[nodes.Node]:
        """Write a definition list, a setting an entry."""
        self._read("schema")
        lines: list[str] = []
        for plugin, schema in schemas().items():
            for name, about in schema.get("properties", {}).items():
                if not about.get("title") or not about.get("description"):
                    self._warn(f"setting without a title or a description: {plugin} {name}")
                lines += [
                    f"{about.get('title')} (`{name}`, {_values(about)}, default `{json.dumps(about.get('default'))}`)",
                    f": {about.get('description')}",
                    "",
                ]
        return self._parse(lines)


def _values(about: dict[str, Any]) -> str:
    if "enum" in about:
        return ", ".join(f"`{value}`" for value in about["enum"])
    if "minimum" in about and "maximum" in about:
        return f"{about['minimum']} to {about['maximum']}"
    return {"boolean": "yes or no"}.get(about["type"], str(about["type"]))


class PluginList(_Interface):
    """The plugins, each to be switched off by itself, with what they do."""

    def run(self) -> list[nodes.Node]:
        """Write a definition list, a plugin an entry."""
        self._read("src/plugins")
        lines: list[str] = []
        for path in sorted((FRONT / "src" / "plugins").glob("*.ts")):
            text = path.read_text(encoding="utf-8")
            for identifier in re.findall(r"\bid: '(jupyter-kb:\w+)'", text):
                about = re.search(r"description:\s*'([^']*)'", text)
                if not about:
                    self._warn(f"plugin without a description: {identifier}")
                lines += [f"`{identifier}`", f": {about[1] if about else ''}", ""]
        return self._parse(lines)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directives."""
    app.add_directive("kb-commands", CommandList)
    app.add_directive("kb-shortcuts", ShortcutTable)
    app.add_directive("kb-settings", SettingList)
    app.add_directive("kb-plugins", PluginList)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
