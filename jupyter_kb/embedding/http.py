"""Embeddings from a server that speaks OpenAI's API: llama.cpp, vLLM, Ollama, a company's own."""

from __future__ import annotations

import json
import logging
import math
import queue
import random
import re
import threading
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from blake3 import blake3

from jupyter_kb.embedding.base import Kind, ModelInfo, PartlyFailedError
from jupyter_kb.embedding.prefixes import prefixes
from jupyter_kb.embedding.servers import api_key, said
from jupyter_kb.errors import ModelBusyError, ModelError, ModelFailedError
from jupyter_kb.settings import Settings

if TYPE_CHECKING:
    import httpx2
    import numpy as np
    from numpy.typing import NDArray

_log = logging.getLogger(__name__)

PAUSES = (0.5, 1.0, 2.0, 4.0)
"""Seconds before each further try, where the server says nothing else. A caller who waits for less gets fewer tries."""
_LONGEST_PAUSE = 30.0
SECONDS: dict[Kind, float] = {"query": 30.0, "passage": 120.0}
"""For one request with all its tries. Somebody waits for a query; a batch of passages may take a small machine long."""
_CONNECTING = 10.0
_TEXTS = 64
_BYTES = 100_000
_TRANSIENT = (408, 409, 425, 429)
_TOO_MUCH = (400, 413, 422)  # what servers answer to a batch or to a text that is too long for them
_PROBE = "word"
_USER = re.compile(r"(?<=//)[^/@]*@")


