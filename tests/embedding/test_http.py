"""Embeddings from a server: what is asked, what is made of answers good and bad, and that the key stays secret."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jupyter_kb.embedding import http as module
from jupyter_kb.embedding.base import Embedder, Kind, PartlyFailedError
from jupyter_kb.embedding.http import HttpEmbedder
from jupyter_kb.errors import ModelBusyError, ModelError, ModelFailedError
from jupyter_kb.settings import Settings

Answer = tuple[int, Any]


def vector(text: str) -> list[float]:
    return [float(len(text)), float(sum(text.encode()) % 97), 1.0]


def good(texts: list[str]) -> Answer:
    """As OpenAI answers, but in another order than asked."""
    data = [{"object": "embedding", "index": place, "embedding": vector(text)} for place, text in enumerate(texts)]
    return 200, {"object": "list", "data": data[::-1]}


@dataclass
class Server:
    """`answers` are given in turn, the last one for ever; each gets the texts."""

    answers: list[Callable[[list[str]], Answer]] = field(default_factory=lambda: [good])
    headers: dict[str, str] = field(default_factory=dict)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)
    settings: Settings = field(default_factory=Settings)

    def embedder(self, **changes: Any) -> HttpEmbedder:
        return HttpEmbedder(replace(self.settings, **changes))


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setattr(module, "PAUSES", (0.01, 0.01, 0.01))
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")  # which does not know the way
    state = Server()
    state.released.set()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            state.bodies.append(body)
            state.keys.append(self.headers["Authorization"])
            answer = state.answers.pop(0) if len(state.answers) > 1 else state.answers[0]
            status, content = answer(body["input"]) if self.path == "/v1/embeddings" else (404, "no such page")
            state.released.wait(20)
            data = content if isinstance(content, bytes) else json.dumps(content).encode()
            try:
                self.send_response(status)
                for name, value in {"Content-Length": str(len(data)), **state.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)
            except OSError:  # whoever asked has gone
                self.close_connection = True

        def log_message(self, format: str, *args: Any) -> None:
            pass

    served = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=served.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    state.settings = Settings(model="some-model", embedding_url=f"http://127.0.0.1:{served.server_port}/v1/")
    yield state
    state.released.set()
    served.shutdown()
    served.server_close()
    thread.join()


@pytest.fixture
def embedder(server: Server) -> Iterator[HttpEmbedder]:
    made = server.embedder()
    yield made
    made.close()


def unit(texts: list[str]) -> Any:
    rows = np.array([vector(text) for text in texts], np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def always(status: int, content: Any = "no") -> Callable[[list[str]], Answer]:
    return lambda _: (status, content)


def test_texts_go_in_batches_and_rows_come_in_their_order(server: Server, embedder: HttpEmbedder) -> None:
    checked: Embedder = embedder
    texts = [f"{'x' * (number * 700 % 3_000)} {number}" for number in range(150)]

    rows = checked.embed(texts, "passage")

    assert rows.dtype == np.float32
    assert np.allclose(rows, unit(texts))
    assert [text for body in server.bodies for text in body["input"]] == texts
    assert max(len(body["input"]) for body in server.bodies) <= 64
    assert {body["model"] for body in server.bodies} == {"some-model"}
    assert set(server.keys) == {None}
    assert checked.info is not None
    assert checked.info.dimensions == 3
    assert checked.embed([], "passage").shape == (0, 3)


def test_prefixes_are_ours_to_add(server: Server) -> None:
    server.embedder(model="intfloat/e5-small").embed(["one"], "query")
    server.embedder(query_prefix="Q: ", passage_prefix="D: ").embed(["half \udcff"], "passage")

    assert [body["input"] for body in server.bodies] == [["query: one"], ["D: half ?"]]


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_server_that_is_busy_is_asked_again(server: Server, embedder: HttpEmbedder, status: int) -> None:
    server.answers = [always(status), always(status), good]

    assert np.allclose(embedder.embed(["one"], "passage"), unit(["one"]))
    assert len(server.bodies) == 3


def test_it_is_not_asked_for_ever(server: Server, embedder: HttpEmbedder) -> None:
    server.answers = [always(500, {"error": {"message": "out of cheese"}})]

    with pytest.raises(ModelFailedError, match="answered 500: out of cheese"):
        embedder.embed(["one"], "passage")
    assert len(server.bodies) == 4


def test_the_server_may_say_how_long_to_wait(
    server: Server, embedder: HttpEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PAUSES", (60.0,))
    server.answers, server.headers = [always(429), good], {"Retry-After": "0"}
    assert len(embedder.embed(["one"], "passage", timeout=20)) == 1

    server.answers, server.headers = [always(429), good], {"Retry-After": "3600"}
    begin = time.monotonic()
    with pytest.raises(ModelBusyError):
        embedder.embed(["one"], "passage", timeout=5)
    assert time.monotonic() - begin < 2, "it is not waited for what comes too late"


def test_a_server_that_is_not_there_is_told(embedder: HttpEmbedder) -> None:
    gone = HttpEmbedder(Settings(model="m", embedding_url="http://127.0.0.1:9/v1"))

    with pytest.raises(ModelFailedError, match="cannot be reached") as caught:
        gone.embed(["one"], "query", timeout=20)
    assert "embedding_url" in str(caught.value.hint)
    with pytest.raises(ModelFailedError):
        HttpEmbedder(Settings(model="m", embedding_url="nonsense")).embed(["one"], "query")


def test_who_does_not_want_to_wait_is_let_go(server: Server, embedder: HttpEmbedder) -> None:
    server.released.clear()
    begin = time.monotonic()

    with pytest.raises(ModelBusyError, match="did not answer in time"):
        embedder.embed(["one"], "query", timeout=0.1)
    assert time.monotonic() - begin < 2


@pytest.mark.parametrize("kind", ["query", "passage"])
def test_a_server_that_says_nothing_is_waited_for_once(
    server: Server, embedder: HttpEmbedder, kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(module.SECONDS, kind, 0.3)
    server.released.clear()
    begin = time.monotonic()

    with pytest.raises(ModelFailedError, match="no answer in time"):
        embedder.embed(["one"], kind)
    assert time.monotonic() - begin < 2
    assert len(server.bodies) == 1


def test_an_answer_without_end_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(module.SECONDS, "passage", 0.5)
    over = threading.Event()

    class Dripping(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.send_response(200)
            self.end_headers()
            with suppress(OSError):
                while not over.wait(0.02):
                    self.wfile.write(b" ")

        def log_message(self, format: str, *args: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Dripping) as served:
        thread = threading.Thread(target=served.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        asked = HttpEmbedder(Settings(model="m", embedding_url=f"http://127.0.0.1:{served.server_port}/v1"))
        begin = time.monotonic()
        with pytest.raises(ModelFailedError, match="no answer in time"):
            asked.embed(["one"], "passage")
        assert time.monotonic() - begin < 3
        asked.close()
        over.set()
        served.shutdown()
        thread.join()


@pytest.mark.parametrize(
    ("status", "hint"), [(401, "api_key_env"), (403, "api_key_file"), (404, "embedding_url"), (301, "log")]
)
def test_a_refusal_says_what_to_look_at(server: Server, embedder: HttpEmbedder, status: int, hint: str) -> None:
    server.answers = [always(status)]

    with pytest.raises(ModelFailedError, match=str(status)) as caught:
        embedder.embed(["one"], "query")
    assert hint in str(caught.value.hint)
    assert len(server.bodies) == 1


@pytest.mark.parametrize(
    "content",
    [
        b"<html>welcome</html>",
        [],
        {"data": []},
        {"data": [{"index": 0, "embedding": vector("a")}]},
        {"data": [{"index": 0, "embedding": [1.0, 2.0]}, {"index": 1, "embedding": [1.0]}]},
        {"data": [{"index": 0, "embedding": [1.0, 2.0]}, {"index": 0, "embedding": [1.0, 3.0]}]},
        {"data": [{"index": 0, "embedding": [1.0, None]}, {"index": 1, "embedding": [1.0, 3.0]}]},
        b'{"data": [{"index": 0, "embedding": [1.0, NaN]}, {"index": 1, "embedding": [1.0, 2.0]}]}',
        {"data": [{"index": 0, "embedding": [0.0, 0.0]}, {"index": 1, "embedding": [1.0, 2.0]}]},
        {"data": [{"index": 0, "embedding": "AACAPw=="}, {"index": 1, "embedding": "AACAPw=="}]},
    ],
)
def test_an_answer_that_is_no_vectors_is_refused(server: Server, embedder: HttpEmbedder, content: Any) -> None:
    server.answers = [always(200, content)]

    with pytest.raises(ModelFailedError, match="gave"):
        embedder.embed(["one", "two"], "passage")


def test_vectors_may_not_change_their_length(server: Server, embedder: HttpEmbedder) -> None:
    embedder.embed(["one"], "passage")
    server.answers = [always(200, {"data": [{"index": 0, "embedding": [1.0, 2.0]}]})]

    with pytest.raises(ModelFailedError, match="before they had 3"):
        embedder.embed(["two"], "passage")


def test_a_text_that_the_server_cannot_take_does_not_stop_the_others(server: Server, embedder: HttpEmbedder) -> None:
    server.answers = [
        lambda texts: (
            (400, {"error": {"message": "too long"}}) if any("long" in text for text in texts) else good(texts)
        )
    ]
    texts = ["one", "two", "very long", "four", "five"]

    with pytest.raises(PartlyFailedError) as caught:
        embedder.embed(texts, "passage")

    assert caught.value.details["indexes"] == [2]
    assert "too long" in caught.value.details["reasons"][0]
    assert caught.value.vectors is not None
    assert np.isnan(caught.value.vectors[2]).all()
    assert np.allclose(np.delete(caught.value.vectors, 2, axis=0), unit(["one", "two", "four", "five"]))


def test_the_key_comes_from_the_environment_or_a_file_and_is_shown_nowhere(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("SOME_KEY", "s3cret")
    (tmp_path / "key").write_text("s3cret\n", encoding="utf-8")
    for setting in ({"api_key_env": "SOME_KEY"}, {"api_key_file": str(tmp_path / "key")}):
        server.answers = [good, always(500), always(401)]
        embedder = server.embedder(**setting)
        embedder.embed(["one"], "query")
        with pytest.raises(ModelError) as caught:
            embedder.embed(["two"], "query")
        assert "s3cret" not in repr(caught.value.payload())
        embedder.close()
    assert server.keys == ["Bearer s3cret"] * 6
    assert "s3cret" not in caplog.text


def test_a_key_that_is_not_where_it_should_be_is_told(server: Server, tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    (tmp_path / "strange").write_bytes("schlüssel".encode())
    for setting, says in (
        ({"api_key_env": "NO_SUCH_VARIABLE"}, "NO_SUCH_VARIABLE"),
        ({"api_key_file": str(tmp_path / "none")}, "cannot be read"),
        ({"api_key_file": str(tmp_path / "empty")}, "no API key"),
        ({"api_key_file": str(tmp_path / "strange")}, "characters"),
    ):
        with pytest.raises(ModelFailedError, match=says):
            server.embedder(**setting).embed(["one"], "query")
    assert server.bodies == []


def test_the_key_of_vectors_follows_server_model_and_prefixes(server: Server) -> None:
    key = server.embedder().key

    assert key.startswith("some-model@")
    assert server.embedder(api_key_env="SOME_KEY").key == key
    others = {
        server.embedder(model="other").key,
        server.embedder(embedding_url="http://other/v1").key,
        server.embedder(query_prefix="q").key,
    }
    assert len(others | {key}) == 4


def test_closing_lets_go_of_those_who_wait_and_it_opens_again(
    server: Server, embedder: HttpEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PAUSES", (60.0,))
    server.answers = [always(503), good]
    failed: list[Exception] = []

    def ask() -> None:
        try:
            embedder.embed(["one"], "passage")
        except ModelFailedError as error:
            failed.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    until = time.monotonic() + 20
    while thread.is_alive() and time.monotonic() < until:
        embedder.close()
        thread.join(0.01)

    assert "closed" in str(failed[0])
    server.answers = [good]
    assert len(embedder.embed(["two"], "passage")) == 1


@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_server_that_refuses_everything_is_no_fault_of_the_texts(
    server: Server, embedder: HttpEmbedder, status: int
) -> None:
    server.answers = [always(status, {"error": {"message": "no such model"}})]
    with pytest.raises(ModelFailedError, match="no such model") as caught:
        embedder.embed(["one", "two"], "passage")
    assert not isinstance(caught.value, PartlyFailedError)


@pytest.mark.parametrize("status", [200, 500])
def test_an_answer_nested_without_end_is_a_failure_of_the_server(
    server: Server, embedder: HttpEmbedder, status: int
) -> None:
    server.answers = [always(status, b"[" * 200_000)]
    with pytest.raises(ModelFailedError):
        embedder.embed(["one"], "passage")


@pytest.mark.parametrize("url", ["http://[::1", "http://a..b/v1", "ftp://here/v1", "here"])
def test_what_is_no_address_is_said_at_once(url: str) -> None:
    with pytest.raises(ModelFailedError, match="is no address"):
        HttpEmbedder(Settings(model="m", embedding_url=url)).embed(["one"], "query")
