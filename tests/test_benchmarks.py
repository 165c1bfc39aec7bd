"""The benchmark scripts run and print what they promise; how fast anything is, no test says."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_device_check_runs_on_the_processor(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Lamp\n\nThe lamp ages.\n\n## Light\n\n" + "Its light fades slowly. " * 80)
    run = [sys.executable, "-m", "tests.benchmarks.gpu", str(tmp_path), "--device", "cpu"]

    done = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, timeout=240, check=False)

    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)
    assert figures["device"] == "cpu"
    assert figures["chunks"] == 3
    assert figures["chunks_per_s"] > 0
    assert figures["cosine_least"] >= 0.995
