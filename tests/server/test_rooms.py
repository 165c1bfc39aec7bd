"""Edits of notes that are open in JupyterLab with jupyter-collaboration: no typing, no edit and no line end is lost."""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.server.agents import agent
from tests.server.jupyter import Jupyter

pytest.importorskip("jupyter_server_ydoc", reason="jupyter-collaboration is not installed")

from tests.server.collaboration import EXTENSIONS, Editor, Typist, eventually

pytestmark = pytest.mark.slow

NOTE = "# Top\n\n## Edited\n\nold\n\n## Typed\n\n<here>\n\n## Other\n\nrest\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Jupyter]:
    """A server with collaboration on; the vault is a folder below its root."""
    home = tmp_path_factory.mktemp("rooms")
    (home / "root" / "vault").mkdir(parents=True)
    with started(home) as server:
        server.indexed("vault")
        yield server


def started(home: Path, **options: Any) -> Jupyter:
    (home / "data").mkdir(exist_ok=True)  # where Jupyter keeps what the ids of files stand for; it does not make it
    config = {"JupyterKB": {"vaults": {"vault": "vault"}}, "YDocExtension": {"document_save_delay": 3}, **options}
    return Jupyter(home, home / "root", config, extensions=EXTENSIONS)


class Note:
    """A note of the vault, and what a program does with it over the REST API."""

    def __init__(self, server: Jupyter, name: str, text: str | bytes = NOTE) -> None:
        self.server, self.name = server, name
        self.file = server.root / "vault" / name
        self.file.write_bytes(text.encode() if isinstance(text, str) else text)

    def open(self) -> Editor:
        return Editor(self.server, f"vault/{self.name}")

    def hash(self, heading: str = "Top > Edited") -> str:
        found = self.server.api("vaults/vault/section", params={"file": self.name, "heading_path": heading})
        return str(found["content_hash"])

    def edit(
        self, body: str, expected: str, *, heading: str = "Top > Edited", operation: str = "replace", dry: bool = False
    ) -> Any:
        section = {"file": self.name, "heading_path": heading}
        edit = {"section": section, "operation": operation, "body": body, "dry_run": dry}
        headers = {"If-Match": f'"{expected}"'}
        headers["Content-Type"] = "application/json"
        return self.server.ask("PATCH", "api/vaults/vault/section", content=json.dumps(edit), headers=headers)

    @property
    def text(self) -> str:
        return self.file.read_bytes().decode()


@pytest.fixture
def name(request: pytest.FixtureRequest) -> str:
    return f"{request.node.name}.md"


def test_an_edit_of_an_open_note_is_in_room_file_and_index_when_it_returns(server: Jupyter, name: str) -> None:
    note = Note(server, name)
    with note.open() as editor:
        answer = note.edit("zebrafish", note.hash())

        assert answer.status_code == 200, answer.text
        assert note.text == NOTE.replace("old", "zebrafish")
        found = server.api("vaults/vault/search", params={"q": "zebrafish", "fresh": False})
        assert [hit["file"] for hit in found["hits"]] == [name]
        editor.until(lambda text: text == note.text)
    assert "Out-of-band" not in server.log


def test_an_agent_edits_in_the_room_too(server: Jupyter, name: str) -> None:
    note = Note(server, name)
    with note.open() as editor, agent(server) as client:
        editor.type("typed ", before="<here>")
        client.call("edit_section", **mcp_edit(note))

        editor.until(lambda text: "by an agent" in text and "typed <here>" in text)
        assert note.text == editor.text
    assert "Out-of-band" not in server.log


def test_typing_goes_on_during_200_edits_and_nothing_is_lost(server: Jupyter, name: str) -> None:
    note = Note(server, name)
    with note.open() as editor:
        typist = Typist(editor, before="<here>")
        expected = note.hash()
        for number in range(200):
            answer = note.edit(f"- line {number}", expected, operation="append")
            assert answer.status_code == 200, answer.text
            expected = answer.json()["content_hash"]
        typed = typist.stop()

        assert len(typed) > 50
        wanted = NOTE.replace("old\n", "old\n" + "".join(f"- line {number}\n" for number in range(200)))
        wanted = wanted.replace("<here>", typed + "<here>")
        eventually(lambda: note.text == editor.text, lambda: (note.text, editor.text))
        assert without_blank_lines(note.text) == without_blank_lines(wanted)
    assert "Out-of-band" not in server.log


def test_what_was_typed_in_the_section_since_it_was_read_refuses_the_edit(server: Jupyter, name: str) -> None:
    note = Note(server, name)
    with note.open() as editor:
        read = note.hash()
        editor.type("very ", before="old")
        editor.arrive()
        refused = note.edit("new", read)

        assert refused.status_code == 412, refused.text
        assert note.text == NOTE  # not saved yet
        details = refused.json()["details"]
        assert "very old" in details["current_content"]
        editor.type("so ", before="very")
        editor.arrive()
        again = note.edit("new", details["current_hash"])
        assert again.status_code == 412
        assert "so very old" in again.json()["details"]["current_content"]
        assert "so very old" in editor.text
        done = note.edit("new", again.json()["details"]["current_hash"])
        assert done.status_code == 200, done.text
        editor.until(lambda text: text == NOTE.replace("old", "new"))
        assert note.text == editor.text


