"""What links mean, from the tables of links.md."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from jupyter_kb.graph.attachments import Attachments
from jupyter_kb.graph.catalog import Catalog
from jupyter_kb.graph.resolve import ExactResolver, Resolution, VaultResolver
from jupyter_kb.graph.rows import link_rows
from jupyter_kb.models import LinkTarget
from tests.graph.conftest import MakeVault

_CELLS = re.compile(r"(?<!\\)\|")


@dataclass
class Part:
    """One vault and the links to try in it."""

    name: str
    files: dict[str, str] = field(default_factory=dict)
    rows: list[dict[str, str]] = field(default_factory=list)


def _parts() -> list[Part]:
    parts: list[Part] = []
    fence: str | None = None
    header: list[str] = []
    for line in (Path(__file__).parent / "links.md").read_text(encoding="utf-8").splitlines():
        if fence is not None:
            if line == "~~~":
                fence = None
            else:
                parts[-1].files[fence] += line + "\n"
        elif line.startswith("## "):
            parts.append(Part(line[3:]))
            header = []
        elif line.startswith("~~~ "):
            fence = line[4:]
            parts[-1].files[fence] = ""
        elif line.startswith("| "):
            cells = [cell.strip() for cell in _CELLS.split(line)[1:-1]]
            if header:
                parts[-1].rows.append(dict(zip(header, cells, strict=True)))
            else:
                header = cells
    return parts


def _shown(target: LinkTarget) -> str:
    return target.file if target.heading_path is None else f"{target.file}#{target.heading_path}"


def _result(resolution: Resolution) -> str:
    """A resolution in the notation of links.md, after checking that its values fit together."""
    assert (resolution.reason is None) == (resolution.status == "resolved")
    if resolution.status == "ambiguous":
        assert resolution.target is None
        assert len(resolution.candidates) > 1
        return "? " + " ".join(map(_shown, resolution.candidates))
    assert resolution.candidates == ()
    if resolution.status == "missing":
        return f"-{_shown(resolution.target)}" if resolution.target else "-"
    assert resolution.target
    return _shown(resolution.target)


@pytest.mark.parametrize("part", _parts(), ids=lambda part: part.name)
def test_links_mean_what_the_table_says(part: Part, make_vault: MakeVault) -> None:
    files = dict(part.files)
    for row in part.rows:
        written = row["link"].strip("`").replace(r"\|", "|")
        files[row["from"]] += f"\n\nSee {written}.\n"
    if any("[ref]" in text for text in files.values()):
        files["page.md"] += "\n[ref]: docs/guide.md\n"
    indexed = make_vault(files)
    catalog = Catalog(indexed.database)
    exact, vault = ExactResolver(catalog), VaultResolver(catalog, Attachments(indexed.vault))
    links = {path: iter(link_rows(indexed.database, "n.path = ?", [path])) for path in files}

    for row in part.rows:
        link = next(links[row["from"]]).link
        found = {"vault": _result(vault.resolve(link))}
        if row.get("exact"):
            found["exact"] = _result(exact.resolve(link.source, link.raw_target))
        assert {name: row[name] for name in found} == found, row["link"]
    assert [next(rest, None) for rest in links.values()] == [None] * len(links)


def test_the_tables_are_read_whole() -> None:
    parts = _parts()

    assert len(parts) == 10
    assert all(part.files and len(part.rows) >= 3 for part in parts)
