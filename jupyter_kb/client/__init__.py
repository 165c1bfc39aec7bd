"""Client: the verbs of `KnowledgeBase` over HTTP, with typed results and the same errors. Imports no database."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Any, Self

from jupyter_kb import wire
from jupyter_kb.client.connection import Connections, Query, Response
from jupyter_kb.client.vault import VaultClient
from jupyter_kb.errors import InvalidRequestError, KBError, ServerNotFoundError, VaultNotFoundError
from jupyter_kb.models import VaultInfo, VaultList

__all__ = ["Client", "VaultClient"]


class Client:
    """A server's vaults. Safe to use from several threads; close it when done (or use `with`).

    Parameters
    ----------
    url : the address of the API (`http://localhost:8888/kb/api`).
    token : Jupyter's token, or the secret that came with the address.
    timeout : seconds for which the server may give no sign of life. A long task is no silence: while the answer is
        awaited, the server is asked now and then whether it is still there.
    """

    def __init__(self, url: str, token: str | None = None, *, timeout: float = 30.0) -> None:
        self._connections = Connections(url, token, timeout=timeout)
        self._default: str | None = None
        self._lock = threading.Lock()

    @property
    def url(self) -> str:
        """The address of the API, with a slash at its end."""
        return self._connections.url

    def vaults(self) -> tuple[VaultInfo, ...]:
        """The vaults that the server offers."""
        found: VaultList = wire.load(VaultList, self.ask("GET", "vaults"), ignore_unknown=True)
        return found.vaults

    def vault(self, name: str | None = None) -> VaultClient:
        """One of them; without a name the default one, or the only one. A wrong name shows at the first question.

        Raises
        ------
        InvalidRequestError : no name was given, and there are several vaults; `details["candidates"]` lists them.
        VaultNotFoundError : no name was given, and there is no vault.
        """
        return VaultClient(self, name if name is not None else self._default_name())

    def _default_name(self) -> str:
        with self._lock:
            if self._default is None:
                self._default = _default(self.vaults()).name
            return self._default

    def ask(
        self,
        method: str,
        path: str,
        *,
        query: Query = (),
        body: Any = None,
        headers: dict[str, str] | None = None,
        repeatable: bool = True,
    ) -> Any:
        """Send one request and give the JSON of its answer. `path` lies below the address; `body` is JSON-ready.

        Raises
        ------
        KBError : the one that the server raised.
        ServerUnreachableError : there was no answer. ServerNotFoundError : it was not that of a knowledge base.
        """
        data = None if body is None else wire.encode(body)
        response = self._connections.request(
            method, path, query=query, headers=headers, body=data, repeatable=repeatable
        )
        try:
            answer = wire.decode(response.body)
        except InvalidRequestError:
            answer = None
        if response.status in (200, 201) and answer is not None:
            return answer
        raise self._error(response, answer)

    def close(self) -> None:
        """Give the connections back."""
        self._connections.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _error(self, response: Response, answer: Any) -> KBError:
        ours = isinstance(answer, dict) and isinstance(answer.get("code"), str)
        if not ours and response.status in (200, 301, 302, 404, 405):
            return ServerNotFoundError(
                f"the server at {self.url} offers no knowledge base",
                hint="is jupyter-kb installed where that server runs? `jupyter server extension list` tells",
            )
        error = wire.error_from(answer, response.status)
        if response.status in (401, 403) and not ours:
            error.message = f"the server at {self.url} refused the token"
            error.hint = "give the token of that server, the one in the address that it printed when it started"
            error.args = (error.message,)
        return error


def _default(vaults: tuple[VaultInfo, ...]) -> VaultInfo:
    if not vaults:
        raise VaultNotFoundError("the server offers no vault")
    marked = [vault for vault in vaults if vault.is_default] or (list(vaults) if len(vaults) == 1 else [])
    if not marked:
        names = [vault.name for vault in vaults]
        raise InvalidRequestError(f"name one of the vaults: {', '.join(names)}", candidates=names)
    return marked[0]
