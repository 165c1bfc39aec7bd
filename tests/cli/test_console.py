"""Writing to terminals."""

from __future__ import annotations

import io
import re
import threading
from types import SimpleNamespace

import pytest

from jupyter_kb.cli import console
from jupyter_kb.render.lines import Line, words


class Terminal(io.TextIOWrapper):
    """A stream that says it is a terminal."""

    def __init__(self, encoding: str = "utf-8") -> None:
        super().__init__(io.BytesIO(), encoding=encoding, write_through=True)

    def isatty(self) -> bool:
        return True

    def shown(self) -> str:
        """The text that was written, without styles."""
        buffer = self.buffer
        assert isinstance(buffer, io.BytesIO)
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", buffer.getvalue().decode(self.encoding))


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    stream = Terminal()
    monkeypatch.setattr(console, "sys", SimpleNamespace(stdout=stream, stderr=stream))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "30")
    monkeypatch.delenv("NO_COLOR", raising=False)
    return stream


def test_a_long_body_hangs_below_its_beginning(terminal: Terminal) -> None:
    console.show([Line(lead=((" 12  ", "line"),), body=(("one two three four five six seven", ""),))])

    assert terminal.shown() == " 12  one two three four five \n     six seven\n"


def test_wide_characters_count_twice(terminal: Terminal) -> None:
    console.show([Line(lead=(("1 ", "line"),), body=(("凧" * 20, ""),))])

    assert terminal.shown() == f"1 {'凧' * 14}\n  {'凧' * 6}\n"


def test_a_word_wider_than_the_terminal_is_cut_not_lost(terminal: Terminal) -> None:
    console.show([words("x" * 70)])

    assert terminal.shown() == "\n".join(["x" * 30, "x" * 30, "x" * 10, ""])


def test_a_lead_that_leaves_no_room_does_not_hang(terminal: Terminal) -> None:
    console.show([Line(lead=(("a very long file name.md: ", "file"),), body=(("message", ""),))])

    assert terminal.shown() == "a very long file name.md: \nmessage\n"


def test_markup_in_a_note_is_only_text(terminal: Terminal) -> None:
    console.show([words("[bold]x[/bold] :smile:")])

    assert terminal.shown() == "[bold]x[/bold] :smile:\n"


def test_empty_lines_stay(terminal: Terminal) -> None:
    console.show([words("a"), Line(), words("b")])

    assert terminal.shown() == "a\n\nb\n"


def test_drawn_characters_become_ascii_where_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal("ascii")
    monkeypatch.setattr("sys.stdout", stream)

    console.show([words("├─ a → 凧…")])

    assert stream.shown() == "|- a -> ?...\n"


def test_long_work_draws_a_bar(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(console, "_PROGRESS_AFTER", 0)

    with console.progress("Indexing") as follow:
        follow(1, 4)
        follow(4, 4)

    assert "Indexing" in terminal.shown()
    assert "4/4" in terminal.shown()


def test_short_work_draws_none(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(console, "_PROGRESS_AFTER", 1000)

    with console.progress("Indexing") as follow:
        follow(1, 4)

    assert terminal.shown() == ""


def test_a_pipe_gets_no_bar(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(console, "_PROGRESS_AFTER", 0)

    with console.progress("Indexing") as follow:
        follow(1, 4)

    assert capsys.readouterr() == ("", "")


def test_a_wait_that_lasts_is_told_and_leaves_nothing_behind(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(console, "_PROGRESS_AFTER", 0)
    begun = threading.Event()
    write = terminal.write

    def written(text: str) -> int:
        begun.set()
        return write(text)

    monkeypatch.setattr(terminal, "write", written)

    with console.waiting("Searching"):
        assert begun.wait(10)

    assert "Searching" in terminal.shown()


def test_a_short_wait_is_not_told(terminal: Terminal) -> None:
    with console.waiting("Searching"):
        pass

    assert terminal.shown() == ""
