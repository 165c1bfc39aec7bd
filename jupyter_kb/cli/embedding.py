"""The command that makes vectors: embed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from jupyter_kb.cli import console, exits
from jupyter_kb.cli.command import Command
from jupyter_kb.cli.options import chosen_settings, index_dir_option, json_option, vault_root


@click.command(cls=Command, short_help="Make the vectors that search by meaning needs.")
@click.option("--model", metavar="MODEL", help="A folder, or a name in the local hub cache; `none` for no vectors.")
@click.option("--device", metavar="NAME", help="auto, cpu, cuda (ROCm too), cuda:1, mps.")
@click.option("--dtype", type=click.Choice(["auto", "float32", "bfloat16", "float16"]), help="Precision of the model.")
@click.option("--threads", type=click.IntRange(min=0), metavar="N", help="CPU threads; 0 for all but one.")
@click.option("--query-prefix", metavar="TEXT", help="What the model wants before a question (its own, by default).")
@click.option("--passage-prefix", metavar="TEXT", help="What the model wants before a passage (its own, by default).")
@click.option("--url", "embedding_url", metavar="URL", help="An OpenAI-compatible API instead of a local model.")
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
    far as its text changed. The options are remembered for this vault; after another --model the old vectors serve
    until the new ones are complete.

    \b
    jupyter kb embed
    jupyter kb embed --model ~/models/multilingual-e5-small
    jupyter kb embed --url http://localhost:8080/v1 --model nomic-embed-text
    """
    from jupyter_kb.errors import IndexUnavailableError
    from jupyter_kb.kb import KnowledgeBase
    from jupyter_kb.render import text

    root = vault_root(vault, index_dir)
    settings = chosen_settings(root, index_dir, **_given(chosen))
    with KnowledgeBase.open(root, settings=settings, index_dir=index_dir) as kb:
        if (
            kb.meaning.embedder is not None and not kb.meaning.vectors.is_lasting
        ):  # an hour's work would be gone with this process
            raise IndexUnavailableError(
                kb.note or "the file of the vectors cannot be used: what is made now would be lost",
                hint="end the other process (it may embed by itself), or name another folder by --index-dir",
            )
        with console.progress("Indexing") as follow:
            kb.scan(follow)
        with console.progress("Embedding", rate="/s") as follow:
            result = kb.embed(follow)
        state = kb.status()
    if as_json:
        console.write_json({**vars(result), "model": state.model})
    else:
        console.show(text.embedding(result, state))
    return exits.OK


def _given(chosen: dict[str, object]) -> dict[str, Any]:
    """Options as settings: `none` for a reranker and an empty text for others take a setting back.

    Paths are made absolute, since later commands run in other folders.
    """
    given = {name: value for name, value in chosen.items() if value is not None}
    for name in ("rerank", "api_key_file") if "embedding_url" in given else ("model", "rerank", "api_key_file"):
        path = os.path.expanduser(str(given.get(name, "")))
        if path.startswith(("./", "../")) or (name == "api_key_file" and path):
            given[name] = os.path.abspath(path)
    if str(given.get("rerank", "")).lower() == "none":
        given["rerank"] = None
    return given
