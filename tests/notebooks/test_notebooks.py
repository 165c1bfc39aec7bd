"""The demo notebooks run unchanged, with a Jupyter server and without, and leave the notes as they were."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from tests.server.jupyter import Jupyter

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
NAMES = ("tour", "agents", "measuring-search", "report")
SECONDS = 300


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the folder of the notebooks."""
    return Path(shutil.copytree(ROOT / "notebooks", tmp_path_factory.mktemp("demo") / "notebooks"))


@pytest.fixture(scope="module")
def server(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Jupyter]:
    """A Jupyter server that shows the demo vault."""
    config = {"JupyterKB": {"model": "hashing:64", "vaults": {"lab-notes": str(folder / "vault")}}}
    with Jupyter(tmp_path_factory.mktemp("home"), folder.parent, config) as server:
        server.indexed("lab-notes")
        yield server


class Run:
    """A notebook that was run to its end; what its cells showed, by a part of their source."""

    def __init__(self, folder: Path, name: str, environment: dict[str, str]) -> None:
        self._notebook: Any = nbformat.read(folder / f"{name}.ipynb", as_version=4)
        client = NotebookClient(
            self._notebook, timeout=SECONDS, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
        )
        client.execute(env={**os.environ, "PYTHONPATH": str(ROOT), **environment})

    def shown(self, source: str, kind: str = "text/plain") -> str:
        """All that the one cell with these words shows, in one form or as printed text."""
        (cell,) = [cell for cell in self._notebook.cells if cell.cell_type == "code" and source in cell.source]
        shown = "".join(
            output.get("text", "") if output.output_type == "stream" else output.get("data", {}).get(kind, "")
            for output in cell.outputs
        )
        return re.sub(r"\x1b\[[0-9;]*m", "", shown)  # a kernel asks programs for colours


def _digests(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


@pytest.fixture(scope="module", params=["with a server", "without a server"])
def run(request: pytest.FixtureRequest, folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Runs a notebook by its name, and makes sure that it left the notes as they were."""
    home = tmp_path_factory.mktemp("kernel")
    environment = {"IPYTHONDIR": str(home / "ipython"), "TMPDIR": str(home)}
    if request.param == "with a server":
        server: Jupyter = request.getfixturevalue("server")
        environment |= {"JUPYTER_KB_URL": f"{server.url}kb/api", "JUPYTER_KB_TOKEN": server.token}

    def run(name: str) -> Run:
        before = _digests(folder)
        done = Run(folder, name, environment)
        assert _digests(folder) == before
        return done

    run.served = request.param == "with a server"  # type: ignore[attr-defined]
    return run


def test_the_tour_shows_what_it_promises(run: Any) -> None:
    tour = run("tour")

    assert "Dark adaptation time" in tour.shown("%kb search how long")
    assert "run-12" in tour.shown("box = SearchBox")
    assert "Twenty minutes." in tour.shown("print(browser.section.text)")
    assert "links to instruments/kestrel.md > Kestrel > Operation > Daily check" in tour.shown("%kb backlinks")
    assert "of methods/npq-protocol.md" in tour.shown("graph = NoteGraph")
    assert "Saved " in tour.shown('"\\n\\n- Compare the two lamps."')
    refused = tour.shown("refused = editor.save()")
    assert "Changed on disk" in refused
    assert "Your text is kept." in refused
    assert "Ask Idris" in tour.shown("refused = editor.save()", "text/html")
    assert "Saved " in tour.shown("editor.use_mine")
    assert "Saved " in tour.shown("last.save()")
    assert "application/vnd.jupyter.widget-view+json" in str(tour._notebook)


def test_an_agent_finds_reads_edits_and_is_refused(run: Any) -> None:
    agents = run("agents")

    assert f"jupyter-kb over {'HTTP' if run.served else 'stdio'}" in agents.shown("served = hasattr")
    assert "edit_section" in agents.shown("list_tools")
    assert "npq-protocol.md › NPQ protocol" in agents.shown("async def call")
    assert "written" in agents.shown("An agent was here")
    assert "An agent was here" in agents.shown("Everything anew.")
    assert "as before: True" in agents.shown("as before:")


def test_search_is_measured_on_the_questions(run: Any) -> None:
    measured = run("measuring-search")

    assert "nDCG@10" in measured.shown('"mode=text"')
    worst = measured.shown('"--per-query"')
    assert "q12" in worst
    table = [line.split() for line in measured.shown('"mode=text"').splitlines()]
    (figures,) = [words[1:] for words in table if words[:1] == ["nDCG@10"] and len(words) == 3]
    assert min(map(float, figures)) > 0.5
    assert "run-12" in measured.shown("SearchBox(questions")


def test_the_report_has_every_run(run: Any, folder: Path) -> None:
    report = run("report")
    text = report.shown("def table", "text/markdown")

    assert text.count("\n| 20") == len(list((folder / "vault" / "experiments").glob("*.md")))
    assert "Run 12: repeat of run 11, rejected" in text
    assert "1.61 ± 0.04" in text
    assert "Ask the workshop for a second cuvette holder" in report.shown("GrepRequest", "text/markdown")
    assert "confirmed" in report.shown("%kb get run-13", "text/html")


@pytest.mark.parametrize("name", NAMES)
def test_it_is_stored_without_outputs(name: str) -> None:
    notebook: Any = nbformat.read(ROOT / "notebooks" / f"{name}.ipynb", as_version=4)

    assert [cell for cell in notebook.cells if cell.get("outputs") or cell.get("execution_count")] == []
    nbformat.validate(notebook)
