"""The key that a server wants: read anew at each use, since it may change, and never shown."""

from __future__ import annotations

import os
from pathlib import Path

from jupyter_kb.errors import ModelFailedError


def api_key(variable: str | None, file: str | None) -> str | None:
    """From an environment variable, else from a file; None where the settings name neither.

    Raises
    ------
    ModelFailedError : it is not where the settings say, or cannot be a key.
    """
    if variable:
        place, key = f"the environment variable {variable}", os.environ.get(variable, "").strip()
        hint = f"Set {variable}, or change `api_key_env`."
    elif file:
        place, hint = file, "Write the key into it, or change `api_key_file`."
        try:
            key = Path(file).expanduser().read_text(encoding="utf-8").strip()
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else "not text"
            raise ModelFailedError(f"The API key in {file} cannot be read: {reason}.", hint=hint) from None
    else:
        return None
    if not key:
        raise ModelFailedError(f"There is no API key in {place}.", hint=hint)
    if not (key.isascii() and key.isprintable()):
        raise ModelFailedError(f"What is in {place} has characters that no API key has.", hint=hint)
    return key
