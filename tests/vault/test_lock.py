"""One writer at a time, among threads and among processes."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from jupyter_kb.errors import WriteFailedError
from jupyter_kb.settings import Settings
from jupyter_kb.vault.lock import lock
from jupyter_kb.vault.vault import Vault
from jupyter_kb.vault.write import guarded_write

HERE = Path(__file__).parents[2]

HOLD = """
import sys
from pathlib import Path
from jupyter_kb.vault.lock import lock
with lock(Path(sys.argv[1]), timeout=10):
    print("held", flush=True)
    sys.stdin.read()
"""

COUNT = """
import sys
from jupyter_kb.settings import Settings
from jupyter_kb.vault.vault import Vault
from jupyter_kb.vault.write import guarded_write
vault = Vault(sys.argv[1], Settings(lock_timeout=60))
for _ in range(int(sys.argv[2])):
    guarded_write(vault, "n.md", lambda data: b"%d" % (int(data) + 1))
"""


def increment(data: bytes) -> bytes:
    return b"%d" % (int(data) + 1)


def test_another_process_that_holds_a_note_is_waited_for_and_no_longer_than_asked(tmp_path: Path) -> None:
    (tmp_path / "n.md").write_bytes(b"0")
    (tmp_path / "other.md").write_bytes(b"0")
    vault = Vault(tmp_path, Settings(lock_timeout=0.05))
    command = [sys.executable, "-c", HOLD, str(vault.path("n.md"))]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=HERE) as holder:
        assert holder.stdin is not None
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(WriteFailedError, match="being written by somebody else") as raised:
            guarded_write(vault, "n.md", increment)
        assert raised.value.hint
        assert guarded_write(vault, "other.md", increment) == b"1"  # other notes are free
        holder.stdin.close()
        assert guarded_write(Vault(tmp_path), "n.md", increment) == b"1"


def test_a_killed_holder_holds_nothing(tmp_path: Path) -> None:
    (tmp_path / "n.md").write_bytes(b"0")
    command = [sys.executable, "-c", HOLD, str(tmp_path.resolve() / "n.md")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=HERE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        holder.kill()
        holder.wait()
    assert guarded_write(Vault(tmp_path), "n.md", increment) == b"1"


def test_another_thread_is_waited_for_and_no_longer_than_asked(tmp_path: Path) -> None:
    path = tmp_path / "n.md"
    failure: list[BaseException] = []

    def contend() -> None:
        try:
            with lock(path, timeout=0.05):
                pass
        except WriteFailedError as error:
            failure.append(error)

    with lock(path, timeout=1):
        thread = threading.Thread(target=contend)
        thread.start()
        thread.join()
    assert "being written by somebody else (waited 0.05 s)" in str(failure[0])
    with lock(path, timeout=1):
        pass


def test_processes_and_threads_together_lose_no_write(tmp_path: Path) -> None:
    (tmp_path / "n.md").write_bytes(b"0")
    vault = Vault(tmp_path, Settings(lock_timeout=60))
    command = [sys.executable, "-c", COUNT, str(tmp_path), "40"]
    others = [subprocess.Popen(command, cwd=HERE) for _ in range(2)]

    def count() -> None:
        for _ in range(40):
            guarded_write(vault, "n.md", increment)

    threads = [threading.Thread(target=count) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [other.wait() for other in others] == [0, 0]
    assert vault.read("n.md") == b"200"


def test_lock_files_lie_outside_the_vault_for_the_user_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "n.md").write_bytes(b"0")
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
    guarded_write(Vault(tmp_path / "vault"), "n.md", increment)
    assert os.listdir(tmp_path / "vault") == ["n.md"]
    folder = tmp_path / "runtime" / "kb-locks"
    assert folder.stat().st_mode & 0o077 == 0
    (file,) = folder.iterdir()
    assert file.stat().st_size == 0


def test_a_runtime_folder_that_cannot_be_made_is_replaced_by_a_temporary_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "n.md").write_bytes(b"0")
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "file" / "runtime"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    assert guarded_write(Vault(tmp_path / "vault"), "n.md", increment) == b"1"
    (folder,) = (tmp_path / "temporary").iterdir()
    assert folder.name == f"jupyter-kb-locks-{os.getuid()}"
    (tmp_path / "temporary2").mkdir()
    (tmp_path / "temporary2" / folder.name).symlink_to(tmp_path / "vault")  # laid out by somebody else
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary2"))
    with pytest.raises(WriteFailedError, match="could not be locked"):
        guarded_write(Vault(tmp_path / "vault"), "n.md", increment)
    assert os.listdir(tmp_path / "vault") == ["n.md"]
