"""What the server does around every tool: sizes, defects, a call during the end."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from jupyter_kb.kb import KnowledgeBase
from jupyter_kb.mcp.call import Call
from jupyter_kb.mcp.results import LARGEST
from jupyter_kb.mcp.server import build_server
from jupyter_kb.mcp.session import Session
from jupyter_kb.mcp.tools import Payload, Toolset, tool
from jupyter_kb.mcp.toolsets.vault.errors import failure
from tests.mcp.driving import Agent, connected


@tool("So many letters.", output={"type": "object"})
def letters(call: Call, *, number: int) -> Payload:
    return {"letters": "é" * number}


@tool("As many, after writing something.", output={"type": "object"}, writes=True)
def write_letters(call: Call, *, number: int) -> Payload:
    return {"letters": "x" * number}


@tool("A defect.", output={"type": "object"})
def defect(call: Call) -> Payload:
    raise ZeroDivisionError("by nothing")


TOOLS = Toolset(name="test", instructions="For tests.", tools=(letters, write_letters, defect), failure=failure)


@contextmanager
def served(root: Path) -> Iterator[tuple[Agent, Session]]:
    with KnowledgeBase.open(root, in_memory=True) as vault:
        session = Session.over(vault)
        with connected(build_server(TOOLS, session)) as client:
            yield client, session
        session.close()


def test_an_answer_that_no_client_would_take_is_refused_with_advice(tmp_path: Path) -> None:
    with served(tmp_path) as (client, _):
        fits = client.call("letters", number=LARGEST // 6 - 10)
        refusal = client.refused("letters", number=LARGEST // 6)

    assert len(fits["letters"]) == LARGEST // 6 - 10
    assert refusal["code"] == "answer-too-large"
    assert "smaller" in refusal["hint"]


def test_what_has_been_written_is_never_called_a_failure_for_the_size_of_its_answer(tmp_path: Path) -> None:
    with served(tmp_path) as (client, _):
        assert client.call("write_letters", number=LARGEST)


def test_a_defect_is_told_to_the_agent_and_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with served(tmp_path) as (client, _):
        refusal = client.refused("defect")

    assert refusal == {"message": "internal error in defect: ZeroDivisionError: by nothing"}
    assert [record.message for record in caplog.records if record.levelno == logging.ERROR] == ["defect failed"]


def test_calls_that_come_while_the_server_stops_are_refused(tmp_path: Path) -> None:
    with served(tmp_path) as (client, session):
        session.close()
        read = client.refused("letters", number=1)
        write = client.refused("write_letters", number=1)

    assert read["message"] == "the server is stopping"
    assert write["message"] == "the server is stopping: read what you wanted to change before you try again"
