"""Runs the commands in the documentation and writes what they print beneath them.

A block fenced as ``console`` is a terminal session: lines that begin with ``$ `` are commands, ``> `` continues one,
the rest is output. The blocks of one document run in order, in one shell, in a folder that stands for the checkout:
it holds the demo vault. The home folder is an empty one, too.

    python docs/transcripts.py            write the output into the documents
    python docs/transcripts.py --check    only compare; exit status 1 where they differ
"""

from __future__ import annotations

import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = ("README.md", "docs/tutorials/first-vault.md")

_BLOCK = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"^\$ .*\n(?:> .*\n)*", re.MULTILINE)
_SEPARATOR = "\x1e"
# What differs from one run or machine to the next without meaning anything.
_VARYING = re.compile(
    r"\d+(?:\.\d+)? (?:ms|s|[kKMG]i?B)\b(?:, [\d,]+ a second)?"
    r"|\d{4}-\d\d-\d\d[T ]\d\d:\d\d\S*"
    r"|-[0-9a-f]{12}\b"  # the end of an index folder's name
    r"|\((?:cpu|mps|cuda\S*)(?: \([^)]*\))?, \w+\)"  # what a model runs on
    r"|(?<=^1 of )\d+(?= sections)",  # how many are near by meaning: a matter of the last bits
    re.MULTILINE,
)


def fill(text: str) -> str:
    """The document with fresh output beneath each command; what only varies from run to run is kept."""
    outputs = _run([_script(command) for block in _BLOCK.findall(text) for command in _COMMAND.findall(block)])

    def block(match: re.Match[str]) -> str:
        commands = _COMMAND.findall(match[0])
        fresh = "".join(command + next(outputs) for command in commands)
        return match[0] if stable(fresh) == stable(match[0]) else fresh

    return _BLOCK.sub(block, text)


def stable(text: str) -> str:
    """The text without what differs from run to run."""
    return _VARYING.sub("…", text)


def _script(command: str) -> str:
    return "\n".join(line[2:] for line in command.splitlines())


def _run(commands: list[str]) -> Iterator[str]:
    """Run the commands in one shell and give the output of each, standard error included."""
    script = "exec 2>&1\n" + "".join(f"{command}\nprintf '\\036'\n" for command in commands)
    with tempfile.TemporaryDirectory() as folder:
        home, checkout = Path(folder, "home"), Path(folder, "checkout")
        home.mkdir()
        shutil.copytree(ROOT / "notebooks" / "vault", checkout / "notebooks" / "vault")
        environment = {
            "HOME": str(home),
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
            "JUPYTER_DATA_DIR": str(home / ".local" / "share" / "jupyter"),
            "LANG": "C.UTF-8",
            "COLUMNS": "100",
            "NO_COLOR": "1",
        }
        done = subprocess.run(
            ["bash", "-c", script], cwd=checkout, env=environment, capture_output=True, encoding="utf-8"
        )
    text = done.stdout
    *outputs, rest = text.split(_SEPARATOR)
    assert len(outputs) == len(commands), f"the shell ended early: {rest}"
    return iter([output if output.endswith("\n") or not output else output + "\n" for output in outputs])


def main() -> int:
    """Bring every document up to date, or with --check print how they differ."""
    differing = 0
    for name in DOCUMENTS:
        path = ROOT / name
        old = path.read_text(encoding="utf-8")
        new = fill(old)
        if new == old:
            continue
        differing += 1
        if "--check" in sys.argv[1:]:
            print("".join(difflib.unified_diff(old.splitlines(True), new.splitlines(True), name, f"{name}, run now")))
        else:
            path.write_text(new, encoding="utf-8")
            print(f"wrote {name}")
    return 1 if differing and "--check" in sys.argv[1:] else 0


if __name__ == "__main__":
    sys.exit(main())
