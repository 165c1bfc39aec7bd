"""What an edit says that was refused, or that took more away than its own text."""

from __future__ import annotations

import json
import re
import shlex

import pytest

from tests.cli.sessions import Vault, invoke


def test_a_refusal_shows_the_current_text_and_the_command_that_works(
    kites: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(kites.root.parent)
    places = ["--vault", "notes", "--index-dir", str(kites.index_dir)]

    refused = invoke("edit", "kite", "Launch", "--body", "Let go.", "--expected-hash", "0" * 64, *places)

    assert refused.exit_code == 4
    assert "kite.md > Launch is now:\n  ## Launch\n\n  Run forward, then let go.\n" in refused.stderr
    assert not re.search("[0-9a-f]{17}", refused.stderr)
    found = re.search(r"current hash: jupyter kb (edit .*)", refused.stderr)
    assert found, refused.stderr
    again = invoke(*shlex.split(found[1]))
    assert again.exit_code == 0, again.output
    assert "## Launch\n\nLet go.\n\n## Landing" in kites.read("kite.md")


def test_a_repeated_edit_of_a_section_with_others_below_does_not_delete_them(kites: Vault) -> None:
    refused = kites.run("edit", "kite.md", "Flight", "--body", "Calm.", "--expected-hash", "0" * 64)

    assert f"--expected-hash {kites.hash('kite.md', 'Flight', '--own')[:16]}" in refused.stderr
    assert f"(to replace its sub-sections as well: {kites.hash('kite.md', 'Flight')[:16]})" in refused.stderr


def test_a_refusal_shows_forty_lines_at_most(vault: Vault) -> None:
    vault.write({"a.md": "# A\n" + "\nline\n" * 50})

    refused = vault.run("edit", "a.md", "A", "--body", "x", "--expected-hash", "0" * 64)

    assert "  … 61 more lines\n" in refused.stderr


def test_a_refusal_for_programs_is_one_object(kites: Vault) -> None:
    refused = kites.run("edit", "kite.md", "Launch", "--body", "x", "--expected-hash", "0" * 64, "--json")

    details = json.loads(refused.stderr)["details"]
    assert details["current_hash"] == kites.hash("kite.md", "Launch")
    assert details["current_content"].startswith("## Launch")


def test_sub_sections_that_a_replacement_takes_along_are_named(kites: Vault) -> None:
    arguments = ["edit", "kite.md", "Flight", "--body", "Calm.", "--expected-hash", kites.hash("kite.md", "Flight")]

    planned, done = kites.run(*arguments, "--dry-run"), kites.run(*arguments)

    assert "would replace, and with it 2 sub-sections: Launch, Landing\n" in planned.stderr
    assert "\nreplaced, and with it 2 sub-sections: Launch, Landing\n" in done.stdout


def test_sub_sections_that_a_deletion_takes_along_are_named(kites: Vault) -> None:
    done = kites.run(
        "edit", "kite.md", "Flight", "--operation", "delete", "--expected-hash", kites.hash("kite.md", "Flight")
    )

    assert "wrote kite.md, without the section\ndeleted, and with it 2 sub-sections: Launch, Landing\n" in done.stdout


def test_links_are_not_gone_before_the_edit_is_made(kites: Vault) -> None:
    arguments = ["edit", "kite.md", "Landing", "--operation", "rename", "--heading", "Touchdown"]
    arguments += ["--expected-hash", kites.hash("kite.md", "Landing")]

    planned, done = kites.run(*arguments, "--dry-run"), kites.run(*arguments)

    assert "1 link to headings that would be gone:" in planned.stderr
    assert "1 link to headings that are gone now:" in done.stdout


def test_links_follow_a_renamed_heading_where_that_is_asked(kites: Vault) -> None:
    arguments = ["edit", "kite.md", "Landing", "--operation", "rename", "--heading", "Touchdown", "--update-links"]
    arguments += ["--expected-hash", kites.hash("kite.md", "Landing")]

    planned, done = kites.run(*arguments, "--dry-run"), kites.run(*arguments)
    other = kites.run("edit", "kite.md", "Launch", "--body", "x", "--update-links", "--expected-hash", "0" * 12)

    assert "would update 1 link in 1 note: " in planned.stderr
    assert "\nupdated 1 link in 1 note: " in done.stdout
    assert "#Touchdown" in "".join(path.read_text() for path in kites.root.rglob("*.md"))
    assert other.exit_code == 2


def test_a_section_is_moved_beside_another_one(kites: Vault) -> None:
    arguments = ["edit", "kite.md", "Landing", "--operation", "move", "--expected-hash"]
    nowhere = kites.run(*arguments, kites.hash("kite.md", "Landing"))
    refused = kites.run(*arguments, "0" * 64, "--before", "Launch")

    again = re.search(r"current hash: jupyter kb (edit .*)", refused.stderr)
    assert again, refused.stderr
    done = invoke(*shlex.split(again[1]))

    assert nowhere.exit_code == 2
    assert done.exit_code == 0, done.output
    assert kites.read("kite.md").index("## Landing") < kites.read("kite.md").index("## Launch")


def test_an_edit_without_a_heading_says_what_the_text_above_is_called(vault: Vault) -> None:
    vault.write({"a.md": "Only words.\n"})

    assert "Preamble" in vault.run("edit", "a.md", "--body", "x").stderr
    done = vault.run("edit", "a.md", "Preamble", "--body", "Other.", "--expected-hash", vault.hash("a.md", "Preamble"))
    assert done.exit_code == 0, done.output
