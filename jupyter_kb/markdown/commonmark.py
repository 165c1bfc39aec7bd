"""markdown-it as this room uses it: CommonMark, nothing rewritten."""

from __future__ import annotations

from markdown_it import MarkdownIt
from markdown_it.common.utils import MD_TRIM_CHARS


class CommonMark(MarkdownIt):
    """markdown-it by CommonMark, with destinations kept as they are written, wherever they lead."""

    def __init__(self) -> None:
        super().__init__("commonmark")

    def normalizeLink(self, url: str) -> str:  # noqa: N802 - markdown-it's name
        """The destination as it is."""
        return url

    def normalizeLinkText(self, link: str) -> str:  # noqa: N802 - markdown-it's name
        """The text of an autolink as it is."""
        return link

    def validateLink(self, url: str) -> bool:  # noqa: N802 - markdown-it's name
        """Whether a destination makes a link: always."""
        return True


def trimmed(text: str) -> str:
    """`text` without the white space that CommonMark takes off the ends of inline text."""
    return text.strip(MD_TRIM_CHARS)
