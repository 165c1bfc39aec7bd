"""Text of shared editors and the bytes of notes: nothing is lost on the way there and back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_kb.errors import ConflictError, InvalidBodyError, WriteFailedError
from jupyter_kb.settings import Settings
from jupyter_kb.vault import write
from jupyter_kb.vault.documents import as_bytes, as_text, read_now, replacements, text_to_put
from jupyter_kb.vault.paths import Folder
from jupyter_kb.vault.vault import Vault

LINES = st.lists(st.sampled_from(["a\n", "b\n", "\n", "é😀\n", "a😀b\n", "tail", "# x\r\n"]), max_size=12).map("".join)


class Desk:
    """One open document. `typing` is called just before each change of the text, as a person types at any time."""

    def __init__(self, text: str, typing: Callable[[Desk], None] = lambda desk: None) -> None:
        self.content = text
        self.said = ""
        self._typing = typing

    @contextmanager
    def opened(self, path: Path, *, timeout: float) -> Iterator[Desk]:
        yield self

    def text(self) -> str:
        return self.content

    def put(self, old: str, new: str) -> bool:
        self._typing(self)
        if self.content != old:
            return False
        self.content = new
        return True

    def saved(self, text: str) -> None:
        self.said = text


def vault(root: Path, data: bytes, desk: Desk | None) -> Vault:
    (root / "n.md").write_bytes(data)
    found = Vault(root, Settings(lock_timeout=1.0))
    found.documents = desk
    return found


# ── text and bytes ──────────────────────────────────────────────────────────────────────────────


@given(LINES, LINES)
def test_replacements_make_the_new_text_of_the_old_one(old: str, new: str) -> None:
    data = old.encode()
    for start, end, text in reversed(replacements(old, new)):
        data = data[:start] + text.encode() + data[end:]

    assert data.decode() == new


@given(LINES)
def test_equal_texts_differ_nowhere(text: str) -> None:
    assert replacements(text, text) == []


def test_what_is_equal_between_two_differences_stays() -> None:
    old = "one 😀\nkept é\ntwo\n"
    new = "ONE 😀\nkept é\nTWO\n"

    assert [(old.encode()[start:end].decode(), text) for start, end, text in replacements(old, new)] == [
        ("one", "ONE"),
        ("two", "TWO"),
    ]


@given(LINES, LINES)
def test_the_bytes_of_an_editors_text_show_that_text_again(text: str, disk: str) -> None:
    shown = as_text(text.encode())

    assert as_text(as_bytes(shown, disk.encode(), "n.md")) == shown


@given(LINES)
def test_a_text_that_was_not_changed_stands_for_the_file_byte_for_byte(disk: str) -> None:
    assert as_bytes(as_text(disk.encode()), disk.encode(), "n.md") == disk.encode()


def test_lines_keep_their_ends_and_new_ones_get_the_usual_one() -> None:
    disk = b"a\r\nb\r\nunix\nc\r\nlast"

    assert as_bytes("a\nnew\nb\nunix\nc\nlast\n", disk, "n.md") == b"a\r\nnew\r\nb\r\nunix\nc\r\nlast\r\n"


def test_what_is_not_utf_8_is_refused_both_ways() -> None:
    with pytest.raises(WriteFailedError, match="not UTF-8"):
        as_bytes("text", b"\xff", "n.md")
    with pytest.raises(InvalidBodyError, match="not UTF-8"):
        text_to_put(b"\xff", "n.md")


# ── reading and writing ─────────────────────────────────────────────────────────────────────────


def test_an_edit_finds_what_was_typed(tmp_path: Path) -> None:
    assert read_now(vault(tmp_path, b"old\n", Desk("typed\n")), "n.md") == b"typed\n"
    assert read_now(vault(tmp_path, b"old\n", None), "n.md") == b"old\n"


def test_what_was_typed_is_written_even_where_the_change_is_none(tmp_path: Path) -> None:
    desk = Desk("typed\n")

    write.guarded_write(vault(tmp_path, b"old\n", desk), "n.md", lambda data: data)

    assert (tmp_path / "n.md").read_bytes() == b"typed\n"
    assert desk.said == "typed\n"


def test_typing_between_reading_and_changing_is_part_of_the_next_attempt(tmp_path: Path) -> None:
    left = ["1", "2", "3", "4", "5", "6", "7"]  # more often than other programs are waited for

    def typing(desk: Desk) -> None:
        if left:
            desk.content = left.pop(0) + desk.content

    desk = Desk("old", typing)
    write.guarded_write(vault(tmp_path, b"old", desk), "n.md", lambda data: data + b"!")

    assert desk.content == "7654321old!"
    assert (tmp_path / "n.md").read_bytes() == b"7654321old!"


def test_typing_that_never_pauses_ends_in_an_error_after_the_time_for_a_lock(tmp_path: Path) -> None:
    def typing(desk: Desk) -> None:
        desk.content += "x"

    desk = Desk("old", typing)
    with pytest.raises(ConflictError, match="kept changing"):
        write.guarded_write(vault(tmp_path, b"old", desk), "n.md", lambda data: b"!" + data)

    assert desk.content.startswith("oldx")
    assert (tmp_path / "n.md").read_bytes() == b"old"


def test_a_file_that_cannot_be_replaced_leaves_the_document_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = Desk("old\n")
    opened = vault(tmp_path, b"old\n", desk)

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Folder, "replace", fail)
    with pytest.raises(WriteFailedError, match="No space left"):
        write.guarded_write(opened, "n.md", lambda data: b"new\n")

    assert desk.content == "old\n"
    assert desk.said == ""
    assert (tmp_path / "n.md").read_bytes() == b"old\n"
    assert [path.name for path in tmp_path.iterdir()] == ["n.md"]


def test_a_program_that_writes_as_the_document_is_changed_is_not_overwritten(tmp_path: Path) -> None:
    puts: list[str] = []

    def meddle(desk: Desk) -> None:
        puts.append(desk.content)
        if len(puts) == 1:
            (tmp_path / "n.md").write_bytes(b"theirs\n")

    class Following(Desk):
        @contextmanager
        def opened(self, path: Path, *, timeout: float) -> Iterator[Desk]:
            self.content = path.read_text()  # as a room takes in what other programs write
            yield self

    desk = Following("old\n", meddle)
    write.guarded_write(vault(tmp_path, b"old\n", desk), "n.md", lambda data: data + b"new\n")

    assert (tmp_path / "n.md").read_bytes() == b"theirs\nnew\n"
    assert puts == ["old\n", "old\nnew\n", "theirs\n"]
