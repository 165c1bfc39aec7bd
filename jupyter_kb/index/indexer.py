"""The one road into the index: compare disk and index, and bring in, bring up to date, or take out, batch by batch.

A batch of notes is written in one transaction, so that whatever happens, each note is in the index wholly or not at
all. Reading and parsing go on outside the lock; a batch in which a note was written by somebody else meanwhile is
looked at again.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from jupyter_kb.events import EventBus, IndexProgress, IndexUpdated
from jupyter_kb.index import changes, notes, postings
from jupyter_kb.index.analysis import Batch, Job, Seen
from jupyter_kb.index.helper import Crew
from jupyter_kb.index.own_edits import OwnEdits
from jupyter_kb.models import Diagnostic, ReindexReport, ScanResult
from jupyter_kb.settings import Settings
from jupyter_kb.vault.vault import FileStat, Vault

if TYPE_CHECKING:
    from jupyter_kb.index.database import Database
    from jupyter_kb.markdown.document import Document

_log = logging.getLogger(__name__)

Progress = Callable[[int, int], None]

BATCH_BYTES = 600_000
BATCH_NOTES = 400

_TICK_NS = 2_000_000_000
"""How coarse a file system's clock may be: a file changed this shortly before it was read may change again unseen."""
_FEW_UNSORTED = 50_000


class Known(NamedTuple):
    """A note as the index holds it."""

    note_id: int
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    checked_ns: int
    version: str

    def holds(self, stat: FileStat) -> bool:
        """Whether the file is surely the one that was read."""
        return self.stamp == _stamp(stat) and max(stat.mtime_ns, stat.ctime_ns) + _TICK_NS < self.checked_ns

    @property
    def stamp(self) -> tuple[int, int, int, int]:
        """What the operating system said of the file when it was read."""
        return self.size, self.mtime_ns, self.ctime_ns, self.inode


@dataclass(frozen=True, kw_only=True)
class Counts:
    """How much the index holds. `diagnostics` counts those of single notes (links are judged when asked)."""

    notes: int
    sections: int
    links: int
    diagnostics: int


@dataclass(kw_only=True)
class _Pass:
    """One pass over some notes: how it was asked for, and what it has done so far."""

    by: str | None = None
    before: Document | None = None
    added: set[str] = field(default_factory=set)
    changed: set[str] = field(default_factory=set)
    removed: set[str] = field(default_factory=set)
    again: list[str] = field(default_factory=list)


