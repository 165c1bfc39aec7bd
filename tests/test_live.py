"""A knowledge base that watches its vault: the index follows whatever happens to the files, and stays right."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jupyter_kb.errors import ConflictError, VaultNotFoundError
from jupyter_kb.events import Event, IndexUpdated, NoteChanged
from jupyter_kb.index import live
from jupyter_kb.kb import KnowledgeBase
from jupyter_kb.models import FileChange, ReindexReport, SearchRequest, SectionEdit, SectionRef
from jupyter_kb.settings import Settings
from jupyter_kb.vault.vault import Vault
from tests.index.vaults import content, indexed
from tests.vault.waiting import eventually

WORDS = Settings(model="none")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    (folder / "sub").mkdir(parents=True)
    (folder / "note.md").write_text("# Note\n\nold text\n\n## Part\n\nword\n")
    (folder / "sub" / "other.md").write_text("# Other\n\nSee [[note]].\n")
    return folder


@pytest.fixture
def kb(root: Path) -> Iterator[KnowledgeBase]:
    with watched(root) as opened:
        yield opened


def watched(root: Path, settings: Settings = WORDS) -> KnowledgeBase:
    opened = KnowledgeBase.open(root, settings=settings, in_memory=True)
    opened.watch()
    eventually(lambda: opened.live.state == "watching")
    assert opened.status().watching == "events"
    return opened


@pytest.fixture
def relying(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a vault that is too large to be compared with the index at each read."""
    monkeypatch.setattr(live, "QUICK_SECONDS", -1.0)
    monkeypatch.setattr(live, "RARE", 1e9)


def found(kb: KnowledgeBase, word: str, *, fresh: bool = False) -> set[str]:
    """The notes that hold a word, by the index as it is."""
    return {hit.file for hit in kb.search(SearchRequest(query=f"+{word}", mode="text"), fresh=fresh).hits}


def is_right(kb: KnowledgeBase) -> bool:
    """Whether the index is what one built from nothing would be. The files must keep still."""
    with indexed(kb.vault.root, settings=kb.settings) as fresh:
        wanted = content(fresh.database)
    eventually(lambda: content(kb.database) == wanted)
    return True


# ── every way of saving ─────────────────────────────────────────────────────────────────────────


def in_place(note: Path, text: str) -> None:
    note.write_text(text)


def in_place_in_pieces(note: Path, text: str) -> None:
    with note.open("w") as file:
        for character in text:
            file.write(character)
            file.flush()


def appended(note: Path, text: str) -> None:
    with note.open("a") as file:
        file.write(text)


def beside_and_renamed(note: Path, text: str) -> None:
    temporary = note.with_name(f".{note.name}.tmp")
    temporary.write_text(text)
    temporary.replace(note)


def beside_as_a_note_and_renamed(note: Path, text: str) -> None:
    temporary = note.with_name("note.1234.md")
    temporary.write_text(text)
    temporary.replace(note)


def elsewhere_and_moved_in(note: Path, text: str) -> None:
    temporary = note.parent.parent / "temporary"
    temporary.write_text(text)
    temporary.replace(note)


def with_a_backup_renamed_away(note: Path, text: str) -> None:
    """vim with `backupcopy=no`, Emacs: the old file becomes the backup, a new one is made."""
    lock = note.with_name(f".#{note.name}")
    lock.symlink_to("me@host.1234")
    note.rename(note.with_name(f"{note.name}~"))
    note.write_text(text)
    lock.unlink()


def deleted_and_made_again(note: Path, text: str) -> None:
    note.unlink()
    note.write_text(text)


def with_its_old_times(note: Path, text: str) -> None:
    """An archive unpacked, a file synchronised: as old as before, and as long."""
    before = note.stat()
    note.write_text(text.ljust(before.st_size)[: before.st_size])
    os.utime(note, ns=(before.st_atime_ns, before.st_mtime_ns))


def copied_over(note: Path, text: str) -> None:
    source = note.parent.parent / "source"
    source.write_text(text)
    os.utime(source, (1_000_000_000, 1_000_000_000))
    shutil.copy2(source, note)


def by_a_hard_link(note: Path, text: str) -> None:
    source = note.parent.parent / "source"
    source.write_text(text)
    note.unlink()
    os.link(source, note)


