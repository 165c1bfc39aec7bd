"""What can be configured in a Jupyter server, as traitlets with help, and the settings that follow from it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from traitlets import Bool, Dict, Enum, Float, HasTraits, Int, List, TraitError, Unicode, validate

from jupyter_kb.settings import Settings

TOOLSETS = ("vault", "structural")
"""The toolsets there are; the first is the one that an address without a name means."""

_NAME = re.compile(r"[^\W_][\w. ~+-]{0,63}")
_ADDRESS = re.compile(r"https?://[^/\s]")
_DEVICE = re.compile(r"auto|cpu|mps|cuda(:\d+)?")
_REMEMBERED = "By default what was last chosen for the vault, at first {}."


def _setting(trait: type[Any], help: str, first: str, *arguments: Any, **options: Any) -> Any:
    """A trait named as a field of Settings. None leaves to each vault what it was last indexed with."""
    text = f"{help}\n\n{_REMEMBERED.format(first)}"
    return trait(*arguments, default_value=None, allow_none=True, help=text, **options).tag(config=True)


class VaultTraits(HasTraits):
    """Mixed into the application, so that all of it is configured as `c.JupyterKB.…`."""

    # ── which vaults ────────────────────────────────────────────────────────────────────────────

    vaults: Dict[str, str] = Dict(
        key_trait=Unicode(),
        value_trait=Unicode(),
        help="""The vaults to serve: a name for each and its folder. `~` and paths relative to the server's root folder
        are understood.

        By default one vault: the server's root folder, under that folder's name.""",
    ).tag(config=True)
    default_vault = Unicode(
        help="""The name of the vault that is meant where none is named.

        By default the first."""
    ).tag(config=True)
    index_dir = Unicode(
        help="""The folder of all indexes.

        By default `kb` in Jupyter's data directory."""
    ).tag(config=True)

    # ── what is in a vault ──────────────────────────────────────────────────────────────────────

    include: List[str] = _setting(
        List, "Patterns as in .gitignore: only notes that match one are in the vault.", "none", Unicode()
    )
    exclude: List[str] = _setting(
        List, "Patterns as in .gitignore: notes to leave out, on top of a vault's `.kbignore`.", "none", Unicode()
    )
    hidden = _setting(Bool, "Take in hidden files and folders.", "False")
    max_file_bytes = _setting(Int, "Files larger than so many bytes are named as a problem, not read.", "8 MiB", min=1)
    language = _setting(
        Unicode, "The language whose words are reduced to stems: `english`, `german`, … or `none`.", "`english`"
    )

    watch = _setting(
        Enum,
        "How changes by other programs are seen: `auto` (the system tells; network folders are looked at every few "
        "seconds), `poll` (all are looked at), `off` (each search compares first).",
        "`auto`",
        ["auto", "poll", "off"],
    )

    # ── search by meaning ───────────────────────────────────────────────────────────────────────

    model = _setting(
        Unicode,
        "The embedding model: a folder, or a name that is looked for in the local hub cache; `none` for no search by "
        "meaning. With `embedding_url` the name that the server knows it by.",
        "`sentence-transformers/all-MiniLM-L6-v2`, which comes with the package",
    )
    device = _setting(Unicode, "Where the model runs: `auto`, `cpu`, `cuda`, `cuda:1`, `mps`.", "`auto`")
    dtype = _setting(
        Enum, "The numbers that the model computes with.", "`auto`", ["auto", "float32", "bfloat16", "float16"]
    )
    threads = _setting(Int, "CPU threads of the model; 0 for all but one.", "0", min=0)
    embedding_url = _setting(
        Unicode,
        "The provider of vectors instead of a model on this machine: the base of an OpenAI-compatible API, such as "
        "`http://localhost:8080/v1`. The texts of the notes are sent there.",
        "none",
    )
    api_key_env = _setting(
        Unicode, "The environment variable that holds the key for `embedding_url` and `rerank`.", "none"
    )
    api_key_file = _setting(Unicode, "The file that holds that key.", "none")
    query_prefix = _setting(Unicode, "What the model wants in front of a query.", "what the model itself says")
    passage_prefix = _setting(Unicode, "What the model wants in front of a text.", "what the model itself says")
    idle_seconds = _setting(Float, "After so many seconds without work the model's process ends.", "300", min=0.0)
    rerank = _setting(
        Unicode, "A cross-encoder (folder or name), or the base of an API that serves `/rerank`.", "no reranking"
    )
    rerank_seconds = _setting(
        Float, "How many seconds a reranker may take; past it the order stays as it was.", "5", min=0.0
    )
    weight = _setting(Float, "The share of meaning in ranking, the rest is words.", "0.65", min=0.0, max=1.0)
    vector_memory = _setting(
        Int, "Vectors beyond so many bytes are not kept in memory but searched on disk.", "1 GiB", min=0
    )
    embed = Bool(True, help="Make the vectors for search by meaning in the background, by and by.").tag(config=True)

    # ── what is offered ─────────────────────────────────────────────────────────────────────────

    read_only = Bool(False, help="Refuse every write into the vaults.").tag(config=True)
    toolsets: List[str] = List(
        Enum(TOOLSETS),
        default_value=list(TOOLSETS),
        help="""The sets of MCP tools to offer to agents. The first is at `kb/mcp`, each at `kb/mcp/NAME`; without any
        there is no MCP.""",
    ).tag(config=True)

    # ── limits ──────────────────────────────────────────────────────────────────────────────────

    lock_timeout = _setting(
        Float, "How many seconds to wait for another program's write to the same note.", "10", min=0.0
    )
    max_request_bytes = Int(
        16 * 1024 * 1024, min=1024, help="Requests with a larger body are refused before it is read (bytes)."
    ).tag(config=True)
    workers = Int(16, min=2, max=256, help="How many requests are worked on at the same time.").tag(config=True)

    # ── checks ──────────────────────────────────────────────────────────────────────────────────

    @validate("vaults")
    def _names_and_folders(self, proposal: Any) -> Any:
        for name, folder in proposal["value"].items():
            if not _NAME.fullmatch(name) or name.endswith((" ", ".")):
                raise TraitError(
                    f"{name!r} cannot be the name of a vault: up to 64 letters, digits, blanks and the characters"
                    " - _ . ~ +, the first a letter or digit"
                )
            if not folder.strip():
                raise TraitError(f"the vault {name!r} has no folder")
        return proposal["value"]

    @validate("language")
    def _known_language(self, proposal: Any) -> Any:
        import Stemmer  # late: only where a language is configured

        known = ["none", *sorted(Stemmer.algorithms())]
        return self._checked(proposal, lambda value: value in known, f"one of {', '.join(known)}")

    @validate("device")
    def _device(self, proposal: Any) -> Any:
        return self._checked(proposal, _DEVICE.fullmatch, "auto, cpu, mps, cuda or cuda:N")

    @validate("embedding_url")
    def _address(self, proposal: Any) -> Any:
        return self._checked(proposal, _ADDRESS.match, "an address that begins with http:// or https://")

    @validate("model", "rerank", "api_key_env", "api_key_file")
    def _not_empty(self, proposal: Any) -> Any:
        return self._checked(proposal, str.strip, "a name, or None")

    def _checked(self, proposal: Any, passes: Any, allowed: str) -> Any:
        value = proposal["value"]
        if value is not None and not passes(value):
            raise TraitError(f"`{proposal['trait'].name}` is {allowed}, not {value!r}")
        return value

    # ── what follows ────────────────────────────────────────────────────────────────────────────

    def vault_settings(self, remembered: Settings | None = None) -> Settings:
        """What is configured, over what a vault was last indexed with."""
        chosen: dict[str, Any] = {}
        for name in vars(Settings()):
            value = getattr(self, name)
            if value is not None:
                chosen[name] = tuple(value) if isinstance(value, list) else value
        return replace(remembered or Settings(), **chosen)

    def folders(self, root: Path) -> dict[str, Path]:
        """The vaults by name, as absolute paths; whether the folders exist is not looked at."""
        if not self.vaults:
            return {_named_after(root): root}
        return {name: root / Path(folder).expanduser() for name, folder in self.vaults.items()}

    def chosen_default(self, names: list[str]) -> str:
        """The name of the default vault.

        Raises
        ------
        TraitError : there is no vault of the configured name.
        """
        name = self.default_vault or names[0]
        if name not in names:
            raise TraitError(f"the default vault {name!r} is not among the vaults: {', '.join(names)}")
        return name


def _named_after(root: Path) -> str:
    """A name for the vault in a folder, fit for an address."""
    name = re.sub(r"[^\w.~+-]+", "-", root.resolve().name).strip("-._~+")[:64].rstrip(".")
    return name if _NAME.fullmatch(name) else "vault"
