"""Finding the server that knows the vaults: from a kernel, a script or the command line. Light, and free of floors.

Places, in this order: what the environment names (`JUPYTER_KB_URL`), the record that the server extension leaves for
its kernels (`JUPYTER_KB_INFO`), the Jupyter server that started this process, JupyterHub's environment, and the one
running server whose root, or one of whose vaults, holds the working folder.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from jupyter_kb.errors import InvalidRequestError, ServerNotFoundError

API = "kb/api/"
"""Where a Jupyter server has the API, below its base URL."""
INFO_VARIABLE = "JUPYTER_KB_INFO"
URL_VARIABLE = "JUPYTER_KB_URL"
TOKEN_VARIABLE = "JUPYTER_KB_TOKEN"

_MOST_BYTES = 1 << 20
_STARTED_BY = "JPY_PARENT_PID"
_HUB_TOKEN = "JUPYTERHUB_API_TOKEN"
_HUB_URL = "JUPYTERHUB_SERVICE_URL"
_HUB_PREFIX = "JUPYTERHUB_SERVICE_PREFIX"


@dataclass(frozen=True, kw_only=True)
class ServerRecord:
    """What the server extension tells the kernels of its server.

    `url` is the address of the API, `token` what it takes there, `vaults` maps names to folders, `default` is the name
    of the one to use where nothing else decides.
    """

    pid: int
    url: str
    token: str = field(repr=False)
    vaults: Mapping[str, str] = field(default_factory=dict)
    default: str | None = None


@dataclass(frozen=True, kw_only=True)
class Server:
    """A server that was found: the address of its API, what it takes as token, and where it was found (for people).

    `jupyter_url` and `jupyter_token` are those of the Jupyter server itself, where they are known: its API may also be
    on a port of its own, with a secret of its own.
    """

    url: str
    token: str | None = field(repr=False)
    found: str
    jupyter_url: str | None = None
    jupyter_token: str | None = field(default=None, repr=False)


# ── the record for kernels ──────────────────────────────────────────────────────────────────────


def publish(record: ServerRecord) -> Path:
    """Write the record into Jupyter's runtime folder, for this user only (0600), and say where.

    Raises
    ------
    OSError : the folder cannot be written.
    """
    folder = _runtime_dir()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / f"jupyter_kb-{record.pid}.json"
    write_private(path, {**asdict(record), "vaults": dict(record.vaults)})
    return path


def withdraw(path: Path) -> None:
    """Take a record away; it may be gone already."""
    with contextlib.suppress(OSError):
        path.unlink()


# ── finding ─────────────────────────────────────────────────────────────────────────────────────


def find(folder: Path | str | None = None) -> Server:
    """The server that a program in `folder` (by default the working folder) should ask. It is not asked yet.

    Raises
    ------
    ServerNotFoundError : there is none; `details["looked"]` says where it was looked for.
    """
    looked: list[str] = []
    for server in servers(folder, looked):
        return server
    raise ServerNotFoundError(
        "no Jupyter server with a knowledge base was found",
        hint=f"start one (`jupyter lab`) in a folder above, or set {URL_VARIABLE} and {TOKEN_VARIABLE}",
        looked=looked,
    )


def servers(folder: Path | str | None = None, looked: list[str] | None = None) -> Iterator[Server]:
    """All servers that there are signs of, the likeliest first; where nothing was, `looked` is told."""
    tell = (looked if looked is not None else []).append
    if url := os.environ.get(URL_VARIABLE):
        # who names a server wants no other one
        if not is_address(url):
            raise InvalidRequestError(f"{URL_VARIABLE} is no address of a server", hint="one begins with http://")
        token, address = os.environ.get(TOKEN_VARIABLE), api_url(url)
        jupyter = address.removesuffix(API) if address.endswith("/" + API) else None
        yield Server(url=address, token=token, found=URL_VARIABLE, jupyter_url=jupyter, jupyter_token=token)
        return
    tell(URL_VARIABLE)
    if path := os.environ.get(INFO_VARIABLE):
        record = _record(Path(path))
        if record is not None:
            yield _recorded(record, INFO_VARIABLE)
    tell(INFO_VARIABLE)
    yield from _own_server(tell)
    yield from _hub(tell)
    yield from _running(Path(folder) if folder is not None else Path.cwd(), tell)


def is_started_by_jupyter() -> bool:
    """Whether this process is a kernel (or a terminal) of a Jupyter server, so that its server should be found."""
    return any(os.environ.get(name) for name in (INFO_VARIABLE, _STARTED_BY, URL_VARIABLE))


def api_url(url: str) -> str:
    """The address of the API, from itself or from a Jupyter server's base URL."""
    address = urlsplit(url)
    path = address.path.rstrip("/") + "/"
    if not path.endswith("/api/"):
        path += API
    return address._replace(path=path, query="", fragment="").geturl()


def _own_server(tell: Callable[[str], None]) -> Iterator[Server]:
    """The server that started this process."""
    pid = os.environ.get(_STARTED_BY, "")
    if pid.isdecimal():
        record = _record(_runtime_dir() / f"jupyter_kb-{pid}.json")
        if record is not None:
            yield _recorded(record, f"the server with process id {pid}")
        server = _jupyter_server(_runtime_dir() / f"jpserver-{pid}.json")
        if server is not None:
            yield _of_jupyter(server)
    tell(_STARTED_BY)


