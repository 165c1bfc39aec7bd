"""What belongs to the vault by default, and how settings and `.kbignore` decide."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from jupyter_kb.settings import Settings
from jupyter_kb.vault.vault import Vault

FILES = [
    "a.md",
    ".hidden.md",
    ".obsidian/x.md",
    ".github/guide.md",
    ".github/deep/more.md",
    ".git/description.md",
    "sub/.git/x.md",
    "node_modules/pkg/README.md",
    "sub/node_modules/README.md",
    ".ipynb_checkpoints/a-checkpoint.md",
    "sub/__pycache__/x.md",
    "venv/lib/README.md",
    "env/notes.md",
    "drafts/one.draft.md",
    "drafts/two.md",
    "private/diary.md",
    "private/keep.md",
]

DEFAULT = ["a.md", "drafts/one.draft.md", "drafts/two.md", "env/notes.md", "private/diary.md", "private/keep.md"]

CASES = [
    # settings, lines of .kbignore, what is added to and taken from the default
    ({}, "", [], []),
    ({}, "*.draft.md\n", [], ["drafts/one.draft.md"]),
    ({}, "private/\n", [], ["private/diary.md", "private/keep.md"]),
    ({}, "private\n", [], ["private/diary.md", "private/keep.md"]),
    ({}, "private/*\n!private/keep.md\n", [], ["private/diary.md"]),
    ({}, "private/\n!private/keep.md\n", [], ["private/diary.md", "private/keep.md"]),  # as in Git: the folder is shut
    ({}, "/drafts/*.md\r\n", [], ["drafts/one.draft.md", "drafts/two.md"]),
    ({}, "\ufeff# a comment\n\n  \n*.draft.md", [], ["drafts/one.draft.md"]),
    ({}, "**/two.md", [], ["drafts/two.md"]),
    ({}, "!.github/\n", [".github/deep/more.md", ".github/guide.md"], []),
    ({}, "!.github/\n.github/deep/\n", [".github/guide.md"], []),
    ({}, "!.hidden.md\n", [".hidden.md"], []),
    ({}, "!node_modules/\n", ["node_modules/pkg/README.md", "sub/node_modules/README.md"], []),
    ({}, "!/venv/\n", ["venv/lib/README.md"], []),
    ({}, "!.git/\n!.git\n", [], []),
    ({}, "*\n!drafts/\n!drafts/two.md\n", [], [key for key in DEFAULT if key != "drafts/two.md"]),
    ({}, "private/**\n!private/keep.md\n", [], ["private/diary.md"]),
    ({"exclude": ("drafts/",)}, "", [], ["drafts/one.draft.md", "drafts/two.md"]),
    ({"exclude": ("!*.draft.md",)}, "*.draft.md\n", [], []),
    ({"exclude": ("*.draft.md",)}, "!*.draft.md\n", [], ["drafts/one.draft.md"]),
    ({"include": ("drafts/",)}, "", [], ["a.md", "env/notes.md", "private/diary.md", "private/keep.md"]),
    ({"include": ("*.md",)}, "", [], []),
    ({"include": ("drafts/", "private/")}, "*.draft.md", [], ["a.md", "drafts/one.draft.md", "env/notes.md"]),
    ({"hidden": True}, "", [".github/deep/more.md", ".github/guide.md", ".hidden.md", ".obsidian/x.md"], []),
    ({"hidden": True}, ".obsidian/", [".github/deep/more.md", ".github/guide.md", ".hidden.md"], []),
]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with something of everything that is often left out."""
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"# X\n")
    (tmp_path / "venv" / "pyvenv.cfg").write_bytes(b"")
    return tmp_path


@pytest.mark.parametrize(("settings", "lines", "added", "taken"), CASES)
def test_the_last_rule_that_speaks_of_a_file_decides(
    root: Path, settings: dict[str, object], lines: str, added: list[str], taken: list[str]
) -> None:
    if lines:
        (root / ".kbignore").write_bytes(lines.encode())
    vault = Vault(root, Settings(**settings))  # type: ignore[arg-type]
    expected = sorted(set(DEFAULT) - set(taken) | set(added))
    assert [file.key for file in vault.list()] == expected
    assert [name for name in sorted(FILES) if vault.is_note(name)] == expected
    assert [name for name in sorted(FILES) if vault.stat(name)] == expected


def test_every_default_can_be_overruled_but_git(root: Path) -> None:
    vault = Vault(root, Settings(hidden=True, exclude=("!**",)))
    assert [file.key for file in vault.list()] == sorted(name for name in FILES if ".git/" not in name)


