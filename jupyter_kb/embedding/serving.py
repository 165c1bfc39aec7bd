"""The model's process, seen from inside: load, answer until the other side is gone."""

from __future__ import annotations

import importlib
import os
import pickle
import queue
import signal
import sys
import threading
import time
import traceback
from typing import IO, Any

from jupyter_kb.errors import KBError

_LOOK_SECONDS = 1.0


def serve(requests: IO[bytes]) -> None:
    """Answer each question `(operation, items, arguments)` with what that method gives, or with an exception."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the first process, which then closes the stream
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing else may speak on the stream
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    parent, load, arguments = pickle.load(requests)
    threading.Thread(target=_leave_with, args=(parent,), daemon=True).start()
    waiting: queue.SimpleQueue[tuple[str, list[str], tuple[Any, ...]]] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(requests, waiting), daemon=True).start()
    try:
        module, _, function = load.partition(":")
        model = getattr(importlib.import_module(module), function)(*arguments)
    except Exception as error:
        _answer(answers, _portable(error))
        return
    _answer(answers, model.info)
    while True:
        operation, items, more = waiting.get()
        try:
            answer = getattr(model, operation)(items, *more)
        except Exception as error:
            answer = _portable(error)
        _answer(answers, answer)


def _read(requests: IO[bytes], waiting: queue.SimpleQueue[Any]) -> None:
    """Pass on what comes. Once the stream is closed nobody wants an answer, so not even the one in hand is finished."""
    try:
        while True:
            waiting.put(pickle.load(requests))
    except (EOFError, OSError):
        os._exit(0)


def _leave_with(parent: int) -> None:
    """End when the other process is gone: a child of it may hold the stream open."""
    while os.getppid() == parent:
        time.sleep(_LOOK_SECONDS)
    os._exit(0)


def _portable(error: Exception) -> Exception:
    """The exception itself where the other side knows its kind, else its words."""
    if isinstance(error, KBError):
        return error
    traceback.print_exception(error, file=sys.stderr)
    return RuntimeError(f"{type(error).__name__}: {error}".strip())


def _answer(answers: IO[bytes], value: Any) -> None:
    try:
        pickle.dump(value, answers, protocol=pickle.HIGHEST_PROTOCOL)
        answers.flush()
    except OSError:
        os._exit(0)
