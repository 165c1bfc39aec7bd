"""The terminal sessions in the documentation are what the program prints."""

from __future__ import annotations

import pytest

from docs.transcripts import DOCUMENTS, ROOT, fill, stable

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_document_shows_what_its_commands_print(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")

    # To bring the document up to date: .venv/bin/python docs/transcripts.py
    assert stable(fill(text)) == stable(text)


def test_every_document_has_a_session_to_check() -> None:
    for name in DOCUMENTS:
        assert "```console\n$ " in (ROOT / name).read_text(encoding="utf-8")
