"""How the program ends."""

from __future__ import annotations

import json

import pytest

from jupyter_kb import errors
from jupyter_kb.cli import exits
from tests.cli.sessions import invoke


def _all_errors(kind: type[errors.KBError] = errors.KBError) -> list[type[errors.KBError]]:
    return [kind, *(below for child in kind.__subclasses__() for below in _all_errors(child))]


@pytest.mark.parametrize("kind", [kind for kind in _all_errors() if kind.__module__ == errors.__name__])
def test_every_error_has_its_own_row_in_the_table(kind: type[errors.KBError]) -> None:
    assert kind in exits.EXIT_STATUS
    assert exits.EXIT_STATUS[kind] in exits.MEANING


def test_an_error_of_another_room_ends_like_its_nearest_ancestor() -> None:
    class LateError(errors.ConflictError):
        pass

    assert exits.exit_status(LateError("late")) == exits.REFUSED


def test_the_help_page_tells_each_exit_status() -> None:
    shown = invoke("--help").output

    for status, meaning in exits.MEANING.items():
        assert f"{status:>5}  {meaning}" in shown


def test_an_error_for_people_has_a_line_and_a_hint(capsys: pytest.CaptureFixture[str]) -> None:
    status = exits.tell(errors.ReadOnlyError("the vault may only be read", hint="ask its owner"))

    assert status == exits.UNAVAILABLE
    assert capsys.readouterr() == ("", "Error: the vault may only be read\nHint: ask its owner\n")


def test_an_error_for_programs_is_its_payload(capsys: pytest.CaptureFixture[str]) -> None:
    error = errors.SectionNotFoundError("no such section", hint="look", suggestions=["A"])

    exits.tell(error, as_json=True)

    assert json.loads(capsys.readouterr().err) == error.payload()


def test_sections_that_share_a_name_are_listed_with_their_lines(capsys: pytest.CaptureFixture[str]) -> None:
    candidates = [{"heading_path": "A > X", "line": 3}, {"heading_path": "B > X", "line": 9}]

    exits.tell(errors.AmbiguousSectionError("two sections answer to 'X'", candidates=candidates))

    assert capsys.readouterr().err.splitlines()[1:] == ["  line 3: A > X", "  line 9: B > X"]


def test_near_names_become_the_hint(capsys: pytest.CaptureFixture[str]) -> None:
    exits.tell(errors.NoteNotFoundError("no such note", hint="did you mean 'a.md'?", suggestions=["a.md", "b.md"]))

    assert capsys.readouterr().err.splitlines()[1:] == ["Hint: did you mean 'a.md' or 'b.md'?"]


def test_a_message_cannot_carry_a_control_sequence_to_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    exits.tell(errors.NoteNotFoundError("no note '\x1b[2J'"))

    assert capsys.readouterr().err == "Error: no note '␛[2J'\n"


def test_an_error_of_the_operating_system_names_the_file(capsys: pytest.CaptureFixture[str]) -> None:
    status = exits.tell(PermissionError(13, "Permission denied", "/notes/a.md"))

    assert status == exits.UNAVAILABLE
    assert capsys.readouterr().err == "Error: /notes/a.md: Permission denied\n"


def test_a_fault_of_the_program_shows_no_trace_but_how_to_get_it(capsys: pytest.CaptureFixture[str]) -> None:
    status = exits.tell(ZeroDivisionError("division by zero"))

    assert status == exits.FAULT
    shown = capsys.readouterr().err
    assert shown.startswith("Error: unexpected ZeroDivisionError: division by zero\nHint: ")
    assert "--debug" in shown


def test_with_debug_the_trace_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    exits.tell(ZeroDivisionError("division by zero"), debug=True)

    assert "ZeroDivisionError: division by zero\nError:" in capsys.readouterr().err