def by_the_stream_editor(note: Path, text: str) -> None:
    subprocess.run(["sed", "-i", f"s/^.* text$/{text.split()[2]} old text/", str(note)], check=True)


def by_vim(note: Path, text: str) -> None:
    subprocess.run(
        ["vim", "-u", "NONE", "-es", "-c", f"%s/^.* text$/{text.split()[2]} old text/", "-c", "wq", str(note)],
        check=True,
        stdin=subprocess.DEVNULL,
    )


WAYS = [
    in_place,
    in_place_in_pieces,
    appended,
    beside_and_renamed,
    beside_as_a_note_and_renamed,
    elsewhere_and_moved_in,
    with_a_backup_renamed_away,
    deleted_and_made_again,
    with_its_old_times,
    copied_over,
    by_a_hard_link,
    by_the_stream_editor,
    by_vim,
]


@pytest.mark.parametrize("save", WAYS)
def test_a_note_is_found_however_it_was_saved(kb: KnowledgeBase, root: Path, save: Callable[[Path, str], None]) -> None:
    if save is by_vim and shutil.which("vim") is None:
        pytest.skip("vim is not installed")
    for word in ("first", "second"):
        save(root / "note.md", f"# Note\n\n{word} old text\n")
        eventually(lambda word=word: found(kb, word) == {"note.md"})  # type: ignore[misc]
    assert is_right(kb)


# ── what happens to many files, to folders, to the root ─────────────────────────────────────────


@pytest.mark.slow
def test_a_checkout_of_many_notes_is_followed(root: Path) -> None:
    git = ["git", "-C", str(root), "-c", "user.name=a", "-c", "user.email=a@b", "-c", "core.fsync=none"]

    def run(*arguments: str) -> None:
        subprocess.run([*git, *arguments], check=True, capture_output=True)

    run("init", "--quiet")
    run("add", ".")
    run("commit", "-qm", "few")
    run("branch", "few")
    for number in range(5000):
        folder = root / f"folder{number % 25}"
        folder.mkdir(exist_ok=True)
        (folder / f"{number}.md").write_text(f"# Number {number}\n\nmany\n")
    run("add", ".")
    run("commit", "-qm", "many")
    run("checkout", "-q", "few")
    with watched(root) as kb:
        assert kb.status().notes == 2
        scans = counted_scans(kb)
        run("checkout", "-q", "-")
        eventually(lambda: kb.indexer.counts().notes == 5002, seconds=120)
        eventually(lambda: kb.live._watcher is not None and kb.live._watcher.settled(), seconds=120)
        assert len(scans) <= 20
        assert is_right(kb)
        run("checkout", "-q", "few")
        eventually(lambda: kb.indexer.counts().notes == 2, seconds=120)


def test_a_folder_is_followed_through_its_names_and_lives(kb: KnowledgeBase, root: Path) -> None:
    (root / "sub").rename(root / "Sub")
    eventually(lambda: found(kb, "see") == {"Sub/other.md"})
    shutil.rmtree(root / "Sub")
    eventually(lambda: found(kb, "see") == set())
    (root / "Sub" / "deep").mkdir(parents=True)
    (root / "Sub" / "deep" / "other.md").write_text("# Other\n\nsee again\n")
    eventually(lambda: found(kb, "again") == {"Sub/deep/other.md"})
    (root / "Sub" / "deep" / "other.md").write_text("# Other\n\nsee once more\n")
    eventually(lambda: found(kb, "once") == {"Sub/deep/other.md"})


def test_an_index_outlives_the_absence_of_its_vault(kb: KnowledgeBase, root: Path, relying: None) -> None:
    root.rename(root.with_name("away"))
    eventually(lambda: kb.live.state == "lost")
    assert found(kb, "old") == {"note.md"}
    with pytest.raises(VaultNotFoundError):
        found(kb, "old", fresh=True)
    (root.with_name("away") / "new.md").write_text("# New\n\nmeanwhile\n")
    root.with_name("away").rename(root)
    eventually(lambda: found(kb, "meanwhile") == {"new.md"})
    assert found(kb, "old", fresh=True) == {"note.md"}


