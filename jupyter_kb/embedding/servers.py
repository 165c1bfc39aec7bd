"""What models behind a server have in common: the key that it wants, and what it says when it fails."""

from __future__ import annotations

import json
import os
from pathlib import Path
from urllib.parse import urlsplit

from jupyter_kb.errors import ModelFailedError


def api_key(variable: str | None, file: str | None) -> str | None:
    """From an environment variable, else from a file; None where the settings name neither.

    Read anew at each use, since it may change, and never shown.

    Raises
    ------
    ModelFailedError : it is not where the settings say, or cannot be a key.
    """
    if variable:
        place, key = f"the environment variable {variable}", os.environ.get(variable, "").strip()
        hint = f"set {variable}, or change `api_key_env`"
    elif file:
        place, hint = file, "write the key into it, or change `api_key_file`"
        try:
            key = Path(file).expanduser().read_text(encoding="utf-8").strip()
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else "not text"
            raise ModelFailedError(f"the API key in {file} cannot be read: {reason}", hint=hint) from None
    else:
        return None
    if not key:
        raise ModelFailedError(f"there is no API key in {place}", hint=hint)
    if not (key.isascii() and key.isprintable()):
        raise ModelFailedError(f"what is in {place} has characters that no API key has", hint=hint)
    return key


def address(url: str | None) -> str | None:
    """Host and port of a server, for people, without what somebody may have put before them; None for what has none."""
    try:
        return urlsplit(url or "").netloc.rpartition("@")[2] or None
    except ValueError:
        return None


def said(content: bytes) -> str:
    """What a server says of its failure, on one line."""
    text = content.decode("utf-8", "replace")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    for name in ("error", "message", "detail"):
        value = value.get(name, value) if isinstance(value, dict) else value
    if isinstance(value, str):
        text = value
    return " ".join(text.split())[:200] if "<html" not in text.lower() else ""
