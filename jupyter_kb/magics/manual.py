"""The help of the magics, made from their commands: for a notebook, for `%kb?`, and for the reference page."""

from __future__ import annotations

from collections.abc import Iterator

from jupyter_kb.magics.commands import COMMANDS
from jupyter_kb.magics.grammar import Command, Option
from jupyter_kb.magics.showing import Result
from jupyter_kb.render import markdown
from jupyter_kb.render.elements import coded, element
from jupyter_kb.render.html import page

_NOTE = "NOTE may leave out folders and `.md`; HEADING is a heading path, or the end of one. Tab completes both."


def overview() -> str:
    """All commands, a line each, as plain text."""
    width = max(len(command.usage) for command in COMMANDS.values())
    rows = "".join(f"    {command.usage:<{width}}  {command.summary}\n" for command in COMMANDS.values())
    return f"The knowledge base in a notebook.\n\n{rows}\n{_NOTE}\n"


class Overview(Result):
    """All commands."""

    def __repr__(self) -> str:
        return "<Overview of %kb>"

    def _html(self) -> str:
        rows = [
            element("tr", element("td", element("code", command.usage)), element("td", command.summary))
            for command in COMMANDS.values()
        ]
        return page(element("table", element("tbody", *rows)), element("p", coded(_NOTE), class_="kb-small"))

    def _markdown(self) -> str:
        return markdown.table((command.usage, command.summary) for command in COMMANDS.values())

    def _plain(self) -> str:
        return overview()


class Help(Result):
    """What one command does."""

    def __init__(self, command: Command) -> None:
        self.command = command

    def __repr__(self) -> str:
        return f"<Help of %kb {self.command.name}>"

    def _html(self) -> str:
        command = self.command
        rows = [
            element("tr", element("td", element("code", spelled(option))), element("td", coded(explained(option))))
            for option in command.options
        ]
        examples = element("pre", "\n".join(command.examples)) if command.examples else ""
        return page(
            element("div", element("code", command.usage), f"  {command.summary}", class_="kb-top"),
            element("p", coded(command.about)) if command.about else "",
            examples,
            element("table", element("tbody", *rows)),
        )

    def _markdown(self) -> str:
        rows = ((spelled(option), explained(option)) for option in self.command.options)
        return markdown.table(rows, self.command.usage)

    def _plain(self) -> str:
        return "".join(line + "\n" for line in _lines(self.command))


def _lines(command: Command) -> Iterator[str]:
    yield f"{command.usage}  {command.summary}"
    if command.about:
        yield f"\n{command.about}"
    if command.examples:
        yield ""
        yield from ("    " + line for example in command.examples for line in example.splitlines())
    yield ""
    width = max(len(spelled(option)) for option in command.options)
    yield from (f"    {spelled(option):<{width}}  {explained(option)}" for option in command.options)


def spelled(option: Option) -> str:
    """An option as one writes it, with its value."""
    names = ", ".join(option.names)
    return f"{names} {option.metavar}" if option.metavar else names


def explained(option: Option) -> str:
    """What an option does, and what it may be given."""
    return f"{option.help[:-1]} ({', '.join(option.choices)})." if option.choices else option.help
