"""How a line is read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_kb.errors import InvalidRequestError
from jupyter_kb.magics.commands import COMMANDS, EDIT, GET, SEARCH, STATUS
from jupyter_kb.magics.grammar import parse, quoted


def test_words_of_a_query_stay_as_they_were_written() -> None:
    assert parse(SEARCH, '"two words" +must -not word* what\'s up?').text == '"two words" +must -not word* what\'s up?'


def test_options_may_stand_anywhere_between_words() -> None:
    arguments = parse(SEARCH, "--tag a dark -n 5 adaptation --tag=b")

    assert arguments.text == "dark adaptation"
    assert arguments.given == {"tag": ("a", "b"), "limit": 5}


def test_after_two_hyphens_nothing_is_an_option() -> None:
    assert parse(SEARCH, "-n 2 -- --tag x").text == "--tag x"


@pytest.mark.parametrize("line", ["--path 'a b/**' q", '--path="a b/**" q', "q --path 'a b/**'"])
def test_quotes_keep_the_value_of_an_option_together(line: str) -> None:
    assert parse(SEARCH, line).get("path") == "a b/**"


def test_a_quoted_word_is_no_option() -> None:
    assert parse(SEARCH, '"--tag"').text == '"--tag"'


@pytest.mark.parametrize(
    ("line", "note", "heading"),
    [
        ("npq", "npq", None),
        ("npq > Sequence", "npq", "Sequence"),
        ("dark adaptation.md > A > B c", "dark adaptation.md", "A > B c"),
        ('"a > b.md" > "x > y"', "a > b.md", "x > y"),
        ('"say \\"hi\\".md" > it\'s', 'say "hi".md', "it's"),
        ("--own npq > Sequence", "npq", "Sequence"),
        ("npq >", "npq", None),
        ("", "", None),
    ],
)
def test_a_place_is_a_note_and_what_follows_the_first_step(line: str, note: str, heading: str | None) -> None:
    arguments = parse(GET, line)

    assert (arguments.note, arguments.heading) == (note, heading)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("x --tgs y", "did you mean '--tag'?"),
        ("x --mode txt", "did you mean 'text'?"),
        ("x --limit many", "--limit wants N, not 'many'"),
        ("x --limit 0", "--limit wants N, not '0'"),
        ("x --weight 1.5", "--weight wants W, not '1.5'"),
        ("x --limit", "--limit needs a value: --limit N"),
        ("x --explain=yes", "--explain takes no value"),
    ],
)
def test_what_cannot_be_meant_is_named(line: str, says: str) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        parse(SEARCH, line)

    assert says in f"{caught.value.message} {caught.value.hint}"


def test_a_command_without_arguments_takes_none() -> None:
    with pytest.raises(InvalidRequestError, match="takes no 'now'"):
        parse(STATUS, "now")


def test_a_far_off_name_gets_the_list_instead_of_a_guess() -> None:
    with pytest.raises(InvalidRequestError) as caught:
        parse(EDIT, "x > y --frobnicate")

    assert caught.value.hint is not None
    assert "--dry-run" in caught.value.hint
    assert "did you mean" not in caught.value.hint


@given(st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1).filter(lambda name: name.strip()))
def test_a_quoted_name_is_read_as_that_name(name: str) -> None:
    arguments = parse(GET, f"{quoted(name)} > {quoted(name)}")

    assert arguments.note == name
    assert arguments.heading == name


def test_every_option_has_a_help_text_and_a_key_of_its_own() -> None:
    for command in COMMANDS.values():
        keys = [option.key for option in command.options]
        assert len(set(keys)) == len(keys)
        assert all(option.help.endswith(".") for option in command.options)
