"""Requests: connections are kept, a lost answer is told for what it is, and silence is told from work."""

from __future__ import annotations

import socket
import threading

import pytest

from jupyter_kb.client.connection import Connections
from jupyter_kb.errors import InvalidRequestError, ServerUnreachableError
from tests.client.serving import Handler, serving


def connections(url: str, *, timeout: float = 10.0) -> Connections:
    return Connections(url, "secret", timeout=timeout)


def test_one_connection_carries_one_request_after_the_other() -> None:
    ports: list[int] = []

    def answer(handler: Handler) -> None:
        ports.append(handler.client_address[1])
        handler.send(b"{}")

    with serving(answer) as server:
        asked = connections(server.url)
        for _ in range(3):
            assert asked.request("GET", "vaults").status == 200
        asked.close()

    assert len(set(ports)) == 1


def test_the_token_goes_into_a_header_and_nowhere_else() -> None:
    seen: list[tuple[str, str]] = []

    def answer(handler: Handler) -> None:
        seen.append((handler.path, handler.headers["Authorization"]))
        handler.send(b"{}")

    with serving(answer) as server:
        asked = connections(server.url)
        asked.request("GET", "vaults/lab/outline", query=[("file", "a b&c.md")])
        asked.close()

    assert seen == [("/kb/api/vaults/lab/outline?file=a+b%26c.md", "token secret")]


def test_a_kept_connection_that_the_server_closed_costs_nothing() -> None:
    def answer(handler: Handler) -> None:
        handler.send(b"{}")
        handler.close_connection = True  # without saying so

    with serving(answer) as server:
        asked = connections(server.url)
        assert [asked.request("GET", "vaults").status for _ in range(3)] == [200, 200, 200]
        asked.close()


@pytest.mark.parametrize("method", ["GET", "PATCH"])
def test_an_answer_that_is_lost_after_the_request_was_sent_is_not_asked_for_again(method: str) -> None:
    def answer(handler: Handler) -> None:
        handler.close_connection = True  # as if it had been killed

    with serving(answer) as server:
        asked = connections(server.url)
        with pytest.raises(ServerUnreachableError) as caught:
            asked.request(method, "vaults/lab/section", body=b"{}", repeatable=False)
        asked.close()

    assert caught.value.details == {"sent": True, "silent": False}
    assert len(server.requests) == 1


def test_an_edit_is_not_sent_twice_where_a_kept_connection_breaks() -> None:
    def answer(handler: Handler) -> None:
        if handler.command == "PATCH":
            handler.close_connection = True
        else:
            handler.send(b"{}")

    with serving(answer) as server:
        asked = connections(server.url)
        asked.request("GET", "vaults")
        with pytest.raises(ServerUnreachableError):
            asked.request("PATCH", "vaults/lab/section", body=b"{}", repeatable=False)
        asked.close()

    assert server.requests == ["GET /kb/api/vaults", "PATCH /kb/api/vaults/lab/section"]


def test_where_nobody_listens_nothing_was_sent() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]

    with pytest.raises(ServerUnreachableError, match="no server answers") as caught:
        connections(f"http://127.0.0.1:{port}/kb/api").request("GET", "vaults")

    assert caught.value.details == {"sent": False, "silent": False}


def test_a_server_that_gives_no_sign_of_life_is_given_up() -> None:
    with socket.create_server(("127.0.0.1", 0)) as deaf:  # connects, and never reads
        asked = connections(f"http://127.0.0.1:{deaf.getsockname()[1]}/kb/api", timeout=0.2)
        with pytest.raises(ServerUnreachableError, match="does not answer") as caught:
            asked.request("GET", "vaults")
        asked.close()

    assert caught.value.details == {"sent": True, "silent": True}


def test_a_long_task_is_waited_for_as_long_as_the_server_answers_something_else() -> None:
    asked_meanwhile = threading.Semaphore(0)

    def answer(handler: Handler) -> None:
        if handler.command == "POST":
            for _ in range(3):  # three times as long as the time-out
                assert asked_meanwhile.acquire(timeout=30)
        else:
            asked_meanwhile.release()
        handler.send(b"{}")

    with serving(answer) as server:
        asked = connections(server.url, timeout=0.2)
        done = asked.request("POST", "vaults/lab/embed")
        asked.close()

    assert done.status == 200
    assert server.requests.count("GET /kb/api/vaults") >= 3


def test_closing_ends_a_request_that_waits() -> None:
    arrived, let_go = threading.Event(), threading.Event()

    def answer(handler: Handler) -> None:
        arrived.set()
        let_go.wait(30)
        handler.send(b"{}")

    with serving(answer) as server:
        asked = connections(server.url)
        outcome: list[object] = []

        def ask() -> None:
            try:
                outcome.append(asked.request("POST", "vaults/lab/embed"))
            except ServerUnreachableError as error:
                outcome.append(error)

        thread = threading.Thread(target=ask)
        thread.start()
        arrived.wait(30)
        asked.close()
        thread.join(30)
        let_go.set()

    assert isinstance(outcome[0], ServerUnreachableError)


def test_closing_ends_a_request_whose_last_answer_does_not_end() -> None:
    begun, let_go = threading.Event(), threading.Event()

    def answer(handler: Handler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 100\r\n\r\nhalf")
        begun.set()
        let_go.wait(30)

    with serving(answer) as server:
        asked = Connections(server.url, None, timeout=60)
        outcome: list[object] = []

        def ask() -> None:
            try:
                outcome.append(asked.request("GET", "vaults"))
            except ServerUnreachableError as error:
                outcome.append(error)

        thread = threading.Thread(target=ask)
        thread.start()
        begun.wait(30)
        thread.join(0.3)  # for the beginning of the answer to be read, after which the connection has no socket
        asked.close()
        thread.join(30)
        let_go.set()

    assert isinstance(outcome[0], ServerUnreachableError)


def test_many_threads_may_ask_at_once() -> None:
    with serving(lambda handler: handler.send(handler.path.encode())) as server:
        asked = connections(server.url)
        answers: list[bool] = []

        def ask(number: int) -> None:
            for turn in range(20):
                path = f"vaults/{number}-{turn}"
                answers.append(asked.request("GET", path).body == f"/kb/api/{path}".encode())

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        asked.close()

    assert answers == [True] * 240


@pytest.mark.parametrize("url", ["localhost:8888", "http://[", "http://host:port/"])
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(InvalidRequestError, match="is no address"):
        connections(url)
