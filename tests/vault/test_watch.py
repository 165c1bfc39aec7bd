"""Changes in a vault's folders are told as they happen, and doubtful news lead to a look at everything."""

from __future__ import annotations

import logging
import os
import queue
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from watchfiles._rust_notify import WatchfilesRustInternalError

from jupyter_kb.settings import Settings
from jupyter_kb.vault import watch
from jupyter_kb.vault.vault import Vault
from jupyter_kb.vault.watch import BURST, Watcher, sift
from tests.vault.waiting import eventually

SCAN = "scan"
ADDED, MODIFIED, DELETED = 1, 2, 3


class Heard:
    """A watched vault, and what the watcher said of it in order: keys of notes, or SCAN."""

    def __init__(self, root: Path, settings: Settings | None = None, **options: Any) -> None:
        self.root = root
        self.said: queue.Queue[tuple[str, ...]] = queue.Queue()
        self.watcher = Watcher(
            Vault(root, settings),
            lambda keys: self.said.put(tuple(keys)),
            lambda: self.said.put((SCAN,)),
            **options,
        )

    def start(self) -> Heard:
        self.watcher.start()
        assert self.next() == (SCAN,)
        eventually(self.watcher.settled)
        return self

    def next(self) -> tuple[str, ...]:
        return self.said.get(timeout=30)

    def until(self, *wanted: str) -> list[str]:
        """All that is said, key by key, until each of `wanted` was."""
        said: list[str] = []
        while not set(wanted) <= set(said):
            said.extend(self.next())
        return said

    def until_quiet(self, sentinel: str = "end.md") -> list[str]:
        """What was said of the changes so far: events keep their order, so a note that is written now ends them."""
        eventually(self.watcher.settled)
        write(self.root / sentinel, "# End\n")
        return [key for key in self.until(sentinel) if key != sentinel]


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "above" / "vault"
    write(folder / "a.md", "# A\n")
    write(folder / "sub" / "b.md", "# B\n")
    return folder


@pytest.fixture
def heard(root: Path) -> Iterator[Heard]:
    listening = Heard(root)
    try:
        yield listening.start()
    finally:
        listening.watcher.stop()


# ── single notes ────────────────────────────────────────────────────────────────────────────────


def test_a_note_that_is_written_is_told_by_its_key(heard: Heard) -> None:
    write(heard.root / "sub" / "b.md", "# B\n\nmore\n")
    heard.until("sub/b.md")


def test_a_note_is_told_that_comes_goes_or_is_renamed(heard: Heard) -> None:
    write(heard.root / "new.md", "# New\n")
    heard.until("new.md")
    (heard.root / "new.md").rename(heard.root / "sub" / "named.md")
    heard.until("new.md", "sub/named.md")
    (heard.root / "sub" / "named.md").unlink()
    heard.until("sub/named.md")


def test_changes_in_quick_succession_are_all_told(heard: Heard) -> None:
    for name in ("x", "y", "z"):
        write(heard.root / f"{name}.md", name)
    heard.until("x.md", "y.md", "z.md")


def test_a_change_of_case_leads_to_a_look_at_everything(heard: Heard) -> None:
    (heard.root / "a.md").rename(heard.root / "A.md")
    heard.until(SCAN)


# ── what is no note ─────────────────────────────────────────────────────────────────────────────


def test_what_is_left_out_of_the_vault_is_never_told(root: Path) -> None:
    outside = root.parent / "outside"
    for folder in (root / "node_modules" / "pkg", root / ".git", root / ".obsidian", root / "drafts", outside):
        folder.mkdir(parents=True)
    (root / "linked").symlink_to(outside, target_is_directory=True)
    heard = Heard(root, Settings(exclude=("drafts/", "*.tmp.md"))).start()
    try:
        for number in range(300):
            write(root / "node_modules" / "pkg" / f"{number}.md", "x")
            write(root / "node_modules" / f"new{number}" / "readme.md", "x")
        write(root / ".git" / "index.lock", "x")
        write(root / ".obsidian" / "workspace.md", "x")
        write(root / "drafts" / "idea.md", "x")
        write(outside / "other.md", "x")
        (root / "linked").unlink()
        (root / "linked").symlink_to(outside, target_is_directory=True)
        write(root / "picture.png", "x")
        write(root / "half.tmp.md", "x")
        write(root / ".hidden.md", "x")
        (root / ".venv").mkdir()
        assert heard.until_quiet() == []
    finally:
        heard.watcher.stop()


