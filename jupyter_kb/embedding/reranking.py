"""Rerankers as search sees them: a server that has `/rerank`, or a cross-encoder in the worker process."""

from __future__ import annotations

import json
import queue
import re
import threading
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from jupyter_kb.embedding.locate import locate
from jupyter_kb.embedding.servers import api_key, said
from jupyter_kb.embedding.worker import Worker
from jupyter_kb.errors import ModelFailedError

if TYPE_CHECKING:
    import httpx2

    from jupyter_kb.embedding.base import Reranker
    from jupyter_kb.embedding.session import Start
    from jupyter_kb.settings import Settings

PAUSES = (0.05, 0.2)
"""Seconds before each further try, where one may help and the time allows."""
MOST_BYTES = 4_000_000
"""No answer about 50 texts is longer."""
_MOST_SCORE = 1e300  # NaN, infinity and whole numbers that no float can hold are none
_BUSY = (429, 502, 503, 504)
_NO_SUCH_PATH = (404, 405)
_USER = re.compile(r"(?<=//)[^/@]*@")


def create_reranker(settings: Settings) -> Reranker | None:
    """The reranker that the settings name, not started yet; None where they name none."""
    if not settings.rerank:
        return None
    if settings.rerank.startswith(("http://", "https://")):
        return HttpReranker(settings.rerank, key_env=settings.api_key_env, key_file=settings.api_key_file)
    return WorkerReranker(settings)


class WorkerReranker:
    """A cross-encoder on this machine, in a process of its own that starts with the first question.

    `load` names what makes the model there; it gets the model's place and the settings.
    """

    def __init__(self, settings: Settings, *, load: str = "jupyter_kb.embedding.cross_encoder:load") -> None:
        self.name = settings.rerank or ""
        self._settings = settings
        self._load = load
        self._worker = Worker(self._begin, settings.idle_seconds)

    def scores(self, query: str, texts: Sequence[str], *, timeout: float) -> Sequence[float]:
        """A score a text, in their order.

        Raises
        ------
        ModelNotFoundError : it is not on this machine, or no cross-encoder.
        ModelBusyError : not done within `timeout` seconds; the start of the model goes on.
        ModelFailedError : its process crashed.
        """
        if not texts:
            return []
        scores: list[float] = self._worker.run("rerank", texts, (query,), urgent=True, timeout=timeout).tolist()
        return scores

    def close(self) -> None:
        """End it."""
        self._worker.close()

    def _begin(self) -> Start:
        return self._load, (locate(self._settings, model=self.name), self._settings)


class _Answer(NamedTuple):
    """What a server said."""

    status: int
    body: bytes


