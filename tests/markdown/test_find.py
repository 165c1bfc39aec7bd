"""Finding a section: by its whole path, the end of its path, a careless spelling, or a line; nothing is guessed."""

from __future__ import annotations

import pytest
from hypothesis import example, given

from jupyter_kb.errors import AmbiguousSectionError, InvalidRequestError, SectionNotFoundError
from jupyter_kb.markdown.document import Document, parse
from jupyter_kb.models import SectionRef
from tests.markdown import cases
from tests.markdown.strategies import vault_bytes

KITE = parse(b"""---
title: Kite
---

Opening words.

# Flight

Steady wind.

## Launch

Run.

## Landing

Pull.

# Storage

Dry.
""")
TWINS = parse(b"# A\n\n## Log\n\none\n\n## Log\n\ntwo\n\n# B\n\n## End\n\n# G\n# G[2]\n# G\n")


def test_a_whole_path_finds_its_section():
    assert KITE.find("Flight > Launch", exact=True).start == 61
    assert KITE.find(("Flight", "Launch"), exact=True).start == 61
    assert KITE.find(["Flight", "Launch"]).start == 61


def test_the_end_of_a_path_is_enough_unless_the_whole_is_asked_for():
    assert KITE.find("Launch").heading_path == "Flight > Launch"
    assert KITE.find(("Launch",)).heading_path == "Flight > Launch"
    with pytest.raises(SectionNotFoundError):
        KITE.find("Launch", exact=True)


def test_an_unknown_path_names_the_three_nearest():
    with pytest.raises(SectionNotFoundError) as caught:
        KITE.find("Nope", exact=True)
    assert caught.value.details["suggestions"] == ["Storage", "Flight", "Preamble"]


def test_exact_paths_are_compared_by_letter_case_and_blanks():
    for wrong in ("flight", "Flight ", "Flight >Launch", "light"):
        with pytest.raises(SectionNotFoundError) as caught:
            KITE.find(wrong, exact=True)
        assert len(caught.value.details["suggestions"]) == 3


def test_what_differs_in_case_alone_is_suggested_first():
    with pytest.raises(SectionNotFoundError) as caught:
        KITE.find("FLIGHT > launch", exact=True)
    assert caught.value.details["suggestions"][0] == "Flight > Launch"


@pytest.mark.parametrize("case", cases.load("find.md"), ids=str)
def test_a_section_is_found_as_somebody_may_have_typed_it(case):
    document = parse(case.data("note"))
    table = [line.rsplit(" → ", 1) for line in case.of("find")[0].lines]
    assert [[typed, _found(document, typed)] for typed, _ in table] == table


def _found(document: Document, typed: str) -> str:
    """The line of the section, those of several, or `none`."""
    try:
        return str(document.find(typed).line)
    except AmbiguousSectionError as error:
        return " or ".join(str(candidate["line"]) for candidate in error.details["candidates"])
    except SectionNotFoundError:
        return "none"


def test_a_path_in_parts_is_found_as_somebody_may_have_typed_it():
    assert KITE.find(("FLIGHT", "## launch")).heading == "Launch"
    with pytest.raises(SectionNotFoundError):
        KITE.find(("Storage", "launch"))


@given(vault_bytes())
@example(b"alpha\n# #tag/nested")
def test_typing_in_capitals_and_with_marks_finds_the_section_or_says_that_there_are_several(data):
    document = parse(data)
    for section in document.sections:
        typed = " > ".join("## " + name.upper().replace(" ", "  ") for name in section.path)
        try:
            found = document.find(typed)
        except AmbiguousSectionError as error:
            lines = [candidate["line"] for candidate in error.details["candidates"]]
            assert section.line in lines
        except SectionNotFoundError:
            assert not any(character.isalnum() for character in section.heading_path)
        else:
            assert found.heading_path.casefold() == section.heading_path.casefold()


def test_the_end_of_a_path_never_chooses_between_equal_headings():
    with pytest.raises(AmbiguousSectionError) as caught:
        TWINS.find("Log")
    assert caught.value.details["candidates"] == [
        {"heading_path": "A > Log", "line": 3},
        {"heading_path": "A > Log[2]", "line": 7},
    ]


def test_a_whole_path_or_a_number_addresses_one_of_equal_headings():
    assert TWINS.find("A > Log").line == 3
    assert TWINS.find("A > Log[2]").line == 7
    assert TWINS.find("Log[2]").line == 7


def test_paths_that_collide_are_ambiguous_unless_the_first_is_asked_for():
    with pytest.raises(AmbiguousSectionError) as caught:
        TWINS.find("G[2]")
    assert [candidate["line"] for candidate in caught.value.details["candidates"]] == [16, 17]
    assert TWINS.find("G[2]", exact=True).line == 16
    assert TWINS.section_at_line(17).heading == "G"


def test_a_line_finds_the_deepest_section_blank_lines_behind_it_included():
    assert [KITE.section_at_line(line).heading for line in (5, 6, 7, 10, 11, 14, 21)] == [
        "Preamble",
        "Preamble",
        "Flight",
        "Flight",
        "Launch",
        "Launch",
        "Storage",
    ]


@pytest.mark.parametrize("line", [0, -1, 22, 10**9])
def test_a_line_that_is_not_there_is_an_error(line):
    with pytest.raises(SectionNotFoundError, match="is not in the file"):
        KITE.section_at_line(line)


def test_a_line_before_the_first_section_is_an_error_that_says_where_they_begin():
    with pytest.raises(SectionNotFoundError) as caught:
        KITE.section_at_line(2)
    assert caught.value.hint == "the first section begins on line 5"


def test_a_request_names_a_section_by_line_before_path():
    assert KITE.locate(SectionRef(file="kite.md", heading_path="Storage", line=11)).heading == "Launch"
    assert KITE.locate(SectionRef(file="kite.md", heading_path="Landing")).heading == "Landing"
    with pytest.raises(SectionNotFoundError):
        KITE.locate(SectionRef(file="kite.md", heading_path="Landing", exact=True))
    with pytest.raises(InvalidRequestError):
        KITE.locate(SectionRef(file="kite.md"))
