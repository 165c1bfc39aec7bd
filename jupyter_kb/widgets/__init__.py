"""Widgets for notebooks: search, outline, guarded editing, graph and progress of a vault."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jupyter_kb.widgets.index_progress import IndexProgress
    from jupyter_kb.widgets.note_graph import NoteGraph
    from jupyter_kb.widgets.outline_browser import OutlineBrowser
    from jupyter_kb.widgets.search_box import SearchBox
    from jupyter_kb.widgets.section_editor import SectionEditor

__all__ = ["IndexProgress", "NoteGraph", "OutlineBrowser", "SearchBox", "SectionEditor"]

_ROOMS = {
    "IndexProgress": "index_progress",
    "NoteGraph": "note_graph",
    "OutlineBrowser": "outline_browser",
    "SearchBox": "search_box",
    "SectionEditor": "section_editor",
}


def __getattr__(name: str) -> type:
    """A widget, loaded when it is first named."""
    if name not in _ROOMS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        import_module("anywidget")
    except ImportError as error:
        raise ImportError(
            f"{name} needs ipywidgets and anywidget, which are not installed here: `%pip install ipywidgets anywidget`"
        ) from error
    found: type = getattr(import_module(f"{__name__}.{_ROOMS[name]}"), name)
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
