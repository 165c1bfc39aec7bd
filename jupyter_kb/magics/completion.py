"""Tab in a `%kb` line: commands, options and their values, notes, headings, vaults."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from jupyter_kb.magics.commands import COMMANDS
from jupyter_kb.magics.grammar import Command, Word, quoted, words

if TYPE_CHECKING:
    from IPython.core.completer import CompletionContext, SimpleMatcherResult

    from jupyter_kb.magics.session import Session
    from jupyter_kb.models import OutlineNode

T = TypeVar("T")

_LINE = re.compile(r"\s*(?:[\w.\[\]'\", ]+=\s*)?%?%kb[ \t]+")
_MOST = 100
_MOST_NOTES = 1_000
"""Whose tags are offered."""
_PATIENCE = 0.9
"""Seconds that somebody waits for a list; what takes longer is there at the next Tab."""


class Matcher:
    """Completes `%kb` lines for IPython; gives nothing for any other."""

    # What IPython's `context_matcher` would set, without importing it.
    matcher_api_version = 2
    matcher_priority = 100
    matcher_identifier = "jupyter_kb"

    def __init__(self, session: Session) -> None:
        self._session = session
        self.__qualname__ = type(self).__qualname__

    def __call__(self, context: CompletionContext) -> SimpleMatcherResult:
        """The completions at the cursor."""
        from IPython.core.completer import SimpleCompletion

        fragment, found = complete(context.text_until_cursor, self._session)
        return {
            "completions": [SimpleCompletion(text=text, type="kb") for text in found],
            "matched_fragment": fragment,
            "suppress": True,
            "ordered": True,
        }


def complete(line: str, session: Session) -> tuple[str, list[str]]:
    """The end of a line (up to the cursor) that completions replace, and those completions, best first."""
    begin = _LINE.match(line)
    if begin is None:
        return "", []
    rest = line[begin.end() :]
    name, blank, after = rest.partition(" ")
    if not blank:
        return name, [known for known in COMMANDS if known.startswith(name)]
    command = COMMANDS.get(name)
    return ("", []) if command is None else _in_command(command, after, session)


def _in_command(command: Command, line: str, session: Session) -> tuple[str, list[str]]:
    """Completions after the command's name."""
    tokens = list(words(line))
    last = tokens[-1].raw if tokens and not line[-1:].isspace() else ""
    name, equals, value = last.partition("=")
    before = tokens[:-1] if last else tokens
    option = command.option(name if equals else before[-1].raw) if equals or before else None
    if option is not None and option.metavar is not None:
        typed = value if equals else last
        known = _tags(session) if "--tag" in option.names else option.choices
        return typed, [choice for choice in known if choice.casefold().startswith(typed.casefold())][:_MOST]
    if last.startswith("-"):
        names = [name for known in command.options for name in known.names]
        return last, [name for name in names if name.startswith(last)]
    if command.takes in ("place", "note"):
        return _in_place(command, line, tokens, session)
    if command.takes == "command":
        return last, [known for known in COMMANDS if known.startswith(last)]
    if command.takes == "vault":
        typed = line.lstrip()
        if typed.startswith(("~", "/", ".")):
            return typed, _folders(typed)
        return typed, [quoted(name) for name in _vaults(session) if name.startswith(typed)]
    return "", []


def _in_place(command: Command, line: str, tokens: list[Word], session: Session) -> tuple[str, list[str]]:
    """Notes before the first `>`, heading paths behind it."""
    start = _after_options(command, line, tokens)
    steps = [word for word in tokens if word.raw == ">" and word.start >= start]
    if not steps:
        typed = line[start:]
        return typed, [quoted(file) for file in _notes(session, typed.strip("\"'"))]
    if command.takes == "note":
        return "", []
    typed = line[steps[0].start + 1 :].lstrip()
    note = " ".join(word.value for word in tokens if start <= word.start < steps[0].start)
    found = [path for path in _headings(session, note) if typed.strip("\"'").casefold() in path.casefold()]
    return typed, [" > ".join(map(quoted, path.split(" > "))) for path in found[:_MOST]]


def _after_options(command: Command, line: str, tokens: list[Word]) -> int:
    """Where the note begins: behind the options that stand before it."""
    start = len(line) - len(line.lstrip())
    skip = False
    for word in tokens:
        if skip:
            skip = False
        else:
            option = command.option(word.raw.partition("=")[0])
            if option is None:
                return word.start
            skip = option.metavar is not None and "=" not in word.raw
        start = min(len(line), word.start + len(word.raw) + 1)
    return start


def _notes(session: Session, typed: str) -> list[str]:
    found = _in_time(lambda: session.kb.notes(query=typed, limit=_MOST).notes) or ()
    files = [note.file for note in found]
    wanted = typed.casefold()
    holding = [
        file for file in files if wanted in file.casefold()
    ] or files  # else those that are called so in the note
    return sorted(holding, key=lambda file: not file.casefold().startswith(wanted))


def _headings(session: Session, note: str) -> list[str]:
    outline = _in_time(lambda: session.kb.outline(session.kb.find_note(note)))
    return [node.heading_path for node in _flat(outline.sections)] if outline else []


def _tags(session: Session) -> list[str]:
    notes = _in_time(lambda: session.kb.notes(limit=_MOST_NOTES).notes) or ()
    return sorted({tag for note in notes for tag in note.tags})


def _folders(typed: str) -> list[str]:
    """The folders whose path begins so, as it was typed (`~` stays); hidden ones only where the dot was typed."""
    parent, slash, begun = typed.rpartition("/")
    if not slash:
        return [f"{typed}/"] if typed in ("~", ".", "..") else []
    try:
        with os.scandir(os.path.expanduser(parent + slash)) as entries:
            names = [entry.name for entry in entries if entry.is_dir() and entry.name.startswith(begun)]
    except OSError:
        return []
    return [f"{parent}/{name}" for name in sorted(names) if begun or not name.startswith(".")][:_MOST]


def _vaults(session: Session) -> list[str]:
    return [vault.name for vault in _in_time(session.vaults) or ()]


def _in_time(work: Callable[[], T]) -> T | None:
    """What work gives, unless it fails or takes too long: a half-typed line must not print anything."""
    outcome: list[Any] = []

    def run() -> None:
        try:
            outcome.append(work())
        except Exception:
            outcome.append(None)

    thread = threading.Thread(target=run, name="kb-completion", daemon=True)
    thread.start()
    thread.join(_PATIENCE)
    return outcome[0] if outcome else None


def _flat(nodes: tuple[OutlineNode, ...]) -> Iterator[OutlineNode]:
    for node in nodes:
        yield node
        yield from _flat(node.children)
