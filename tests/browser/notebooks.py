"""Notebooks in the browser: a file with cells, opened in JupyterLab or Notebook 7, and run by a real kernel."""

from __future__ import annotations

from pathlib import Path

import nbformat
from playwright.sync_api import Locator

from tests.browser.lab import MILLISECONDS, Lab
from tests.server.jupyter import TOKEN

_READY = """() => {
  const app = window.jupyterapp, context = app?.shell.currentWidget?.sessionContext;
  return context?.isReady && context.session?.kernel?.status === 'idle';
}"""


class Notebook:
    """A notebook of these cells in the vault's folder, opened and with its kernel idle."""

    def __init__(self, lab: Lab, name: str, cells: list[str], *, theme: str = "light", classic: bool = False) -> None:
        self.lab = lab
        made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        made.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
        nbformat.write(made, Path(lab.server.root) / name)
        themes = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}
        lab.settings("@jupyterlab/apputils-extension:themes", {"theme": themes[theme]})
        lab.settings("@jupyterlab/apputils-extension:notification", {"fetchNews": "false"})
        if classic:
            lab.page.goto(f"{lab.server.url}notebooks/{name}?token={TOKEN}")
            lab.page.wait_for_function("() => window.jupyterapp?.restored")
        else:
            lab.open(name)
        lab.page.wait_for_function(_READY)

    def run(self) -> None:
        """Run all cells, and wait until the last has ended."""
        self.lab.run("notebook:run-all-cells")
        self.lab.page.wait_for_function(_READY)

    def output(self, number: int) -> Locator:
        """What the cell of that number, from 0, shows."""
        return self.lab.page.locator(".jp-CodeCell").nth(number).locator(".jp-Cell-outputWrapper")

    def widget(self, name: str) -> Locator:
        """A widget of ours by its name for a screen reader."""
        return self.lab.page.get_by_role("region", name=name, exact=True)

    def until(self, condition: str) -> None:
        """Wait until an expression is true in the notebook's kernel. What a widget told it may still be on the way."""
        told = self.lab.page.evaluate(_UNTIL, [f"assert {condition}, {condition!r}", MILLISECONDS])
        assert told == "", told


_UNTIL = """async ([code, patience]) => {
  const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
  const deadline = Date.now() + patience;
  let told = '';
  do {
    const reply = await kernel.requestExecute({ code, store_history: false }).done;
    told = reply.content.status === 'ok' ? '' : `${reply.content.ename}: ${reply.content.evalue}`;
  } while (told && Date.now() < deadline);
  return told;
}"""
