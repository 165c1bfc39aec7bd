"""All benchmarks with their targets, as a table and as JSON: `python -m tests.benchmarks [--output FILE]`."""

from __future__ import annotations

import argparse
import json
import operator
import platform
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tests.benchmarks.places import data_folder


def bfloat16() -> bool:
    """Whether the processor multiplies in bfloat16."""
    try:
        flags = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return False
    return "avx512_bf16" in flags or "amx_bf16" in flags


class Target(NamedTuple):
    """What a figure has to be. `measure` and `subject` say where it comes from."""

    measure: str
    subject: str
    figure: str
    compare: Callable[[float, float], bool]
    bound: float


AT_MOST: Callable[[float, float], bool] = operator.le
AT_LEAST: Callable[[float, float], bool] = operator.ge
TARGETS = (
    Target("index", "k8s-en", "index_ratio", AT_MOST, 2.5),
    Target("index", "obsidian-hub", "index_ratio", AT_MOST, 2.5),
    Target("memory", "obsidian-hub", "peak_mb", AT_MOST, 400),
    Target("start", "obsidian-hub", "start_s", AT_MOST, 1.5),
    Target("update", "obsidian-hub", "update_ms", AT_MOST, 100),
    Target("search", "k8s-en", "search_ratio", AT_MOST, 0.5),
    Target("search", "k8s-en", "search_spread", operator.lt, 3),
    Target("command", "", "import_ms", operator.lt, 50),
    Target("command", "", "help_ms", operator.lt, 300),
    Target("quality", "cranfield", "ndcg@10", AT_LEAST, 0.37),
    Target("quality", "cacm", "ndcg@10", AT_LEAST, 0.49),
    Target("quality", "k8sdocs", "ndcg@10", AT_LEAST, 0.30),
    Target("quality", "oi-wiki-zh", "found", AT_LEAST, 90),
    Target("meaning", "cranfield", "ndcg@10 hybrid", AT_LEAST, 0.415),
    Target("meaning", "cacm", "ndcg@10 hybrid", AT_LEAST, 0.550),
    Target("meaning", "k8sdocs", "ndcg@10 hybrid", AT_LEAST, 0.405),
    Target("embed", "cranfield", "embed_ratio", AT_LEAST, 2 if bfloat16() else 1.1),
    Target("embed", "cranfield", "cosine_least", AT_LEAST, 0.995),
    Target("leg", "", "leg_small_ratio", AT_MOST, 1.3),
    Target("leg", "", "leg_large_ratio", AT_MOST, 1.3),
    Target("hybrid", "k8s-en", "hybrid_p50_ms", AT_MOST, 40),
    Target("many", "k8s-en", "hybrid_p50_ms", AT_MOST, 80),
    Target("idle", "k8s-en", "more_mb", AT_MOST, 250),
    Target("busy", "k8s-en", "busy_p95_ms", AT_MOST, 250),
    Target("serve", "obsidian-hub", "status_indexing_p99", operator.lt, 50),
    Target("serve", "obsidian-hub", "status_embedding_p99", operator.lt, 50),
    Target("serve", "obsidian-hub", "echo_indexing_p99", operator.lt, 100),
    Target("serve", "obsidian-hub", "echo_embedding_p99", operator.lt, 100),
    Target("serve", "obsidian-hub", "searches_answered", AT_LEAST, 50),
    Target("serve", "obsidian-hub", "ready_s", AT_MOST, 2),
    Target("serve", "obsidian-hub", "stop_s", AT_MOST, 2),
    Target("interface", "obsidian-hub", "results_p95_ms", AT_MOST, 350),
    Target("interface", "obsidian-hub", "sidebar_mb", operator.lt, 80),
    Target("interface", "obsidian-hub", "outline_ms", AT_MOST, 100),
    Target("interface", "obsidian-hub", "graph_ms", AT_MOST, 3000),
    Target("interface", "obsidian-hub", "first_view_kb", AT_MOST, 300),
)
GAIN = 0.05
"""By so much the mean of the sets with vectors must be above the mean by words alone."""
_BY_MEANING = {"embed", "leg", "hybrid", "many", "idle", "busy"}


def measured(measure: str, subject: str, data: Path) -> dict[str, float]:
    """The figures of one measure, from a process of its own."""
    if measure == "quality":
        run = ["tests.benchmarks.quality", subject, "--json"]
    elif measure == "meaning":
        run = ["tests.benchmarks.quality", subject, "--json", "--meaning", "build/vectors"]
    elif measure in _BY_MEANING:
        folder = data / "retrieval" / subject / "docs" if measure == "embed" else data / "vaults" / subject
        run = ["tests.benchmarks.meaning", measure, str(folder)]
    elif measure == "serve":
        run = ["tests.benchmarks.serving", str(data / "vaults" / subject)]
    elif measure == "interface":
        run = ["tests.benchmarks.interface", str(data / "vaults" / subject)]
    else:
        run = ["tests.benchmarks.speed", measure, str(data / "vaults" / subject)]
    done = subprocess.run([sys.executable, "-m", *run], check=True, stdout=subprocess.PIPE, text=True)
    figures = json.loads(done.stdout)
    return figures[subject] if measure in ("quality", "meaning") else figures  # type: ignore[no-any-return]


def main() -> int:
    """Measure, print, write; 1 when a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=Path("build/bench.json"), help="where the JSON goes")
    parser.add_argument(
        "--only", help="only these, by comma: " + ", ".join(dict.fromkeys(target.measure for target in TARGETS))
    )
    arguments = parser.parse_args()
    data = data_folder()
    targets = [target for target in TARGETS if arguments.only is None or target.measure in arguments.only.split(",")]
    results: dict[str, dict[str, float]] = {}
    missed = 0
    for target in targets:
        name = f"{target.measure} {target.subject}".strip()
        if name not in results:
            results[name] = measured(target.measure, target.subject, data)
            print(f"{name:22}", "  ".join(f"{key} {value:.4g}" for key, value in results[name].items()), flush=True)
    print()
    for target in targets:
        name = f"{target.measure} {target.subject}".strip()
        value = results[name].get(target.figure)
        sign = {AT_MOST: "≤", AT_LEAST: "≥"}.get(target.compare, "<")
        reached = value is None or target.compare(value, target.bound)
        missed += not reached
        shown = "" if value is None else f"{value:.4g}"
        verdict = "skipped: cannot be measured here" if value is None else "reached" if reached else "MISSED"
        print(f"{name:22} {target.figure:14} {shown:>8}   {sign} {target.bound:<6g} {verdict}")
    by_set = [figures for name, figures in results.items() if name.startswith("meaning ")]
    if by_set:
        hybrid, words = (sum(one[f"ndcg@10 {mode}"] for one in by_set) / len(by_set) for mode in ("hybrid", "text"))
        missed += hybrid - words < GAIN
        told = "reached" if hybrid - words >= GAIN else "MISSED"
        print(f"{'meaning':22} {'mean gain':14} {hybrid - words:>8.4f}   ≥ {GAIN:<6g} {told}")
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    machine = {"python": platform.python_version(), "system": platform.platform(), "processor": platform.machine()}
    text = json.dumps({"machine": machine, "results": results}, indent=2)
    arguments.output.write_text(text + "\n", encoding="utf-8")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
