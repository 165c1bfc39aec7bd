"""Models whose process takes the processor for a GPU. Files in the folder of the light one say what is to happen."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from jupyter_kb.embedding import hardware
from jupyter_kb.embedding.device_matrices import DeviceMatrices
from jupyter_kb.embedding.locate import Located
from jupyter_kb.embedding.model import Model
from jupyter_kb.embedding.model import load as load_model
from jupyter_kb.embedding.worker import WorkerEmbedder
from jupyter_kb.settings import Settings
from tests.embedding.stub import Stub, lines, model_folder, wait_for

REAL = f"{__name__}:load_real"


class Light(Stub):
    """The stub, with matrices. Notes each call for them in the file `asked` of its folder."""

    def __init__(self, folder: Path) -> None:
        import torch

        super().__init__(folder)
        self.info = replace(self.info, gpu=not (folder / "no gpu").exists())
        self._matrices = DeviceMatrices(torch.device("cpu"))

    def hold(self, names: Sequence[str], begin: int, rows: NDArray[np.float32], former: str | None) -> list[int]:
        import torch

        self._note(f"hold {begin} {len(rows)} {len(self._matrices._held)}")
        if (self._folder / "crash in hold").exists():
            os._exit(9)
        if (self._folder / "full").exists():
            with patch.object(torch, "empty", side_effect=torch.OutOfMemoryError("CUDA out of memory. Tried…")):
                return [self._matrices.hold(names[0], begin, rows, former)]
        return [self._matrices.hold(names[0], begin, rows, former)]

    def multiply(
        self, names: Sequence[str], query: NDArray[np.float32], count: int
    ) -> list[NDArray[np.float32] | None]:
        self._note(f"multiply {count}")
        if (self._folder / "crash in multiply").exists():
            os._exit(9)
        if (self._folder / "fail in multiply").exists():
            raise RuntimeError("CUDA error: device-side assert triggered")
        return [self._matrices.multiply(names[0], query, count)]

    def _note(self, call: str) -> None:
        with (self._folder / "asked").open("a", encoding="utf-8") as asked:
            asked.write(f"{call}\n")


def load_light(located: Located, settings: Settings) -> Light:
    """Called in the worker's process."""
    return Light(located.folder)


def load_real(located: Located, settings: Settings) -> Model:
    """Called in the worker's process: the product's own model."""
    with patch.object(hardware, "is_gpu", return_value=True):
        return load_model(located, settings)


@contextmanager
def light(folder: Path) -> Iterator[WorkerEmbedder]:
    """An embedder with a light model that does not run yet; closed afterwards."""
    embedder = WorkerEmbedder(Settings(model=str(model_folder(folder))), load=f"{__name__}:load_light")
    try:
        yield embedder
    finally:
        embedder.close()


def start(embedder: WorkerEmbedder) -> int:
    """Have it run; its process."""
    embedder.embed(["anything"], "query")
    wait_for(lambda: embedder.pid is not None)
    assert embedder.pid is not None
    return embedder.pid


def asked(folder: Path, operation: str) -> list[list[int]]:
    """The numbers of each such call until now."""
    return [list(map(int, line.split()[1:])) for line in lines(folder / "asked") if line.startswith(operation)]
