"""Code run as a user whom permissions bind: tests in containers often run as root, whom they do not."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_NOBODY = 65534
_PRELUDE = """
import errno, os, resource, sys
from pathlib import Path
from jupyter_kb.errors import *
from jupyter_kb.settings import Settings
from jupyter_kb.vault.vault import Vault
from jupyter_kb.vault.write import guarded_write
import encodings.unicode_escape
root = Path(sys.argv[1])
os.environ["JUPYTER_RUNTIME_DIR"] = sys.argv[2]
if os.getuid() == 0:
    os.setgroups([])
    os.setgid({nobody})
    os.setuid({nobody})
"""


@contextmanager
def unprivileged_folder() -> Iterator[Path]:
    """A temporary folder that belongs to the user of `run_unprivileged`; what is made in it does once it runs."""
    with tempfile.TemporaryDirectory() as base:
        os.chmod(base, 0o755)
        root = Path(base) / "vault"
        root.mkdir()
        (Path(base) / "runtime").mkdir()
        yield root


def run_unprivileged(code: str, root: Path) -> str:
    """Run `code`, with the vault's names imported and `root` set, as an ordinary user; what it printed."""
    runtime = root.parent / "runtime"
    if os.getuid() == 0:
        for path in (root, runtime, *root.rglob("*")):
            os.chown(path, _NOBODY, _NOBODY)
    done = subprocess.run(
        [sys.executable, "-c", _PRELUDE.format(nobody=_NOBODY) + textwrap.dedent(code), root, runtime],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[2],
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