class Indexer:
    """Keeps one database up to date with one vault. Safe to use from several threads."""

    def __init__(self, vault: Vault, database: Database, bus: EventBus, settings: Settings) -> None:
        self.last_scan: str | None = None
        """When the last whole scan ended (ISO 8601, UTC)."""
        self._vault = vault
        self._database = database
        self._bus = bus
        self._settings = settings
        self.own_edits = OwnEdits()
        self.compared = (0.0, 0.0)
        """How long the last scan took to compare disk and index, and when that was done (`time.perf_counter`)."""
        self._lock = threading.RLock()
        self._stopped = threading.Event()
        self.crew = Crew(vault, settings, self._stopped)
        self._known: dict[str, Known] = {}
        self._outside: dict[str, tuple[Diagnostic, ...]] = {}  # of files that are not in the index
        self._next_id = 1
        self._unsorted = 0
        self._ledgers = changes.Ledgers()  # opened by the first scan
        self._load()

    # ── the whole vault, or single notes ────────────────────────────────────────────────────────

    def scan(self, progress: Progress | None = None) -> ScanResult:
        """Bring the index up to date with the disk. `progress(done, total)` counts notes to be read.

        Raises
        ------
        VaultNotFoundError, NoteUnreadableError : the root cannot be walked; the index stays as it was.
        """
        begin = time.perf_counter()
        done = _Pass()
        with self._lock:
            known, outside = dict(self._known), dict(self._outside)
        listing = self._vault.listing()
        present = {stat.key: stat for stat in listing.files}
        with self._lock:
            # What was learnt since is newer than the listing.
            gone = [path for path in known if path not in present and self._known.get(path) is known[path]]
            stale = [stat for path, stat in present.items() if not self._is_current(path, stat)]
            self.compared = (time.perf_counter() - begin, time.perf_counter())
            self._write(Batch(gone=self._jobs(gone)), done)
        self._bring_in(stale, done, progress)
        if done.again:
            self._look_at(done.again, done)
        with self._lock:
            learnt = {path for path, entries in self._outside.items() if outside.get(path) is not entries}
            self._settle_outside(present.keys() | learnt, listing.problems)
            self._sort_postings()
            if not self._stopped.is_set():
                self._ledgers.open()
            unchanged = len(self._known) - len(done.added) - len(done.changed)
        self.last_scan = datetime.now(UTC).isoformat(timespec="seconds")
        self._announce(done)
        return ScanResult(
            added=len(done.added),
            changed=len(done.changed),
            removed=len(done.removed),
            unchanged=max(unchanged, 0),
            seconds=time.perf_counter() - begin,
        )

    def update(self, paths: Iterable[str], *, by: str | None = None, before: Document | None = None) -> None:
        """Bring single notes up to date: changed, new or deleted ones, by their keys.

        A change `by` a reader of reports is kept out of its next one. `before` is what that edit found in the (one)
        file: if that was not what the index held, the foreign change that came first is reported all the same.
        """
        done = _Pass(by=by, before=before)
        self._look_at(list(paths), done)
        self._announce(done)

    def stop(self) -> None:
        """Let a scan that is running end with what it has written; from then on nothing is read any more."""
        self._stopped.set()

    # ── what there is ───────────────────────────────────────────────────────────────────────────

    def follow(self, reader: str, *, resumed: bool = False) -> None:
        """From now on, keep what changes for this reader's reports; `resumed`: also what the first scan finds."""
        with self._lock:
            self._ledgers.follow(reader)
            self._ledgers.is_open |= resumed

    def report(self, reader: str = "") -> ReindexReport:
        """What changed since this reader's last report, its own edits left out.

        At first: since it followed; for `""`, who always does, since the first scan.
        """
        with self._lock:
            self._ledgers.follow(reader)
            return self._ledgers.close(reader, self._marks(self._ledgers.paths(reader)))

    def counts(self) -> Counts:
        """How much the index holds now."""
        row = self._database.query(
            "SELECT (SELECT count(*) FROM notes), (SELECT count(*) FROM sections WHERE level >= 0),"
            " (SELECT count(*) FROM links), (SELECT count(*) FROM diagnostics)"
        )[0]
        return Counts(notes=row[0], sections=row[1], links=row[2], diagnostics=row[3])

    # ── comparing ───────────────────────────────────────────────────────────────────────────────

    def _load(self) -> None:
        """Learn what the index holds; one made for another language is emptied."""
        database = self._database
        with database.transaction():
            language = database.meta("language")
            if language != self._settings.language:
                if language is not None:
                    _log.warning("the index is rebuilt from nothing: its language is now %s", self._settings.language)
                    database.clear()
                database.set_meta("language", self._settings.language)
            self._unsorted = int(database.meta("unsorted") or 0)
        rows = database.query("SELECT path, note_id, size, mtime_ns, ctime_ns, inode, checked_ns, version FROM notes")
        self._known = {path: Known(*values) for path, *values in rows}
        self._next_id = max((known.note_id for known in self._known.values()), default=0) + 1
        outside: defaultdict[str, tuple[Diagnostic, ...]] = defaultdict(tuple)
        for file, kind, message, line, hint in database.query(
            "SELECT path, kind, message, line, hint FROM diagnostics d"
            " WHERE NOT EXISTS (SELECT 1 FROM notes n WHERE n.path = d.path) ORDER BY path, line, message"
        ):
            outside[file] += (Diagnostic(file=file, kind=kind, message=message, line=line, hint=hint),)
        self._outside = dict(outside)

    def _is_current(self, path: str, stat: FileStat) -> bool:
        known = self._known.get(path)
        return known is not None and known.holds(stat) and stat.size <= self._settings.max_file_bytes

    def _jobs(self, wanted: Iterable[str | FileStat]) -> list[Job]:
        """A job for each note, with the number it has or will have."""
        jobs = []
        for item in wanted:
            stat = FileStat(key=item) if isinstance(item, str) else item
            known = self._known.get(stat.key)
            if known is None:
                jobs.append(Job(self._next_id, stat, None))
                self._next_id += 1
            else:
                jobs.append(Job(known.note_id, stat, known.version))
        return jobs

    def _is_settled(self, job: Job) -> bool:
        """Whether the index still holds of a note what it held when the job was made."""
        known = self._known.get(job.stat.key)
        return job.version is None if known is None else (known.note_id, known.version) == (job.note_id, job.version)

    # ── reading ─────────────────────────────────────────────────────────────────────────────────

    def _look_at(self, paths: Sequence[str], done: _Pass) -> None:
        """Bring in these notes as they are on disk now, whatever their time stamps say."""
        wanted = list(dict.fromkeys(paths))
        while wanted and not self._stopped.is_set():
            present = {path: self._vault.stat(path) for path in wanted}
            done.again = []
            gone = [path for path, stat in present.items() if stat is None]
            with self._lock:
                self._write(Batch(gone=self._jobs(path for path in gone if path in self._known)), done)
                self._settle_outside((), (), only=gone)
            self._bring_in([stat for stat in present.values() if stat], done, None)
            wanted = done.again

    def _bring_in(self, stats: Sequence[FileStat], done: _Pass, progress: Progress | None) -> None:
        if not stats or self._stopped.is_set():
            return
        with self._lock:
            jobs = self._jobs(stats)
        self._tell(0, len(jobs), progress)
        read = 0
        with self.crew.analyse(_batches(jobs, self._settings.max_file_bytes)) as batches:
            for batch in batches:
                if self._stopped.is_set():
                    break
                with self._lock:
                    self._write(batch, done)
                read += len(batch.all_jobs())
                self._tell(read, len(jobs), progress)

    def _tell(self, done: int, total: int, progress: Progress | None) -> None:
        if progress is not None:
            progress(done, total)
        self._bus.publish(IndexProgress(done=done, total=total))

    def _announce(self, done: _Pass) -> None:
        if done.added or done.changed or done.removed:
            event = IndexUpdated(
                added=tuple(sorted(done.added)),
                changed=tuple(sorted(done.changed)),
                removed=tuple(sorted(done.removed)),
            )
            self._bus.publish(event)

    # ── writing ─────────────────────────────────────────────────────────────────────────────────

    def _write(self, batch: Batch, done: _Pass) -> None:
        """Write one batch in one transaction; what it says is known here only once it is committed."""
        failed = {job.stat.key: entry for job, entry in batch.failed}
        leaving = [job for job in (*batch.gone, *(job for job, _ in batch.failed)) if job.stat.key in self._known]
        arriving = [seen.job for seen in batch.indexed]
        if not all(map(self._is_settled, (*arriving, *leaving, *(seen.job for seen in batch.same)))):
            done.again += [job.stat.key for job in batch.all_jobs()]
            arriving, leaving, failed = [], [], {}
            batch = Batch(tables={"terms": batch.tables["terms"]} if batch.tables else {})
        new_failures = {path: entry for path, entry in failed.items() if self._outside.get(path) != (entry,)}
        touched = [seen for seen in batch.same if not self._knows(seen)]
        if not (batch.tables or leaving or new_failures or touched):
            return
        moving = [*arriving, *leaving]
        with self._database.transaction():
            old = self._marks([job.stat.key for job in moving]) if self._ledgers.is_open else {}
            removed_ids = [job.note_id for job in moving if job.stat.key in self._known]
            notes.remove(self._database, removed_ids, [*(job.stat.key for job in moving), *new_failures])
            for table, columns in batch.tables.items():
                self._database.insert(table, columns, new="term" if table == "terms" else None)
            notes.write_diagnostics(self._database, new_failures.values())
            self._touch(touched)
            unsorted = self._unsorted + (len(batch.tables["postings"]["term_id"]) if arriving else 0)
            if unsorted != self._unsorted:
                self._database.set_meta("unsorted", str(unsorted))
        self._unsorted = unsorted
        self._learn(batch, leaving, new_failures, done)
        if self._ledgers.is_open:
            paths = [job.stat.key for job in moving]
            edits = self.own_edits.among((seen.job.stat.key, seen.version) for seen in batch.indexed)
            self._ledgers.enter(paths, old, self._marks(paths), by=done.by, before=done.before, edits=edits)

    def _knows(self, seen: Seen) -> bool:
        """Whether writing the time stamps of an unchanged note would gain nothing."""
        known, stat = self._known[seen.job.stat.key], seen.job.stat
        return known.stamp == _stamp(stat) and known.holds(stat) == _known(seen).holds(stat)

    def _touch(self, touched: Sequence[Seen]) -> None:
        if touched:
            rows = np.array([_known(seen)[:6] for seen in touched], dtype=np.int64)
            names = ("note_id", "size", "mtime_ns", "ctime_ns", "inode", "checked_ns")
            columns = {name: np.ascontiguousarray(rows[:, i]) for i, name in enumerate(names)}
            self._database.update("notes", columns, key="note_id")

    def _learn(self, batch: Batch, leaving: list[Job], failed: dict[str, Diagnostic], done: _Pass) -> None:
        for job in leaving:
            del self._known[job.stat.key]
            done.removed.add(job.stat.key)
        for seen in batch.indexed:
            path = seen.job.stat.key
            (done.changed if path in self._known else done.added).add(path)
            self._known[path] = _known(seen)
            self._outside.pop(path, None)
        for seen in batch.same:
            self._known[seen.job.stat.key] = _known(seen)
        self._outside.update({path: (entry,) for path, entry in failed.items()})

    def _settle_outside(
        self, present: Iterable[str], problems: Iterable[Diagnostic], only: Iterable[str] | None = None
    ) -> None:
        """Keep the diagnostics of files that are there but not in the index, and of the listing itself; drop others."""
        wanted: defaultdict[str, tuple[Diagnostic, ...]] = defaultdict(tuple)
        for entry in problems:
            wanted[entry.file] += (entry,)
        there = set(present)
        for path, entries in self._outside.items():
            if path in there and path not in wanted:
                wanted[path] = entries
        looked_at = self._outside.keys() | wanted.keys() if only is None else self._outside.keys() & set(only)
        stale = [path for path in looked_at if self._outside.get(path) != wanted.get(path)]
        if stale:
            with self._database.transaction():
                notes.remove(self._database, (), stale)
                notes.write_diagnostics(self._database, (entry for path in stale for entry in wanted.get(path, ())))
            for path in stale:
                self._outside.pop(path, None)
                if path in wanted:
                    self._outside[path] = wanted[path]

    def _sort_postings(self) -> None:
        """Sort all postings by term once many stand in runs of their own: a look-up then skips most of the table."""
        if self._unsorted < _FEW_UNSORTED:
            return
        total = self._database.query("SELECT count(*) FROM postings")[0][0]
        if self._unsorted * 4 < total:
            return
        postings.sort(self._database)
        self._unsorted = 0

    def _marks(self, paths: Iterable[str]) -> dict[str, changes.Marks]:
        """The sections of these notes as the index holds them; notes that it does not hold are left out."""
        path_of = {self._known[path].note_id: path for path in paths if path in self._known}
        if not path_of:
            return {}
        found = notes.sections_of(self._database, path_of)
        return {path: changes.marks(found[note_id]) for note_id, path in path_of.items()}


def _stamp(stat: FileStat) -> tuple[int, int, int, int]:
    return stat.size, stat.mtime_ns, stat.ctime_ns, stat.inode & notes.INODE_MASK


def _known(seen: Seen) -> Known:
    return Known(seen.job.note_id, *_stamp(seen.job.stat), seen.checked_ns, seen.version)


def _batches(jobs: Iterable[Job], most_bytes: int) -> list[list[Job]]:
    batches: list[list[Job]] = []
    weight = BATCH_BYTES
    for job in jobs:
        if weight >= BATCH_BYTES or len(batches[-1]) >= BATCH_NOTES:
            batches.append([])
            weight = 0
        batches[-1].append(job)
        weight += min(job.stat.size, most_bytes)
    return batches
