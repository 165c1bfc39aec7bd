"""Where the sample data lie."""

from __future__ import annotations

import os
import sys
from pathlib import Path

VARIABLE = "JUPYTER_KB_DATA"


def data_folder() -> Path:
    """The folder named by JUPYTER_KB_DATA; without one the program ends."""
    folder = Path(os.environ.get(VARIABLE, ""))
    if not os.environ.get(VARIABLE) or not (folder / "vaults").is_dir():
        sys.exit(f"{VARIABLE} must name a folder that holds vaults/ and retrieval/")
    return folder
