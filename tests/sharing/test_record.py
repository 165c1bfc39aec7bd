"""owner.json: for its user alone, and nothing that others or a crash leave there is believed."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from jupyter_kb.sharing import record as records
from jupyter_kb.sharing.record import NAME, OwnerRecord

RECORD = OwnerRecord(pid=os.getpid(), url="http://127.0.0.1:5/kb/api", token="a-secret", started=1.5)


def test_what_was_written_is_read(tmp_path: Path) -> None:
    records.write(tmp_path, RECORD)

    assert records.read(tmp_path) == RECORD
    assert stat.S_IMODE((tmp_path / NAME).stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == [NAME]


def test_the_secret_is_not_shown(tmp_path: Path) -> None:
    assert "a-secret" not in repr(RECORD)


def test_only_its_own_record_is_taken_away(tmp_path: Path) -> None:
    records.write(tmp_path, RECORD)
    records.remove(tmp_path, OwnerRecord(pid=RECORD.pid, url=RECORD.url, token="another", started=0.0))
    still = records.read(tmp_path)
    records.remove(tmp_path, RECORD)

    assert still == RECORD
    assert not (tmp_path / NAME).exists()


@pytest.mark.parametrize("mode", [0o604, 0o640, 0o666, 0o000])
def test_a_record_open_to_others_is_not_believed(tmp_path: Path, mode: int) -> None:
    records.write(tmp_path, RECORD)
    (tmp_path / NAME).chmod(mode)

    assert records.read(tmp_path) is None or (mode == 0 and os.geteuid() == 0)


@pytest.mark.parametrize(
    "change",
    [
        {"pid": 0},
        {"pid": -1},
        {"pid": True},
        {"pid": 2**80},
        {"pid": "1"},
        {"url": "http://example.org:80/kb/api"},
        {"url": "https://127.0.0.1:5/"},
        {"url": "http://127.0.0.1/"},
        {"url": "http://127.0.0.1:port/"},
        {"url": None},
        {"token": "two\r\nlines"},
        {"token": 5},
        {"started": "today"},
    ],
)
def test_a_record_that_makes_no_sense_is_passed_over(tmp_path: Path, change: dict[str, object]) -> None:
    records.write(tmp_path, RECORD)
    (tmp_path / NAME).write_text(json.dumps({**vars(RECORD), **change}))

    assert records.read(tmp_path) is None


@pytest.mark.parametrize("content", [b"", b"{", b"null", b"[]", b"\xff\xfe", b"[" * 100_000, b"0" * 2_000_000])
def test_garbage_is_passed_over(tmp_path: Path, content: bytes) -> None:
    records.write(tmp_path, RECORD)
    (tmp_path / NAME).write_bytes(content)

    assert records.read(tmp_path) is None


def test_what_is_no_file_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    records.write(tmp_path / "elsewhere", RECORD)
    (tmp_path / NAME).symlink_to(tmp_path / "elsewhere" / NAME)
    linked = records.read(tmp_path)
    (tmp_path / NAME).unlink()
    os.mkfifo(tmp_path / NAME, 0o600)
    piped = records.read(tmp_path)
    (tmp_path / NAME).unlink()
    (tmp_path / NAME).mkdir(0o700)

    assert (linked, piped, records.read(tmp_path)) == (None, None, None)


def test_the_record_of_a_process_that_is_no_more_is_passed_over(tmp_path: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    records.write(tmp_path, OwnerRecord(pid=process.pid, url=RECORD.url, token="t", started=0.0))

    assert records.read(tmp_path) is None
