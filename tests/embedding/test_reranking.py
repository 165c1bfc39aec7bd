"""Rerankers behind HTTP: what is asked, what is taken for an answer, and how failures are told."""

from __future__ import annotations

import math
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from jupyter_kb.embedding.reranking import HttpReranker, create_reranker
from jupyter_kb.errors import ModelFailedError
from jupyter_kb.settings import Settings
from tests.embedding.servers import Answer, by_length, serving

TEXTS = ["middling", "a longer one", "short"]
LENGTHS = [8.0, 12.0, 5.0]


@contextmanager
def asking(url: str, **options: Any) -> Iterator[HttpReranker]:
    reranker = HttpReranker(url, **options)
    try:
        yield reranker
    finally:
        reranker.close()


def failure(reranker: HttpReranker, timeout: float = 10) -> ModelFailedError:
    with pytest.raises(ModelFailedError) as caught:
        reranker.scores("q", TEXTS, timeout=timeout)
    return caught.value


def test_scores_come_in_the_order_of_the_texts() -> None:
    with serving() as server, asking(f"{server.url}/v1") as reranker:
        assert reranker.scores("how long", TEXTS, timeout=10) == LENGTHS
        assert server.requests == [{"query": "how long", "documents": TEXTS, "top_n": 3}]
        assert server.keys == [None]


@pytest.mark.parametrize(
    ("base", "served", "asked"),
    [
        ("", "/v1/rerank", ["/v1/rerank"] * 2),
        ("/", "/v1/rerank", ["/v1/rerank"] * 2),
        ("/v1", "/v1/rerank", ["/v1/rerank"] * 2),
        ("/v1/", "/v1/rerank", ["/v1/rerank"] * 2),
        ("/v2", "/v2/rerank", ["/v2/rerank"] * 2),
        ("/v1/rerank", "/v1/rerank", ["/v1/rerank"] * 2),
        ("", "/rerank", ["/v1/rerank", "/rerank", "/rerank"]),
        ("/api", "/api/rerank", ["/api/v1/rerank", "/api/rerank", "/api/rerank"]),
    ],
)
def test_the_base_may_be_given_with_or_without_version(base: str, served: str, asked: list[str]) -> None:
    with serving(path=served) as server, asking(server.url + base) as reranker:
        for _ in range(2):
            assert reranker.scores("q", TEXTS, timeout=10) == LENGTHS
        assert server.paths == asked


def test_nothing_is_asked_about_no_texts() -> None:
    with serving() as server, asking(server.url) as reranker:
        assert list(reranker.scores("q", [], timeout=10)) == []
        assert server.paths == []


def test_a_model_is_named_behind_the_base() -> None:
    with serving() as server, asking(f"{server.url}/v1#BAAI/bge-reranker-base") as reranker:
        reranker.scores("q", TEXTS, timeout=10)

        assert server.requests[0]["model"] == "BAAI/bge-reranker-base"
        assert server.paths == ["/v1/rerank"]


def test_the_key_comes_from_the_environment_or_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "key"
    file.write_text("from-file\n", encoding="utf-8")
    monkeypatch.setenv("RERANK_KEY", "from-environment")
    with serving() as server:
        for options in ({"key_env": "RERANK_KEY", "key_file": str(file)}, {"key_file": str(file)}):
            with asking(server.url, **options) as reranker:
                reranker.scores("q", TEXTS, timeout=10)

        assert server.keys == ["Bearer from-environment", "Bearer from-file"]


def test_a_key_that_is_not_there_is_told_without_asking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RERANK_KEY", raising=False)
    broken = tmp_path / "broken"
    broken.write_text("one\ntwo", encoding="utf-8")
    with serving() as server:
        for options, told in (
            ({"key_env": "RERANK_KEY"}, "no API key in the environment variable RERANK_KEY"),
            ({"key_file": str(tmp_path / "none")}, "cannot be read: No such file"),
            ({"key_file": str(broken)}, "characters that no API key has"),
        ):
            with asking(server.url, **options) as reranker:
                assert told in failure(reranker).message
        assert server.paths == []


def test_a_key_in_the_address_is_not_shown() -> None:
    with asking("http://user:secret@127.0.0.1:9/v1") as reranker:
        assert "secret" not in reranker.name + failure(reranker).message


@pytest.mark.parametrize(
    ("status", "body", "told"),
    [
        (
            500,
            {"error": {"code": 500, "message": "input is\ntoo large", "type": "server_error"}},
            "500: input is too large",
        ),
        (400, {"object": "error", "message": "no such thing"}, "400: no such thing"),
        (422, {"detail": "no documents"}, "422: no documents"),
        (404, {"error": "the model does not exist"}, "404: the model does not exist"),
        (302, b"", "answered 302"),
        (500, b"<html>an error page</html>", "answered 500"),
        (500, b"\xff\xfe" * 1000, "answered 500: "),
    ],
)
def test_a_refusal_is_told_with_the_servers_reason(status: int, body: Any, told: str) -> None:
    with serving(lambda _: (status, body)) as server, asking(f"{server.url}/v1") as reranker:
        error = failure(reranker)

        assert told in error.message
        assert len(error.message) < 300
        assert len(server.requests) == 1


