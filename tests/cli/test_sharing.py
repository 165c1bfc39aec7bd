"""The command line beside a process that owns the index: the same output, or a word about why not."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator

import pytest

from jupyter_kb.models import SearchRequest
from jupyter_kb.rest.loopback import LoopbackServer
from jupyter_kb.settings import Settings
from jupyter_kb.sharing import SharedKnowledgeBase
from tests.cli.sessions import Vault, environment

COMMANDS = [
    ["status"],
    ["status", "--json"],
    ["diagnostics"],
    ["search", "wind"],
    ["search", "wind", "--mode", "semantic", "--json", "--explain"],
    ["search", "nothing-of-this-name"],
    ["search", "--like", "kite#Landing", "-n", "1"],
    ["search", "--tag", "toy"],
    ["search", "wind", "--where", "colour=red"],
    ["grep", "line"],
    ["grep", "(", "-E"],
    ["outline"],
    ["outline", "kite", "--hashes"],
    ["outline", "docs"],
    ["outline", "kit"],
    ["get", "kite.md", "Landing"],
    ["get", "kite.md", "Landing", "--json"],
    ["get", "kite.md", "Lunch"],
    ["links", "kite.md", "--direction", "both"],
    ["backlinks", "kite", "Landing", "--json"],
    ["edit", "kite.md", "Landing", "--body", "x", "--expected-hash", "0" * 12],
    ["edit", "kite.md", "Landing", "--operation", "rename", "--heading", "Touchdown", "--dry-run"],
]
SETTINGS = Settings(model="hashing:64")
_VARYING = re.compile(r"\d{4}-\d\d-\d\dT? ?\d\d:\d\d:\d\d(\+00:00)?|[\d.]+ [kM]B|\"(index|vector)_bytes\": \d+")


@pytest.fixture
def indexed(kites: Vault) -> Vault:
    """A vault with its index and vectors on disk, owned by nobody."""
    with _owner(kites) as owner:
        owner.scan()
        owner.embed()
    return kites


@pytest.fixture
def owner(indexed: Vault) -> Iterator[SharedKnowledgeBase]:
    with _owner(indexed) as owner:
        owner.scan()
        yield owner


def _owner(vault: Vault) -> SharedKnowledgeBase:
    return SharedKnowledgeBase(vault.root, settings=SETTINGS, index_dir=vault.index_dir, publish=LoopbackServer)


def _asked(vault: Vault) -> list[tuple[int, str]]:
    answers = []
    for words in COMMANDS:
        if "rename" in words:
            words = [*words, "--expected-hash", vault.hash("kite.md", "Landing")]
        result = vault.run(*words)
        answers.append((result.exit_code, _VARYING.sub("…", result.output)))
    return answers


def test_every_command_prints_the_same_whoever_owns_the_index(indexed: Vault) -> None:
    alone = _asked(indexed)
    with _owner(indexed) as owner:
        assert owner.standing == "owner"
        asking = _asked(indexed)

    for words, here, there in zip(COMMANDS, alone, asking, strict=True):
        assert there == here, words
    assert any("Steady wind" in output for _, output in alone)


def test_an_edit_is_in_the_owners_index_at_once(indexed: Vault, owner: SharedKnowledgeBase) -> None:
    expected = indexed.hash("kite.md", "Flight > Landing")
    result = indexed.run("edit", "kite.md", "Landing", "--body", "Walk up to it.", "--expected-hash", expected)
    hits = owner.search(SearchRequest(query="walk", mode="text"), fresh=False).hits

    assert result.exit_code == 0
    assert [hit.heading_path for hit in hits] == ["Flight > Landing"]


def test_index_asks_the_owner(indexed: Vault, owner: SharedKnowledgeBase) -> None:
    indexed.write({"new.md": "# New\n"})
    first = json.loads(indexed.run("index", str(indexed.root), "--json").stdout)
    again = json.loads(indexed.run("index", str(indexed.root), "--json").stdout)

    assert (first["added"], first["changed"], first["unchanged"]) == (1, 0, 2)
    assert (again["added"], again["unchanged"]) == (0, 3)
    assert first["status"]["index_location"] == owner.status().index_location


def test_embed_asks_the_owner(indexed: Vault, owner: SharedKnowledgeBase) -> None:
    indexed.write({"new.md": "# New\n\nThermals.\n"})
    done = json.loads(indexed.run("embed", "--json").stdout)

    assert (done["embedded"], done["pending"]) == (1, 0)
    model = owner.status().model
    assert model is not None
    assert model.embedded == model.chunks


@pytest.mark.parametrize(
    "words",
    [["index", "VAULT", "--language", "german"], ["embed", "--model", "hashing:32"], ["index", "VAULT", "--rebuild"]],
)
def test_options_that_the_owner_does_not_have_are_refused_and_not_remembered(
    indexed: Vault, owner: SharedKnowledgeBase, words: list[str]
) -> None:
    before = owner.location.settings()
    result = indexed.run(*(str(indexed.root) if word == "VAULT" else word for word in words))

    assert result.exit_code == 5
    assert "another process" in result.output
    assert owner.location.settings() == before


def test_reading_needs_no_database_where_somebody_owns_the_index(indexed: Vault, owner: SharedKnowledgeBase) -> None:
    program = (
        "import sys; from jupyter_kb.cli.program import program; "
        "program.main(sys.argv[1:], standalone_mode=False); "
        "print(*{'duckdb', 'numpy', 'torch'} & set(sys.modules), file=sys.stderr)"
    )
    for words in (["search", "wind"], ["status"], ["get", "kite.md"], ["links", "kite.md"]):
        done = subprocess.run(
            [sys.executable, "-c", program, *words, "--index-dir", str(indexed.index_dir)],
            cwd=indexed.root,
            env={**environment(), "JUPYTER_DATA_DIR": os.environ["JUPYTER_DATA_DIR"]},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout
        assert done.stderr.splitlines()[-1].split() == [], (words, done.stderr)
