"""Edits of notes that people wrote: what is asked for is done, not refused."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from blake3 import blake3

from jupyter_kb.editing.section import edit_section
from jupyter_kb.errors import ConflictError
from jupyter_kb.markdown.document import parse
from jupyter_kb.models import Operation, SectionEdit, SectionRef
from jupyter_kb.vault.vault import Vault
from tests.editing.notes import raw

NEW = raw("New text.⏎⏎```⏎code⏎```⏎⏎| a |⏎|---|⏎| b |").decode()
OPERATIONS: list[Operation] = [
    "replace",
    "append",
    "prepend",
    "insert_before",
    "insert_after",
    "insert_child",
    "rename",
    "delete",
]


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize("name", ["rust-book", "k8s-en", "obsidian-hub", "oi-wiki-zh"])
def test_every_operation_works_on_every_kind_of_section(data_dir: Path, name: str) -> None:
    vault = Vault(data_dir / "vaults" / name)
    files = [file for file in vault.list() if file.size < 20_000]
    edits = 0
    for file in files[:: max(len(files) // 40, 1)]:
        document = parse(vault.read(file.key))
        for section in document.sections[::3]:
            for operation in OPERATIONS:
                if not section.level and operation in ("rename", "insert_child"):
                    continue
                edit = SectionEdit(
                    section=SectionRef(file=file.key, line=section.line),
                    expected_hash=section.content_hash,
                    operation=operation,
                    body="" if operation in ("rename", "delete") else NEW,
                    heading="New *one*"
                    if operation in ("rename", "insert_before", "insert_after", "insert_child")
                    else None,
                    dry_run=True,
                )
                outcome = edit_section(vault, edit)
                assert outcome.diff
                edits += 1
    assert edits > 100


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize("name", ["rust-book", "k8s-en", "obsidian-hub", "oi-wiki-zh"])
def test_a_stale_hash_writes_nothing_into_any_note(data_dir: Path, tmp_path: Path, name: str) -> None:
    root = tmp_path / name
    shutil.copytree(data_dir / "vaults" / name, root)
    vault = Vault(root)
    refused = 0
    for file in vault.list():
        data = vault.read(file.key)
        for section in parse(data).sections[::5]:
            stale = blake3(data[section.start : section.end] + b"as it was").hexdigest()
            for strict in (False, True):
                if strict and not section.level:
                    continue
                edit = SectionEdit(
                    section=SectionRef(file=file.key, line=section.line),
                    expected_hash=stale,
                    body="New text.",
                    strict=strict,
                )
                with pytest.raises(ConflictError):
                    edit_section(vault, edit)
                refused += 1
        assert vault.read(file.key) == data
        assert vault.stat(file.key) == file
    assert refused > 100
    assert not list(root.rglob("*.kb-tmp"))
