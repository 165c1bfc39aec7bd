"""The benchmark scripts run and print what they promise; how fast anything is, no test says."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from jupyter_kb.embedding import device_products
from tests.benchmarks import gpu
from tests.embedding.pretending import light, start

ROOT = Path(__file__).parents[1]


def test_the_device_check_runs_on_the_processor(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Lamp\n\nThe lamp ages.\n\n## Light\n\n" + "Its light fades slowly. " * 80)
    run = [sys.executable, "-m", "tests.benchmarks.gpu", str(tmp_path), "--device", "cpu", "--rows", "2000"]

    done = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, timeout=240, check=False)

    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)
    assert figures["device"] == "cpu"
    assert figures["chunks"] == 3
    assert figures["chunks_per_s"] > 0
    assert figures["cosine_least"] >= 0.995
    assert figures["search_rows"] == 2000
    assert figures["search_numpy_ms"] > 0
    assert (figures["search_device_ms"], figures["search_answered"]) == (None, 0), "it is no GPU"


@pytest.mark.slow
def test_the_device_check_compares_its_products_with_those_of_numpy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(device_products, "PATIENCE", 60.0)
    drawn = np.random.default_rng(0).standard_normal((70, 24)).astype(np.float32)
    vectors = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    with light(tmp_path) as embedder:
        start(embedder)
        figures = gpu.searched(embedder, vectors, device_products.LEAST_ROWS)
    assert figures["search_answered"] == 1
    assert figures["search_device_ms"] is not None
    assert figures["search_difference"] is not None
    assert figures["search_difference"] < gpu.ROUNDING
