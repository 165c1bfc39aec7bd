"""The editor of a person, which in these tests is a small script."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from jupyter_kb.cli.editor import Draft, EditorError, editor_command
from tests.cli.sessions import Vault

Editor = Callable[[str], None]


@pytest.fixture
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Editor:
    """Make a Python program the editor; `path` is the draft in it."""

    def use(program: str) -> None:
        script = tmp_path / "the editor.py"
        script.write_text(f"import os, pathlib, sys\npath = pathlib.Path(sys.argv[1])\n{program}\n", encoding="utf-8")
        monkeypatch.setenv("EDITOR", f'"{sys.executable}" "{script}"')
        monkeypatch.setenv("TMPDIR", str(tmp_path))
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    return use


def kept(result: Result) -> Path:
    """The file that holds the text of somebody whose edit was refused."""
    found = re.search(r"Your text is kept in (\S+)", result.output)
    assert found, result.output
    return Path(found[1])


def drafts(vault: Vault) -> list[str]:
    return [path.name for path in vault.root.parent.glob("kb-*.md")]


def test_the_draft_is_the_text_below_the_heading_and_what_is_left_of_it_is_written(
    kites: Vault, editor: Editor
) -> None:
    editor("assert path.read_text() == 'Run forward, then let go.\\n'; path.write_text('Let go.\\n')")

    result = kites.run("edit", "kite.md", "Launch")

    assert result.exit_code == 0, result.output
    assert "## Launch\n\nLet go.\n\n## Landing" in kites.read("kite.md")
    assert drafts(kites) == []


def test_the_hash_taken_at_read_time_is_shown(kites: Vault, editor: Editor) -> None:
    editor("")
    seen = kites.hash("kite.md", "Launch")

    result = kites.run("edit", "kite.md", "Launch")

    assert f"kite.md > Flight > Launch  hash {seen[:16]}\n" in result.output


def test_an_untouched_draft_writes_nothing(kites: Vault, editor: Editor) -> None:
    editor("")
    before = (kites.root / "kite.md").stat().st_mtime_ns

    result = kites.run("edit", "kite.md", "Launch")

    assert result.exit_code == 0
    assert "No change" in result.output
    assert (kites.root / "kite.md").stat().st_mtime_ns == before
    assert drafts(kites) == []


def test_an_editor_that_fails_writes_nothing_and_keeps_a_changed_draft(kites: Vault, editor: Editor) -> None:
    editor("path.write_text('half a tho'); sys.exit(3)")
    before = kites.read("kite.md")

    result = kites.run("edit", "kite.md", "Launch")

    assert result.exit_code == 4
    assert kites.read("kite.md") == before
    (name,) = drafts(kites)
    assert name in result.output
    assert (kites.root.parent / name).read_text() == "half a tho"


def test_an_editor_that_fails_at_once_leaves_no_draft(kites: Vault, editor: Editor) -> None:
    editor("sys.exit(1)")

    assert kites.run("edit", "kite.md", "Launch").exit_code == 4
    assert drafts(kites) == []


def test_an_editor_that_is_not_there_is_said_so(kites: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDITOR", "no-such-editor --wait")

    result = kites.run("edit", "kite.md", "Launch")

    assert result.exit_code == 4
    assert "no-such-editor" in result.output
    assert "$EDITOR" in result.output


def test_on_a_conflict_nothing_is_overwritten_and_the_typed_text_is_kept(kites: Vault, editor: Editor) -> None:
    note = kites.root / "kite.md"
    editor(
        f"note = pathlib.Path({str(note)!r})\n"
        "note.write_text(note.read_text().replace('Run forward', 'Walk slowly'))\n"
        "path.write_text('Mine.\\n')"
    )

    result = kites.run("edit", "kite.md", "Launch")

    assert result.exit_code == 4
    assert "Walk slowly" in kites.read("kite.md")
    assert "Mine." not in kites.read("kite.md")
    assert kept(result).read_text() == "Mine.\n"
    assert "-Run forward, then let go.\n+Walk slowly, then let go.\n" in result.output


def test_after_a_conflict_the_hint_is_the_command_that_goes_on(kites: Vault, editor: Editor) -> None:
    note = kites.root / "kite.md"
    editor(
        f"note = pathlib.Path({str(note)!r})\n"
        "note.write_text(note.read_text().replace('Run forward', 'Walk slowly'))\n"
        "path.write_text('Mine.\\n')"
    )
    result = kites.run("edit", "kite.md", "Launch")
    found = re.search(r"jupyter kb (edit kite.md 'Flight > Launch' .*)", result.output)
    assert found, result.output

    import shlex

    again = kites.run(*shlex.split(found[1]))

    assert again.exit_code == 0, again.output
    assert "## Launch\n\nMine.\n\n## Landing" in kites.read("kite.md")


def test_a_text_that_does_not_fit_is_kept(kites: Vault, editor: Editor) -> None:
    editor("path.write_text('# A heading too high\\n')")

    result = kites.run("edit", "kite.md", "Launch")

    assert result.exit_code == 4
    assert kept(result).read_text() == "# A heading too high\n"
    assert "correct it in that file, then: jupyter kb edit kite.md 'Flight > Launch' --body-file" in result.output
    assert "bring the two together" not in result.output


def test_an_emptied_draft_aborts_and_names_the_command_that_empties(kites: Vault, editor: Editor) -> None:
    editor("path.write_text(' \\n')")
    before = kites.read("kite.md")

    result = kites.run("edit", "kite.md", "Launch")

    assert result.exit_code == 4
    assert kites.read("kite.md") == before
    assert drafts(kites) == []
    found = re.search(r"nothing was changed; to empty the section: jupyter kb (edit .*)", result.output)
    assert found, result.output

    import shlex

    assert kites.run(*shlex.split(found[1])).exit_code == 0
    assert "## Launch\n\n## Landing" in kites.read("kite.md")


def test_nothing_to_append_is_no_change(kites: Vault, editor: Editor) -> None:
    editor("path.write_text('\\n')")

    result = kites.run("edit", "kite.md", "Launch", "--operation", "append")

    assert (result.exit_code, "No change" in result.output) == (0, True)


def test_own_text_alone_is_edited_where_asked_for(kites: Vault, editor: Editor) -> None:
    editor("assert 'Launch' not in path.read_text(); path.write_text('Calm.\\n')")

    result = kites.run("edit", "kite.md", "Flight", "--own")

    assert result.exit_code == 0, result.output
    assert "# Flight\n\nCalm.\n\n## Launch\n\nRun forward" in kites.read("kite.md")


def test_a_given_hash_decides_which_part_is_shown(kites: Vault, editor: Editor) -> None:
    editor("assert 'Launch' not in path.read_text(); path.write_text('Calm.\\n')")
    own = kites.hash("kite.md", "Flight", "--own")

    result = kites.run("edit", "kite.md", "Flight", "--expected-hash", own[:12])

    assert result.exit_code == 0, result.output
    assert "# Flight\n\nCalm.\n\n## Launch" in kites.read("kite.md")


def test_a_given_hash_that_is_stale_opens_no_editor(kites: Vault, editor: Editor) -> None:
    editor("raise SystemExit('opened')")

    result = kites.run("edit", "kite.md", "Launch", "--expected-hash", "0" * 64)

    assert result.exit_code == 4
    assert "opened" not in result.output
    assert drafts(kites) == []


def test_appending_starts_with_an_empty_draft(kites: Vault, editor: Editor) -> None:
    editor("assert path.read_text() == ''; path.write_text('Then look up.\\n')")

    result = kites.run("edit", "kite.md", "Launch", "--operation", "append")

    assert result.exit_code == 0, result.output
    assert "let go.\n\nThen look up.\n\n## Landing" in kites.read("kite.md")


def test_line_ends_of_the_note_are_kept(vault: Vault, editor: Editor) -> None:
    vault.write({"a.md": b"# A\r\n\r\nold\r\n\r\n# B\r\n"})
    editor("path.write_bytes(path.read_bytes().replace(b'old\\r\\n', b'new\\nlines\\n'))")

    result = vault.run("edit", "a.md", "A")

    assert result.exit_code == 0, result.output
    assert (vault.root / "a.md").read_bytes() == b"# A\r\n\r\nnew\r\nlines\r\n\r\n# B\r\n"


def test_undecodable_bytes_pass_through_the_editor(vault: Vault, editor: Editor) -> None:
    vault.write({"a.md": b"# A\n\ncaf\xe9\n"})
    editor("path.write_bytes(path.read_bytes() + b'tea\\n')")

    result = vault.run("edit", "a.md", "A")

    assert result.exit_code == 0, result.output
    assert (vault.root / "a.md").read_bytes() == b"# A\n\ncaf\xe9\ntea\n"


def test_without_a_terminal_and_an_editor_the_body_options_are_named(kites: Vault) -> None:
    result = kites.run("edit", "kite.md", "Launch")

    assert result.exit_code == 2
    assert "--body-file" in result.output


def test_a_draft_is_private(editor: Editor) -> None:
    editor("")
    draft = Draft("secret", "Some > heading/with\0odd characters")

    assert draft.path.stat().st_mode & 0o777 == 0o600
    assert re.fullmatch(r"kb-Some-heading-with-odd-characters-\w+\.md", draft.path.name)
    draft.discard()
    assert not draft.path.exists()


def test_visual_comes_before_editor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDITOR", "ed")
    assert editor_command() == "ed"

    monkeypatch.setenv("VISUAL", "vi")
    assert editor_command() == "vi"


def test_an_editor_with_an_unclosed_quote_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VISUAL", "'vi")

    with pytest.raises(EditorError, match="did not start"):
        Draft("text", "name").edit()