def test_a_refused_key_is_told_with_what_to_do() -> None:
    with serving(lambda _: (401, {"detail": "no key"})) as server, asking(server.url) as reranker:
        assert "api_key_env" in str(failure(reranker).hint)


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_busy_server_is_asked_again(status: int) -> None:
    answers = iter([(status, {"error": {"message": "Loading model"}}), (status, {})])

    def answer(body: dict[str, Any]) -> Answer:
        return next(answers, None) or by_length(body)

    with serving(answer) as server, asking(server.url) as reranker:
        assert reranker.scores("q", TEXTS, timeout=10) == LENGTHS
        assert len(server.requests) == 3


def test_a_server_that_stays_busy_is_given_up() -> None:
    with serving(lambda _: (503, {"error": {"message": "Loading model"}})) as server, asking(server.url) as reranker:
        assert "answered 503: Loading model" in failure(reranker).message
        assert len(server.requests) == 3


def test_no_further_try_is_begun_that_would_end_too_late() -> None:
    with serving(lambda _: (503, {})) as server, asking(server.url) as reranker:
        started = time.monotonic()
        with pytest.raises(ModelFailedError):
            reranker.scores("q", TEXTS, timeout=0.2)

        assert time.monotonic() - started < 2
        assert len(server.requests) < 3


def test_a_slow_server_is_left_when_the_time_is_over() -> None:
    with serving() as server, asking(server.url) as reranker:
        server.released.clear()
        started = time.monotonic()
        error = failure(reranker, timeout=0.3)
        waited = time.monotonic() - started
        server.released.set()

        assert "did not answer in time" in error.message
        assert 0.3 <= waited < 3
        assert reranker.scores("q", TEXTS, timeout=10) == LENGTHS


def test_an_answer_that_trickles_in_is_left_when_the_time_is_over() -> None:
    gone = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def drip() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(100_000)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
                try:
                    while not gone.wait(0.02):
                        connection.sendall(b" ")
                except OSError:
                    gone.set()

        thread = threading.Thread(target=drip)
        thread.start()
        with asking(f"http://127.0.0.1:{listener.getsockname()[1]}/v1") as reranker:
            started = time.monotonic()
            error = failure(reranker, timeout=0.3)

            assert "did not answer in time" in error.message
            assert time.monotonic() - started < 3
            assert gone.wait(10), "the connection was kept"
        thread.join()


def test_a_server_that_is_not_there_fails_at_once() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with asking(f"http://127.0.0.1:{port}") as reranker:
        started = time.monotonic()
        error = failure(reranker, timeout=30)

        assert "cannot be reached" in error.message
        assert time.monotonic() - started < 5


@pytest.mark.parametrize("url", ["http://", "http://[bad", "http://localhost:port/v1", "http://\0"])
def test_an_address_that_makes_no_sense_is_told(url: str) -> None:
    with asking(url) as reranker:
        assert "cannot be reached" in failure(reranker).message


def _results(*scores: Any) -> dict[str, Any]:
    return {"results": [{"index": place, "relevance_score": score} for place, score in enumerate(scores)]}


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (_results(1, 2), "2 scores for 3 texts"),
        (_results(1, 2, 3, 4), "3 is no index"),
        (_results(1, math.nan, 3), "nan is no score"),
        (_results(1, math.inf, 3), "inf is no score"),
        (_results(1, None, 3), "None is no score"),
        (_results(1, 10**400, 3), "is no score"),
        (_results(1, "2", 3), "'2' is no score"),
        (_results(1, True, 3), "True is no score"),
        ({"results": [{"index": 0, "relevance_score": 1}] * 3}, "comes twice"),
        ({"results": [{"index": -1, "relevance_score": 1}] * 3}, "-1 is no index"),
        ({"results": [1, 2, 3]}, "None is no index"),
        ({"results": None}, "no `results`"),
        ([1, 2, 3], "no `results`"),
        (b"not json", "no JSON"),
        (b"[" * 200_000, "no JSON"),
        (b"\xff", "no JSON"),
        (b"", "no JSON"),
    ],
)
def test_an_answer_without_a_score_for_each_text_is_a_failure(body: Any, told: str) -> None:
    with serving(lambda _: (200, body)) as server, asking(server.url) as reranker:
        error = failure(reranker)

        assert told in error.message
        assert "results" in str(error.hint)


def test_an_answer_without_end_is_left() -> None:
    with serving(lambda _: (200, b" " * 5_000_000)) as server, asking(server.url) as reranker:
        assert "without end" in failure(reranker).message


def test_closing_lets_those_go_who_wait() -> None:
    with serving() as server, asking(server.url) as reranker:
        reranker.scores("q", TEXTS, timeout=10)
        reranker.close()

        assert "closed" in failure(reranker).message


def test_the_settings_name_the_reranker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RERANK_KEY", "key")
    with serving() as server:
        reranker = create_reranker(Settings(rerank=server.url, api_key_env="RERANK_KEY"))
        assert reranker is not None
        reranker.scores("q", TEXTS, timeout=10)
        reranker.close()

        assert server.keys == ["Bearer key"]


def test_no_reranker_is_made_unless_named() -> None:
    assert create_reranker(Settings()) is None
