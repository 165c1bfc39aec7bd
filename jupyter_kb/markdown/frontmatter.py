"""Front matter: the YAML block at the beginning of a note, as JSON-ready values; nothing in it is ever executed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from jupyter_kb.markdown.lines import BOM, decode, readable
from jupyter_kb.markdown.yaml_values import parse_yaml
from jupyter_kb.models import ByteRange

_FENCE = re.compile(rb"---[ \t]*(?:\r\n?|\n|\Z)")
_CLOSING_FENCE = re.compile(rb"(?:(?<=\n)|(?<=\r))---[ \t]*(?:\r\n?|\n|\Z)")


@dataclass(frozen=True, kw_only=True)
class FrontMatter:
    """The block and what it says.

    `byte_range` holds both fences and the last one's line end. `values` can be written as JSON in UTF-8: keys are
    strings, dates ISO strings, numbers finite. `error` says what is wrong with the YAML (then `values` is empty),
    `error_line` counts from the file's 1.
    """

    byte_range: ByteRange
    values: dict[str, Any] = field(default_factory=dict)
    error: str | None = None
    error_line: int | None = None

    @property
    def title(self) -> str | None:
        """The field `title`, where it is text or a number."""
        value = self._get("title")
        return _word(value) or None

    @property
    def tags(self) -> tuple[str, ...]:
        """The fields `tags` and `tag`, a list or a text with commas or blanks, without `#`."""
        words = (word.lstrip("#") for key in ("tags", "tag") for word in _words(self._get(key), r"[,\s]+"))
        return tuple(dict.fromkeys(word for word in words if word))

    @property
    def aliases(self) -> tuple[str, ...]:
        """The fields `aliases` and `alias`, a list or a text with commas."""
        return tuple(
            dict.fromkeys(word for key in ("aliases", "alias") for word in _words(self._get(key), r"[,\n]") if word)
        )

    def _get(self, key: str) -> Any:
        if key in self.values:
            return self.values[key]
        return next((value for name, value in self.values.items() if name.lower() == key), None)


def _word(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return str(value).strip()


def _words(value: Any, separator: str) -> Iterator[str]:
    if isinstance(value, str):
        yield from (word.strip() for word in re.split(separator, value))
    elif isinstance(value, list):
        yield from (_word(item) for item in value)
    else:
        yield _word(value)


def read_front_matter(data: bytes) -> tuple[FrontMatter | None, bool]:
    """The front matter of a file, None where it has none; and whether a block was opened but never closed.

    It begins at byte 0 (behind a byte order mark) with a line `---` and ends at the next line `---`. A block that is
    never closed is no front matter. Bad YAML is reported in the value, never raised.
    """
    start = len(BOM) if data.startswith(BOM) else 0
    opening = _FENCE.match(data, start)
    if not opening:
        return None, False
    closing = _CLOSING_FENCE.search(data, opening.end() - 1)
    if closing is None or closing.start() < opening.end():
        return None, True
    byte_range = ByteRange(start=start, end=closing.end())
    text = readable(decode(data[opening.end() : closing.start()]))
    try:
        return FrontMatter(byte_range=byte_range, values=parse_yaml(text)), False
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 2 if mark else None
        return FrontMatter(byte_range=byte_range, error=_sentence(error), error_line=line), False
    except (yaml.YAMLError, ValueError) as error:
        return FrontMatter(byte_range=byte_range, error=_sentence(error)), False


def _sentence(error: Exception) -> str:
    problem = getattr(error, "problem", None)
    context = getattr(error, "context", None)
    if problem:
        return f"{problem} {context}" if context else str(problem)
    return str(error).partition("\n")[0]
