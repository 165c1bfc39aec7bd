"""Loading the magics with every kernel: a file of our own among IPython's startup files."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from jupyter_kb.errors import InvalidRequestError

NAME = "50-jupyter-kb.py"
_MARK = "# jupyter-kb: loads %kb; written and removed by `jupyter kb magics`."
# The folder serves all environments of a person, some of them without this package. No name may stay behind.
_TEXT = f"""{_MARK}
try:
    get_ipython().extension_manager.load_extension("jupyter_kb")
except ModuleNotFoundError as missing:
    if missing.name != "jupyter_kb":
        raise
"""


def startup_file(profile: str = "default") -> Path:
    """The file's place in a profile of IPython; it need not exist."""
    if not profile or profile != os.path.basename(profile) or profile in (".", ".."):
        raise InvalidRequestError(f"'{profile}' is no name of a profile")
    folder = os.environ.get("IPYTHONDIR") or os.path.join(os.path.expanduser("~"), ".ipython")
    return Path(folder).expanduser() / f"profile_{profile}" / "startup" / NAME


def is_enabled(profile: str = "default") -> bool:
    """Whether kernels load the magics by themselves."""
    return _is_ours(startup_file(profile))


def enable(profile: str = "default") -> bool:
    """Write the file; False where it is there already.

    Raises
    ------
    InvalidRequestError : another file has its name; it is left alone.
    """
    path = startup_file(profile)
    if os.path.lexists(path) and not _is_ours(path):
        raise _foreign(path)
    if os.path.lexists(path) and path.read_text(encoding="utf-8") == _TEXT:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=".jupyter-kb-", suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(_TEXT)
        os.replace(draft, path)
    except BaseException:
        os.unlink(draft)
        raise
    return True


def disable(profile: str = "default") -> bool:
    """Remove the file; False where there is none.

    Raises
    ------
    InvalidRequestError : another file has its name; it is left alone.
    """
    path = startup_file(profile)
    if not os.path.lexists(path):
        return False
    if not _is_ours(path):
        raise _foreign(path)
    path.unlink()
    return True


def _is_ours(path: Path) -> bool:
    try:
        return path.is_file() and path.read_text(encoding="utf-8").startswith(_MARK)
    except (OSError, UnicodeDecodeError):
        return False


def _foreign(path: Path) -> InvalidRequestError:
    return InvalidRequestError(
        f"{path} is not a file that jupyter-kb wrote", hint="it was left as it is; rename it, then try again"
    )
