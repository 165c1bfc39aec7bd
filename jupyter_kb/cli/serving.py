"""The command that serves a vault to agents: mcp, over standard input and output."""

from __future__ import annotations

from pathlib import Path

import click

from jupyter_kb.cli.command import Command
from jupyter_kb.cli.options import chosen_settings, index_dir_option, settings_options


@click.command(cls=Command, short_help="Serve a vault to an agent (MCP on stdin and stdout).")
@click.argument("vault", type=click.Path(path_type=Path))
@click.option(
    "--toolset",
    type=click.Choice(["vault", "structural"]),
    default="vault",
    help="`vault`: search, read and edit (the default). `structural`: six tools over headings.",
)
@click.option("--read-only", is_flag=True, help="Offer no tool that writes.")
@settings_options
@index_dir_option
def mcp(
    vault: Path,
    toolset: str,
    read_only: bool,
    hidden: bool | None,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    language: str | None,
    index_dir: Path | None,
) -> None:
    """Serve VAULT to an agent: the Model Context Protocol on standard input and output.

    A client starts this command itself. The options about files and language are remembered, as with `index`. In a
    client's configuration:

    \b
    {"mcpServers": {"notes": {"command": "jupyter", "args": ["kb", "mcp", "/home/me/notes"]}}}
    """
    from jupyter_kb.mcp.stdio import serve_stdio

    settings = chosen_settings(
        vault, index_dir, hidden=hidden, include=include, exclude=exclude, language=language, read_only=read_only
    )
    serve_stdio(vault, toolset=toolset, index_dir=index_dir, settings=settings)
