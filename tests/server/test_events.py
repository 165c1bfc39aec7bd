"""Events: their schemas, and that they arrive where Jupyter sends them."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import websocket
from jupyter_events import EventLogger

from jupyter_kb.events import EmbeddingProgress, Event, IndexProgress, IndexUpdated, NoteChanged
from jupyter_kb.server.events import SCHEMAS, Announcer
from tests.server.jupyter import SECONDS, Jupyter

PREFIX = "https://events.jupyter.org/jupyter_kb/"


def emitted(*events: Event) -> list[dict[str, Any]]:
    """What a listener hears of events that are told from another thread."""
    heard: list[dict[str, Any]] = []

    async def listen(logger: EventLogger, schema_id: str, data: dict[str, Any]) -> None:
        heard.append({"schema": schema_id, **data})

    async def main() -> None:
        logger = EventLogger()
        announcer = Announcer(logger, asyncio.get_running_loop())
        for name in SCHEMAS:
            logger.add_listener(schema_id=f"{PREFIX}{name}/v1", listener=listen)

        def tell() -> None:
            for event in events:
                announcer.tell("lab", event)

        thread = threading.Thread(target=tell)
        thread.start()
        await asyncio.to_thread(thread.join)
        for _ in range(3):  # emitting makes a task, which runs in the next round
            await asyncio.sleep(0)

    asyncio.run(main())
    return [{key: value for key, value in data.items() if not key.startswith("__")} for data in heard]


def test_each_event_says_which_vault_and_what() -> None:
    edit = NoteChanged(file="a.md", operation="append", actor="anna", version="0" * 40)

    progress, updated, changed = emitted(
        IndexProgress(done=1, total=1), IndexUpdated(added=("a.md",), changed=(), removed=("b.md",)), edit
    )

    assert progress == {"schema": f"{PREFIX}index_progress/v1", "vault": "lab", "done": 1, "total": 1}
    assert (updated["added"], updated["counts"]) == (["a.md"], {"added": 1, "changed": 0, "removed": 1})
    assert changed["actor"] == "anna"


def test_progress_of_embedding_tells_the_time_left_where_it_is_known() -> None:
    told = emitted(
        EmbeddingProgress(embedded=3, total=9, seconds_left=12.345), EmbeddingProgress(embedded=9, total=9, paused=True)
    )

    schema = f"{PREFIX}embedding_progress/v1"
    assert told == [
        {"schema": schema, "vault": "lab", "embedded": 3, "total": 9, "seconds_left": 12.3, "paused": False},
        {"schema": schema, "vault": "lab", "embedded": 9, "total": 9, "seconds_left": None, "paused": True},
    ]


def test_of_many_notes_the_first_are_named_and_all_are_counted() -> None:
    (told,) = emitted(IndexUpdated(added=tuple(f"{n}.md" for n in range(5000)), changed=(), removed=()))

    assert len(told["added"]) == 100
    assert told["counts"]["added"] == 5000


def test_of_quick_progress_the_first_and_the_last_are_told() -> None:
    told = emitted(*(IndexProgress(done=done, total=1000) for done in range(1001)))

    assert (told[0]["done"], told[-1]["done"]) == (0, 1000)
    assert len(told) < 100


def test_a_name_that_is_no_text_is_told_all_the_same() -> None:
    (told,) = emitted(IndexUpdated(added=("caf\udce9.md",), changed=(), removed=()))

    assert told["added"] == ["caf\ufffd.md"]


def next_event(connection: websocket.WebSocket, name: str) -> dict[str, Any]:
    """The next event of this schema, others passed over."""
    event: dict[str, Any] = {}
    while event.get("schema_id") != f"{PREFIX}{name}/v1":
        event = json.loads(connection.recv())
    return event


@pytest.fixture
def heard(jupyter: Jupyter) -> Iterator[websocket.WebSocket]:
    """A connection on which events arrive."""
    connection = websocket.create_connection(
        f"ws://127.0.0.1:{jupyter.port}{jupyter.base}api/events/subscribe",
        header={"Authorization": f"token {jupyter.token}"},
        timeout=SECONDS,
    )
    yield connection
    connection.close()


def test_an_edit_is_told_to_whoever_listens(jupyter: Jupyter, heard: websocket.WebSocket) -> None:
    jupyter.indexed("spare")
    (jupyter.root / "spare" / "told.md").write_text("# Told\n")
    shown = jupyter.ask("GET", "api/vaults/spare/section?file=told.md&heading_path=Told")
    body = {"section": {"file": "told.md", "heading_path": "Told"}, "operation": "append", "body": "More.\n"}

    done = jupyter.ask("PATCH", "api/vaults/spare/section", json=body, headers={"If-Match": shown.headers["ETag"]})

    assert done.status_code == 200, done.text
    event = next_event(heard, "note_changed")
    assert (event["vault"], event["file"], event["operation"]) == ("spare", "told.md", "append")
    assert event["actor"] == "token"


def test_a_browser_that_logged_in_hears_of_embedding(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    config = {"JupyterKB": {"model": "hashing:64"}}  # and Jupyter's own authorizer
    with Jupyter(tmp_path, tmp_path / "notes", config, base_url="/user/anna/") as server:
        server.indexed("notes")
        page = server.client.get("tree", params={"token": server.token}, follow_redirects=True)
        assert page.status_code in (200, 404)  # whatever page there is: what counts is its cookie
        cookies = "; ".join(f"{name}={value}" for name, value in server.client.cookies.items())
        connection = websocket.create_connection(
            f"ws://127.0.0.1:{server.port}{server.base}api/events/subscribe",
            header={"Cookie": cookies},
            origin=f"http://127.0.0.1:{server.port}",
            timeout=SECONDS,
        )
        try:
            assert server.ask("POST", "api/vaults/notes/embedding", json={"paused": True}).json()["model"]["paused"]
            assert next_event(connection, "embedding_progress")["paused"]
            (server.root / "told.md").write_text("# Told\n\nOf wind.\n")
            server.ask("POST", "api/vaults/notes/reindex")
            server.ask("POST", "api/vaults/notes/embedding", json={"paused": False})
            event = next_event(connection, "embedding_progress")
            while event["embedded"] < event["total"] or not event["total"]:
                event = next_event(connection, "embedding_progress")
        finally:
            connection.close()

    assert (event["vault"], event["embedded"], event["paused"], event["seconds_left"]) == ("notes", 1, False, None)
