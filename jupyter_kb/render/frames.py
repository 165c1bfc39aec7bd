"""The frame around what a notebook shows: a head with a title and what stands beside it, and parts below."""

from __future__ import annotations

from jupyter_kb.render.elements import Html, element, join
from jupyter_kb.render.style import STYLE


def frame(title: str, *parts: str, beside: str = "", name: str | None = None, kind: str = "") -> Html:
    """A title, something at the right end of its line, and parts below, as one output that brings its style along."""
    head = element(
        "div", element("div", title, class_="kb-frame-title"), beside, class_=f"kb-frame-head {kind}".rstrip()
    )
    box = element("div", head, *parts, class_="kb-frame", role="region" if name else None, aria_label=name)
    return element("div", element("style", Html(STYLE)), box, class_="jupyter-kb kb-wide")


def crumbs(file: str, heading_path: str) -> Html:
    """The way to a section: the note's name, then its headings, the last one strong."""
    steps = [file.rpartition("/")[2], *(heading_path.split(" > ") if heading_path else [])]
    before = [join([element("bdi", step), " › "]) for step in steps[:-1]]
    return join([element("span", *before, class_="kb-muted"), element("strong", element("bdi", steps[-1]))])
