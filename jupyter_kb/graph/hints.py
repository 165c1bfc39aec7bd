"""What to do about a link that does not resolve."""

from __future__ import annotations

from urllib.parse import quote

from jupyter_kb.graph.catalog import Catalog, bare
from jupyter_kb.graph.near import NearNames
from jupyter_kb.graph.resolve import Resolution, WrittenLink, is_attachment

_PAGE = (".html", ".htm")

CHOICES = 3
"""Names that one hint lists at most."""


def written(link: WrittenLink, target: str | None = None) -> str:
    """A link as it is written, or as it would be with another target."""
    target = link.raw_target if target is None else target
    if link.kind == "wikilink":
        return f"[[{target}]]"
    if link.kind == "embed":
        return {"wiki": f"![[{target}]]", "markdown": f"![…]({target})", "either": target}[link.syntax]
    return f"[…]({target})"


def listed(names: list[str], joint: str = ", ") -> str:
    """The first few names, each in quotes."""
    return joint.join(f"'{name}'" for name in names[:CHOICES]) + (" …" if len(names) > CHOICES else "")


class Hints:
    """Hints for the links of one catalog; near names are gathered when first needed."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._names: NearNames | None = None

    def hint(self, link: WrittenLink, resolution: Resolution) -> str:
        """One sentence."""
        if resolution.status == "ambiguous":
            return self._choice(link, resolution)
        if resolution.target is not None:
            return self._heading(link, resolution.target.file)
        return self._file(link)

    def _choice(self, link: WrittenLink, resolution: Resolution) -> str:
        files = list(dict.fromkeys(candidate.file for candidate in resolution.candidates))
        if len(files) == 1:
            return "give the headings different texts, or link to a block id"
        fragment = f"#{link.fragment}" if link.fragment else ""
        choices = [written(link, _path(link, file) + fragment) for file in files[:CHOICES]]
        return f"write the path from the vault's folder: {' or '.join(choices)}{' …' if len(files) > CHOICES else ''}"

    def _heading(self, link: WrittenLink, file: str) -> str:
        note = self._catalog.note(file)
        wanted = (link.fragment or "").rpartition("#")[2].strip()
        if note is None or wanted.startswith("^"):
            return "correct the block id, or write it at the end of the block"
        headings = [section.heading for section in self._catalog.sections(note) if section.level > 0]
        near = NearNames(headings).find(wanted.replace("-", " ") if link.syntax == "markdown" else wanted)
        return f"did you mean the heading '{near}'?" if near else f"correct the link, or add the heading to '{file}'"

    def _file(self, link: WrittenLink) -> str:
        name = link.file_part.strip("/ ").rpartition("/")[2]
        if name.lower().endswith(_PAGE):
            name = name.rpartition(".")[0]  # of a site: the note that it was made of is meant
        elif is_attachment(name):
            return "correct the link, or put the file there"
        if self._names is None:
            self._names = NearNames(bare(path.rpartition("/")[2]) for path in self._catalog.paths())
        near = self._names.find(bare(name))
        if near is None:
            return "correct the link, or create what it names"
        paths = [note.path for note in self._catalog.named(near)]
        return f"did you mean {listed(paths, ' or ')}?"


def _path(link: WrittenLink, file: str) -> str:
    """A target that can only mean this file."""
    if link.syntax == "markdown":
        return f"/{quote(file)}"
    path = bare(file)
    return path if "/" in path else f"/{path}"
