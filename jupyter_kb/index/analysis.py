"""Notes read, parsed and counted: from jobs to columns ready for the tables. It knows the vault and no database."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from jupyter_kb.errors import FileTooLargeError, InvalidPathError, NoteNotFoundError, NoteUnreadableError
from jupyter_kb.index.notes import NoteRows
from jupyter_kb.index.postings import Postings, Vocabulary
from jupyter_kb.index.terms import Terms
from jupyter_kb.markdown.document import Document, parse
from jupyter_kb.models import Diagnostic, DiagnosticKind
from jupyter_kb.vault.vault import FileStat, Vault, too_large
from jupyter_kb.vault.write import blob_id

if TYPE_CHECKING:
    from jupyter_kb.index.database import Columns

_log = logging.getLogger(__name__)

_FAILED = "failed to read Markdown file: "
_REPORT = "this should not happen: please report it with the note"
_MOST_TOKENS = 300_000
"""A vocabulary larger than this is forgotten after the batch (about 60 MB)."""


class Job(NamedTuple):
    """A note to look at. `version` is what the index holds, None for a new note; equal bytes are not indexed again."""

    note_id: int
    stat: FileStat
    version: str | None


class Seen(NamedTuple):
    """A note as it was read at `checked_ns`, nanoseconds of the clock."""

    job: Job
    checked_ns: int
    version: str


@dataclass(kw_only=True)
class Batch:
    """What became of jobs: `indexed` have rows in `tables`, `same` are as in the index, `failed` cannot be read."""

    indexed: list[Seen] = field(default_factory=list)
    same: list[Seen] = field(default_factory=list)
    failed: list[tuple[Job, Diagnostic]] = field(default_factory=list)
    gone: list[Job] = field(default_factory=list)
    tables: dict[str, Columns] = field(default_factory=dict)

    def all_jobs(self) -> list[Job]:
        """The jobs that this is the answer to."""
        seen = [seen.job for seen in (*self.indexed, *self.same)]
        return [*seen, *(job for job, _ in self.failed), *self.gone]


class Analyst:
    """Turns jobs into batches. Keeps the vocabulary between batches; one thread at a time."""

    def __init__(self, vault: Vault, language: str, stopped: threading.Event | None = None) -> None:
        self._vault = vault
        self._stopped = stopped or threading.Event()
        self._vocabulary = Vocabulary(Terms(language))

    def forget(self) -> None:
        """A batch was not written: words first met in it must be given out again."""
        self._vocabulary.reset()

    def analyse(self, jobs: Iterable[Job]) -> Batch:
        """Read and parse the notes. One that cannot be read becomes a diagnostic, never an exception; once stopped,
        the batch is empty.
        """
        batch = Batch()
        rows = NoteRows(Postings(self._vocabulary))
        for job in jobs:
            if self._stopped.is_set():
                return Batch()
            checked = time.time_ns()
            try:
                if job.stat.size > self._vault.settings.max_file_bytes:
                    raise too_large(job.stat.key, self._vault.settings.max_file_bytes)
                data = self._vault.read(job.stat.key, suggest=False)
            except FileTooLargeError as error:
                batch.failed.append((job, _diagnostic(job, "file-too-large", error.message, error.hint)))
            except NoteUnreadableError as error:
                reason = str(getattr(error.__cause__, "strerror", None) or error.message)
                batch.failed.append((job, _diagnostic(job, "unreadable-file", _FAILED + reason, error.hint)))
            except (NoteNotFoundError, InvalidPathError):  # gone, or a link now, since it was listed
                batch.gone.append(job)
            else:
                seen = Seen(job, checked, blob_id(data))
                if seen.version == job.version:
                    batch.same.append(seen)
                elif document := self._parsed(job, data, batch):
                    rows.add(job.note_id, job.stat, checked, seen.version, document)
                    batch.indexed.append(seen)
        if batch.indexed:
            batch.tables = rows.columns()
        if len(self._vocabulary) > _MOST_TOKENS:
            self._vocabulary.reset()
        return batch

    def _parsed(self, job: Job, data: bytes, batch: Batch) -> Document | None:
        try:
            document = parse(data)
            _ = document.links  # read late by the parser, so that only here something can go wrong
        except Exception as error:  # one strange note must not stop all others
            _log.exception("the note %s cannot be parsed", job.stat.key)
            batch.failed.append((job, _diagnostic(job, "unreadable-file", f"{_FAILED}{error!r}", _REPORT)))
            return None
        return document


def _diagnostic(job: Job, kind: DiagnosticKind, message: str, hint: str | None) -> Diagnostic:
    return Diagnostic(file=job.stat.key, kind=kind, message=message, hint=hint)