def test_a_changed_kbignore_counts_at_once(root: Path) -> None:
    vault = Vault(root)
    assert vault.read("private/diary.md") == b"# X\n"
    (root / ".kbignore").write_text("private/")
    assert not vault.stat("private/diary.md")
    with pytest.raises(Exception, match="it is not a note of this vault"):
        vault.read("private/diary.md")
    assert "private/diary.md" not in [file.key for file in vault.list()]
    (root / ".kbignore").write_text("drafts/")  # as long as the old one
    assert "private/diary.md" in [file.key for file in vault.list()]
    (root / ".kbignore").unlink()
    assert [file.key for file in vault.list()] == DEFAULT
    assert vault.read("drafts/two.md") == b"# X\n"


segment = st.sampled_from(["a", "b", "*", "**", "a*", "?", "[ab]", "*.md", "b.md"])
pattern = st.builds(
    lambda negated, start, segments, end: negated + start + "/".join(segments) + end,
    st.sampled_from(["", "", "!"]),
    st.sampled_from(["", "/"]),
    st.lists(segment, min_size=1, max_size=3),
    st.sampled_from(["", "/", "/**"]),
).filter(lambda text: not text.endswith("**/"))  # "only folders, at any depth": the library takes the parent in too


@pytest.mark.skipif(shutil.which("git") is None, reason="Git is the judge")
@given(patterns=st.lists(pattern, min_size=1, max_size=5))
@example(["a/", "!a/b.md"])
@example(["*", "!a/", "!a/b.md"])
def test_patterns_mean_what_they_mean_to_git(tmp_path_factory: pytest.TempPathFactory, patterns: list[str]) -> None:
    root = tmp_path_factory.getbasetemp() / "git"
    if not root.exists():
        for folder in ("", "a/", "b/", "a/a/", "a/b/", "b/a/"):
            (root / folder).mkdir(parents=True, exist_ok=True)
            for name in ("a.md", "b.md", "ab.md"):
                (root / folder / name).write_bytes(b"")
        subprocess.run(["git", "init", "--quiet", root], check=True)
    (root / ".kbignore").write_text("\n".join(patterns))
    command = ["git", "-C", str(root), "ls-files", "--others", "--exclude-from=.kbignore", "*.md"]
    expected = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    assert [file.key for file in Vault(root).list()] == sorted(expected)


@pytest.mark.parametrize("pattern", ["!", "\\", "**a\\", "a[z-a].md", "x" * 100_000, "[[:foo:]]x", "\0"])
def test_a_pattern_that_means_nothing_stops_nothing(root: Path, pattern: str) -> None:
    (root / ".kbignore").write_text(f"drafts/\n{pattern}\nprivate/\n")
    vault = Vault(root, Settings(exclude=(pattern, "env/")))
    assert [file.key for file in vault.list()] == ["a.md"]


def test_a_malformed_pattern_is_reported_with_its_line(root: Path) -> None:
    (root / ".kbignore").write_text("drafts/\na[z-a].md\n")
    problems = Vault(root, Settings(include=("!",))).listing().problems
    assert [(problem.file, problem.kind, problem.line) for problem in problems] == [
        ("", "ignore-pattern", None),
        (".kbignore", "ignore-pattern", 2),
    ]
    assert "the setting 'include'" in problems[0].message


@pytest.mark.parametrize("content", [b"\xff\xfe*.draft.md\n", b"\x80\nprivate/\n"])
def test_a_kbignore_that_is_not_text_stops_nothing(root: Path, content: bytes) -> None:
    (root / ".kbignore").write_bytes(content)
    assert "a.md" in [file.key for file in Vault(root).list()]


def test_a_kbignore_that_is_a_folder_or_a_link_is_no_rule(root: Path) -> None:
    (root / ".kbignore").mkdir()
    assert [file.key for file in Vault(root).list()] == DEFAULT
    (root / ".kbignore").rmdir()
    (root / "rules").write_text("private/")
    (root / ".kbignore").symlink_to("rules")
    assert [file.key for file in Vault(root).list()] == DEFAULT


def test_a_vault_inside_a_virtual_environment_or_hidden_folder_is_walked(tmp_path: Path) -> None:
    root = tmp_path / ".notes"
    root.mkdir()
    (root / "pyvenv.cfg").write_bytes(b"")
    (root / "a.md").write_bytes(b"")
    assert [file.key for file in Vault(root).list()] == ["a.md"]