def test_what_was_typed_elsewhere_is_saved_with_the_edit(server: Jupyter, name: str) -> None:
    note = Note(server, name)
    with note.open() as editor:
        editor.type("unsaved ", before="<here>")
        editor.arrive()
        answer = note.edit("new", note.hash())

        assert answer.status_code == 200, answer.text
        assert note.text == NOTE.replace("old", "new").replace("<here>", "unsaved <here>")
        editor.until(lambda text: text == note.text)


def test_a_dry_run_sees_the_typing_and_changes_nothing(server: Jupyter, name: str) -> None:
    note = Note(server, name)
    with note.open() as editor:
        read = note.hash()
        editor.type("very ", before="old")
        editor.arrive()
        refused = note.edit("new", read, dry=True)

        assert "very old" in refused.json()["details"]["current_content"]
        assert editor.text == NOTE.replace("old", "very old")
        assert note.text == NOTE
        eventually(lambda: note.text == editor.text, lambda: note.text)


def test_only_what_differs_is_changed_in_the_document(server: Jupyter, name: str) -> None:
    note = Note(server, name, NOTE.replace("old", "one\n\ntwo 😀 é\n\nthree"))
    with note.open() as editor:
        mark = editor.source.sticky_index(editor.text.encode().index(b"two"))  # where a cursor stands
        answer = note.edit("ONE\n\ntwo 😀 ê\n\nTHREE", note.hash())

        assert answer.status_code == 200, answer.text
        text = editor.until(lambda text: "THREE" in text)
        assert text == note.text
        with editor.doc.transaction() as transaction:
            assert text.encode()[mark.get_index(transaction) :].startswith(b"two")


def test_two_edits_at_once_and_typing_all_survive(server: Jupyter, name: str) -> None:
    note = Note(server, name)

    def lines(heading: str) -> None:
        for number in range(25):
            for _ in range(100):
                answer = note.edit(
                    f"- {heading[-5:]} {number}", note.hash(heading), heading=heading, operation="append"
                )
                if answer.status_code == 200:
                    break
                assert answer.status_code == 412, answer.text

    with note.open() as editor:
        typist = Typist(editor, before="<here>")
        headings = ("Top > Edited", "Top > Other")
        writers = [threading.Thread(target=lines, args=(heading,)) for heading in headings]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
        typed = typist.stop()
        eventually(lambda: note.text == editor.text and f"{typed}<here>" in note.text, lambda: note.text)
        for heading in headings:
            assert [line for line in note.text.split("\n") if line.startswith(f"- {heading[-5:]}")] == [
                f"- {heading[-5:]} {number}" for number in range(25)
            ]


def test_documents_that_are_closed_and_opened_meanwhile_lose_no_edit(tmp_path: Path, name: str) -> None:
    (tmp_path / "root" / "vault").mkdir(parents=True)
    # a room that ends while it writes leaves its SQLite store locked, so the history goes into files here
    store = "jupyter_server_ydoc.stores.TempFileYStore"
    with started(tmp_path, YDocExtension={"document_cleanup_delay": 0, "ystore_class": store}) as server:
        server.indexed("vault")
        note = Note(server, name)
        done = threading.Event()

        def open_and_close() -> None:
            while not done.is_set():
                note.open().drop()

        opener = threading.Thread(target=open_and_close)
        opener.start()
        expected = note.hash()
        for number in range(60):
            answer = note.edit(f"- line {number}", expected, operation="append")
            assert answer.status_code == 200, answer.text
            expected = answer.json()["content_hash"]
        done.set()
        opener.join()
        assert [line for line in note.text.split("\n") if line.startswith("- ")] == [f"- line {n}" for n in range(60)]
        with note.open() as editor:
            assert editor.text == note.text


def test_a_note_that_was_renamed_on_disk_is_edited_where_it_is(server: Jupyter, name: str) -> None:
    note = Note(server, name)
    with note.open() as editor:
        expected = note.hash()
        editor.type("unsaved ", before="<here>")
        moved = Note(server, f"moved-{name}")
        os.replace(note.file, moved.file)
        gone = note.edit("new", expected)
        answer = moved.edit("new", expected)

        assert gone.status_code == 404, gone.text
        assert answer.status_code == 200, answer.text
        assert "new" in moved.text
        assert not note.file.exists()
        assert editor.text == NOTE.replace("<here>", "unsaved <here>")


def test_a_note_renamed_by_jupyter_keeps_its_room(server: Jupyter, name: str) -> None:
    note = Note(server, name)
    with note.open() as editor:
        expected = note.hash()
        headers = {"Authorization": f"token {server.token}"}
        target = f"vault/moved-{name}"
        moved = server.client.patch(f"api/contents/vault/{name}", json={"path": target}, headers=headers)
        assert moved.status_code == 200, moved.text
        note.name, note.file = f"moved-{name}", note.file.with_name(f"moved-{name}")
        editor.type("unsaved ", before="<here>")
        answer = note.edit("new", expected)

        assert answer.status_code == 200, answer.text
        editor.until(lambda text: text == NOTE.replace("old", "new").replace("<here>", "unsaved <here>"))
        eventually(lambda: note.text == editor.text, lambda: note.text)


