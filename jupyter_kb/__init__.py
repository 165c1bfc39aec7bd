"""A knowledge base that lives inside Jupyter: find the exact section of a note, and edit it back safely."""

from __future__ import annotations

__version__ = "0.1.0"


def load_ipython_extension(ipython: object) -> None:
    """Give a kernel the magic `%kb`: `%load_ext jupyter_kb`."""
    from jupyter_kb.magics.extension import load

    load(ipython)  # type: ignore[arg-type]


def unload_ipython_extension(ipython: object) -> None:
    """Take it away again."""
    from jupyter_kb.magics.extension import unload

    unload(ipython)  # type: ignore[arg-type]
