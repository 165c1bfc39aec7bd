"""The section editor in a page: opening it, typing, reading what it says; for tests of the editor and of merges."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Locator, expect

from tests.browser.lab import Lab

NOTE = """---
title: Attention
---

# Attention

## Scaled dot product

Intro.

### Why divide by √d

Without the factor $1/\\sqrt{d}$ the scores grow with the key width $d$: a sum of $d$ products of unit variance has \
variance $d$.

- the softmax saturates, see [[Softmax temperature]]
- gradients vanish for all but one key
- entropy falls early, [[Experiment log 2026-11]]

$$ \\mathrm{Var}(q \\cdot k) = d $$

### After it

More.
"""
SECTION = "Attention > Scaled dot product > Why divide by √d"


class Editor:
    """The section editor in front in a page."""

    def __init__(self, lab: Lab) -> None:
        self.lab, self.page = lab, lab.page
        self.root = lab.page.locator(".jp-kb-editor:visible")
        self.text = self.root.locator(".jp-kb-editor-split .cm-content")
        self.state = self.root.locator(".jp-kb-state")
        self.merge = self.root.locator(".jp-kb-merge")

    def open(self, file: str, heading_path: str | None = SECTION, line: int | None = None) -> Editor:
        """Show a section, or a whole note, and wait for its text."""
        self.page.wait_for_function("() => window.jupyterapp.commands.hasCommand('jupyter-kb:edit-section')")
        self.lab.run("jupyter-kb:edit-section", {"file": file, "headingPath": heading_path, "line": line})
        expect(self.text).to_be_visible()
        expect(self.root.locator(".jp-kb-editor-foot")).to_contain_text("Lines")
        return self

    def type_at_end(self, text: str) -> None:
        """Type below the last line."""
        self.text.click()
        self.page.keyboard.press("Control+End")
        self.page.keyboard.insert_text(text)

    def says(self, text: str) -> None:
        """Wait until the state is this."""
        expect(self.state).to_have_text(text)

    def bar(self, text: str) -> Locator:
        """Wait for a bar with this text."""
        found = self.root.locator(".jp-kb-bar", has_text=text)
        expect(found).to_be_visible()
        return found

    def focused(self) -> str:
        """The accessible name of what has the focus."""
        name: str = self.page.evaluate("() => document.activeElement.getAttribute('aria-label') ?? ''")
        return name


def note(vault: Path, name: str, text: str = NOTE) -> Path:
    """A note of the test's own."""
    path = vault / "papers" / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text.encode())
    return path


def tolerate(lab: Lab, *texts: str) -> None:
    """Take reports of refused requests off the errors: the browser writes them whatever the page makes of them."""
    lab.errors[:] = [error for error in lab.errors if not any(text in error for text in texts)]
