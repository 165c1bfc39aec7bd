"""What holds for the package as a whole."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from importlib.metadata import requires, version
from pathlib import Path

import jupyter_kb

ROOT = Path(__file__).parent.parent
LINE_LIMIT = 400


def test_no_module_has_outgrown_the_head() -> None:
    lengths = {
        str(path.relative_to(ROOT)): path.read_text(encoding="utf-8").count("\n")
        for folder in ("jupyter_kb", "docs")
        for path in (ROOT / folder).rglob("*.py")
    }

    assert {name: length for name, length in lengths.items() if length > LINE_LIMIT} == {}


def test_messages_of_errors_can_be_joined_to_others() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{text.lineno}: {ast.unparse(text)}"
        for path in (ROOT / "jupyter_kb").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "").endswith("Error")
        for text in (*node.args, *(keyword.value for keyword in node.keywords if keyword.arg == "hint"))
        if re.match(r"[A-Z][a-z]* ", _ends(text)[0]) or _ends(text)[1].endswith(".")
    ]

    assert wrong == []


def _ends(text: ast.expr) -> tuple[str, str]:
    """How a text begins and ends, as far as that stands in the source."""
    parts = text.values if isinstance(text, ast.JoinedStr) else [text]
    first, last = (part.value if isinstance(part, ast.Constant) else "" for part in (parts[0], parts[-1]))
    return (first, last) if isinstance(first, str) and isinstance(last, str) else ("", "")


def test_importing_the_package_loads_nothing_else() -> None:
    program = "import sys; before = set(sys.modules); import jupyter_kb; print(*sorted(set(sys.modules) - before))"

    loaded = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, check=True, text=True)

    assert loaded.stdout.split() == ["jupyter_kb"]


def test_the_installed_version_is_the_one_in_the_source() -> None:
    assert version("jupyter-kb") == jupyter_kb.__version__


def test_every_requirement_has_a_tested_version() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = {_normal(line.partition("==")[0]) for line in lines if not line.startswith("#")}
    required = {_normal(line.partition(";")[0]) for line in requires("jupyter-kb") or []}

    assert required - pinned == set()


def _normal(requirement: str) -> str:
    """The name of a distribution, spelled the one way that names are compared in."""
    name = requirement.strip()
    for separator in "[<>=!~ ":
        name = name.partition(separator)[0]
    return name.lower().replace("_", "-").replace(".", "-")
