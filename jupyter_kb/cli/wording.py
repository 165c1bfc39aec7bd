"""How the command line says things: options by their names, short hashes, and commands that can be pasted."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import click

# Names that the rooms below use, and what a person types for them. Quoted names of notes and headings stay.
_OPTIONS = {
    "is_regex": "-E",
    "case_sensitive": "-s",
    "dry_run": "--dry-run",
    "expected_hash": "--expected-hash",
    "insert_before": "insert-before",
    "insert_after": "insert-after",
    "insert_child": "insert-child",
}
# Settings as messages write them, in backticks, and the options of `embed` that set them.
_SETTINGS = {
    "model": "--model",
    "device": "--device",
    "dtype": "--dtype",
    "embedding_url": "--url",
    "api_key_env": "--key-env",
    "api_key_file": "--key-file",
    "rerank": "--rerank",
}
_SETTING = re.compile(rf"`({'|'.join(_SETTINGS)})`")
_NAMES = re.compile(rf"(?<!\w)'[^']*'|\b({'|'.join(_OPTIONS)})\b")
_NO_NOTE = re.compile(r"file ('.*') could not be read: (.*)", re.S)
_LEFT_OUT = "it is not a note of this vault"
_LONG_HASH = re.compile(r"\b([0-9a-f]{16})[0-9a-f]{48}\b")


def translated(payload: dict[str, Any]) -> dict[str, Any]:
    """An error's payload in the words of the command line; details stay as they are."""
    said = {name: _options(payload[name]) for name in ("message", "hint") if name in payload}
    missing = _NO_NOTE.fullmatch(payload["message"])
    if payload.get("code") == "note-not-found" and missing:
        said["message"] = f"there is no note {missing[1]} in this vault"
        if missing[2] == _LEFT_OUT:
            said["message"] = f"{missing[1]} is no note of this vault: it is left out by its name or by a rule"
    return payload | said


def _options(text: str) -> str:
    text = _NAMES.sub(lambda found: _OPTIONS[found[1]] if found[1] else found[0], text)
    return _SETTING.sub(lambda found: f"`{_SETTINGS[found[1]]}`", text)


def short(text: str) -> str:
    """The text with hashes cut to the 16 digits that are enough to name them."""
    return _LONG_HASH.sub(r"\1", text)


def command(*words: str, vault: Path | None = None, index_dir: Path | None = None) -> str:
    """A command of this program, ready to paste, with the --vault and --index-dir of the one that runs now."""
    given = _places()
    places = {"--vault": vault or given.get("vault"), "--index-dir": index_dir or given.get("index_dir")}
    options = [word for name, path in places.items() if path is not None for word in (name, _path(path))]
    return " ".join(["jupyter kb", *map(shlex.quote, words), *options])


def _places() -> dict[str, Any]:
    context = click.get_current_context(silent=True)
    if context is None:
        return {}
    options = {option.name for option in context.command.params if isinstance(option, click.Option)}
    return {name: value for name, value in context.params.items() if name in options}


def _path(path: Path) -> str:
    from jupyter_kb.render.lines import with_tilde

    shown = with_tilde(str(path))
    if shown.startswith("~/"):  # in quotes a shell would not expand it
        return "~/" + (shlex.quote(shown[2:]) if shown[2:] else "")
    return shlex.quote(str(path))
