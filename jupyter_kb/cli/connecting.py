"""The command that prints how a client reaches a vault: connect."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from jupyter_kb.cli import console
from jupyter_kb.cli.clients import Client, Configuration, OverHttp, OverStdio, Server, configuration
from jupyter_kb.cli.command import Command
from jupyter_kb.cli.options import index_dir_option, vault_root

if TYPE_CHECKING:
    from jupyter_kb.models import VaultInfo

CLIENTS: tuple[Client, ...] = ("claude-code", "claude-desktop", "vscode", "cursor", "generic")


@click.command(cls=Command, short_help="Print how a client connects: Claude, VS Code, Cursor, others.")
@click.argument("client", type=click.Choice(CLIENTS), required=False, metavar="[CLIENT]")
@click.option(
    "--vault",
    type=click.Path(path_type=Path),
    metavar="VAULT",
    help="Folder of the notes (default: the nearest indexed folder above, else this one).",
)
@click.option("--stdio", is_flag=True, help="A server that the client starts itself, also where a Jupyter server runs.")
@click.option(
    "--toolset",
    type=click.Choice(["vault", "structural"]),
    default="vault",
    help="`vault`: search, read and edit (the default). `structural`: six tools over headings.",
)
@click.option("--read-only", is_flag=True, help="Offer no tool that writes (with --stdio).")
@click.option("--json", "as_json", is_flag=True, help="Print the file's content only.")
@index_dir_option
def connect(
    client: Client | None,
    vault: Path | None,
    stdio: bool,
    toolset: str,
    read_only: bool,
    as_json: bool,
    index_dir: Path | None,
) -> None:
    """Print the configuration with which CLIENT, or each known client, reaches the vault.

    CLIENT is claude-code, claude-desktop, vscode, cursor or generic.

    Where a Jupyter server has the vault, the client is to connect to that server, with its token; keep what is printed
    to yourself. Without one, or with --stdio, the client starts `jupyter kb mcp` itself, which asks a Jupyter server
    that has the vault, too, and needs no token.

    \b
    jupyter kb connect claude-code
    jupyter kb connect cursor --stdio --json > .cursor/mcp.json
    """
    if as_json and client is None:
        raise click.UsageError(f"--json wants one CLIENT: {', '.join(CLIENTS)}")
    root = vault_root(vault, index_dir).resolve()
    server: Server | None = None if stdio or read_only else _running(root, toolset)
    over_http = server is not None
    if server is None:
        server = _started(root, toolset, read_only, index_dir)
    found = [configuration(each, root.name, server) for each in ([client] if client else CLIENTS)]
    if as_json:
        console.show_text(_content(found[0]))
        return
    for one in found:
        _show(one)
    _tell(over_http, stdio, read_only)


def _running(root: Path, toolset: str) -> OverHttp | None:
    """The address of the vault at the Jupyter server that has it; None where none has."""
    from jupyter_kb import discovery
    from jupyter_kb.client import Client as Asked
    from jupyter_kb.errors import KBError

    for server in discovery.servers(root):
        if server.jupyter_url is None:
            continue  # MCP is on the Jupyter server's own address, and asks for its token
        try:
            with Asked(server.url, server.token, timeout=5.0) as asked:
                vaults = asked.vaults()
        except KBError:
            continue
        for vault in vaults:
            if Path(vault.root).resolve() == root:
                place = _mcp_path(vault, toolset)
                return OverHttp(url=server.jupyter_url.rstrip("/") + place, token=server.jupyter_token)
    return None


def _mcp_path(vault: VaultInfo, toolset: str) -> str:
    from jupyter_kb.client.connection import quoted

    place = "/kb/mcp" if vault.is_default else f"/kb/mcp/v/{quoted(vault.name)}"
    return place if toolset == "vault" else f"{place}/{toolset}"


def _started(root: Path, toolset: str, read_only: bool, index_dir: Path | None) -> OverStdio:
    """The command in full, since clients start it with another PATH and in another folder."""
    program = Path(sys.executable).with_name("jupyter-kb")
    words = [str(program)] if program.is_file() else [sys.executable, "-m", "jupyter_kb.cli"]
    words += ["mcp", str(root)]
    if toolset != "vault":
        words += ["--toolset", toolset]
    if read_only:
        words.append("--read-only")
    if index_dir is not None:
        words += ["--index-dir", str(index_dir.resolve())]
    return OverStdio(command=words[0], arguments=words[1:])


def _content(found: Configuration) -> str:
    return json.dumps(found.content, indent=2, ensure_ascii=False) + "\n"


def _show(found: Configuration) -> None:
    from jupyter_kb.render.lines import words

    console.show([words(f"{found.title}: {found.file}", "muted")])
    console.show_text(_content(found))
    if found.note:
        console.show([words(found.note, "muted")])
    console.show([words("")])


def _tell(over_http: bool, stdio: bool, read_only: bool) -> None:
    from jupyter_kb.render.lines import words

    if over_http:
        told = "The token is that of the running server; unless you set one, the next start has another."
        console.show([words(told, "muted"), words("With --stdio none is needed.", "muted")], err=True)
    elif read_only and not stdio:
        told = "Read only: the client starts a server of its own; that of Jupyter also offers the tool that writes."
        console.show([words(told, "muted")], err=True)
    elif not stdio:
        told = "No Jupyter server that runs has this vault: the client starts a server of its own."
        console.show([words(told, "muted")], err=True)
