"""Shell completion: the script for a shell, and the notes, headings and tags of the vault as candidates."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Iterable

    from click.shell_completion import CompletionItem

    from jupyter_kb.vault.vault import Vault

COMPLETE_VARIABLE = "_JUPYTER_KB_COMPLETE"
SHELLS = ("bash", "zsh", "fish", "powershell")

# click's own script for bash splits and inserts candidates unquoted; heading paths hold blanks and `>`.
_BASH = """\
_jupyter_kb_completion() {
    local IFS=$'\\n' response completion type value
    response=$(env COMP_WORDS="${COMP_WORDS[*]}" COMP_CWORD=$COMP_CWORD _JUPYTER_KB_COMPLETE=bash_complete "$1")
    COMPREPLY=()
    while IFS=',' read -r type value; do
        if [[ $type == dir ]]; then
            compopt -o dirnames
        elif [[ $type == file ]]; then
            compopt -o default
        elif [[ $type == plain ]]; then
            if [[ ${COMP_WORDS[COMP_CWORD]} == [\\"\\']* ]]; then
                COMPREPLY+=("$value")
            else
                COMPREPLY+=("$(printf '%q' "$value")")
            fi
        fi
    done <<< "$response"
}
complete -o nosort -F _jupyter_kb_completion jupyter-kb
"""


@click.command(short_help="Print the completion script of a shell.")
@click.argument("shell", type=click.Choice(SHELLS), required=False)
def completion(shell: str | None) -> None:
    """Print the completion script of a shell.

    It completes commands, options, notes, headings and tags of `jupyter-kb` (the same program as `jupyter kb`, whose
    first word belongs to Jupyter's own completion). SHELL defaults to the one you are in.

    \b
    bash:  eval "$(jupyter-kb completion bash)"     in ~/.bashrc
    zsh:   eval "$(jupyter-kb completion zsh)"      in ~/.zshrc, after compinit
    fish:  jupyter-kb completion fish > ~/.config/fish/completions/jupyter-kb.fish
    """
    from click.shell_completion import get_completion_class

    name = shell or Path(os.environ.get("SHELL", "bash")).name
    if name == "bash":
        click.echo(_BASH, nl=False)
        return
    kind = get_completion_class(name)
    if kind is None:
        raise click.UsageError(f"no completion for '{name}'; name one of {', '.join(SHELLS)}")
    click.echo(kind(click.get_current_context().command, {}, "jupyter-kb", COMPLETE_VARIABLE).source(), nl=False)


def complete_file(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Notes of the vault."""
    try:
        return _items((note.key for note in _vault(ctx).list()), incomplete)
    except Exception:  # a half-typed command must not print anything
        return []


def complete_heading(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Heading paths of the note that the command names."""
    try:
        from jupyter_kb.markdown.document import parse
        from jupyter_kb.vault.names import note_named

        vault = _vault(ctx)
        key = note_named(vault.resolve(ctx.params["file"]), [note.key for note in vault.list()])
        document = parse(vault.read(key))
        return _items((section.heading_path for section in document.sections), incomplete)
    except Exception:  # a half-typed command must not print anything
        return []


def complete_tag(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Tags of the first notes of the vault: as many as can be read while somebody waits."""
    try:
        import time

        from jupyter_kb.markdown.document import parse

        vault = _vault(ctx)
        tags: set[str] = set()
        until = time.monotonic() + 0.3
        for note in vault.list():
            if time.monotonic() > until:
                break
            tags.update(parse(vault.read(note.key)).tags)
        return _items(sorted(tags), incomplete)
    except Exception:  # a half-typed command must not print anything
        return []


def _vault(ctx: click.Context) -> Vault:
    from jupyter_kb.index.location import find_vault, locate
    from jupyter_kb.settings import Settings
    from jupyter_kb.vault.vault import Vault

    index_dir = ctx.params.get("index_dir")
    root = ctx.params.get("vault") or find_vault(Path.cwd(), index_dir)
    return Vault(Path(root), locate(root, index_dir).settings() or Settings())


def _items(candidates: Iterable[str], incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    return [CompletionItem(name) for name in candidates if name.startswith(incomplete) and name.isprintable()]
