"""The language of a magic's line: words, quotes, options, and `NOTE > HEADING`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from jupyter_kb.errors import InvalidRequestError
from jupyter_kb.markdown.nearest import levenshtein, nearest

Takes = Literal["words", "place", "note", "vault", "command", "nothing"]
"""What stands in a line besides options: free words, `NOTE > HEADING`, a note, a vault, a command's name."""

# A quote counts only around a whole word, so that an apostrophe inside one is no beginning of anything.
_QUOTED = r"""(?P<name>--[a-z][a-z-]*=)?(?P<quote>["'])(?P<inside>(?:\\.|(?!(?P=quote)).)*)(?P=quote)(?=\s|$)"""
_WORD = re.compile(rf"{_QUOTED}|\S+")
_ESCAPED = re.compile(r"\\([\"'\\])")
_OPTION = re.compile(r"--[a-z]")
_STEP = ">"
_READ_OTHERWISE = re.compile(r"""["']|-.|>$""")


@dataclass(frozen=True, kw_only=True)
class Option:
    """An option: a flag, or (`metavar`) one with a value, perhaps several times. `read` makes the value of its text."""

    names: tuple[str, ...]
    help: str
    metavar: str | None = None
    read: Callable[[str], Any] = str
    choices: tuple[str, ...] = ()
    repeated: bool = False

    @property
    def key(self) -> str:
        """Its name in a program."""
        return self.names[0].lstrip("-").replace("-", "_")


@dataclass(frozen=True, kw_only=True)
class Command:
    """One word after `%kb`: what it takes, and what its help says. `cell`: how it goes with a cell below its line."""

    name: str
    summary: str
    takes: Takes
    usage: str
    about: str = ""
    options: tuple[Option, ...] = ()
    examples: tuple[str, ...] = ()
    cell: Literal["no", "yes", "both"] = "no"

    def option(self, name: str) -> Option | None:
        """The option of that name."""
        return next((option for option in self.options if name in option.names), None)


@dataclass(frozen=True, kw_only=True)
class Word:
    """A word as written (`raw`), what it means without its quotes (`value`), and where it stands."""

    raw: str
    value: str
    start: int
    quoted: bool = False


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """A line, read: its words as they were written, the same cut at each `>`, and the options that were given."""

    text: str = ""
    path: tuple[str, ...] = ()
    given: Mapping[str, Any] = field(default_factory=dict)

    @property
    def note(self) -> str:
        """What stands before the first `>`."""
        return self.path[0] if self.path else ""

    @property
    def heading(self) -> str | None:
        """The heading path: what stands behind the first `>`; None where nothing does."""
        return f" {_STEP} ".join(self.path[1:]) or None

    def get(self, key: str, default: Any = None) -> Any:
        """The value of an option, or the default."""
        return self.given.get(key, default)


def words(line: str) -> Iterator[Word]:
    """The words of a line; quotes around a whole word, or around the value of an option, keep its blanks together."""
    for found in _WORD.finditer(line):
        raw = found[0]
        if found["quote"] is None:
            yield Word(raw=raw, value=raw, start=found.start())
        else:
            inside = _ESCAPED.sub(r"\1", found["inside"])
            yield Word(raw=raw, value=(found["name"] or "") + inside, start=found.start(), quoted=not found["name"])


def parse(command: Command, line: str) -> Arguments:
    """What a line means to a command.

    Raises
    ------
    InvalidRequestError : an option that it does not have, or a value that is none of the allowed.
    """
    rest: list[Word] = []
    given: dict[str, Any] = {}
    tokens = iter(words(line))
    for word in tokens:
        name, equals, value = word.value.partition("=")
        option = None if word.quoted else command.option(name)
        if option is None:
            if word.value == "--" and not word.quoted:
                rest.extend(tokens)
            elif _OPTION.match(word.raw):
                raise unknown("option", name, [name for known in command.options for name in known.names], command)
            else:
                rest.append(word)
        elif option.metavar is None:
            if equals:
                raise InvalidRequestError(f"{name} takes no value")
            given[option.key] = True
        else:
            if not equals:
                following = next(tokens, None)
                if following is None:
                    raise InvalidRequestError(f"{name} needs a value: {name} {option.metavar}")
                value = following.value
            made = _value(option, name, value)
            given[option.key] = (*given.get(option.key, ()), made) if option.repeated else made
    if command.takes == "nothing" and rest:
        raise InvalidRequestError(f"`%kb {command.name}` takes no '{rest[0].value}'", hint=f"usage: {command.usage}")
    return Arguments(text=" ".join(word.raw for word in rest), path=_steps(rest), given=given)


def _steps(rest: Sequence[Word]) -> tuple[str, ...]:
    steps: list[list[str]] = [[]]
    for word in rest:
        if word.raw == _STEP:
            steps.append([])
        else:
            steps[-1].append(word.value)
    return tuple(" ".join(step) for step in steps)


def _value(option: Option, name: str, text: str) -> Any:
    if option.choices and text not in option.choices:
        raise InvalidRequestError(f"{name} knows no '{text}'", hint=unknown("value", text, option.choices).hint)
    try:
        return option.read(text)
    except ValueError:
        raise InvalidRequestError(f"{name} wants {option.metavar}, not '{text}'") from None


def unknown(kind: str, name: str, known: Sequence[str], command: Command | None = None) -> InvalidRequestError:
    """The error for a name that is not among the known ones, with the one that was probably meant."""
    near = [other for other in nearest(name, known, 1) if levenshtein(name, other) <= max(2, len(name) // 3)]
    hint = f"did you mean '{near[0]}'?" if near else f"there are {', '.join(known)}"
    where = f" of `%kb {command.name}`" if command else ""
    return InvalidRequestError(f"there is no {kind} '{name}'{where}", hint=hint)


def number(least: int) -> Callable[[str], int]:
    """Reads a whole number that is not below `least`."""

    def read(text: str) -> int:
        value = int(text)
        if value < least:
            raise ValueError(text)
        return value

    return read


def share(text: str) -> float:
    """Reads a number from 0 to 1."""
    value = float(text)
    if not 0 <= value <= 1:
        raise ValueError(text)
    return value


def quoted(name: str) -> str:
    """A name as a line has to hold it: in quotes where it would be read as something else."""
    plain = not any(word.quoted or _READ_OTHERWISE.match(word.raw) for word in words(name))
    if plain and name == " ".join(name.split()) and name:
        return name
    return '"' + re.sub(r'(["\\])', r"\\\1", name) + '"'
