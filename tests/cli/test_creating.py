"""Notes made from the command line."""

from __future__ import annotations

import json

from tests.cli.sessions import Vault


def test_a_note_is_made_from_a_text_or_from_standard_input(vault: Vault) -> None:
    made = vault.run("create", "new/kite.md", "--body", "# Kite")
    piped = vault.run("create", "wind.md", "--body-file", "-", "--json", input="# Wind\n\nSteady.\n")
    empty = vault.run("create", "empty.md")

    assert (made.exit_code, made.stdout) == (0, "made new/kite.md\n")
    assert vault.read("new/kite.md") == "# Kite"
    assert json.loads(piped.stdout)["sections"][0]["heading"] == "Wind"
    assert vault.read("wind.md") == "# Wind\n\nSteady.\n"
    assert (empty.exit_code, vault.read("empty.md")) == (0, "")


def test_a_note_that_is_there_stays_as_it_is(kites: Vault) -> None:
    before = kites.read("kite.md")

    refused = kites.run("create", "Kite.md", "--body", "x")
    nameless = kites.run("create", "kites", "--body", "x")

    assert refused.exit_code == 4
    assert "there is a note 'Kite.md' already, spelled 'kite.md'" in refused.stderr
    assert kites.read("kite.md") == before
    assert nameless.exit_code == 2
    assert "Hint: call it 'kites.md'" in nameless.stderr