def _hub(tell: Callable[[str], None]) -> Iterator[Server]:
    token, url = os.environ.get(_HUB_TOKEN), os.environ.get(_HUB_URL)
    prefix = os.environ.get(_HUB_PREFIX)
    if token and url:
        address = urlsplit(url)
        host = "127.0.0.1" if address.hostname in ("0.0.0.0", "::", "", None) else address.hostname
        place = address._replace(netloc=f"{host}:{address.port}" if address.port else host)
        jupyter = place._replace(path=prefix or address.path or "/", query="", fragment="").geturl()
        yield Server(
            url=api_url(jupyter),
            token=token,
            found="JupyterHub's environment",
            jupyter_url=jupyter,
            jupyter_token=token,
        )
    tell(_HUB_URL)


def _running(folder: Path, tell: Callable[[str], None]) -> Iterator[Server]:
    """Running servers that hold the folder, the nearest root first; of several with the same root none is chosen."""
    here = folder.resolve()
    runtime = _runtime_dir()
    found: list[tuple[int, Server]] = []
    pids: set[int] = set()
    for path in sorted(runtime.glob("jupyter_kb-*.json")):
        record = _record(path)
        if record is None:
            continue
        depths = [depth for root in record.vaults.values() if (depth := _depth(root, here)) is not None]
        if depths:
            found.append((max(depths), _recorded(record, str(path))))
            pids.add(record.pid)
    for path in sorted(runtime.glob("jpserver-*.json")):
        server = _jupyter_server(path)
        if server is None or server["pid"] in pids:
            continue
        depth = _depth(str(server.get("root_dir", "")), here)
        if depth is not None:
            found.append((depth, _of_jupyter(server)))
    found.sort(key=lambda entry: -entry[0])
    for depth, server_ in found:
        if sum(other == depth for other, _ in found) == 1:
            yield server_
    tell(f"running servers ({runtime})")


def _depth(root: str, folder: Path) -> int | None:
    """How deep a root lies that holds a folder; None where it does not."""
    if not root:
        return None
    try:
        real = Path(root).resolve()
    except (OSError, ValueError, RuntimeError):
        return None
    return len(real.parts) if folder.is_relative_to(real) else None


def _recorded(record: ServerRecord, found: str) -> Server:
    server = _jupyter_server(_runtime_dir() / f"jpserver-{record.pid}.json")
    return Server(
        url=api_url(record.url),
        token=record.token or None,
        found=found,
        jupyter_url=server["url"] if server else None,
        jupyter_token=(server.get("token") or None) if server else None,
    )


def _of_jupyter(server: dict[str, Any]) -> Server:
    url = server["url"]
    return Server(
        url=api_url(url),
        token=server.get("token") or None,
        found=f"the Jupyter server at {url}",
        jupyter_url=url,
        jupyter_token=server.get("token") or None,
    )


# ── files ───────────────────────────────────────────────────────────────────────────────────────


def _record(path: Path) -> ServerRecord | None:
    data = read_private(path)
    if data is None:
        return None
    pid, url, token, vaults, default = (data.get(name) for name in ("pid", "url", "token", "vaults", "default"))
    if not runs(pid) or not is_address(url) or not isinstance(token, str | None):
        return None
    folders = {str(name): str(root) for name, root in vaults.items()} if isinstance(vaults, dict) else {}
    return ServerRecord(
        pid=int(str(pid)),
        url=str(url),
        token=token or "",
        vaults=folders,
        default=default if isinstance(default, str) else None,
    )


def _jupyter_server(path: Path) -> dict[str, Any] | None:
    """What a Jupyter server leaves in the runtime folder; None where it runs no more, or only on a Unix socket."""
    data = read_private(path)
    if data is None or not runs(data.get("pid")) or not is_address(data.get("url")) or data.get("sock"):
        return None
    return data


def write_private(path: Path, data: Mapping[str, Any]) -> None:
    """Put a JSON object in its place, whole or not at all, for this user only (0600).

    Raises
    ------
    OSError : the folder cannot be written.
    """
    temporary = path.with_name(f".{path.name}-{secrets.token_hex(8)}.tmp")
    try:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8", errors="surrogateescape") as file:
            json.dump(data, file)
        os.replace(temporary, path)
    except BaseException:
        withdraw(temporary)
        raise


def read_private(path: Path) -> dict[str, Any] | None:
    """A JSON object from a file that is this user's and closed to others; None for anything else."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid() or stat.S_IMODE(found.st_mode) & 0o077:
            return None
        data = json.loads(os.read(handle, _MOST_BYTES))
    except (OSError, ValueError, RecursionError):
        return None
    finally:
        os.close(handle)
    return data if isinstance(data, dict) else None


def is_address(url: object) -> bool:
    """Whether this is the address of something that speaks HTTP."""
    if not isinstance(url, str):
        return False
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # brackets that hold no address, or no number for a port
        return False


def runs(pid: object) -> bool:
    """Whether there is such a process of this user's; its number may be another one's by now."""
    if type(pid) is not int or pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except (OSError, OverflowError):
        return False
    return True


def _runtime_dir() -> Path:
    from jupyter_core.paths import jupyter_runtime_dir

    return Path(jupyter_runtime_dir())
