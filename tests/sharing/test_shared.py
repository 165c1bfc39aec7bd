"""Who owns the index, and what the others do meanwhile: in one process where that tells as much, else in several."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from jupyter_kb.errors import IndexUnavailableError, ReadOnlyError, ServerUnreachableError
from jupyter_kb.index import ownership
from jupyter_kb.index.location import locate
from jupyter_kb.index.ownership import IndexOwnedError
from jupyter_kb.kb import KnowledgeBase
from jupyter_kb.models import SearchRequest, SectionEdit, SectionRef
from jupyter_kb.rest.loopback import LoopbackServer
from jupyter_kb.settings import Settings
from jupyter_kb.sharing import SharedKnowledgeBase, seats, shared
from jupyter_kb.sharing import record as records
from jupyter_kb.sharing.record import NAME, OwnerRecord
from jupyter_kb.sharing.seats import OwnerSeat

OWNER = """
import sys, threading
from jupyter_kb.rest.loopback import LoopbackServer
from jupyter_kb.sharing import SharedKnowledgeBase
publish = LoopbackServer if sys.argv[3] == "serve" else None
vault = SharedKnowledgeBase(sys.argv[1], index_dir=sys.argv[2], publish=publish)
print(vault.standing, flush=True)
sys.stdin.read()
vault.close()
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    (folder / "kite.md").write_text("# Flight\n\nSteady wind.\n\n## Launch\n\nRun forward.\n")
    return folder


@pytest.fixture
def index_dir(tmp_path: Path) -> Path:
    return tmp_path / "index"


@pytest.fixture
def opened(root: Path, index_dir: Path) -> Iterator[Callable[..., SharedKnowledgeBase]]:
    """Opens the vault as one more process would; all are closed at the end, the last one first."""
    vaults: list[SharedKnowledgeBase] = []

    def make(**options: Any) -> SharedKnowledgeBase:
        vaults.append(SharedKnowledgeBase(root, **{"index_dir": index_dir, "publish": LoopbackServer, **options}))
        return vaults[-1]

    yield make
    for vault in reversed(vaults):
        vault.close()


