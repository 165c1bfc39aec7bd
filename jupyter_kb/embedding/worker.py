"""A model in a process of its own: importing torch takes seconds, and its crash must not be one of the house."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from jupyter_kb.embedding.base import Kind, ModelInfo, PartlyFailedError
from jupyter_kb.embedding.locate import Located, locate
from jupyter_kb.embedding.session import Session, Start
from jupyter_kb.embedding.work import Errand, Request
from jupyter_kb.errors import KBError, ModelBusyError
from jupyter_kb.settings import Settings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_REST_SECONDS = 10.0
"""After a failed start the next one is not tried before, so that searches do not each wait for it."""


class Worker:
    """Calls of a model's methods, from any thread. The process starts with the first call and ends when idle.

    `start` says what to load, and is asked at every start.
    """

    def __init__(self, start: Callable[[], Start], idle_seconds: float) -> None:
        self._start = start
        self._idle_seconds = idle_seconds
        self._lock = threading.Lock()
        self._session: Session | None = None
        self._refused: tuple[float, KBError] | None = None
        self.about: Any = None

    @property
    def pid(self) -> int | None:
        """Of the process, while there is one."""
        session = self._session
        return session.pid if session is not None else None

    def run(
        self,
        operation: str,
        items: Sequence[str],
        arguments: tuple[Any, ...] = (),
        *,
        urgent: bool = False,
        timeout: float | None = None,
    ) -> NDArray[np.float32]:
        """What `model.operation(items, *arguments)` gives, a row an item; the items may be given in several calls.

        Raises
        ------
        PartlyFailedError : some items failed twice; carries the rows of the others.
        ModelFailedError, ModelNotFoundError : the model cannot be started, or crashes again and again.
        ModelBusyError : not done within `timeout` seconds. The start of the model goes on.
        """
        request = Request(operation, items, arguments)
        try:
            session = self._submit(request, urgent=urgent)
            done = request.wait(timeout)
        finally:
            request.abandoned = True  # by an exception too: what nobody waits for is not begun
        if not done:
            doing = "at work" if session.ready else "starting"
            raise ModelBusyError(
                f"the model is {doing}; there was no answer within {timeout:g} s", hint="ask again in a few seconds"
            )
        if request.error is not None:
            raise _again(request.error)
        if request.failed:
            raise PartlyFailedError(request.failed, request.rows, len(items))
        assert request.rows is not None
        return request.rows

    @property
    def on_gpu(self) -> bool:
        """Whether the process runs, and its model on a GPU."""
        session, about = self._session, self.about
        runs = session is not None and session.ready and not session.over
        return runs and isinstance(about, ModelInfo) and about.gpu

    def ask(self, errand: Errand, *, urgent: bool) -> bool:
        """Have it done by the process that runs; False where there is none, as none is started for it."""
        with self._lock:
            session = self._session
            return session is not None and session.ready and session.submit(errand, urgent=urgent)

    def warm(self) -> None:
        """Begin to start the process. What goes wrong is told to the next who asks."""
        with self._lock:
            if not self._resting():
                self._session = self._alive()

    def close(self) -> None:
        """End the process; waiting callers get ModelFailedError."""
        with self._lock:
            session, self._session = self._session, None
            self._refused = None
        if session is not None:
            session.close()

    def _submit(self, request: Request, *, urgent: bool) -> Session:
        with self._lock:
            resting = self._resting()
            if resting is not None:
                raise _again(resting)
            self._session = self._alive()
            while not self._session.submit(request, urgent=urgent):
                self._session = self._new()
            return self._session

    def _alive(self) -> Session:
        return self._session if self._session is not None and not self._session.over else self._new()

    def _new(self) -> Session:
        return Session(self._start, self._idle_seconds, started=self._note, broken=self._rest)

    def _note(self, about: Any) -> None:
        self.about = about

    def _rest(self, error: KBError) -> None:
        self._refused = (time.monotonic() + _REST_SECONDS, error)

    def _resting(self) -> KBError | None:
        refused = self._refused
        return refused[1] if refused is not None and time.monotonic() < refused[0] else None


class WorkerEmbedder:
    """The `Embedder` of a model on this machine."""

    def __init__(self, settings: Settings, *, load: str = "jupyter_kb.embedding.model:load") -> None:
        self.name = settings.model
        self._settings = settings
        self._load = load
        self._located: Located | None = None
        self._worker = Worker(self._begin, settings.idle_seconds)

    @property
    def key(self) -> str:
        """Of the model as it was found when it was last needed while it did not run."""
        return self._found().key()

    @property
    def info(self) -> ModelInfo | None:
        """What is known since it first ran."""
        about = self._worker.about
        return about if isinstance(about, ModelInfo) else None

    @property
    def pid(self) -> int | None:
        """Of the model's process, while it runs."""
        return self._worker.pid

    def embed(
        self, texts: Sequence[str], kind: Kind, *, urgent: bool = False, timeout: float | None = None
    ) -> NDArray[np.float32]:
        """As `Embedder.embed`. Texts that crash it again are told by PartlyFailedError, with the other rows."""
        if not texts:
            import numpy as np

            return np.zeros((0, self.info.dimensions if self.info else 0), np.float32)
        self._found()
        return self._worker.run("embed", texts, (kind,), urgent=urgent, timeout=timeout)

    @property
    def on_gpu(self) -> bool:
        """Whether the model runs, on a GPU."""
        return self._worker.on_gpu

    def ask(self, errand: Errand, *, urgent: bool) -> bool:
        """As `Worker.ask`."""
        return self._worker.ask(errand, urgent=urgent)

    def warm(self) -> None:
        """Begin to start it."""
        self._worker.warm()

    def close(self) -> None:
        """End it."""
        self._worker.close()
        self._located = None

    def _found(self) -> Located:
        """The folder, looked for anew only when no process has it loaded: keys and vectors must stay together."""
        located = self._located
        if located is None or self._worker.pid is None:
            located = self._located = locate(self._settings)
        return located

    def _begin(self) -> Start:
        located = self._located = locate(self._settings)
        return self._load, (located, self._settings)


def _again(error: KBError) -> KBError:
    """The same for another caller: a raised exception belongs to one thread."""
    return type(error)(error.message, hint=error.hint, **error.details)
