"""The client: a server's vaults, its errors as they were raised there, and answers of servers that have none."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from jupyter_kb.client import Client
from jupyter_kb.errors import (
    ConflictError,
    ForbiddenError,
    HashRequiredError,
    InvalidRequestError,
    KBError,
    NoteNotFoundError,
    ServerNotFoundError,
    UnauthorizedError,
    VaultNotFoundError,
)
from jupyter_kb.kb import KnowledgeBase
from jupyter_kb.models import SectionEdit, SectionRef, VaultInfo
from jupyter_kb.operations import Operations
from jupyter_kb.rest.loopback import LoopbackServer
from tests.client.serving import Handler, serving

SECRET = "the secret"


class Vaults:
    """Two vaults, none of them the default one unless a test says so."""

    def __init__(self, opened: dict[str, KnowledgeBase]) -> None:
        self.opened = opened
        self.default: str | None = None

    def list(self) -> tuple[VaultInfo, ...]:
        return tuple(
            VaultInfo(name=name, root=str(kb.vault.root), is_default=name == self.default, ready=True)
            for name, kb in self.opened.items()
        )

    def get(self, name: str) -> Operations:
        if name not in self.opened:
            raise VaultNotFoundError(f"there is no vault '{name}'", suggestions=list(self.opened))
        return self.opened[name]


@pytest.fixture
def vaults(tmp_path: Path) -> Iterator[Vaults]:
    opened = {}
    for name in ("lab notes", "注"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.md").write_text(f"# A\n\nof {name}\n")
        opened[name] = KnowledgeBase.open(tmp_path / name, in_memory=True)
    yield Vaults(opened)
    for kb in opened.values():
        kb.close()


@pytest.fixture
def client(vaults: Vaults) -> Iterator[Client]:
    with LoopbackServer(vaults, SECRET) as server, Client(server.url, SECRET) as client:
        yield client


def test_each_vault_answers_under_its_name(client: Client) -> None:
    assert [vault.name for vault in client.vaults()] == ["lab notes", "注"]
    for name in ("lab notes", "注"):
        assert client.vault(name).get_section(SectionRef(file="a.md")).content == f"# A\n\nof {name}\n"


def test_without_a_name_the_default_vault_is_meant(client: Client, vaults: Vaults) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        client.vault()
    vaults.default = "注"

    assert caught.value.details["candidates"] == ["lab notes", "注"]
    assert client.vault().status().vault == "注"


def test_an_error_is_the_one_that_was_raised_there(client: Client, vaults: Vaults) -> None:
    with pytest.raises(NoteNotFoundError) as theirs:
        client.vault("注").outline("b.md")
    with pytest.raises(NoteNotFoundError) as ours:
        vaults.opened["注"].outline("b.md")
    with pytest.raises(VaultNotFoundError) as unknown:
        client.vault("lab").status()

    assert theirs.value.payload() == ours.value.payload()
    assert unknown.value.details["suggestions"] == ["lab notes", "注"]


def test_a_conflict_carries_the_text_of_today(client: Client) -> None:
    section = SectionRef(file="a.md", heading_path="A")
    with pytest.raises(ConflictError) as caught:
        client.vault("注").edit_section(SectionEdit(section=section, expected_hash="0" * 64, body="x"))
    with pytest.raises(HashRequiredError):
        client.vault("注").edit_section(SectionEdit(section=section, expected_hash="", body="x"))
    with pytest.raises(InvalidRequestError):
        client.vault("注").edit_section(SectionEdit(section=section, expected_hash='a"\r\nX: y', body="x"))

    assert caught.value.details["current_content"] == "# A\n\nof 注"


@pytest.mark.parametrize("token", [None, "", "wrong", "the secret "])
def test_a_wrong_secret_is_refused(vaults: Vaults, token: str | None) -> None:
    with LoopbackServer(vaults, SECRET) as server, Client(server.url, token) as client:
        if token == "the secret ":  # blanks around it are none of its own
            assert client.vaults()
            return
        with pytest.raises(UnauthorizedError):
            client.vaults()


@pytest.mark.parametrize(
    ("status", "body"),
    [(404, b"<html>no such page</html>"), (404, b'{"message": "Not Found"}'), (200, b"<html>login</html>"), (302, b"")],
)
def test_a_server_without_a_knowledge_base_is_told_from_one_that_has(status: int, body: bytes) -> None:
    with (
        serving(lambda handler: handler.send(body, status, "text/html")) as server,
        Client(server.url, "t") as client,
        pytest.raises(ServerNotFoundError, match="offers no knowledge base"),
    ):
        client.vaults()


@pytest.mark.parametrize(("status", "body"), [(403, b'{"message": "Forbidden", "reason": null}'), (401, b"<html>")])
def test_jupyter_refusing_the_token_says_what_to_do(status: int, body: bytes) -> None:
    with (
        serving(lambda handler: handler.send(body, status)) as server,
        Client(server.url, "old") as client,
        pytest.raises(KBError, match="refused the token") as caught,
    ):
        client.vaults()

    assert "old" not in str(caught.value.payload())
    assert caught.value.status == status


def test_a_field_that_a_newer_server_added_is_passed_over() -> None:
    body = b'{"vaults": [{"name": "n", "root": "/n", "colour": "green"}], "more": 1}'
    with serving(lambda handler: handler.send(body)) as server, Client(server.url, "t") as client:
        assert [vault.name for vault in client.vaults()] == ["n"]


def test_who_may_not_write_is_told_so() -> None:
    def answer(handler: Handler) -> None:
        handler.send(b'{"message": "this user may only read", "code": "forbidden"}', 403)

    edit = SectionEdit(section=SectionRef(file="a.md", heading_path="A"), expected_hash="0" * 64)
    with (
        serving(answer) as server,
        Client(server.url, "t") as client,
        pytest.raises(ForbiddenError, match="may only read"),
    ):
        client.vault("n").edit_section(edit)