class Process:
    """Another process that owns the index."""

    def __init__(self, root: Path, index_dir: Path, *, serve: bool = True) -> None:
        path = os.pathsep.join([str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")])
        self.popen = subprocess.Popen(
            [sys.executable, "-c", OWNER, str(root), str(index_dir), "serve" if serve else "alone"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": path},
        )
        assert self.popen.stdout is not None
        assert self.popen.stdout.readline() == "owner\n"

    def end(self) -> None:
        self.popen.communicate(timeout=60)

    def send(self, signal_: signal.Signals) -> None:
        self.popen.send_signal(signal_)


def until(condition: Callable[[], bool], seconds: float = 30.0) -> None:
    over = threading.Event()
    timer = threading.Timer(seconds, over.set)
    timer.start()
    pause = threading.Event()
    while not condition():
        assert not over.is_set(), "it did not come about in time"
        pause.wait(0.01)
    timer.cancel()


def found(vault: SharedKnowledgeBase, query: str) -> list[str]:
    return [hit.heading_path for hit in vault.search(SearchRequest(query=query, mode="text")).hits]


def edit(vault: SharedKnowledgeBase, body: str, **fields: Any) -> SectionEdit:
    section = SectionRef(file="kite.md", heading_path="Flight > Launch")
    expected = vault.get_section(section).content_hash
    return SectionEdit(section=section, expected_hash=expected, body=body, **fields)


# ── who is what ─────────────────────────────────────────────────────────────────────────────────


def test_the_first_owns_the_index_and_the_others_ask_it(opened: Callable[..., SharedKnowledgeBase]) -> None:
    first, second, third = opened(), opened(), opened()

    assert [vault.standing for vault in (first, second, third)] == ["owner", "guest", "guest"]
    second.edit_section(edit(second, "Throw the javelin."))
    assert found(third, "javelin") == found(first, "javelin") == ["Flight > Launch"]
    assert third.status().index_location == first.status().index_location is not None


def test_when_the_owner_closes_another_one_takes_over(opened: Callable[..., SharedKnowledgeBase]) -> None:
    first, second = opened(), opened()
    assert (first.standing, second.standing) == ("owner", "guest")

    first.close()

    until(lambda: second.standing == "owner")
    assert found(second, "forward") == ["Flight > Launch"]
    with pytest.raises(IndexUnavailableError, match="closed"):
        first.status()


def test_a_guest_takes_over_without_being_asked_anything(
    opened: Callable[..., SharedKnowledgeBase], root: Path, index_dir: Path
) -> None:
    owned: list[KnowledgeBase] = []
    told = threading.Event()

    def on_own(knowledge_base: KnowledgeBase) -> None:
        owned.append(knowledge_base)
        told.set()

    process = Process(root, index_dir)
    guest = opened(on_own=on_own)
    before = guest.standing

    process.send(signal.SIGKILL)

    assert told.wait(30)
    process.end()
    assert owned == [guest.owned]
    assert (before, guest.standing) == ("guest", "owner")


def test_there_are_never_two_owners(opened: Callable[..., SharedKnowledgeBase]) -> None:
    vaults = [opened() for _ in range(4)]
    stop, two = threading.Event(), threading.Event()

    def owners() -> int:
        return sum(isinstance(vault._seat, OwnerSeat) for vault in vaults)

    def watch() -> None:
        while not stop.is_set():
            if owners() > 1:
                two.set()

    watcher = threading.Thread(target=watch)
    watcher.start()
    for _ in range(3):
        until(lambda: owners() == 1)
        next(vault for vault in vaults if isinstance(vault._seat, OwnerSeat)).close()
    until(lambda: owners() == 1)
    stop.set()
    watcher.join()

    assert not two.is_set()


def test_two_vaults_do_not_know_of_each_other(
    opened: Callable[..., SharedKnowledgeBase], tmp_path: Path, index_dir: Path
) -> None:
    (tmp_path / "other" / "vault").mkdir(parents=True)
    (tmp_path / "other" / "vault" / "a.md").write_text("# Other\n")
    here = opened()
    with SharedKnowledgeBase(tmp_path / "other" / "vault", index_dir=index_dir, publish=LoopbackServer) as there:
        assert (here.standing, there.standing) == ("owner", "owner")
        assert found(there, "wind") == []


# ── an owner that cannot be asked ───────────────────────────────────────────────────────────────


def test_an_owner_that_does_not_answer_others_is_waited_for_and_then_worked_around(
    opened: Callable[..., SharedKnowledgeBase], root: Path, index_dir: Path, caplog: pytest.LogCaptureFixture
) -> None:
    process = Process(root, index_dir, serve=False)
    vault = opened(patience=0.1)
    alone = vault.standing
    note = vault.status().note
    vault.edit_section(edit(vault, "Alone."))
    seen = found(vault, "alone")
    process.end()

    until(lambda: vault.standing == "owner")
    assert (alone, note, seen) == ("private", ownership.OWNED, ["Flight > Launch"])
    assert found(vault, "alone") == ["Flight > Launch"]
    assert vault.status().note is None


def test_who_works_alone_becomes_a_guest_of_an_owner_that_can_be_asked(
    opened: Callable[..., SharedKnowledgeBase], root: Path, index_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = Process(root, index_dir)
    record = records.read(locate(root, index_dir).folder)
    assert record is not None
    monkeypatch.setattr(records, "read", lambda folder: None)  # it has not said yet how it is reached
    vault = opened(patience=0.1)
    alone = vault.standing
    monkeypatch.undo()

    until(lambda: vault.standing == "guest")
    assert alone == "private"
    assert found(vault, "forward") == ["Flight > Launch"]
    process.end()


def test_an_owner_that_hangs_gives_a_clear_error_after_a_while_and_goes_on_later(
    opened: Callable[..., SharedKnowledgeBase], root: Path, index_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seats, "_SILENCE", 0.4)
    process = Process(root, index_dir)
    guest = opened()
    wanted = edit(guest, "Slowly.")
    process.send(signal.SIGSTOP)
    with pytest.raises(ServerUnreachableError) as reading:
        guest.status()
    with pytest.raises(ServerUnreachableError) as editing:
        guest.edit_section(wanted)
    late = opened()
    with pytest.raises(ServerUnreachableError) as opening:
        late.status()
    process.send(signal.SIGCONT)

    for caught in (reading, editing, opening):
        assert f"process {process.popen.pid} owns the index and does not answer" in caught.value.message
        assert caught.value.details["pid"] == process.popen.pid
    assert "before you repeat it" in str(editing.value.hint)
    assert found(guest, "forward") == ["Flight > Launch"]
    process.end()
    assert "Slowly." not in (root / "kite.md").read_text()  # whoever asked was told that it failed


def test_many_who_ask_an_owner_that_hangs_do_not_wait_for_each_other(
    opened: Callable[..., SharedKnowledgeBase], root: Path, index_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seats, "_SILENCE", 0.6)
    monkeypatch.setattr(shared, "_SILENT", 60.0)
    process = Process(root, index_dir)
    process.send(signal.SIGSTOP)
    late = opened(follow=False)
    told: list[ServerUnreachableError] = []

    def ask() -> None:
        with pytest.raises(ServerUnreachableError) as caught:
            late.status()
        told.append(caught.value)

    threads = [threading.Thread(target=ask) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(6.0)  # twenty times as long, if each asked for itself
    late_ones = sum(thread.is_alive() for thread in threads)
    process.send(signal.SIGCONT)
    process.end()

    assert late_ones == 0
    assert len(told) == 20


# ── records that are not what they should be ────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "content",
    [
        "garbage",
        json.dumps({"pid": 2**22 + 1, "url": "http://127.0.0.1:1/kb/api", "token": "t", "started": 0}),
        json.dumps({"pid": os.getpid(), "url": "http://127.0.0.1:1/kb/api", "token": "t", "started": 0}),
        json.dumps({"pid": os.getpid(), "url": "http://example.org:80/", "token": "t", "started": 0}),
    ],
)
def test_a_stale_record_harms_nothing(
    opened: Callable[..., SharedKnowledgeBase], root: Path, index_dir: Path, content: str
) -> None:
    folder = locate(root, index_dir).folder
    folder.mkdir(parents=True)
    (folder / NAME).write_text(content)
    (folder / NAME).chmod(0o600)
    reader = opened(own=False)
    before = reader.standing
    vault = opened()

    assert before == "private"
    assert vault.standing == "owner"
    assert records.read(folder) is not None


def test_a_record_that_leads_to_somebody_else_is_not_followed(
    opened: Callable[..., SharedKnowledgeBase], root: Path, index_dir: Path, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    with SharedKnowledgeBase(tmp_path / "other", index_dir=index_dir, publish=LoopbackServer) as other:
        assert other.standing == "owner"
        theirs = records.read(other.location.folder)
        assert theirs is not None
        folder = locate(root, index_dir).folder
        folder.mkdir(parents=True)
        records.write(folder, theirs)

        assert opened(own=False).standing == "private"


@pytest.mark.parametrize("damage", ["removed", "garbage", "open to others"])
def test_the_owner_mends_its_record(
    opened: Callable[..., SharedKnowledgeBase], root: Path, index_dir: Path, damage: str
) -> None:
    folder = locate(root, index_dir).folder
    assert opened().standing == "owner"
    record = records.read(folder)
    if damage == "removed":
        (folder / NAME).unlink()
    elif damage == "garbage":
        (folder / NAME).write_text("garbage")
    else:
        (folder / NAME).chmod(0o644)

    until(lambda: records.read(folder) == record)
    assert opened().standing == "guest"


def test_an_index_that_is_deleted_under_its_owner_is_made_anew_and_has_one_owner(
    opened: Callable[..., SharedKnowledgeBase], root: Path, index_dir: Path
) -> None:
    owned: list[KnowledgeBase] = []
    first = opened(on_own=owned.append)
    folder = locate(root, index_dir).folder
    assert first.standing == "owner"
    second = opened()
    assert second.standing == "guest"
    shutil.rmtree(folder)

    until(lambda: records.read(folder) is not None and sorted((first.standing, second.standing)) == ["guest", "owner"])
    first.edit_section(edit(first, "Run against the zephyr.\n"))

    assert found(second, "zephyr") == ["Flight > Launch"]
    until(lambda: (folder / "index.duckdb").exists())


def test_an_index_folder_that_cannot_be_written_leaves_work_in_memory(root: Path, tmp_path: Path) -> None:
    (tmp_path / "blocked").write_text("a file where a folder should be")
    with SharedKnowledgeBase(root, index_dir=tmp_path / "blocked", publish=LoopbackServer) as vault:
        assert vault.standing == "private"
        assert "cannot be used" in str(vault.status().note)
        assert found(vault, "forward") == ["Flight > Launch"]


def test_an_owner_whose_record_cannot_be_written_works_all_the_same(
    opened: Callable[..., SharedKnowledgeBase], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(folder: Path, record: OwnerRecord) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(records, "write", full)
    vault = opened()
    standing = vault.standing
    monkeypatch.undo()

    assert standing == "owner"
    assert found(vault, "forward") == ["Flight > Launch"]
    assert "Read-only file system" in caplog.text
    until(lambda: records.read(vault.location.folder) is not None)


def test_a_secret_is_in_no_log_and_no_argument(
    opened: Callable[..., SharedKnowledgeBase], root: Path, index_dir: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    process = Process(root, index_dir)
    guest = opened()
    found(guest, "forward")
    record = records.read(locate(root, index_dir).folder)
    arguments = Path(f"/proc/{process.popen.pid}/cmdline")
    shown = arguments.read_bytes().decode() if arguments.exists() else ""
    environment = Path(f"/proc/{process.popen.pid}/environ")
    shown += environment.read_bytes().decode("utf-8", "replace") if environment.exists() else ""
    process.end()

    assert record is not None
    assert record.pid == process.popen.pid
    assert record.token not in caplog.text + shown


# ── settings, and what is asked ─────────────────────────────────────────────────────────────────


def test_a_door_that_only_reads_does_not_forbid_others_to_write(
    opened: Callable[..., SharedKnowledgeBase], root: Path
) -> None:
    reader, writer = opened(settings=Settings(read_only=True)), opened()
    assert (reader.standing, writer.standing) == ("owner", "guest")
    wanted = edit(reader, "Forbidden.")

    with pytest.raises(ReadOnlyError):
        reader.edit_section(wanted)
    planned = reader.edit_section(SectionEdit(**{**vars(wanted), "dry_run": True}))
    writer.edit_section(edit(writer, "Allowed."))

    assert not planned.written
    assert (reader.status().read_only, writer.status().read_only) == (True, False)
    assert "Allowed." in (root / "kite.md").read_text()


def test_a_guest_that_only_reads_cannot_write_through_the_owner(opened: Callable[..., SharedKnowledgeBase]) -> None:
    owner, reader = opened(), opened(settings=Settings(read_only=True))
    assert (owner.standing, reader.standing) == ("owner", "guest")

    with pytest.raises(ReadOnlyError):
        reader.edit_section(edit(reader, "Forbidden."))


def test_without_ownership_a_vault_is_read_in_memory_and_the_index_is_left_alone(
    opened: Callable[..., SharedKnowledgeBase], root: Path, index_dir: Path
) -> None:
    vault = opened(own=False)

    assert vault.standing == "private"
    assert vault.get_section(SectionRef(file="kite.md", heading_path="Launch")).content.endswith("forward.")
    assert not locate(root, index_dir).folder.exists()


def test_a_scan_by_another_process_is_counted_like_ones_own(
    opened: Callable[..., SharedKnowledgeBase], root: Path
) -> None:
    owner, guest = opened(), opened()
    owner.scan()
    (root / "new.md").write_text("# New\n")
    done = guest.scan(lambda done, total: None)
    again = guest.scan()

    assert (done.added, done.changed, done.removed, done.unchanged) == (1, 0, 0, 1)
    assert (again.added, again.unchanged) == (0, 2)


def test_a_new_owner_keeps_account_for_those_who_asked_the_old_one(
    opened: Callable[..., SharedKnowledgeBase], root: Path
) -> None:
    first, second = opened(), opened()
    first.scan()
    second.reindex(reader="me", fresh=False)
    first.close()
    until(lambda: second.standing == "owner")
    (root / "new.md").write_text("# New\n")

    assert second.reindex(reader="me").files_added == ("new.md",)


def test_closing_waits_for_an_edit_of_another_process(
    opened: Callable[..., SharedKnowledgeBase], root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner, guest = opened(), opened(follow=False)
    assert (owner.standing, guest.standing) == ("owner", "guest")
    knowledge_base = owner.owned
    assert knowledge_base is not None
    begun, may_end = threading.Event(), threading.Event()
    real = knowledge_base.edit_section

    def slowly(*arguments: Any, **options: Any) -> Any:
        begun.set()
        may_end.wait(30)
        return real(*arguments, **options)

    monkeypatch.setattr(knowledge_base, "edit_section", slowly)
    wanted = edit(guest, "Written at last.")
    results: list[bool] = []
    editor = threading.Thread(target=lambda: results.append(guest.edit_section(wanted).written))
    editor.start()
    begun.wait(30)
    closer = threading.Thread(target=owner.close)
    closer.start()
    closer.join(0.3)
    still_closing = closer.is_alive()
    may_end.set()
    closer.join(30)
    editor.join(30)

    assert still_closing
    assert results == [True]
    assert (root / "kite.md").read_text().count("Written at last.") == 1


def test_an_index_that_is_locked_by_another_program_is_not_thrown_away(root: Path, index_dir: Path) -> None:
    with KnowledgeBase.open(root, index_dir=index_dir) as kb:
        kb.scan()
    file = locate(root, index_dir).database
    program = "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print('open', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", program, str(file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        other.stdout.readline()
        with SharedKnowledgeBase(root, index_dir=index_dir, patience=0.0, follow=False) as vault:
            standing = vault.standing
        other.communicate()
    with KnowledgeBase.open(root, index_dir=index_dir) as kb:
        assert kb.status().notes == 1  # nothing was built anew

    assert standing == "private"


def test_only_one_of_two_takes_the_lock(index_dir: Path) -> None:
    lock = ownership.own(index_dir / "index.duckdb")
    with pytest.raises(IndexOwnedError):
        ownership.own(index_dir / "index.duckdb")
    lock.release()

    ownership.own(index_dir / "index.duckdb").release()