class HttpReranker:
    """A server that answers `POST /v1/rerank` as llama.cpp, vLLM and Jina do.

    `url` is the base of its API, with or without `/v1`. Where the server has several models, `#name` behind it says
    which: `http://localhost:8000/v1#BAAI/bge-reranker-base`.
    """

    def __init__(self, url: str, *, key_env: str | None = None, key_file: str | None = None) -> None:
        base, _, self._model = url.partition("#")
        self._paths = _paths(base.rstrip("/"))
        self._key_env = key_env
        self._key_file = key_file
        self._client: httpx2.Client | None = None
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self.name = _USER.sub("", url)

    def scores(self, query: str, texts: Sequence[str], *, timeout: float) -> Sequence[float]:
        """A score a text, in their order; the caller is let go after `timeout` seconds whatever the network does."""
        if not texts:
            return []
        until = time.monotonic() + timeout
        answers: queue.SimpleQueue[list[float] | Exception] = queue.SimpleQueue()

        def ask() -> None:
            try:
                answers.put(self._ask(query, texts, until))
            except Exception as error:
                answers.put(error)

        # In a thread of its own: looking up a host's name cannot be given a time-out, and those that can be given
        # one bound each wait, not their sum.
        threading.Thread(target=ask, name="rerank", daemon=True).start()
        try:
            answer = answers.get(timeout=max(0.0, until - time.monotonic()))
        except queue.Empty:
            raise self._late() from None
        if isinstance(answer, Exception):
            raise answer
        return answer

    def close(self) -> None:
        """End it; whoever waits gets ModelFailedError."""
        self._closed.set()
        with self._lock:
            if self._client is not None:
                self._client.close()

    def _ask(self, query: str, texts: Sequence[str], until: float) -> list[float]:
        body: dict[str, Any] = {"query": query, "documents": list(texts), "top_n": len(texts)}
        if self._model:
            body["model"] = self._model
        answer = self._post(body, until)
        if answer.status != 200:
            raise self._refused(answer)
        try:
            return _scores(answer.body, len(texts))
        except ValueError as error:
            raise ModelFailedError(
                f"the reranker at {self.name} gave no usable answer: {error}",
                hint="the server must answer as llama.cpp, vLLM or Jina do: {results: [{index, relevance_score}]}",
            ) from None

    def _post(self, body: dict[str, Any], until: float) -> _Answer:
        """The first answer that is not worth another try; tries end when the time does."""
        import httpx2

        client = self._opened()
        headers = self._headers()
        pauses = iter(PAUSES)
        paths = self._paths
        while True:
            try:
                answer = self._send(client, paths[0], body, headers, until)
            except httpx2.TimeoutException:
                raise self._late() from None
            except (httpx2.RequestError, httpx2.InvalidURL, UnicodeError) as error:
                failure = ModelFailedError(
                    f"the reranker at {self.name} cannot be reached: {str(error) or type(error).__name__}",
                    hint="start the server, or change `rerank` in the settings",
                )
            except RuntimeError:  # what a closed client raises
                if self._closed.is_set():
                    raise self._ended() from None
                raise
            else:
                if answer.status in _NO_SUCH_PATH and len(paths) > 1:
                    paths = paths[1:]
                    continue
                if answer.status not in _BUSY:
                    self._paths = paths  # the others need not be tried again
                    return answer
                failure = self._refused(answer)
            pause = next(pauses, None)
            if pause is None or time.monotonic() + pause >= until:
                raise failure
            if self._closed.wait(pause):
                raise self._ended()

    def _send(
        self, client: httpx2.Client, path: str, body: dict[str, Any], headers: dict[str, str], until: float
    ) -> _Answer:
        left = until - time.monotonic()
        if left <= 0:
            raise self._late()
        data = bytearray()
        with client.stream("POST", path, json=body, headers=headers, timeout=left) as response:
            for part in response.iter_bytes():
                data += part
                if time.monotonic() > until:
                    raise self._late()
                if len(data) > MOST_BYTES:
                    raise ModelFailedError(f"the reranker at {self.name} gave an answer without end")
            return _Answer(response.status_code, bytes(data))

    def _opened(self) -> httpx2.Client:
        import httpx2

        with self._lock:
            if self._closed.is_set():
                raise self._ended()
            if self._client is None:
                self._client = httpx2.Client()
            return self._client

    def _headers(self) -> dict[str, str]:
        key = api_key(self._key_env, self._key_file)
        return {"Authorization": f"Bearer {key}"} if key else {}

    def _ended(self) -> ModelFailedError:
        return ModelFailedError(f"the reranker at {self.name} is closed")

    def _late(self) -> ModelFailedError:
        return ModelFailedError(
            f"the reranker at {self.name} did not answer in time", hint="give it longer by `rerank_seconds`"
        )

    def _refused(self, answer: _Answer) -> ModelFailedError:
        reason = said(answer.body)
        return ModelFailedError(
            f"the reranker at {self.name} answered {answer.status}" + (f": {reason}" if reason else ""),
            hint="name its key by `api_key_env` or `api_key_file`" if answer.status in (401, 403) else None,
        )


def _paths(base: str) -> tuple[str, ...]:
    """Addresses to try, in this order."""
    if base.endswith("/rerank"):
        return (base,)
    if re.search(r"/v\d+$", base):
        return (f"{base}/rerank",)
    return (f"{base}/v1/rerank", f"{base}/rerank")


def _scores(body: bytes, count: int) -> list[float]:
    """The scores in an answer, by the places of the texts.

    Raises
    ------
    ValueError : not exactly one number for each text.
    """
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        raise ValueError("no JSON") from None
    results = value.get("results") if isinstance(value, dict) else None
    if not isinstance(results, list):
        raise ValueError("no `results`")
    scores: dict[int, float] = {}
    for result in results:
        place, score = (
            (result.get("index"), result.get("relevance_score")) if isinstance(result, dict) else (None, None)
        )
        if type(place) is not int or not 0 <= place < count or place in scores:
            raise ValueError(f"{place!r} is no index of a text, or comes twice")
        if isinstance(score, bool) or not isinstance(score, (int, float)) or not abs(score) <= _MOST_SCORE:
            raise ValueError(f"{repr(score)[:20]} is no score")
        scores[place] = float(score)
    if len(scores) != count:
        raise ValueError(f"{len(scores)} scores for {count} texts")
    return [scores[place] for place in range(count)]
