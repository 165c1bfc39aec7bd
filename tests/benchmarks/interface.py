"""The interface in a browser over a large vault: `python -m tests.benchmarks.interface FOLDER` prints JSON.

`results_p50_ms`, `results_p95_ms`: from the last key of a query, typed key by key, until its results are drawn, the
waiting for a further key included; `answer_…` is the server's part in it. `sidebar_mb`: JavaScript heap with the search
panel and its results, above that of JupyterLab without the extension. `first_view_kb`: what the extension loads until
the panel is first seen, as gzip packs it; of a production build, if that is what was built. `outline_ms`: from the
command that shows the largest note in its panel to its outline. Vectors are those of the
hashing embedder in the size of the default model's: what a model takes to read a question is not in the figures.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, Response, sync_playwright

from tests.benchmarks.interface_outline import outline
from tests.browser.lab import Lab, opened, served
from tests.server.jupyter import Jupyter

QUERIES = 48
MINUTES = 20
"""How long the vault may take to be indexed before anything is measured."""
KEY_MS = 55
"""Milliseconds between two keys of a quick typist."""
_COLLABORATION = ("@jupyter/collaboration-extension", "@jupyter/docprovider-extension")
_WORD = re.compile(r"[A-Za-z]{4,12}")
_ANSWER = """() => {
  const asked = performance.getEntriesByType('resource').filter(entry => entry.name.includes('/search?'));
  return asked.length ? asked[asked.length - 1].duration : 0;
}"""
_WATCH = """() => {
  const seen = window.kbSeen = {key: 0, drawn: {}};
  addEventListener('keydown', () => { seen.key = performance.now(); }, true);
  new MutationObserver(() => {
    const query = document.querySelector('.jp-kb-search [data-query]')?.dataset.query;
    if (query && !(query in seen.drawn)) {
      seen.drawn[query] = 0;
      requestAnimationFrame(() => { seen.drawn[query] = performance.now(); });
    }
  }).observe(document.body, {subtree: true, childList: true, attributes: true, attributeFilter: ['data-query']});
}"""


def queries(folder: Path) -> list[str]:
    """Two or three words each, out of one note's text, the same each time."""
    draw = random.Random(7)
    files = sorted(folder.rglob("*.md"))
    found: dict[str, None] = {}
    while len(found) < QUERIES:
        words = _WORD.findall(draw.choice(files).read_text(encoding="utf-8", errors="replace"))
        if len(words) > 20:
            found[" ".join(draw.sample(words, draw.choice((2, 3)))).lower()] = None
    return list(found)


@contextmanager
def lab_over(browser: Browser, home: Path, root: Path, *, bare: bool = False) -> Iterator[tuple[Lab, Jupyter]]:
    """JupyterLab over a vault that is indexed; `bare`: without the extension."""
    page_config = {"disabledExtensions": dict.fromkeys(("jupyter-kb", *_COLLABORATION), True)} if bare else None
    config = {"JupyterKB": {"model": "hashing:384"}}
    with served(home, root, config, page_config=page_config) as server, opened(browser, server) as lab:
        if not bare:
            wait_until_complete(server)
        yield lab, server


def wait_until_complete(server: Jupyter) -> None:
    """Until all notes are read and have their vectors."""
    name = server.api("vaults")["vaults"][0]["name"]
    deadline = time.monotonic() + MINUTES * 60
    while time.monotonic() < deadline:
        status = server.api(f"vaults/{name}/status")
        if status["last_scan"] and status["model"]["chunks"] == status["model"]["embedded"] > 0:
            return
        time.sleep(1)
    sys.exit("the vault is not ready")


def heap(page: Page) -> float:
    """MB of JavaScript objects that are in use."""
    session = page.context.new_cdp_session(page)
    for _ in range(3):
        session.send("HeapProfiler.collectGarbage")
    used: float = session.send("Runtime.getHeapUsage")["usedSize"]
    session.detach()
    return used / 1e6


