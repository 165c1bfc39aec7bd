"""Help texts are written for a terminal; this lets sphinx-click's reStructuredText say the same in a page."""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx

_CODE = re.compile(r"(?<!`)`([^`]+)`(?!`)")
_TERMINAL_LINE = "| "  # sphinx-click's form of lines that the program prints as they stand


def _as_page(app: Sphinx, context: object, lines: list[str]) -> None:
    """Show lines that stand as they are as a literal block, and `code` as code."""
    page: list[str] = []
    literal = False
    for line in lines:
        if line.startswith(_TERMINAL_LINE):
            page += [] if literal else ["", ".. code-block:: text", ""]
            page.append("   " + line.removeprefix(_TERMINAL_LINE))
        else:
            page += [""] if literal else []
            page.append(_CODE.sub(r"``\1``", line))
        literal = line.startswith(_TERMINAL_LINE)
    lines[:] = page


def setup(app: Sphinx) -> dict[str, Any]:
    """Follow sphinx-click's events."""
    app.setup_extension("sphinx_click")
    for part in ("description", "options", "arguments", "epilog"):
        app.connect(f"sphinx-click-process-{part}", _as_page)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
