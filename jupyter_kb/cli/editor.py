"""The person's own editor on a draft: a private file that stays until its text is safe in the note."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import click

from jupyter_kb.cli import exits

_FALLBACKS = ("sensible-editor", "nano", "vim", "vi")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class EditorError(click.ClickException):
    """The editor could not be started, or ended with an error: nothing is written then."""

    exit_code = exits.REFUSED


class Draft:
    """A text in a file of its own, readable by its owner only. It is deleted by `discard`, never otherwise."""

    def __init__(self, text: str, name: str) -> None:
        slug = re.sub(r"\W+", "-", name).strip("-")[:40] or "section"
        handle, path = tempfile.mkstemp(prefix=f"kb-{slug}-", suffix=".md")
        self.path = Path(path)
        self._given = text.encode("utf-8", "surrogateescape")
        with os.fdopen(handle, "wb") as file:
            file.write(self._given)

    def edit(self) -> str:
        """Open the editor, wait until it ends, and give the text that it left.

        Raises
        ------
        EditorError : the editor did not start or ended with an error; a changed draft is still there.
        """
        editor = editor_command()
        try:
            process = subprocess.Popen([*shlex.split(editor), os.fspath(self.path)])
        except (OSError, ValueError) as error:
            self.discard()
            reason = getattr(error, "strerror", None) or error
            raise EditorError(f"the editor '{editor}' did not start ({reason}); set $VISUAL or $EDITOR") from error
        status = _wait(process)
        left = self.path.read_bytes()
        if status:
            kept = f"; your text is kept in {self.path}" if left != self._given else ""
            if not kept:
                self.discard()
            raise EditorError(f"'{editor}' ended with status {status}: nothing was written{kept}")
        return read_text(left)

    def discard(self) -> None:
        """Delete the file."""
        self.path.unlink(missing_ok=True)


def editor_command() -> str:
    """The command of $VISUAL, $EDITOR, or the first editor that this machine has."""
    for variable in ("VISUAL", "EDITOR"):
        if command := os.environ.get(variable):
            return command
    if sys.platform == "win32":
        return "notepad"
    return next(filter(shutil.which, _FALLBACKS), "vi")


def editor_available() -> bool:
    """Whether an editor can be opened: one is named, or there is a terminal for it."""
    return bool(os.environ.get("VISUAL") or os.environ.get("EDITOR")) or sys.stdin.isatty()


def read_text(data: bytes) -> str:
    """Bytes as note text: undecodable ones survive, and the byte order mark of some editors is dropped."""
    return data.removeprefix(_BYTE_ORDER_MARK).decode("utf-8", "surrogateescape")


def _wait(process: subprocess.Popen[bytes]) -> int:
    # Ctrl-C belongs to the editor while it runs; it was started before, so it does not inherit the deafness.
    try:
        heard = signal.signal(signal.SIGINT, signal.SIG_IGN)
    except ValueError:  # not the main thread
        return process.wait()
    try:
        return process.wait()
    finally:
        signal.signal(signal.SIGINT, heard)
