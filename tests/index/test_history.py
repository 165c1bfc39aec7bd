"""An index brought up to date step by step equals one built from nothing, whatever happened to the files."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from unittest.mock import patch

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from jupyter_kb.index import indexer
from jupyter_kb.settings import Settings
from tests.index.vaults import IndexedVault, content, indexed

LIMIT = 400
NAMES = st.sampled_from(["a.md", "b.md", "B.MD", "sub/a.md", "sub/c d.md", "sub/deep/注.md", "draft.md"])
FRONT = "---\ntitle: Front\ntags: [x, y/z]\naliases: [Other]\nn: {deep: [1, 2.0, two]}\n---\n"
RICH = FRONT + "# One\n\nkube-proxy [[a#One|there]] #tag\n\n## Two\n\nmore\n\na block ^id1\n\n"
PIECES = st.sampled_from(
    [
        FRONT,
        "---\nopen: [\n---\n",
        "---\nnever closed\n",
        "# One\n",
        "# One\n\n## Two\n\n",
        "## Two\n",
        "Set\n===\n",
        "kube-proxy PodSecurityPolicy café 使用命令行 ภาษาไทย\n\n",
        "see [[a#One|there]], ![[b]], [m](sub/a.md#two) and #tag/nested\n\n",
        "a block ^id1\n\n",
        "```\n# no heading\n",
        "\xa0\u200b…\n",
        "x" * 60 + "\n",
        "\r\nline\rline\n",
    ]
)
BODIES = st.one_of(
    st.lists(PIECES, max_size=6).map(lambda pieces: "".join(pieces).encode()),
    st.binary(max_size=40),
    st.just(b"# Large\n" + b"word " * LIMIT),
)
RULES = st.sampled_from(["", "draft.md\n", "sub/\n!sub/a.md\n", "*.MD\n", "[z-a]\n"])


class Histories(RuleBasedStateMachine):
    @initialize()
    def start(self) -> None:
        # twice the coarsest tick of a kernel's clock: some files are then trusted by their time stamps, others not
        self.tick = patch.object(indexer, "_TICK_NS", 20_000_000)
        self.tick.start()
        self.folder = Path(tempfile.mkdtemp())
        self.root = self.folder / "vault"
        self.root.mkdir()
        self.refused: set[str] = set()
        self.settings = Settings(max_file_bytes=LIMIT)
        self.open()
        self.indexed.write({name: RICH.encode() + name.encode() for name in ("a.md", "b.md", "sub/a.md", "draft.md")})
        self.indexed.indexer.scan()

    def open(self) -> None:
        self.indexed = IndexedVault(
            self.root, database=self.folder / "index.duckdb", settings=self.settings, refused=self.refused
        )

    def teardown(self) -> None:
        if hasattr(self, "indexed"):
            self.scan_and_compare()
            self.indexed.close()
            shutil.rmtree(self.folder)
            self.tick.stop()

    # ── what happens to files ───────────────────────────────────────────────────────────────────

    @rule(name=NAMES, body=BODIES)
    def write(self, name: str, body: bytes) -> None:
        self.indexed.write({name: body})

    @rule(name=NAMES, extra=PIECES)
    def append(self, name: str, extra: str) -> None:
        path = self.root / name
        if path.exists():
            path.write_bytes(path.read_bytes() + extra.encode())

    @rule(name=NAMES)
    def swap_bytes_and_restore_the_time(self, name: str) -> None:
        path = self.root / name
        if path.exists():
            before = path.stat()
            path.write_bytes(path.read_bytes()[::-1])
            os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    @rule(name=NAMES)
    def touch(self, name: str) -> None:
        if (self.root / name).exists():
            os.utime(self.root / name, (0, 0))

    @rule(name=NAMES, new=NAMES)
    def rename(self, name: str, new: str) -> None:
        if (self.root / name).exists():
            (self.root / new).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).replace(self.root / new)

    @rule(name=NAMES)
    def delete(self, name: str) -> None:
        (self.root / name).unlink(missing_ok=True)

    @rule()
    def delete_folder(self) -> None:
        shutil.rmtree(self.root / "sub", ignore_errors=True)

    @rule(name=NAMES)
    def toggle_readable(self, name: str) -> None:
        self.refused.symmetric_difference_update({name})
        if (self.root / name).exists():  # as a change of permissions does, this sets ctime
            (self.root / name).chmod((self.root / name).stat().st_mode)

    @rule(rules=RULES)
    def ignore(self, rules: str) -> None:
        (self.root / ".kbignore").write_text(rules)

    # ── what the index does about it ────────────────────────────────────────────────────────────

    @rule(names=st.lists(NAMES, max_size=3), own=st.booleans())
    def update(self, names: list[str], own: bool) -> None:
        self.indexed.indexer.update(names, by="" if own else None)

    @rule()
    def reopen(self) -> None:
        self.indexed.close()
        self.open()

    @rule()
    def scan(self) -> None:
        self.indexed.indexer.scan()

    @rule()
    def scan_and_compare(self) -> None:
        self.indexed.indexer.scan()
        with indexed(self.root, settings=self.settings, refused=self.refused) as fresh:
            assert content(self.indexed.database) == content(fresh.database)
        again = self.indexed.indexer.scan()
        assert (again.added, again.changed, again.removed) == (0, 0, 0)


class TestHistories(Histories.TestCase):  # type: ignore[misc, valid-type]
    settings = settings(max_examples=25, stateful_step_count=15)
