"""Writing: styled lines for people, JSON for programs, exact bytes; rich is imported only for a real terminal."""

from __future__ import annotations

import os
import re
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from jupyter_kb.render.lines import Line, Span

# Only attributes and colours that stay readable on white and on black: no yellow, cyan, blue or bright ones.
STYLES = {
    "file": "bold",
    "heading": "none",
    "line": "magenta",
    "mark": "bold red",
    "muted": "dim",
    "added": "green",
    "removed": "red",
    "hunk": "magenta",
    "warning": "bold magenta",
}
_ASCII = str.maketrans({"├": "|", "└": "`", "│": "|", "─": "-", "…": "...", "→": "->", "·": "|", "–": "-"})
_SURROGATE = re.compile("[\ud800-\udfff]")
_PROGRESS_AFTER = 0.4  # seconds: shorter scans show no bar


def show(lines: Iterable[Line], *, err: bool = False) -> None:
    """Write lines to standard output (or error): wrapped and styled on a terminal, as they are elsewhere."""
    stream = sys.stderr if err else sys.stdout
    if err:
        sys.stdout.flush()  # keeps the two streams in order on a terminal
    if styled(stream):
        _print_styled(lines, stream)
        return
    for line in lines:
        stream.write(_encodable(line.text, stream) + "\n")
    if err:
        stream.flush()


def show_text(text: str) -> None:
    """Write text to standard output as it is, undecodable bytes of notes included."""
    write_bytes(text.encode("utf-8", "surrogateescape"))


def write_bytes(data: bytes) -> None:
    """Write exactly these bytes to standard output."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def write_json(value: Any) -> None:
    """Write one JSON document to standard output.

    Bytes of a note that are no UTF-8 appear as lone surrogates, `\\udc80` to `\\udcff`: Python's surrogateescape.
    """
    import json

    readable = _utf8(sys.stdout)
    text = json.dumps(value, ensure_ascii=not readable, indent=2, default=_json_ready)
    sys.stdout.write(_SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n")


def _json_ready(value: Any) -> Any:
    import dataclasses

    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    return str(value)


def styled(stream: TextIO) -> bool:
    """Whether a stream gets styles and wrapping: a terminal, or FORCE_COLOR is set."""
    return (stream.isatty() and os.environ.get("TERM") != "dumb") or bool(os.environ.get("FORCE_COLOR"))


@contextmanager
def progress(description: str, *, rate: str | None = None) -> Iterator[Callable[[int, int], None]]:
    """Give a `(done, total)` callback that draws a bar on standard error, if that is a terminal and the work lasts.

    `rate` is the unit of a speed to show too, such as "/s".
    """
    if not (sys.stderr.isatty() and os.environ.get("TERM") != "dumb"):
        yield lambda done, total: None
        return
    started = time.monotonic()
    bar: Any = None
    task: Any = None

    def follow(done: int, total: int) -> None:
        nonlocal bar, task
        if bar is None:
            if time.monotonic() - started < _PROGRESS_AFTER:
                return
            bar = _bar(rate)
            bar.start()
            task = bar.add_task(description, total=total)
        bar.update(task, completed=done, total=total)

    try:
        yield follow
    finally:
        if bar is not None:
            bar.stop()


@contextmanager
def waiting(description: str) -> Iterator[None]:
    """Show on standard error that something is under way, if that is a terminal and the work lasts."""
    if not (sys.stderr.isatty() and os.environ.get("TERM") != "dumb"):
        yield
        return
    over = threading.Event()

    def show() -> None:
        if not over.wait(_PROGRESS_AFTER):
            with _console(sys.stderr).status(description, spinner_style="magenta"):
                over.wait()

    thread = threading.Thread(target=show, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _bar(rate: str | None) -> Any:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TextColumn, TimeRemainingColumn
    from rich.text import Text

    class Rate(ProgressColumn):
        def render(self, task: Any) -> Text:
            speed = task.finished_speed or task.speed
            return Text(f"{speed:,.0f}{rate}" if speed else "")

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(complete_style="magenta", finished_style="magenta"),
        MofNCompleteColumn(),
        *([Rate()] if rate else []),
        TimeRemainingColumn(),
        console=_console(sys.stderr),
        transient=True,
    )


def _console(stream: TextIO) -> Console:
    from rich.console import Console
    from rich.theme import Theme

    class PipeConsole(Console):
        """Lets a closed pipe reach the program, which ends quietly then."""

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    return PipeConsole(file=stream, theme=Theme(STYLES), highlight=False, markup=False, emoji=False)


def _print_styled(lines: Iterable[Line], stream: TextIO) -> None:
    from rich.text import Text

    console = _console(stream)

    def text(spans: tuple[Span, ...]) -> Text:
        return Text.assemble(*((_encodable(part, stream), style or "none") for part, style in spans))

    def put(line: Text) -> None:
        console.print(line, no_wrap=True, overflow="ignore", crop=False)

    for line in lines:
        lead, body = text(line.lead), text(line.body)
        hang = lead.cell_len
        if hang + 20 > console.width or hang + body.cell_len <= console.width:
            for part in (lead + body).wrap(console, console.width) or [Text()]:
                put(part)
            continue
        first, *rest = body.wrap(console, console.width - hang)
        put(lead + first)
        for part in rest:
            put(Text(" " * hang) + part)


def _utf8(stream: TextIO) -> bool:
    return (stream.encoding or "utf-8").lower().replace("_", "-") in ("utf-8", "utf8", "utf-8-sig", "cp65001")


def _encodable(text: str, stream: TextIO) -> str:
    """Text that the stream can carry: drawn characters become ASCII ones, the rest a question mark."""
    if _utf8(stream):
        return text
    return text.translate(_ASCII).encode(stream.encoding, "replace").decode(stream.encoding)
