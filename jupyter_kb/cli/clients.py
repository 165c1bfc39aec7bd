"""Configurations for the programs that agents run in: how each of them is told of an MCP server. Values only."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import urlsplit

Client = Literal["claude-code", "claude-desktop", "vscode", "cursor", "generic"]

_BRIDGE = ("npx", "-y", "mcp-remote")
_SECRET = "KB_AUTHORIZATION"
_INPUT = "jupyter-token"
_LOCAL = ("localhost", "127.0.0.1")


@dataclass(frozen=True, kw_only=True)
class OverHttp:
    """A server that runs: its address, and the token that it wants (None: none)."""

    url: str
    token: str | None


@dataclass(frozen=True, kw_only=True)
class OverStdio:
    """A server that the client starts itself."""

    command: str
    arguments: Sequence[str]


Server = OverHttp | OverStdio


@dataclass(frozen=True, kw_only=True)
class Configuration:
    """What stands in a client's file. `file` is the place for people, `note` what else they have to know."""

    client: Client
    title: str
    file: str
    content: Mapping[str, Any]
    note: str | None = None


def configuration(client: Client, name: str, server: Server) -> Configuration:
    """The configuration of a client for a server that is to be called `name` there."""
    make = {
        "claude-code": _claude_code,
        "claude-desktop": _claude_desktop,
        "vscode": _vscode,
        "cursor": _cursor,
        "generic": _generic,
    }[client]
    return make(_identifier(name), server)


def _claude_code(name: str, server: Server) -> Configuration:
    return Configuration(
        client="claude-code",
        title="Claude Code",
        file=".mcp.json in the project, or mcpServers in ~/.claude.json for all projects",
        content={"mcpServers": {name: _typed(server)}},
    )


def _claude_desktop(name: str, server: Server) -> Configuration:
    """Its file knows programs only, so that a server over HTTP needs one that passes messages on."""
    note = None
    if isinstance(server, OverStdio):
        entry = _started(server)
    else:
        entry = {"command": _BRIDGE[0], "args": [*_BRIDGE[1:], server.url, "--transport", "http-only"]}
        address = urlsplit(server.url)
        if address.scheme == "http" and address.hostname not in _LOCAL:
            entry["args"].append("--allow-http")
        if server.token:
            # by way of the environment: arguments can be read by everybody on the machine
            entry["args"] += ["--header", f"Authorization:${{{_SECRET}}}"]
            entry["env"] = {_SECRET: f"Bearer {server.token}"}
        note = "mcp-remote, a program of its own, passes the messages on; it needs Node.js"
    return Configuration(
        client="claude-desktop",
        title="Claude Desktop",
        file=_claude_desktop_file(),
        content={"mcpServers": {name: entry}},
        note=note,
    )


def _claude_desktop_file() -> str:
    folder = {"darwin": "~/Library/Application Support/Claude", "win32": r"%APPDATA%\Claude"}
    separator = "\\" if sys.platform == "win32" else "/"
    return separator.join((folder.get(sys.platform, "~/.config/Claude"), "claude_desktop_config.json"))


def _vscode(name: str, server: Server) -> Configuration:
    content: dict[str, Any] = {"servers": {name: _typed(server)}}
    note = None
    if isinstance(server, OverHttp) and server.token:
        # the file is often shared: the token is asked for and kept elsewhere
        content["servers"][name]["headers"] = {"Authorization": f"Bearer ${{input:{_INPUT}}}"}
        content["inputs"] = [
            {"type": "promptString", "id": _INPUT, "description": "Token of the Jupyter server", "password": True}
        ]
        note = f"VS Code asks for the token when it first connects: {server.token}"
    return Configuration(client="vscode", title="VS Code", file=".vscode/mcp.json", content=content, note=note)


def _cursor(name: str, server: Server) -> Configuration:
    entry = _started(server) if isinstance(server, OverStdio) else _addressed(server)
    return Configuration(
        client="cursor",
        title="Cursor",
        file=".cursor/mcp.json in the project, or ~/.cursor/mcp.json for all projects",
        content={"mcpServers": {name: entry}},
    )


def _generic(name: str, server: Server) -> Configuration:
    entry = _started(server) if isinstance(server, OverStdio) else {"type": "streamable-http", **_addressed(server)}
    return Configuration(
        client="generic",
        title="Other clients",
        file="the file that the client's documentation names",
        content={"mcpServers": {name: entry}},
    )


def _typed(server: Server) -> dict[str, Any]:
    if isinstance(server, OverStdio):
        return {"type": "stdio", **_started(server)}
    return {"type": "http", **_addressed(server)}


def _started(server: OverStdio) -> dict[str, Any]:
    return {"command": server.command, "args": list(server.arguments)}


def _addressed(server: OverHttp) -> dict[str, Any]:
    headers = {"headers": {"Authorization": f"Bearer {server.token}"}} if server.token else {}
    return {"url": server.url, **headers}


def _identifier(name: str) -> str:
    """A name that every client takes: letters, digits and hyphens, a letter first; `Ü` becomes `U`."""
    bare = "".join(sign for sign in unicodedata.normalize("NFKD", name) if not unicodedata.combining(sign))
    plain = re.sub(r"[^a-zA-Z0-9]+", "-", bare).strip("-")
    return plain if plain[:1].isalpha() else f"notes-{plain}".rstrip("-")
