"""Running `jupyter kb` in a test: in this process for most cases, as a program of its own where that matters."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from jupyter_kb.cli import program

_BLOCK = re.compile(
    r"^(?P<fence>`{3,})(?P<kind>note|console)(?: (?P<name>\S+))?\n(?P<text>.*?)^(?P=fence)$", re.M | re.S
)
_VARYING = re.compile(r"\b\d+\.\d s\b|\b[\d.]+ (?:B|kB|MB)\b|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d|(?<=\"modified\": )[\d.]+")


@dataclass(frozen=True, kw_only=True)
class Vault:
    """A vault of a test, with its own folder of indexes."""

    root: Path
    index_dir: Path

    def write(self, files: Mapping[str, str | bytes]) -> Vault:
        """Write notes; text as UTF-8 with its line ends as they are."""
        for name, content in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return self

    def read(self, name: str) -> str:
        """The text of a note, undecodable bytes as surrogates."""
        return (self.root / name).read_bytes().decode("utf-8", "surrogateescape")

    def hash(self, name: str, heading: str, *options: str) -> str:
        """The hash that an edit of a section must name."""
        found = json.loads(self.run("get", name, heading, "--json", *options).stdout)["content_hash"]
        return str(found)

    def run(self, *arguments: str, input: str | bytes | None = None, env: Mapping[str, str] | None = None) -> Result:
        """Run a command of the program in this process; unexpected exceptions are raised."""
        named = () if "--vault" in arguments or arguments[0] in ("index", "mcp") else ("--vault", str(self.root))
        return invoke(*arguments, *named, "--index-dir", str(self.index_dir), input=input, env=env)

    def command(self, *arguments: str) -> list[str]:
        """The words that start a command as a program of its own."""
        return [sys.executable, "-m", "jupyter_kb.cli", *arguments, "--index-dir", str(self.index_dir)]

    def start(self, *arguments: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
        """Run a command as a program of its own, inside the vault."""
        return subprocess.run(
            self.command(*arguments),
            cwd=self.root,
            capture_output=True,
            timeout=60,
            **{"env": environment(), "stdin": subprocess.DEVNULL, **options},
        )


def invoke(*arguments: str, input: str | bytes | None = None, env: Mapping[str, str] | None = None) -> Result:
    """Run the program in this process, as `jupyter kb`."""
    return CliRunner().invoke(program, arguments, input=input, env=env, catch_exceptions=False, prog_name="jupyter kb")


def environment(**changes: str) -> dict[str, str]:
    """The environment of a program that finds this package, without terminal settings of the person who tests."""
    kept = {name: value for name, value in os.environ.items() if name not in _TERMINAL}
    path = os.pathsep.join(filter(None, [str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")]))
    return {**kept, "PYTHONPATH": path, **changes}


def _hashed(word: str, vault: Vault) -> str:
    marker, *place = word.split(":", 2)
    return vault.hash(*place) if marker == "HASH" and len(place) == 2 else word


_TERMINAL = {"NO_COLOR", "FORCE_COLOR", "COLUMNS", "TERM", "VISUAL", "EDITOR", "JUPYTER_KB_DEBUG"}


def play(transcript: str, vault: Vault) -> str:
    """The transcript with what its commands print now.

    Blocks marked `note NAME` are written into the vault, blocks marked `console` hold commands after `$ `. A status
    other than 0 is shown, `<<< text` is standard input, `HASH:note:heading` is the hash of that section at that time,
    and what differs from run to run becomes `…`.
    """

    def block(found: re.Match[str]) -> str:
        if found["kind"] == "note":
            vault.write({found["name"]: found["text"]})
            return found[0]
        commands = [line for line in found["text"].splitlines() if line.startswith("$ ")]
        return f"{found['fence']}console\n" + "".join(map(command, commands)) + found["fence"]

    def command(line: str) -> str:
        from shlex import split

        words = [_hashed(word, vault) for word in split(line.removeprefix("$ jupyter kb "))]
        text = None
        if "<<<" in words:
            at = words.index("<<<")
            words, text = words[:at], words[at + 1] + "\n"
        result = invoke(*words, input=text)
        output = result.output if not result.output or result.output.endswith("\n") else result.output + "\n"
        for path, name in ((vault.index_dir, "INDEXES"), (vault.root, "VAULT")):
            output = output.replace(str(path), name)
        output = re.sub(r"(INDEXES/\w+)-[0-9a-f]{12}", r"\1-…", _VARYING.sub("…", output))
        return f"{line}\n{output}" + (f"[exit status {result.exit_code}]\n" if result.exit_code else "")

    return _BLOCK.sub(block, transcript)
