"""Which notes the demo notebooks work with: the Jupyter server's, or a fresh copy of those in `vault`."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import jupyter_kb
from jupyter_kb.errors import KBError

HERE = Path(__file__).parent


def vault() -> str:
    """The folder of the demo vault that the sidebar shows, or of a copy where no server shows it.

    A copy lies in a temporary folder, so that nothing in the checkout ever changes.
    """
    try:
        served = jupyter_kb.connect()
        served.find_note("npq-protocol")
        return served.status().root
    except KBError:
        return str(shutil.copytree(HERE / "vault", Path(tempfile.mkdtemp(prefix="jupyter-kb-")) / "vault"))
