"""The room as a whole: what importing it costs, what it needs, and what its traits say of themselves."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import jupyter_kb
from jupyter_kb import widgets
from jupyter_kb.widgets.front_end import script

ROOT = Path(__file__).parents[2]


def _loaded(program: str) -> set[str]:
    run = subprocess.run(
        [sys.executable, "-c", f"{program}; import sys; print(*sys.modules)"],
        cwd=ROOT, capture_output=True, check=True, text=True,
    )  # fmt: skip
    return set(run.stdout.split())


def test_what_a_kernel_imports_stays_light() -> None:
    loaded = _loaded("from jupyter_kb.widgets import *; from jupyter_kb import SearchBox")

    assert not loaded & {"duckdb", "torch", "tornado", "sentence_transformers", "jupyter_kb.kb", "jupyter_kb.index"}


def test_the_room_itself_loads_no_widget_library() -> None:
    assert not _loaded("import jupyter_kb.widgets") & {"anywidget", "ipywidgets", "IPython"}


def test_without_the_widget_library_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "anywidget", None)

    with pytest.raises(ImportError, match=r"%pip install ipywidgets anywidget"):
        widgets.__getattr__("SearchBox")


def test_the_package_gives_its_widgets_by_name() -> None:
    assert jupyter_kb.SearchBox is widgets.SearchBox
    assert jupyter_kb.widgets is widgets
    with pytest.raises(AttributeError, match="nonsense"):
        jupyter_kb.nonsense  # noqa: B018


@pytest.mark.parametrize("name", widgets.__all__)
def test_every_public_trait_says_what_it_is(name: str) -> None:
    kind = getattr(widgets, name)
    own = {key: trait for key, trait in kind.class_own_traits().items() if not key.startswith("_")}

    assert own
    assert {key for key, trait in own.items() if not trait.help} == set()


_SCRIPTS = [
    ("search_box",),
    ("outline_browser",),
    ("section_text", "section_editor"),
    ("graph_layout", "note_graph"),
    ("index_progress",),
]


@pytest.mark.parametrize("names", _SCRIPTS)
def test_a_front_end_gets_one_module_that_loads_nothing(names: tuple[str, ...]) -> None:
    module = script(*names)

    assert not re.search(r"^import|\bimport\(|https?://(?!www\.w3\.org/2000/svg)", module, re.MULTILINE)
    assert module.count("export default") == 1
    assert len(re.findall(r"^export ", module, re.MULTILINE)) == 1
    assert module.count("innerHTML") <= 1
