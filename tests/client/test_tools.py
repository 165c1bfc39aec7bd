"""The functions that other programs collect as tools: they only read, say what they are, and block no event loop."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import json
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from jupyter_kb.client import tools
from jupyter_kb.kb import KnowledgeBase

NOTES = {
    "kite.md": b"# Flight\n\nSteady wind \xff.\n\n## Launch\n\nRun. See [[tools]].\n",
    "docs/tools.md": b"# Reel\n",
}


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[KnowledgeBase]:
    for name, content in NOTES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    with KnowledgeBase.open(tmp_path, in_memory=True) as kb:
        monkeypatch.setattr(tools, "_connected", kb)
        yield kb


def ask(name: str, **arguments: Any) -> dict[str, Any]:
    answer: dict[str, Any] = asyncio.run(getattr(tools, name)(**arguments))
    json.dumps(answer, ensure_ascii=False).encode()  # as whoever sends it on must
    return answer


@pytest.mark.usefixtures("vault")
def test_one_answer_leads_to_the_next() -> None:
    hit = ask("search_notes", query="launch run", mode="text")["results"][0]
    read = ask("read_section", file=hit["file"], heading_path=hit["heading_path"])
    whole = ask("read_section", file="kite")

    assert (hit["file"], hit["heading_path"]) == ("kite.md", "Flight > Launch")
    assert read["content"].startswith("## Launch")
    assert "Steady wind ?" in whole["content"]


@pytest.mark.usefixtures("vault")
def test_the_vault_can_be_looked_through() -> None:
    assert ask("outline_note") == {"folders": ["docs"], "files": ["kite.md"], "notes": 2}
    assert ask("outline_note", file="kite")["sections"][0]["children"][0]["heading_path"] == "Flight > Launch"
    assert ask("grep_notes", pattern="wind")["matches"][0]["line"] == 3
    assert ask("links_of_note", file="tools", direction="in")["links"][0]["from"] == "kite.md"


@pytest.mark.usefixtures("vault")
def test_the_event_loop_goes_on_meanwhile() -> None:
    import threading

    async def both() -> int:
        threads = set()

        class Slow:
            def tree(self) -> Any:
                threads.add(threading.current_thread())
                raise KeyError

        tools._connected = Slow()  # type: ignore[assignment]
        with pytest.raises(KeyError):
            await tools.outline_note()
        return len(threads - {threading.main_thread()})

    assert asyncio.run(both()) == 1


def test_each_function_is_there_and_describes_itself() -> None:
    entry = EntryPoint(name="jupyter_kb", value="jupyter_kb.client.tools:TOOLS", group="jupyter_server_mcp.tools")
    project = (Path(__file__).parents[2] / "pyproject.toml").read_text()
    assert f'[project.entry-points."{entry.group}"]\n{entry.name} = "{entry.value}"' in project

    for place in entry.load():
        module, _, name = place.partition(":")
        function = getattr(importlib.import_module(module), name)
        signature = inspect.signature(function)
        assert inspect.iscoroutinefunction(function)
        assert inspect.getdoc(function)
        assert all(parameter.annotation is not inspect.Parameter.empty for parameter in signature.parameters.values())


def test_collecting_them_imports_neither_the_sdk_nor_a_database() -> None:
    program = (
        "import sys, jupyter_kb.client.tools; print(*{'mcp', 'mcp_types', 'duckdb', 'tornado'} & set(sys.modules))"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=True)

    assert done.stdout.split() == []