class HttpEmbedder:
    """The `Embedder` of a server. `embedding_url` is the base of its API, such as `http://localhost:8080/v1`."""

    def __init__(self, settings: Settings) -> None:
        self.name = settings.model
        self._settings = settings
        self._url = f"{(settings.embedding_url or '').rstrip('/')}/embeddings"
        self._shown = _USER.sub("", self._url)
        self._prefixes = prefixes(settings.model, {}, settings)
        self._lock = threading.Lock()
        self._client: httpx2.Client | None = None
        self._closed = threading.Event()
        self._info: ModelInfo | None = None

    @property
    def key(self) -> str:
        """Of server, model and prefixes; the API key has no part in it."""
        parts = (self._shown, self.name, self._prefixes["query"], self._prefixes["passage"])
        return f"{self.name}@{blake3(json.dumps(parts).encode()).hexdigest(length=8)}"

    @property
    def info(self) -> ModelInfo | None:
        """Known since the first answer."""
        return self._info

    def embed(
        self, texts: Sequence[str], kind: Kind, *, urgent: bool = False, timeout: float | None = None
    ) -> NDArray[np.float32]:
        """As `Embedder.embed`. Texts that the server refuses for themselves are told by PartlyFailedError."""
        if timeout is None:
            return self._embed(texts, kind, math.inf)
        until = time.monotonic() + timeout
        answers: queue.SimpleQueue[NDArray[np.float32] | Exception] = queue.SimpleQueue()

        def ask() -> None:
            try:
                answers.put(self._embed(texts, kind, until))
            except Exception as error:
                answers.put(error)

        # in a thread of its own, since looking up a host's name cannot be given a time-out
        threading.Thread(target=ask, name="kb-embeddings", daemon=True).start()
        try:
            answer = answers.get(timeout=timeout)
        except queue.Empty:
            raise self._late() from None
        if isinstance(answer, Exception):
            raise answer
        return answer

    def _embed(self, texts: Sequence[str], kind: Kind, until: float) -> NDArray[np.float32]:
        import numpy as np

        prefix = self._prefixes[kind]
        readable = [(prefix + text).encode("utf-8", "replace").decode() for text in texts]
        rows = np.full((len(texts), self._info.dimensions if self._info else 0), np.nan, np.float32)
        failed: dict[int, str] = {}
        for batch in _batches(readable):
            for indexes, vectors in self._parts(batch, readable, failed, kind, until):
                if rows.shape[1] != vectors.shape[1]:  # the first ever: now it is known how long they are
                    rows = np.full((len(texts), vectors.shape[1]), np.nan, np.float32)
                rows[indexes] = vectors
        if failed:
            raise PartlyFailedError(failed, rows if len(failed) < len(texts) else None, len(texts))
        return rows

    def warm(self) -> None:
        """Nothing: a server is there or is not."""

    def close(self) -> None:
        """End waiting; it is opened again when asked again."""
        with self._lock:
            client, self._client = self._client, None
            self._closed.set()
            self._closed = threading.Event()
        if client is not None:
            client.close()

    def _parts(
        self, indexes: list[int], texts: list[str], failed: dict[int, str], kind: Kind, until: float
    ) -> Iterator[tuple[list[int], NDArray[np.float32]]]:
        """A batch, in halves where the server refuses it as it is."""
        try:
            vectors = self._ask([texts[index] for index in indexes], kind, until)
        except _RefusedError as error:
            if len(indexes) == 1:
                if not failed:  # is it this text, or does the server refuse whatever it is given?
                    self._ask([_PROBE], kind, until)
                failed[indexes[0]] = error.message
                return
            middle = len(indexes) // 2
            yield from self._parts(indexes[:middle], texts, failed, kind, until)
            yield from self._parts(indexes[middle:], texts, failed, kind, until)
        else:
            yield indexes, vectors

    def _ask(self, texts: list[str], kind: Kind, until: float) -> NDArray[np.float32]:
        import httpx2

        client, closed = self._opened()
        body = {"model": self.name, "input": texts, "encoding_format": "float"}
        pauses = iter(PAUSES)
        ends = min(until, time.monotonic() + SECONDS[kind])
        while True:
            told = None
            try:
                status, headers, content = self._post(client, body, ends)
            except (httpx2.InvalidURL, httpx2.UnsupportedProtocol, UnicodeError) as error:
                raise ModelFailedError(f"{self._shown} is no address: {error}", hint="see `embedding_url`") from None
            except httpx2.RequestError as error:
                failure: ModelError = self._unreachable(error)
            except RuntimeError:  # what a closed client raises
                if closed.is_set():
                    raise self._ended() from None
                raise
            else:
                if status == 200:
                    return self._vectors(content, len(texts))
                failure = self._refusal(status, content)
                if status not in _TRANSIENT and status < 500:
                    raise failure
                told = _seconds(headers.get("retry-after"))
            pause = next(pauses, None)
            if pause is None:
                raise failure
            pause = min(told, _LONGEST_PAUSE) if told is not None else pause * random.uniform(0.75, 1.25)
            if time.monotonic() + pause >= ends:
                raise failure if ends < until else self._late() from failure
            _log.info("%s; trying again in %.1f s", failure.message, pause)
            if closed.wait(pause):
                raise self._ended()

    def _post(self, client: httpx2.Client, body: dict[str, Any], ends: float) -> tuple[int, httpx2.Headers, bytes]:
        """Status, headers and content of an answer; a time-out when it is not there in time."""
        import httpx2

        left = max(ends - time.monotonic(), 0.001)
        timeout = httpx2.Timeout(left, connect=min(left, _CONNECTING))
        with client.stream("POST", self._url, json=body, headers=self._headers(), timeout=timeout) as response:
            content = bytearray()
            for part in response.iter_bytes():  # each may take `timeout`
                content += part
                if time.monotonic() > ends:
                    raise httpx2.ReadTimeout("the answer has no end")
            return response.status_code, response.headers, bytes(content)

    def _opened(self) -> tuple[httpx2.Client, threading.Event]:
        import httpx2

        with self._lock:
            if self._client is None:
                try:
                    host = urlsplit(self._url).hostname or ""
                except ValueError as error:
                    raise ModelFailedError(
                        f"{self._shown} is no address: {error}", hint="see `embedding_url`"
                    ) from None
                own = host in ("localhost", "::1") or host.startswith("127.")
                # no proxy knows the way to this machine's own servers
                self._client = httpx2.Client(trust_env=not own, follow_redirects=False)
            return self._client, self._closed

    def _headers(self) -> dict[str, str]:
        key = api_key(self._settings.api_key_env, self._settings.api_key_file)
        return {"Authorization": f"Bearer {key}"} if key else {}

    def _vectors(self, content: bytes, count: int) -> NDArray[np.float32]:
        import numpy as np

        try:
            data = json.loads(content)["data"]
            by_index = {entry.get("index", place): entry["embedding"] for place, entry in enumerate(data)}
            vectors = np.array([by_index[place] for place in range(count)], np.float32)
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
            raise self._unusable(f"no list of {count} vectors of one length ({type(error).__name__})") from None
        if vectors.ndim != 2 or len(data) != count or vectors.shape[1] == 0:
            raise self._unusable(f"{len(data)} vectors of shape {vectors.shape[1:]} for {count} texts")
        if self._info is not None and vectors.shape[1] != self._info.dimensions:
            raise self._unusable(f"vectors of {vectors.shape[1]} numbers; before they had {self._info.dimensions}")
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.isfinite(lengths).all() or not lengths.all():
            raise self._unusable("vectors that are zero or no numbers")
        if self._info is None:
            self._info = ModelInfo(
                name=self.name, dimensions=vectors.shape[1], device=urlsplit(self._shown).netloc, dtype="float32"
            )
        unit: NDArray[np.float32] = vectors / lengths
        return unit

    def _refusal(self, status: int, content: bytes) -> ModelError:
        told = said(content)
        message = f"{self._shown} answered {status}" + (f": {told}" if told else "")
        if status in _TOO_MUCH:
            return _RefusedError(message, hint="check `embedding_url` and `model`")
        hints = {
            401: "name the server's key by `api_key_env` or `api_key_file`",
            403: "name the server's key by `api_key_env` or `api_key_file`",
            404: "check `embedding_url` (it mostly ends with /v1) and `model`",
            405: "check `embedding_url` (it mostly ends with /v1)",
            429: "the server has had enough for now; ask again later",
        }
        return ModelFailedError(message, hint=hints.get(status, "look into the server's log"))

    def _unreachable(self, error: Exception) -> ModelFailedError:
        import httpx2

        if isinstance(error, httpx2.TimeoutException):
            return ModelFailedError(f"{self._shown} gave no answer in time", hint="look into the server's log")
        return ModelFailedError(
            f"{self._shown} cannot be reached: {error}", hint="start the server, or change `embedding_url`"
        )

    def _unusable(self, what: str) -> ModelFailedError:
        return ModelFailedError(
            f"{self._shown} gave {what}", hint="the server must answer as OpenAI's /v1/embeddings does; check `model`"
        )

    def _late(self) -> ModelBusyError:
        return ModelBusyError(f"{self._shown} did not answer in time", hint="ask again in a few seconds")

    def _ended(self) -> ModelFailedError:
        return ModelFailedError(f"{self._shown} was closed while it was asked")


class _RefusedError(ModelFailedError):
    """The server does not want this input; it may want half of it."""


def _batches(texts: list[str]) -> Iterator[list[int]]:
    """Positions in order, in runs that servers take."""
    batch: list[int] = []
    size = 0
    for index, text in enumerate(texts):
        bytes_of_text = len(text.encode())
        if batch and (len(batch) >= _TEXTS or size + bytes_of_text > _BYTES):
            yield batch
            batch, size = [], 0
        batch.append(index)
        size += bytes_of_text
    if batch:
        yield batch


def _seconds(header: str | None) -> float | None:
    """Of Retry-After; a date counts as nothing said."""
    try:
        seconds = float(header or "")
    except ValueError:
        return None
    return max(seconds, 0.0) if math.isfinite(seconds) else None
