"""The program as a process of its own: statuses, streams, signals, terminals, and how fast it is there."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.sessions import Vault, environment, invoke

NOTE = {"kite.md": "# Flight\n\nSteady wind.\n\n## Launch\n\nRun forward.\n"}


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["search", "wind"], 0),
        (["search", "submarine"], 1),
        (["grep", "submarine"], 1),
        (["search"], 0),
        (["search", "wind", "--like", "kite.md"], 2),
        (["get", "../kite.md"], 2),
        (["get", "kite.md", "Landing"], 3),
        (["edit", "kite.md", "Launch", "--body", "x"], 4),
        (["edit", "kite.md", "Launch", "--body", "x", "--expected-hash", "0" * 64], 4),
        (["status", "--vault", "nowhere"], 5),
    ],
)
def test_the_exit_status_tells_what_happened(vault: Vault, arguments: list[str], status: int) -> None:
    vault.write(NOTE)
    vault.start("index", ".")

    done = vault.start(*arguments)

    assert done.returncode == status, done.stderr
    assert b"Traceback" not in done.stderr
    assert bool(done.stderr) == (status != 0)


def test_a_section_comes_as_its_bytes_and_nothing_else(vault: Vault) -> None:
    vault.write({"a.md": b"# A\r\n\r\ncaf\xe9 \x00\x1b[1m\r\n"})

    done = vault.start("get", "a.md", "A")

    assert (done.stdout, done.stderr) == (b"# A\r\n\r\ncaf\xe9 \x00\x1b[1m", b"")


def test_json_carries_undecodable_bytes_as_surrogates(vault: Vault) -> None:
    vault.write({"a.md": b"# A\n\ncaf\xe9 \xe2\x82\xac\n"})

    done = vault.start("get", "a.md", "A", "--json")

    assert json.loads(done.stdout)["content"].encode("utf-8", "surrogateescape") == b"# A\n\ncaf\xe9 \xe2\x82\xac"
    assert "€" in done.stdout.decode("utf-8")


@pytest.mark.parametrize(
    ("encoding", "command"),
    [
        ("ascii", ["outline"]),
        ("ascii", ["outline", "注.md"]),
        ("ascii", ["search", "wind"]),
        ("cp1252", ["grep", "wind"]),
        ("utf-8", ["grep", "wind"]),
    ],
)
def test_no_terminal_encoding_makes_it_fail(vault: Vault, encoding: str, command: list[str]) -> None:
    vault.write({"注.md": "# 凧 …\n\n## wind → 風\n".encode() + b"wind caf\xe9\n", "docs/b.md": "# B\n"})

    done = vault.start(*command, env=environment(PYTHONIOENCODING=encoding, PYTHONUTF8="0"))

    assert done.returncode == 0, done.stderr
    assert done.stdout.decode(encoding)


def test_json_is_readable_in_any_encoding(vault: Vault) -> None:
    vault.write({"注.md": "# 凧\n"})

    done = vault.start("outline", "注.md", "--json", env=environment(PYTHONIOENCODING="latin-1", PYTHONUTF8="0"))

    assert json.loads(done.stdout)["sections"][0]["heading"] == "凧"


def test_an_argument_of_undecodable_bytes_is_told_without_a_trace(vault: Vault) -> None:
    vault.write(NOTE)

    done = vault.start("get", os.fsdecode(b"caf\xe9.md"), "A")

    assert done.returncode in (2, 3)
    assert b"Traceback" not in done.stderr


def test_a_reader_that_goes_away_ends_it_quietly(vault: Vault) -> None:
    vault.write({"long.md": "line\n" * 100_000})
    process = subprocess.Popen(
        vault.command("grep", "line"),
        cwd=vault.root,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None

    process.stdout.readline()
    process.stdout.close()

    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(timeout=60) == 141


@contextlib.contextmanager
def _open_when_read(fifo: Path, reader: subprocess.Popen[bytes]) -> Iterator[None]:
    """Hold a fifo open for writing, from the moment that the other process waits for its content."""
    while True:
        try:
            handle = os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
            break
        except OSError:  # nobody reads yet
            with contextlib.suppress(subprocess.TimeoutExpired):
                reader.wait(timeout=0.05)
                pytest.fail(f"ended early with {reader.returncode}")
    yield
    os.close(handle)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_behind_the_output_is_an_error(vault: Vault) -> None:
    vault.write(NOTE)
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            vault.command("outline", "kite.md"), cwd=vault.root, env=environment(), stdout=full, stderr=subprocess.PIPE
        )

    assert done.returncode == 5
    assert done.stderr == b"Error: No space left on device\n"


def test_an_interrupt_ends_it_with_130_and_no_trace(vault: Vault, tmp_path: Path) -> None:
    vault.write(NOTE)
    fifo = tmp_path / "body"
    os.mkfifo(fifo)
    process = subprocess.Popen(
        vault.command("edit", "kite.md", "Launch", "--expected-hash", "0" * 64, "--body-file", str(fifo)),
        cwd=vault.root,
        env=environment(),
        stderr=subprocess.PIPE,
    )
    with _open_when_read(fifo, process):
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)

    assert process.returncode == 130
    assert errors == b"\nInterrupted.\n"


def test_a_vault_that_is_missing_leaves_stdout_of_mcp_empty(vault: Vault) -> None:
    done = vault.start("mcp", "nowhere", "--toolset", "structural")

    assert done.returncode == 5
    assert done.stdout == b""
    assert b"vault path 'nowhere' does not exist" in done.stderr


def test_a_file_is_no_vault_for_mcp(vault: Vault) -> None:
    vault.write(NOTE)

    done = vault.start("mcp", "kite.md")

    assert done.returncode == 5
    assert done.stdout == b""
    assert b"vault path 'kite.md' is not a directory" in done.stderr


def test_mcp_without_a_vault_shows_its_usage(vault: Vault) -> None:
    done = vault.start("mcp")

    assert done.returncode == 2
    assert done.stdout == b""
    assert done.stderr.startswith(b"Usage: jupyter kb mcp")


def test_mcp_ends_well_when_its_input_ends(vault: Vault) -> None:
    vault.write(NOTE)

    done = vault.start("mcp", ".")

    assert (done.returncode, done.stdout) == (0, b""), done.stderr


def test_a_server_that_only_reads_does_not_forbid_later_edits(vault: Vault) -> None:
    vault.write(NOTE)
    vault.start("mcp", ".", "--read-only")

    done = vault.start("edit", "kite.md", "Launch", "--body", "x", "--expected-hash", vault.hash("kite.md", "Launch"))

    assert done.returncode == 0, done.stderr


def test_jupyter_kb_is_the_same_program() -> None:
    folder = Path(sys.executable).parent  # not on the search path when only the interpreter is named
    if not (folder / "jupyter-kb").exists():
        pytest.skip("jupyter-kb is not installed")
    environ = {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    run = [str(folder / "jupyter"), "kb", "--version"]
    done = subprocess.run(run, capture_output=True, text=True, check=True, env=environ)

    assert done.stdout == invoke("--version").output


def test_help_imports_nothing_that_takes_time() -> None:
    program = (
        "import sys\nfrom jupyter_kb.cli import program\n"
        "program.main(['--help'], standalone_mode=False)\nprint(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment(), capture_output=True, text=True, check=True
    )

    heavy = {"duckdb", "numpy", "rich", "markdown_it", "yaml", "mcp", "anyio", "pathspec", "filelock", "Stemmer"}
    assert heavy & set(done.stderr.split()) == set()
    assert "Find the exact section" in done.stdout


def test_unknown_faults_show_no_trace_unless_asked(kites: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jupyter_kb.kb.KnowledgeBase.outline", lambda *_: 1 / 0)

    silent = kites.run("outline", "kite.md")
    loud = kites.run("outline", "kite.md", env={"JUPYTER_KB_DEBUG": "1"})
    asked = invoke("--debug", "outline", "kite.md")

    assert {silent.exit_code, loud.exit_code, asked.exit_code} == {70}
    assert "Traceback" not in silent.output
    assert "Traceback" in loud.output
    assert "Traceback" in asked.output


# ── on a terminal ───────────────────────────────────────────────────────────────────────────────


def on_terminal(vault: Vault, *arguments: str, columns: int = 80, **changes: str) -> str:
    """What the program writes to a terminal, both streams together."""
    screen, terminal = pty.openpty()
    process = subprocess.Popen(
        vault.command(*arguments),
        cwd=vault.root,
        env=environment(**{"TERM": "xterm-256color", "COLUMNS": str(columns), **changes}),
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
    )
    os.close(terminal)
    written = b""
    with contextlib.suppress(OSError):  # the far end of a terminal is reported as an error
        while part := os.read(screen, 65536):
            written += part
    os.close(screen)
    process.wait(timeout=60)
    return written.decode("utf-8").replace("\r\n", "\n")


def test_a_terminal_sees_the_hash_and_the_place_below_the_section(vault: Vault) -> None:
    vault.write(NOTE)
    content_hash = vault.hash("kite.md", "Launch")

    shown = on_terminal(vault, "get", "kite.md", "Launch", NO_COLOR="1", TERM="dumb")

    assert shown == (
        f"## Launch\n\nRun forward.\nkite.md > Flight > Launch  lines 5-7  bytes 24-47\nhash {content_hash[:16]}\n"
    )


def test_matches_are_marked_on_a_terminal(vault: Vault) -> None:
    vault.write(NOTE)

    assert "\x1b[1;31mwind\x1b[0m" in on_terminal(vault, "grep", "wind")


def test_no_color_means_no_colour(vault: Vault) -> None:
    vault.write(NOTE)

    shown = on_terminal(vault, "grep", "wind", NO_COLOR="1")

    assert "31m" not in shown
    assert "wind" in shown


def test_a_narrow_terminal_wraps_below_the_text(vault: Vault) -> None:
    vault.write({"a.md": "# A\n\nOne two three four five six seven eight nine ten eleven twelve.\n"})

    shown = on_terminal(vault, "grep", "twelve", columns=40, NO_COLOR="1")

    plain = re.sub(r"\x1b\[[0-9;]*m", "", shown).splitlines()
    assert max(map(len, plain)) <= 40
    assert plain[2:4] == ["  3: One two three four five six seven ", "     eight nine ten eleven twelve."]
