"""How kernels and other programs of the user reach the vaults: on loopback, with a secret from a private record."""

from __future__ import annotations

import atexit
import logging
import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING

from jupyter_kb import discovery

if TYPE_CHECKING:
    from jupyter_kb.rest.loopback import LoopbackServer
    from jupyter_kb.server.vaults import Vaults

_log = logging.getLogger(__name__)


class LocalDoor:
    """A server of its own beside Jupyter's: it needs neither Jupyter's token nor a way through its proxies.

    Kernels inherit the place of the record by their environment; others look for it in the runtime folder.
    """

    def __init__(self, vaults: Vaults) -> None:
        self._vaults = vaults
        self._server: LoopbackServer | None = None
        self._record: Path | None = None

    def open(self) -> None:
        """Begin to answer; where that is not possible the server goes on without."""
        from jupyter_kb.rest.loopback import LoopbackServer

        token = secrets.token_urlsafe(32)
        try:
            self._server = LoopbackServer(self._vaults, token)
            self._server.start()
            self._record = discovery.publish(
                discovery.ServerRecord(
                    pid=os.getpid(),
                    url=self._server.url,
                    token=token,
                    vaults={info.name: info.root for info in self._vaults.list()},
                    default=self._vaults.default,
                )
            )
        except OSError as error:
            _log.warning("kernels cannot find the vaults of this server: %s", error)
            return
        os.environ[discovery.INFO_VARIABLE] = str(self._record)
        atexit.register(self._withdraw)

    def close(self) -> None:
        """Take the record away, and stop."""
        self._withdraw()
        if self._server is not None:
            self._server.close()

    def _withdraw(self) -> None:
        if self._record is None:
            return
        discovery.withdraw(self._record)
        if os.environ.get(discovery.INFO_VARIABLE) == str(self._record):
            del os.environ[discovery.INFO_VARIABLE]
        self._record = None
        atexit.unregister(self._withdraw)
