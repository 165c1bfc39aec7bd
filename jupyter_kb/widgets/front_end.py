"""What the browser gets of a widget: one script and one style, made of the files in `static`."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

_IMPORT = re.compile(r"^import [^;]+;\n", re.MULTILINE)
_EXPORT = re.compile(r"^export (?=function|const|class)", re.MULTILINE)


@cache
def _read(name: str) -> str:
    return (files("jupyter_kb.widgets") / "static" / name).read_text(encoding="utf-8")


def script(*names: str) -> str:
    """The module of a widget, which is the last of the names, with the parts that it is built from.

    A front end loads it from a string, so nothing could be imported by a relative path: the parts stand in the same
    module, and only the widget itself is exported.
    """
    return "".join(_EXPORT.sub("", _IMPORT.sub("", _read(f"{name}.js"))) for name in ("parts", *names))


def style(*names: str) -> str:
    """The rules that all widgets share, and those of one."""
    return "".join(_read(f"{name}.css") for name in ("frame", *names))
