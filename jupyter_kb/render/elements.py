"""HTML elements that cannot be anything else: whatever is no element itself becomes text, escaped."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from jupyter_kb.render.lines import Span, visible_lines


class Html(str):
    """HTML that is safe as it stands."""

    __slots__ = ()


def element(name: str, *parts: str, **attributes: str | None) -> Html:
    """An element with text and other elements in it. `class_` and `data_x` name attributes; None leaves one out."""
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(visible_lines(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Html(f"<{name}{given}>{join(parts)}</{name}>")


def join(parts: Iterable[str]) -> Html:
    """Elements and texts one after the other."""
    return Html("".join(part if isinstance(part, Html) else escape(visible_lines(part)) for part in parts))


def spans(line: Iterable[Span]) -> Html:
    """Styled spans: marks as `mark`, other styles as classes `kb-STYLE`, text without a style as it is."""
    return join(
        element("mark", text) if style == "mark" else element("span", text, class_=f"kb-{style}") if style else text
        for text, style in line
    )


def coded(text: str) -> Html:
    """Text in which what stands in backticks is code."""
    return join(element("code", part) if at % 2 else part for at, part in enumerate(text.split("`")))
