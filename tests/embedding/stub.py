"""A model for the worker's process that needs no torch: texts say what is to happen."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from jupyter_kb.embedding.base import Kind, ModelInfo
from jupyter_kb.embedding.locate import Located
from jupyter_kb.embedding.worker import WorkerEmbedder
from jupyter_kb.errors import ModelFailedError
from jupyter_kb.settings import Settings

DIMENSIONS = 3


def vector(text: str) -> list[float]:
    """What the model gives for a text."""
    return [float(len(text)), float(sum(text.encode()) % 97), 1.0]


class Stub:
    """Notes each call in the file `calls` of its folder: kind and texts."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.info = ModelInfo(name="stub", dimensions=DIMENSIONS, device="cpu", dtype="float32")

    def embed(self, texts: Sequence[str], kind: Kind) -> NDArray[np.float32]:
        with (self._folder / "calls").open("a", encoding="utf-8") as calls:
            calls.write(f"{kind}: {' '.join(texts)}\n")
        sys.stdout.write("a line that must not get into the answers\n")
        sys.stdout.flush()
        os.write(1, b"nor this one\n")
        for text in texts:
            if "crash" in text:
                os.write(2, b"the floor gave way\n")
                os.kill(os.getpid(), signal.SIGKILL)
            if "once" in text and not (self._folder / "crashed").exists():
                (self._folder / "crashed").touch()
                os._exit(3)
            if "refuse" in text:
                raise ValueError(f"cannot read {text}")
            if "gate" in text:
                (self._folder / "waiting").touch()
                wait_for(lambda: (self._folder / "open").exists())
            if "spin" in text:
                (self._folder / "waiting").touch()
                while True:
                    sum(range(1000))
        rows = np.array([vector(text) for text in texts], np.float32)
        rows[["nothing" in text for text in texts]] = np.nan
        return rows


def load(located: Located, settings: Settings) -> Stub:
    """Called in the worker's process; the folder may hold what goes wrong."""
    with (located.folder / "starts").open("a", encoding="utf-8") as starts:
        starts.write(f"{os.getpid()}\n")
    if (located.folder / "broken").exists():
        raise ModelFailedError("it is broken", hint="mend it")
    if (located.folder / "strange").exists():
        raise ZeroDivisionError("never heard of it")
    if (located.folder / "deadly").exists():
        os._exit(7)
    if (located.folder / "slow").exists():
        wait_for(lambda: (located.folder / "open").exists())
    return Stub(located.folder)


def wait_for(condition: Callable[[], object], seconds: float = 20.0) -> None:
    """Look again and again until it holds."""
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, "it did not come about in time"
        time.sleep(0.005)


def model_folder(folder: Path) -> Path:
    """A folder that passes for a model's."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text("{}", encoding="utf-8")
    (folder / "model.safetensors").write_bytes(b"weights")
    return folder


@contextmanager
def stubbed(folder: Path, *, idle_seconds: float = 60.0) -> Iterator[WorkerEmbedder]:
    """An embedder whose process runs the stub; closed afterwards."""
    settings = Settings(model=str(model_folder(folder)), idle_seconds=idle_seconds)
    embedder = WorkerEmbedder(settings, load=f"{__name__}:load")
    try:
        yield embedder
    finally:
        embedder.close()


def lines(path: Path) -> list[str]:
    """Of a file that may not be there yet."""
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def gone(pid: int) -> bool:
    """Whether no such process runs (one that is dead, but not yet fetched by its parent, does not)."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        return Path("/proc/self").exists()  # gone just now; where there is no /proc, alive
    return state == "Z"