def test_new_rules_take_notes_out_and_bring_them_back(kb: KnowledgeBase, root: Path) -> None:
    (root / ".kbignore").write_text("sub/\n")
    eventually(lambda: found(kb, "see") == set())
    (root / ".kbignore").unlink()
    eventually(lambda: found(kb, "see") == {"sub/other.md"})


def test_a_folder_that_cannot_be_watched_is_polled(root: Path) -> None:
    with KnowledgeBase.open(root, settings=Settings(model="none", watch="poll"), in_memory=True) as kb:
        kb.watch()
        eventually(lambda: kb.live.state == "polling")
        assert kb.status().watching == "polling"
        (root / "note.md").write_text("# Note\n\nseen late\n")
        eventually(lambda: found(kb, "late") == {"note.md"})


# ── what a reader gets ──────────────────────────────────────────────────────────────────────────


def counted_scans(kb: KnowledgeBase) -> list[str]:
    scans: list[str] = []
    scan = kb.indexer.scan

    def counting(*arguments: Any) -> object:
        scans.append(threading.current_thread().name)
        return scan(*arguments)

    kb.indexer.scan = counting  # type: ignore[method-assign, assignment]
    return scans


def test_readers_of_a_small_vault_see_what_was_just_written(
    kb: KnowledgeBase, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "QUICK_SECONDS", 60.0)  # small enough for any machine
    for number in range(20):
        (root / "note.md").write_text(f"# Note\n\nnumber{number}\n")
        assert found(kb, f"number{number}", fresh=True) == {"note.md"}


def test_readers_of_a_large_vault_rely_on_the_watch(kb: KnowledgeBase, root: Path, relying: None) -> None:
    scans = counted_scans(kb)
    (root / "note.md").write_text("# Note\n\nnovel\n")
    eventually(lambda: found(kb, "novel", fresh=True) == {"note.md"})
    assert kb.diagnostics()[1] == 0
    assert scans == []


