"""Fixtures of the command line's tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.sessions import Vault

KITE = """\
---
title: All about kites
tags: [toy, wind/strong]
year: 2024
---

Opening words.

# Flight

Steady wind is needed for a flight.

## Launch

Run forward, then let go.

## Landing

Pull the line. See [[tools#Reel|the reel]].

# Storage

A dry place.
"""
TOOLS = """\
# Reel

Winds the cord.

# Knots

A bowline. See [[kite#Landing]] and [[ghost]].
"""


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Vault:
    """An empty vault, which is the current folder; its index lies in the Jupyter data directory of this test."""
    data = tmp_path / "jupyter"
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(data))
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "VISUAL", "EDITOR", "JUPYTER_KB_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    root = tmp_path / "notes"
    root.mkdir()
    monkeypatch.chdir(root)
    return Vault(root=root, index_dir=data / "kb")


@pytest.fixture
def kites(vault: Vault) -> Vault:
    """A vault of two notes that link to each other, one link leading nowhere."""
    return vault.write({"kite.md": KITE, "docs/tools.md": TOOLS})
