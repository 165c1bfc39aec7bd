"""A knowledge base that lives inside Jupyter: find the exact section of a note, and edit it back safely."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from jupyter_kb.operations import Operations

__version__ = "0.1.0"


def connect(path: "str | Path | None" = None) -> "Operations":
    """The vault that holds `path` (a folder, a note, or the name of a vault; by default the working folder).

    It is asked of the Jupyter server that has it; a plain script without a server opens the vault itself.

    Raises
    ------
    ServerNotFoundError : no server has such a vault, and this process is a kernel of one.
    """
    import importlib  # late, and by name: importing this package loads nothing else

    return importlib.import_module("jupyter_kb.client.connect").connect(path)  # type: ignore[no-any-return]


def __getattr__(name: str) -> object:
    """The widgets, loaded when one of them is first named: `from jupyter_kb import SearchBox`."""
    import importlib

    if name == "widgets":
        return importlib.import_module("jupyter_kb.widgets")
    if name in ("IndexProgress", "NoteGraph", "OutlineBrowser", "SearchBox", "SectionEditor"):
        return getattr(importlib.import_module("jupyter_kb.widgets"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def load_ipython_extension(ipython: object) -> None:
    """Give a kernel the magic `%kb`: `%load_ext jupyter_kb`."""
    import importlib

    importlib.import_module("jupyter_kb.magics.extension").load(ipython)


def unload_ipython_extension(ipython: object) -> None:
    """Take the magic away again."""
    import importlib

    importlib.import_module("jupyter_kb.magics.extension").unload(ipython)


def _jupyter_server_extension_points() -> list[dict[str, object]]:
    """What the Jupyter server loads."""
    import importlib

    return [{"module": "jupyter_kb.server.app", "app": importlib.import_module("jupyter_kb.server.app").JupyterKB}]


def _jupyter_labextension_paths() -> list[dict[str, str]]:
    """Where JupyterLab finds the built front end."""
    return [{"src": "labextension", "dest": "jupyter-kb"}]
