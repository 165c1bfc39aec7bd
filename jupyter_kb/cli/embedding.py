"""The command that makes vectors: embed."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from jupyter_kb.cli import console, exits
from jupyter_kb.cli.command import Command
from jupyter_kb.cli.options import chosen_settings, index_dir_option, json_option, owning, vault_root
from jupyter_kb.cli.wording import command

if TYPE_CHECKING:
    from jupyter_kb.settings import Settings


def _device(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    if value is not None and not re.fullmatch(r"auto|cpu|mps|cuda(:\d+)?", value):
        raise click.BadParameter(f"'{value}' is not one of auto, cpu, cuda, cuda:1, …, mps")
    return value


def _address(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    if value is not None and value not in _NOTHING and not re.match(r"https?://[^/\s]", value):
        raise click.BadParameter(f"'{value}' does not begin with http:// or https://")
    return value


def _named(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    if value is not None and not value.strip():
        raise click.BadParameter("it is empty")
    return value


_NOTHING = ("", "none")
"""What takes back an option that was remembered."""


@click.command(cls=Command, short_help="Make the vectors that search by meaning needs.")
@click.option(
    "--model",
    metavar="MODEL",
    callback=_named,
    help="A folder, or a name in the local hub cache; `none` for no vectors.",
)
@click.option("--device", metavar="NAME", callback=_device, help="auto, cpu, cuda (ROCm too), cuda:1, mps.")
@click.option("--dtype", type=click.Choice(["auto", "float32", "bfloat16", "float16"]), help="Precision of the model.")
@click.option("--threads", type=click.IntRange(min=0), metavar="N", help="CPU threads; 0 for all but one.")
@click.option("--query-prefix", metavar="TEXT", help="What the model wants before a question (its own, by default).")
@click.option("--passage-prefix", metavar="TEXT", help="What the model wants before a passage (its own, by default).")
@click.option(
    "--url",
    "embedding_url",
    metavar="URL",
    callback=_address,
    help="An OpenAI-compatible API instead of a local model.",
)
@click.option("--key-env", "api_key_env", metavar="NAME", help="Environment variable that holds the API's key.")
@click.option("--key-file", "api_key_file", metavar="FILE", help="File that holds the API's key.")
@click.option("--rerank", metavar="MODEL", help="A cross-encoder, or the URL of an API with /rerank; `none` for none.")
@click.option(
    "--vault",
    type=click.Path(path_type=Path),
    metavar="VAULT",
    help="Folder of the notes (default: the nearest indexed folder above, else this one).",
)
@index_dir_option
@json_option
def embed(vault: Path | None, index_dir: Path | None, as_json: bool, **chosen: object) -> int:
    """Make the vectors that search by meaning needs, for all text that has none yet.

    The model runs on this machine, from files that are here: nothing is downloaded and nothing is sent anywhere, unless
    --url names a server. It may be stopped at any time and goes on where it was. An edited note is embedded again as
    far as its text changed. The options are remembered for this vault; `none` takes --url, a key or --rerank back.
    After another --model the old vectors serve until the new ones are complete.

    \b
    jupyter kb embed
    jupyter kb embed --model ~/models/multilingual-e5-small
    jupyter kb embed --url http://localhost:8080/v1 --model nomic-embed-text
    """
    from jupyter_kb.errors import IndexUnavailableError, ModelError
    from jupyter_kb.models import EmbedResult
    from jupyter_kb.render import lines, text
    from jupyter_kb.settings import DEFAULT_MODEL

    root = vault_root(vault, index_dir)
    settings = replace(chosen_settings(root, index_dir), **_given(chosen))
    if settings.model == "none" and chosen["model"] is None:
        raise ModelError(
            "search by meaning is switched off for this vault",
            hint=f"`{command('embed', '--model', DEFAULT_MODEL)}` switches it on again",
        )
    _check_there(settings)
    with owning(root, index_dir, settings) as kb:
        here = kb.owned
        # an hour's work would be gone with this process
        if here is not None and here.meaning.embedder is not None and not here.meaning.vectors.is_lasting:
            raise IndexUnavailableError(
                f"vectors made now would be lost: {here.note or 'their file cannot be used'}",
                hint="end what owns the index on disk; a server (`jupyter kb mcp`) makes missing vectors itself, "
                "once `embed` was run for the vault",
            )
        with console.progress("Indexing") as follow:
            kb.refresh(follow)
        if settings.model == "none":
            if as_json:
                console.write_json({**vars(EmbedResult(embedded=0, failed=0, pending=0, seconds=0.0)), "model": None})
            else:
                console.show([lines.words("search by meaning is switched off for this vault: words only")])
            return exits.OK
        with console.progress("Embedding", rate="/s") as follow:
            result = kb.embed(follow)
        state = kb.status()
    if as_json:
        console.write_json({**vars(result), "model": state.model})
    else:
        console.show(text.embedding(result, state))
    return exits.OK


def _given(chosen: dict[str, object]) -> dict[str, Any]:
    """Options as settings; `none` takes a server, a key or a reranker back.

    Paths are made absolute, since later commands run in other folders.
    """
    given = {name: value for name, value in chosen.items() if value is not None}
    for name in ("rerank", "api_key_file") if given.get("embedding_url") else ("model", "rerank", "api_key_file"):
        path = os.path.expanduser(str(given.get(name, "")))
        if path not in _NOTHING and (path.startswith(("./", "../")) or (name == "api_key_file" and path)):
            given[name] = os.path.abspath(path)
    for name in ("embedding_url", "api_key_env", "api_key_file", "rerank"):
        if given.get(name) in _NOTHING:
            given[name] = None
    if given.get("api_key_file") and "api_key_env" not in given:
        given["api_key_env"] = None  # a key is in one place
    return given


def _check_there(settings: Settings) -> None:
    """Before they are remembered: a misspelt model would take the search by meaning away that there is.

    Raises
    ------
    ModelError : the model or the reranker is not on this machine.
    """
    from jupyter_kb.embedding import create, locate
    from jupyter_kb.errors import ModelNotFoundError

    embedder = create(settings)
    if embedder is not None:
        _ = embedder.key
    if settings.rerank and not re.match(r"https?://", settings.rerank):
        try:
            locate.locate(settings, model=settings.rerank)
        except ModelNotFoundError as error:
            error.hint = "give `rerank` a cross-encoder's folder, its name in the local hub cache, or a server's URL"
            raise