def search(lab: Lab, asked: list[str]) -> dict[str, float]:
    """Times of the search panel, and what it takes."""
    sizes: list[int] = []

    def count(response: Response) -> None:
        if "/extensions/jupyter-kb/" in response.url and response.ok:
            sizes.append(len(gzip.compress(response.body())))

    lab.page.on("response", count)
    lab.open()
    lab.page.locator(".jp-Launcher").wait_for()
    lab.page.keyboard.press("Alt+k")
    field = lab.page.get_by_role("searchbox", name="Search notes")
    field.wait_for()
    lab.page.get_by_text("Search in a folder").wait_for()
    loaded = sum(sizes)
    lab.page.remove_listener("response", count)
    lab.page.evaluate(_WATCH)
    times, answers = [], []
    for query in asked:
        field.fill("")
        lab.page.evaluate("() => performance.clearResourceTimings()")
        lab.page.keyboard.type(query, delay=KEY_MS)
        lab.page.wait_for_function("query => window.kbSeen.drawn[query]", arg=query)
        times.append(lab.page.evaluate("query => window.kbSeen.drawn[query] - window.kbSeen.key", query))
        answers.append(lab.page.evaluate(_ANSWER))
    times.sort()
    answers.sort()
    return {
        "answer_p50_ms": answers[len(answers) // 2],
        "answer_p95_ms": answers[int(len(answers) * 0.95)],
        "results_p50_ms": times[len(times) // 2],
        "results_p95_ms": times[int(len(times) * 0.95)],
        "with_panel_mb": heap(lab.page),
        "first_view_kb": loaded / 1024,
    }


_ARGUMENTS = ["--no-sandbox", "--disable-dev-shm-usage", "--enable-unsafe-swiftshader"]
_WHOLE_GRAPH = """async () => {
  const start = performance.now();
  const pause = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds));
  const done = window.jupyterapp.commands.execute('jupyter-kb:open-whole-graph');
  let view;
  while (!view?.content.model.picture.nodes.size || !view.node.querySelector('canvas.sigma-labels')) {
    await pause(5);
    view = [...window.jupyterapp.shell.widgets('main')].find(one => one.id === 'jupyter-kb-graph');
  }
  await new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  const interactive = performance.now() - start;
  await done;
  return [interactive, performance.now() - start];
}"""
_FRAMES = """() => {
  const frames = window.kbFrames = [];
  let last = performance.now();
  const step = now => { frames.push(now - last); last = now; window.kbFrame = requestAnimationFrame(step); };
  window.kbFrame = requestAnimationFrame(step);
}"""


def graph(lab: Lab) -> dict[str, float]:
    """Milliseconds from the command until all notes can be panned, until they are laid out, and of a frame."""
    interactive, laid_out = lab.page.evaluate(_WHOLE_GRAPH)
    box = lab.page.locator(".jp-kb-graph-canvas").bounding_box() or {"x": 0, "y": 0, "width": 0, "height": 0}
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    lab.page.evaluate(_FRAMES)
    lab.page.mouse.move(x, y)
    lab.page.mouse.down()
    for step in range(60):
        lab.page.mouse.move(x + 3 * step, y + 2 * step)
    lab.page.mouse.up()
    frames = sorted(lab.page.evaluate("() => { cancelAnimationFrame(window.kbFrame); return window.kbFrames }"))
    return {
        "graph_ms": interactive,
        "graph_laid_out_ms": laid_out,
        "graph_frame_p95_ms": frames[int(0.95 * len(frames))],
    }


def main() -> None:
    """Measure one folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as temporary, sync_playwright() as playwright:
        home, root = Path(temporary), Path(shutil.copytree(folder, Path(temporary) / "vault"))
        browser = playwright.chromium.launch(executable_path=path, args=_ARGUMENTS)
        with lab_over(browser, home / "bare", root, bare=True) as (lab, _):
            lab.open()
            lab.page.locator(".jp-Launcher").wait_for()
            figures["bare_mb"] = heap(lab.page)
        with lab_over(browser, home / "full", root) as (lab, _):
            figures |= search(lab, queries(root))
            figures |= graph(lab)
            figures["outline_ms"] = outline(lab, root)["largest_note"]["median"]
        browser.close()
    figures["sidebar_mb"] = figures["with_panel_mb"] - figures["bare_mb"]
    print(json.dumps({name: round(value, 1) for name, value in figures.items()}))


if __name__ == "__main__":
    main()