def test_readers_look_for_themselves_when_the_last_look_was_long_ago(
    kb: KnowledgeBase, relying: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    scans = counted_scans(kb)
    monkeypatch.setattr(live, "RARE", 0)
    assert found(kb, "old", fresh=True) == {"note.md"}
    assert scans == ["MainThread"]


def test_readers_look_for_themselves_while_the_watch_is_in_doubt(root: Path, relying: None) -> None:
    with KnowledgeBase.open(root, settings=WORDS, in_memory=True) as kb:
        assert found(kb, "old", fresh=True) == {"note.md"}  # before there is a watch
        kb.watch()
        eventually(lambda: kb.live.state == "watching")
        reading, scanned = threading.Event(), threading.Event()
        scan = kb.scan

        def hold(*arguments: Any) -> object:
            scanned.set()
            assert reading.wait(30)
            return scan(*arguments)

        assert kb.live._watcher is not None
        kb.live._watcher._scan = hold
        (root / "new").mkdir()
        (root / "new" / "note.md").write_text("# New\n\nunseen\n")
        assert scanned.wait(30)
        assert found(kb, "unseen", fresh=True) == {"new/note.md"}
        reading.set()


def test_nothing_is_watched_when_it_is_off_and_nothing_a_second_time(root: Path) -> None:
    def watching() -> int:
        return sum(thread.name == "kb-watch" for thread in threading.enumerate())

    with KnowledgeBase.open(root, settings=Settings(model="none", watch="off"), in_memory=True) as kb:
        kb.watch()
        assert (kb.live.state, watching()) == ("stopped", 0)
        assert kb.status().watching == "off"
        assert found(kb, "old", fresh=True) == {"note.md"}
    with watched(root) as kb:
        kb.watch()
        assert watching() == 1
    assert watching() == 0
    kb.watch()  # closed
    assert watching() == 0


def test_closing_ends_the_watch_in_the_midst_of_its_first_scan(tmp_path: Path) -> None:
    for number in range(3000):
        (tmp_path / f"{number}.md").write_text("# N\n\n" + "word " * 200)
    kb = KnowledgeBase.open(tmp_path, settings=WORDS, in_memory=True)
    kb.watch()
    eventually(lambda: kb.status().indexing)
    kb.close()
    assert not [thread for thread in threading.enumerate() if thread.name == "kb-watch"]


# ── our own edits ───────────────────────────────────────────────────────────────────────────────

PART = SectionRef(file="note.md", heading_path="Note > Part")


def edited(kb: KnowledgeBase, body: str, ref: SectionRef = PART) -> None:
    """Edit until nobody was quicker."""
    while True:
        try:
            kb.edit_section(SectionEdit(section=ref, expected_hash=kb.get_section(ref).content_hash, body=body))
        except ConflictError:
            continue
        return


def is_empty(report: ReindexReport) -> bool:
    return not (report.files_added or report.files_removed or report.files_changed)


def test_own_edits_are_told_once_and_never_reported(kb: KnowledgeBase) -> None:
    told: list[Event] = []
    kb.events.subscribe(lambda event: told.append(event) if isinstance(event, IndexUpdated | NoteChanged) else None)
    update = kb.indexer.update
    seen: list[tuple[str, ...]] = []

    def noting(paths: Any, **options: Any) -> None:
        update(paths, **options)
        if "by" not in options:
            seen.append(tuple(paths))

    kb.live._watcher._update = noting  # type: ignore[union-attr]
    for number in range(10):
        edited(kb, f"edit{number}\n")
        assert found(kb, f"edit{number}") == {"note.md"}
    eventually(lambda: seen)  # the watch has heard of them
    eventually(lambda: kb.live._watcher.settled())  # type: ignore[union-attr]
    assert [type(event) for event in told] == [IndexUpdated, NoteChanged] * 10
    assert is_empty(kb.reindex())


def test_an_own_edit_that_the_watch_brings_in_first_is_an_own_edit(
    kb: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the writing and the update of the index, the watch may be quicker, or a scan."""
    update = kb.indexer.update

    def late(paths: Any, **options: Any) -> None:
        update(paths)
        kb.indexer.scan()
        update(paths, **options)

    monkeypatch.setattr(kb.indexer, "update", late)
    edited(kb, "quick\n")
    assert found(kb, "quick") == {"note.md"}
    assert is_empty(kb.reindex())


def test_a_foreign_change_before_an_own_edit_is_reported_whoever_brings_it_in(root: Path) -> None:
    with KnowledgeBase.open(root, settings=WORDS, in_memory=True) as kb:
        kb.scan()
        update = kb.indexer.update

        def late(paths: Any, **options: Any) -> None:
            update(paths)
            update(paths, **options)

        kb.indexer.update = late  # type: ignore[method-assign]
        content_hash = kb.get_section(PART).content_hash
        (root / "note.md").write_text((root / "note.md").read_text() + "\n## New\n\nforeign\n")
        kb.edit_section(SectionEdit(section=PART, expected_hash=content_hash, body="own\n", strict=True))
        changed = kb.reindex().files_changed
        assert changed == (FileChange(file="note.md", sections_added=("Note > New",)),)


@pytest.mark.slow
def test_writers_of_both_kinds_and_the_watch_get_along(kb: KnowledgeBase, root: Path, relying: None) -> None:
    errors: list[BaseException] = []
    end = time.monotonic() + 3

    def repeat(step: Callable[[int], object]) -> None:
        number = 0
        try:
            while time.monotonic() < end:
                step(number)
                number += 1
        except BaseException as error:
            errors.append(error)

    def foreign(number: int) -> None:
        beside_and_renamed(root / f"foreign{number % 3}.md", f"# F\n\nforeign{number}\n")
        (root / "sub" / "other.md").write_text(f"# Other\n\nnumber{number} [[note]]\n")

    def folders(number: int) -> None:
        (root / f"folder{number % 2}").mkdir(exist_ok=True)
        (root / f"folder{number % 2}" / "inside.md").write_text(f"# Inside\n\n{number}\n")
        with suppress(OSError):
            (root / f"folder{number % 2}").rename(root / "renamed")
        if number % 3 == 2:
            shutil.rmtree(root / "renamed", ignore_errors=True)

    steps: list[Callable[[int], object]] = [
        lambda number: edited(kb, f"one{number}\n"),
        lambda number: edited(kb, f"two{number}\n"),
        foreign,
        folders,
        lambda _: found(kb, "old", fresh=True),
    ]
    threads = [threading.Thread(target=repeat, args=(step,)) for step in steps]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert is_right(kb)
    assert "note.md" not in {change.file for change in kb.reindex().files_changed}


# ── whatever happens ────────────────────────────────────────────────────────────────────────────

NAMES = st.sampled_from(["a.md", "A.md", "sub/b.md", "sub/deep/c.md", "Sub/b.md", "draft.md", "env/d.md", "x.txt"])
FOLDERS = st.sampled_from(["sub", "Sub", "sub/deep", "env", "node_modules"])
TEXTS = st.sampled_from(
    ["", "# One\n\nword\n", "# Two\n\n## Part\n\n[[a]]\n", "# Two\n\n## Part\n\n[[b]]\n", "---\n[\n"]
)
OPERATIONS = st.one_of(
    st.tuples(st.just("write"), NAMES, TEXTS),
    st.tuples(st.just("replace"), NAMES, TEXTS),
    st.tuples(st.just("append"), NAMES, TEXTS),
    st.tuples(st.just("disguise"), NAMES, TEXTS),
    st.tuples(st.just("delete"), NAMES),
    st.tuples(st.just("rename"), NAMES, NAMES),
    st.tuples(st.just("mkdir"), FOLDERS),
    st.tuples(st.just("rmtree"), FOLDERS),
    st.tuples(st.just("rename"), FOLDERS, FOLDERS),
    st.tuples(st.just("link"), NAMES, FOLDERS),
    st.tuples(st.just("write"), st.just(".kbignore"), st.sampled_from(["", "draft.md\n", "sub/\n", "[z-a]\n"])),
    st.tuples(st.just("write"), st.just("env/pyvenv.cfg"), st.just("home\n")),
    st.tuples(st.just("delete"), st.just("env/pyvenv.cfg")),
    st.tuples(st.just("away")),
    st.tuples(st.just("read")),
    st.tuples(st.just("settle")),
)


def happen(kb: KnowledgeBase, kind: str, *operands: str) -> None:
    root = kb.vault.root
    path = root / operands[0] if operands else root
    if kind in ("write", "replace", "append", "disguise", "link"):
        path.parent.mkdir(parents=True, exist_ok=True)
    match kind:
        case "write":
            in_place(path, operands[1])
        case "replace":
            beside_and_renamed(path, operands[1])
        case "append":
            appended(path, operands[1])
        case "disguise":
            with_its_old_times(path, operands[1])
        case "delete":
            path.unlink()
        case "rename":
            path.rename(root / operands[1])
        case "mkdir":
            path.mkdir(parents=True)
        case "rmtree":
            shutil.rmtree(path)
        case "link":
            path.symlink_to(root / operands[1])
        case "away":
            root.rename(root.with_name("away")).rename(root)
        case "read":
            found(kb, "word", fresh=True)
        case "settle":
            assert is_right(kb)


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(st.lists(OPERATIONS, max_size=12))
def test_the_index_follows_any_sequence_of_changes(operations: list[tuple[str, ...]]) -> None:
    with tempfile.TemporaryDirectory() as base, pytest.MonkeyPatch.context() as patch:
        patch.setattr(live, "QUICK_SECONDS", -1.0)
        patch.setattr(live, "RARE", 1e9)
        root = Path(base) / "vault"
        (root / "sub").mkdir(parents=True)
        (root / "a.md").write_text("# One\n\nword\n")
        (root / "sub" / "b.md").write_text("# Two\n\n[[a]]\n")
        with watched(root) as kb:
            for operation in operations:
                with suppress(OSError):  # an operation that makes no sense here
                    happen(kb, *operation)
            assert is_right(kb)


def test_the_folders_of_a_vault_are_those_in_which_notes_may_lie(root: Path) -> None:
    for folder in ("node_modules/x", ".git", "drafts", "empty/er", "env/lib"):
        (root / folder).mkdir(parents=True)
    (root / "env" / "pyvenv.cfg").touch()
    (root / "link").symlink_to(root / "sub")
    assert Vault(root, Settings(exclude=("drafts/",))).folders() == {"", "sub", "empty", "empty/er", "env"}