@pytest.mark.skipif(not Path("/proc/self/fdinfo").is_dir(), reason="tells from the system's list of watches")
def test_the_system_is_not_asked_to_watch_what_is_left_out(root: Path) -> None:
    for number in range(50):
        (root / "node_modules" / f"pkg{number}").mkdir(parents=True)
    (root / "everything").symlink_to("/", target_is_directory=True)

    def watched() -> int:
        count = 0
        for entry in Path("/proc/self/fdinfo").iterdir():
            try:
                count += entry.read_text().count("inotify wd:")
            except OSError:
                continue  # closed since
        return count

    before = watched()
    heard = Heard(root).start()
    try:
        assert watched() - before == 2  # the root and `sub`
    finally:
        heard.watcher.stop()


# ── folders and rules ───────────────────────────────────────────────────────────────────────────


def test_a_folder_that_comes_with_notes_leads_to_a_look_and_is_watched_from_then_on(heard: Heard) -> None:
    write(heard.root / "new" / "deep" / "c.md", "# C\n")
    heard.until(SCAN)
    heard.until_quiet()
    write(heard.root / "new" / "deep" / "c.md", "# C\n\nmore\n")
    heard.until("new/deep/c.md")


def test_a_folder_that_comes_before_its_parent_is_watched_is_not_missed(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard = Heard(root)
    folders = Vault.folders

    def then_one_more(vault: Vault) -> frozenset[str]:
        found = folders(vault)
        (root / "late").mkdir(exist_ok=True)
        return found

    monkeypatch.setattr(Vault, "folders", then_one_more)
    heard.start()
    try:
        write(root / "late" / "l.md", "# L\n")
        heard.until("late/l.md")
    finally:
        heard.watcher.stop()


def test_a_folder_that_is_moved_in_is_watched(heard: Heard, tmp_path: Path) -> None:
    write(tmp_path / "elsewhere" / "inner" / "d.md", "# D\n")
    (tmp_path / "elsewhere").rename(heard.root / "moved")
    heard.until(SCAN)
    heard.until_quiet()
    write(heard.root / "moved" / "inner" / "d.md", "# D\n\nmore\n")
    heard.until("moved/inner/d.md")


def test_a_folder_that_is_renamed_is_watched_under_its_new_name(heard: Heard) -> None:
    (heard.root / "sub").rename(heard.root / "Sub")
    heard.until(SCAN)
    heard.until_quiet()
    write(heard.root / "Sub" / "b.md", "# B\n\nmore\n")
    heard.until("Sub/b.md")


def test_a_folder_that_is_deleted_and_made_again_is_watched(heard: Heard) -> None:
    shutil.rmtree(heard.root / "sub")
    heard.until(SCAN)
    write(heard.root / "sub" / "b.md", "# B again\n")
    heard.until(SCAN)
    heard.until_quiet()
    write(heard.root / "sub" / "b.md", "# B once more\n")
    heard.until("sub/b.md")


def test_a_folder_with_the_name_of_a_note_is_watched(heard: Heard) -> None:
    (heard.root / "folder.md").mkdir()
    heard.until(SCAN)
    heard.until_quiet()
    write(heard.root / "folder.md" / "e.md", "# E\n")
    heard.until("folder.md/e.md")


def test_new_rules_lead_to_a_look_and_decide_what_is_watched(heard: Heard) -> None:
    write(heard.root / ".kbignore", "sub/\n!.github/\n")
    write(heard.root / ".github" / "g.md", "# G\n")
    heard.until(SCAN)
    heard.until_quiet()
    write(heard.root / "sub" / "b.md", "# B\n\nleft out\n")
    assert heard.until_quiet("end2.md") == []
    write(heard.root / ".github" / "g.md", "# G\n\nmore\n")
    heard.until(".github/g.md")


def test_an_environment_is_no_longer_one_when_its_mark_goes(root: Path) -> None:
    write(root / "env" / "pyvenv.cfg", "home = /usr\n")
    write(root / "env" / "lib" / "notes.md", "# N\n")
    heard = Heard(root).start()
    try:
        (root / "env" / "pyvenv.cfg").unlink()
        heard.until(SCAN)
        heard.until_quiet()
        write(root / "env" / "lib" / "notes.md", "# N\n\nmore\n")
        heard.until("env/lib/notes.md")
    finally:
        heard.watcher.stop()


# ── many at once, and doubt ─────────────────────────────────────────────────────────────────────


def test_a_burst_leads_to_few_looks_and_no_single_notes(heard: Heard) -> None:
    for number in range(5000):
        write(heard.root / "sub" / f"{number}.md", "x")
    said = heard.until_quiet()
    assert 1 <= said.count(SCAN) <= 5000 // BURST
    assert len(said) - said.count(SCAN) <= BURST


def test_a_name_that_is_no_text_leads_to_a_look_and_the_watch_goes_on(heard: Heard) -> None:
    with open(os.path.join(os.fsencode(heard.root), b"\xff\xfe.md"), "w") as file:
        file.write("# ?\n")
    heard.until(SCAN)
    heard.until_quiet()
    write(heard.root / "a.md", "# A\n\nmore\n")
    heard.until("a.md")


def test_a_failure_of_who_was_told_leads_to_a_look(root: Path, caplog: pytest.LogCaptureFixture) -> None:
    scanned = threading.Semaphore(0)

    def fail(_: object) -> None:
        raise ZeroDivisionError("nobody thought of this")

    watcher = Watcher(Vault(root), fail, scanned.release)
    watcher.start()
    try:
        assert scanned.acquire(timeout=30)
        eventually(watcher.settled)
        write(root / "a.md", "# A\n\nmore\n")
        assert scanned.acquire(timeout=30)
        eventually(watcher.settled)
        assert "nobody thought of this" in caplog.text
    finally:
        watcher.stop()


def test_everything_is_looked_at_now_and_then(root: Path) -> None:
    heard = Heard(root, safety_seconds=0.05).start()
    try:
        heard.until(SCAN)
    finally:
        heard.watcher.stop()


STOPPED = """
import sys
from pathlib import Path
from jupyter_kb.vault.vault import Vault
from jupyter_kb.vault.watch import Watcher
watcher = Watcher(Vault(sys.argv[1]), lambda keys: print(*keys, flush=True), lambda: print("scan", flush=True))
watcher.start()
sys.stdin.read()
watcher.stop()
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="stops a process")
def test_a_process_that_was_stopped_looks_at_everything(root: Path) -> None:
    """The system keeps 16,384 events for it; of what came after, it hears nothing."""
    child = subprocess.Popen(
        [sys.executable, "-c", STOPPED, str(root)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    ending = threading.Timer(120, child.kill)  # then `readline` returns nothing
    ending.start()
    with child:
        assert child.stdout is not None
        assert child.stdin is not None
        assert child.stdout.readline() == "scan\n"
        for number in range(100):  # until it listens
            write(root / "a.md", f"# A\n\n{number}\n")
        assert child.stdout.readline() == "a.md\n"
        os.kill(child.pid, signal.SIGSTOP)
        try:
            stopped = time.monotonic()
            for number in range(9000):
                write(root / f"{number}.txt", "x")
            write(root / "a.md", "# A\n\nlast\n")
            eventually(lambda: time.monotonic() - stopped > 4)
        finally:
            os.kill(child.pid, signal.SIGCONT)
        line = child.stdout.readline()
        while line == "a.md\n":
            line = child.stdout.readline()
        assert line == "scan\n"
        child.stdin.close()
    ending.cancel()
    assert child.returncode == 0


# ── the root ────────────────────────────────────────────────────────────────────────────────────


def named(heard: Heard) -> Path:
    return heard.root


def above(heard: Heard) -> Path:
    return heard.root.parent


@pytest.mark.parametrize("moved", [named, above])
def test_a_root_that_is_renamed_away_and_back_is_watched_again(heard: Heard, moved: Callable[[Heard], Path]) -> None:
    folder = moved(heard)
    away = folder.with_name("away")
    folder.rename(away)
    eventually(lambda: heard.watcher.state == "lost")
    assert not heard.watcher.settled()
    away.rename(folder)
    eventually(heard.watcher.settled)
    assert SCAN in heard.until_quiet()


def test_a_root_that_is_another_folder_now_is_watched(heard: Heard) -> None:
    away = heard.root.with_name("away")
    heard.root.rename(away)
    write(heard.root / "other" / "o.md", "# O\n")
    heard.until(SCAN)
    heard.until_quiet()
    write(away / "a.md", "# A\n\nelsewhere\n")
    write(heard.root / "other" / "o.md", "# O\n\nmore\n")
    assert set(heard.until("other/o.md")) == {"other/o.md"}


# ── polling ─────────────────────────────────────────────────────────────────────────────────────


def test_polling_looks_at_everything_again_and_again(root: Path) -> None:
    heard = Heard(root, polling=True, poll_seconds=0.02)
    heard.watcher.start()
    try:
        for _ in range(3):
            heard.until(SCAN)
        assert heard.watcher.state == "polling"
        assert not heard.watcher.settled()
    finally:
        heard.watcher.stop()


@pytest.mark.parametrize("error", [OSError("OS file watch limit reached."), WatchfilesRustInternalError("full")])
def test_where_the_system_has_no_more_watches_it_is_polled_with_one_warning(
    root: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    def refuse(*_: object) -> None:
        raise error

    monkeypatch.setattr(watch, "RustNotify", refuse)
    heard = Heard(root, poll_seconds=0.02)
    with caplog.at_level(logging.WARNING):
        heard.watcher.start()
        try:
            for _ in range(3):
                heard.until(SCAN)
        finally:
            heard.watcher.stop()
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert str(error) in caplog.text


def test_a_network_folder_is_polled(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "network_mount", lambda *_: "nfs4")
    heard = Heard(root, poll_seconds=0.02)
    heard.watcher.start()
    try:
        assert [heard.next(), heard.next()] == [(SCAN,), (SCAN,)]
        assert heard.watcher.state == "polling"
    finally:
        heard.watcher.stop()


# ── the end ─────────────────────────────────────────────────────────────────────────────────────


def threads() -> list[str]:
    """The names of this process's threads, those of compiled code included."""
    found = []
    for task in Path("/proc/self/task").iterdir():
        try:
            found.append((task / "comm").read_text().strip())
        except OSError:
            continue  # ended since
    return sorted(name for name in found if name.startswith(("kb-watch", "notify-rs")))


@pytest.mark.parametrize("state", ["watching", "lost", "polling"])
def test_the_watch_ends_at_once_and_leaves_no_thread(root: Path, state: str) -> None:
    heard = Heard(root, polling=state == "polling" or None)
    heard.watcher.start()
    heard.until(SCAN)
    if state == "lost":
        eventually(heard.watcher.settled)
        shutil.rmtree(root)
    eventually(lambda: heard.watcher.state == state)
    begin = time.perf_counter()
    heard.watcher.stop()
    assert time.perf_counter() - begin < 2  # a loaded machine; 0.05 s otherwise
    assert heard.watcher.state == "stopped"
    assert not [thread for thread in threading.enumerate() if thread.name == "kb-watch"]
    if Path("/proc/self/task").is_dir():
        eventually(lambda: threads() == [])


def test_a_program_that_forgets_to_stop_ends_all_the_same(root: Path) -> None:
    program = STOPPED.replace("sys.stdin.read()\nwatcher.stop()\n", "import time; time.sleep(0.3)\n")
    done = subprocess.run(
        [sys.executable, "-c", program, str(root)], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "scan\n", "")


# ── what a batch of changes means ───────────────────────────────────────────────────────────────


def sifted(root: Path, *changes: tuple[int, str]) -> tuple[set[str], bool, bool]:
    news = sift({(kind, str(root / path)) for kind, path in changes}, Vault(root), frozenset({"", "sub"}))
    return news.keys, news.whole, news.anew


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ([(MODIFIED, "a.md"), (ADDED, "sub/x.MD"), (DELETED, "y.md")], ({"a.md", "sub/x.MD", "y.md"}, False, False)),
        ([(ADDED, "x.txt"), (ADDED, ".x.md"), (MODIFIED, "node_modules/a.md"), (ADDED, ".git")], (set(), False, False)),
        ([(DELETED, "sub")], (set(), True, True)),
        ([(MODIFIED, "sub")], (set(), True, True)),
        ([(DELETED, "")], (set(), True, True)),
        ([(MODIFIED, ".kbignore")], (set(), True, True)),
        ([(ADDED, "sub/.kbignore")], (set(), False, False)),
        ([(ADDED, "sub/pyvenv.cfg")], (set(), True, True)),
        ([(ADDED, "sub/back\\slash.md")], (set(), True, False)),
        ([(ADDED, "sub/back\\slash.txt")], (set(), False, False)),
        ([(DELETED, "a.md"), (ADDED, "A.md")], ({"a.md", "A.md"}, True, False)),
        ([(MODIFIED, f"{n}.png") for n in range(2049)], (set(), True, True)),
    ],
)
def test_news_are_notes_or_doubt(
    root: Path, changes: list[tuple[int, str]], expected: tuple[set[str], bool, bool]
) -> None:
    assert sifted(root, *changes) == expected


def test_a_burst_is_more_than_so_many_notes(root: Path) -> None:
    many = [(MODIFIED, f"{n}.md") for n in range(BURST + 1)]
    assert sifted(root, *many[1:])[1:] == (False, False)
    assert sifted(root, *many)[1:] == (True, False)
