"""The sessions in the Markdown files beside this one are what the program prints."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.sessions import Vault, play

TRANSCRIPTS = sorted(Path(__file__).parent.glob("*.md"))


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_the_session_prints_what_the_transcript_shows(path: Path, vault: Vault) -> None:
    expected = path.read_text(encoding="utf-8")

    actual = play(expected, vault)

    if os.environ.get("UPDATE_TRANSCRIPTS"):
        path.write_text(actual, encoding="utf-8")
    assert actual == expected