def test_links_are_updated_in_the_rooms_of_other_notes_beside_what_is_typed(server: Jupyter, name: str) -> None:
    note = Note(server, name)
    other = Note(server, f"other-{name}", f"# Other\n\n[[{name[:-3]}#Edited]]\n\n<here>\n")
    server.api("vaults/vault/search", params={"q": "old"})  # the index knows both
    with note.open(), other.open() as editor:
        editor.type("unsaved ", before="<here>")
        editor.arrive()
        section = {"file": name, "heading_path": "Top > Edited"}
        patch = {"section": section, "operation": "rename", "heading": "Renamed", "update_links": True}
        headers = {"If-Match": f'"{note.hash()}"'}
        answer = server.ask("PATCH", "api/vaults/vault/section", json=patch, headers=headers)

        assert answer.status_code == 200, answer.text
        assert [found["file"] for found in answer.json()["links_updated"]] == [other.name]
        assert other.text == f"# Other\n\n[[{name[:-3]}#Renamed]]\n\nunsaved <here>\n"
        editor.until(lambda text: text == other.text)


def test_line_ends_and_a_byte_order_mark_survive_an_edit(server: Jupyter, name: str) -> None:
    windows = "\ufeff" + NOTE.replace("\n", "\r\n")
    note = Note(server, name, windows)
    with note.open() as editor:
        answer = note.edit("new\n\nnewer", note.hash())

        assert answer.status_code == 200, answer.text
        assert note.text == windows.replace("old", "new\r\n\r\nnewer")
        editor.until(lambda text: text == note.text.replace("\r\n", "\n"))
        editor.type("one\ntwo ", before="<here>")
        editor.arrive()
        again = note.edit("newest", answer.json()["content_hash"])
        assert again.status_code == 200, again.text
        wanted = windows.replace("old", "newest").replace("<here>", "one\r\ntwo <here>")
        assert note.text == wanted


def test_bytes_that_a_document_cannot_hold_are_refused(server: Jupyter, name: str) -> None:
    note = Note(server, name)
    with note.open() as editor:
        expected = note.hash()
        body = note.edit("\udcff", expected)
        assert body.status_code == 422, body.text
        assert note.text == editor.text == NOTE

        note.file.write_bytes(NOTE.encode() + b"\xff\n")
        file = note.edit("new", expected)
        assert file.status_code == 507, file.text
        assert "UTF-8" in file.json()["message"]
        assert note.file.read_bytes() == NOTE.encode() + b"\xff\n"


def test_what_another_program_wrote_is_not_overwritten(server: Jupyter, name: str) -> None:
    note = Note(server, name)
    with note.open() as editor:
        expected = note.hash()
        note.file.write_text(NOTE.replace("rest", "from outside"))
        answer = note.edit("new", expected)

        assert answer.status_code == 200, answer.text
        assert note.text == NOTE.replace("rest", "from outside").replace("old", "new")
        editor.until(lambda text: text == note.text)

        note.file.write_text(note.text.replace("new", "theirs"))
        stale = note.edit("mine", answer.json()["content_hash"])
        assert stale.status_code == 412
        assert "theirs" in stale.json()["details"]["current_content"]


def test_a_server_that_is_killed_loses_no_edit_that_was_answered_and_no_typing_before_it(
    tmp_path: Path, name: str
) -> None:
    (tmp_path / "root" / "vault").mkdir(parents=True)
    server = started(tmp_path).start()
    server.indexed("vault")
    note = Note(server, name)
    editor = note.open()
    typist = Typist(editor, before="<here>")
    done: list[str] = []
    killed = threading.Timer(1.5, lambda: server.process.send_signal(signal.SIGKILL))
    killed.start()
    expected, seen = note.hash(), ""
    while True:
        try:
            answer = note.edit(f"- line {len(done)}", expected, operation="append")
        except httpx2.TransportError:
            break
        assert answer.status_code == 200, answer.text
        expected, seen = answer.json()["content_hash"], note.text
        done.append(f"- line {len(done)}")
    typed = typist.stop()
    editor.drop()
    server.__exit__()

    text = note.text
    lines = [line for line in text.split("\n") if line.startswith("- ")]
    assert lines[: len(done)] == done
    assert len(done) > 5
    before = text.partition("## Typed\n\n")[2].partition("<here>")[0]
    assert typed.startswith(before)
    assert len(before) >= len(seen.partition("## Typed\n\n")[2].partition("<here>")[0]) > 0


def without_blank_lines(text: str) -> list[str]:
    return [line for line in text.split("\n") if line]


def mcp_edit(note: Note) -> dict[str, Any]:
    return {
        "file": note.name,
        "heading_path": "Top > Edited",
        "expected_hash": note.hash(),
        "body": "by an agent",
    }
