"""How quick the interface is in a browser: `python -m tests.benchmarks.interface_outline FOLDER` prints JSON.

Figures are in milliseconds, from a command to the frame in which its result is painted, over a copy of a folder.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from jupyter_kb.markdown.document import parse
from tests.browser.lab import Lab, opened, served
from tests.server.jupyter import Jupyter

LARGEST = 8
"""Notes of each kind, largest first: so many that the panel has forgotten a note when its turn comes again."""
ROUNDS = 5

_PAINTED = """
async file => {
  const { commands } = window.jupyterapp;
  const begin = performance.now();
  void commands.execute('jupyter-kb:show-note-panel', { file });
  const shown = () => {
    const path = document.querySelector('.jp-kb-note-name > :last-child');
    return path?.title === file && document.querySelector('.jp-kb-note [role=treeitem]') !== null;
  };
  while (!shown()) {
    await new Promise(resolve => requestAnimationFrame(resolve));
  }
  await new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve, 0)));
  return performance.now() - begin;
}
"""


def outline(lab: Lab, root: Path) -> dict[str, Any]:
    """From the command that shows a note in its panel to its outline: the notes with most headings and most bytes."""
    sizes = {path.relative_to(root).as_posix(): path.stat().st_size for path in root.rglob("*.md")}
    large = sorted(sizes, key=lambda file: -sizes[file])[:LARGEST]
    headings = {file: len(parse((root / file).read_bytes()).sections) for file in sizes}
    many = sorted(headings, key=lambda file: -headings[file])[:LARGEST]
    lab.run("jupyter-kb:show-note-panel", {"file": large[-1]})
    times: dict[str, list[float]] = {file: [] for file in [*many, *large]}
    for _ in range(ROUNDS):
        for file in times:
            times[file].append(lab.page.evaluate(_PAINTED, file))

    def figures(files: list[str], largest: int) -> dict[str, float]:
        all_of = [value for file in files for value in times[file]]
        return {"largest": largest, "median": round(statistics.median(all_of), 1), "slowest": round(max(all_of), 1)}

    return {
        "most_headings": figures(many, headings[many[0]]),
        "most_bytes": figures(large, sizes[large[0]]),
        "largest_note": figures(large[:1], sizes[large[0]]),
    }


def _indexed(server: Jupyter) -> None:
    """Wait as long as a large folder takes; a server that makes no progress any more ends that."""
    name = server.api("vaults")["vaults"][0]["name"]
    seen = None
    while (status := server.api(f"vaults/{name}/status"))["last_scan"] is None:
        try:
            server.indexed(name)
        except AssertionError:
            if status["notes"] == seen:
                raise
            seen = status["notes"]


def main() -> None:
    """Start JupyterLab on a copy of the folder, index it, measure."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path)
    folder: Path = arguments.parse_args().folder
    with tempfile.TemporaryDirectory() as place:
        root = Path(shutil.copytree(folder, Path(place) / "vault"))
        with served(Path(place) / "home", root) as server, sync_playwright() as playwright:
            _indexed(server)
            path = shutil.which("chromium")
            browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
            with opened(browser, server) as lab:
                lab.open()
                lab.run("jupyter-kb:refresh")
                json.dump({"outline": outline(lab, root)}, sys.stdout, indent=2)
            browser.close()


if __name__ == "__main__":
    main()
