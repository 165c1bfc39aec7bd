"""A knowledge base that lives inside Jupyter: find the exact section of a note, and edit it back safely."""

from __future__ import annotations

__version__ = "0.1.0"


def _jupyter_server_extension_points() -> list[dict[str, object]]:
    """What the Jupyter server loads."""
    import importlib  # late, and by name: importing this package loads nothing else

    return [{"module": "jupyter_kb.server.app", "app": importlib.import_module("jupyter_kb.server.app").JupyterKB}]
