"""kb:// addresses: whatever a note is called, its address names it and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_kb.errors import InvalidRequestError
from jupyter_kb.mcp.addresses import Address, read_address, templates

NAMES = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1)


@given(NAMES, NAMES, st.none() | NAMES)
def test_an_address_that_was_written_is_read_as_the_same(vault: str, file: str, heading_path: str | None) -> None:
    address = Address(vault=vault, file=file, heading_path=heading_path)

    assert str(address).isascii()
    assert not set(str(address)) & set(' <>"\n')
    assert read_address(str(address)) == address


def test_an_address_looks_as_a_person_expects() -> None:
    address = Address(vault="lab notes", file="röntgen/tube #2.md", heading_path="Start > Warm up?")

    assert str(address) == "kb://lab%20notes/r%C3%B6ntgen/tube%20%232.md#Start%20%3E%20Warm%20up%3F"


def test_bytes_that_are_no_text_survive_in_a_name() -> None:
    address = Address(vault="v", file="a\udcff.md")

    assert str(address) == "kb://v/a%FF.md"
    assert read_address(str(address)) == address


@pytest.mark.parametrize("text", ["kb://v/a b.md#A > B", "KB://v/a%20b.md#A%20%3E%20B", " kb://v/a b.md#A%20> B\n"])
def test_what_a_person_types_is_read_without_escapes_too(text: str) -> None:
    assert read_address(text) == Address(vault="v", file="a b.md", heading_path="A > B")


@pytest.mark.parametrize(
    "text", ["", "a.md", "kb:", "kb://", "kb://v", "kb://v/", "kb:///a.md", "http://v/a.md", "://"]
)
def test_what_names_no_note_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        read_address(text)

    assert "kb://VAULT/path.md" in str(caught.value.hint)


def test_the_templates_give_such_addresses() -> None:
    note, section = templates("lab notes")

    assert note == "kb://lab%20notes/{+path}"
    assert section == "kb://lab%20notes/{+path}#{section}"
