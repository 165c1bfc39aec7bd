"""The command line, `jupyter kb`: finds, reads and edits sections of a vault, and serves it to agents."""

from __future__ import annotations

from jupyter_kb.cli.program import main, program

__all__ = ["main", "program"]
