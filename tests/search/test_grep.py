"""Grep: exact characters and regular expressions, line by line, in the notes as they are on disk."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_kb.errors import InvalidRequestError
from jupyter_kb.models import Filters, GrepMatch, GrepRequest, GrepResults
from jupyter_kb.search import matcher
from jupyter_kb.search.grep import MAX_PATTERN, grep
from jupyter_kb.settings import Settings
from jupyter_kb.vault.vault import Vault


def _vault(root: Path, files: Mapping[str, str | bytes], settings: Settings | None = None) -> Vault:
    for key, content in files.items():
        path = root / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return Vault(root, settings)


def _grep(vault: Vault, pattern: str, **asked: object) -> GrepResults:
    return grep(vault, GrepRequest(pattern=pattern, **asked))  # type: ignore[arg-type]


def _lines(results: GrepResults) -> list[tuple[str, int, str]]:
    return [(match.file, match.line, match.text) for match in results.matches]


LOG = """---
title: Log of the OPA380
---

Preface: opa380.

# Parts

An OPA380 (two of them).

## Spare

OPA380[1] and opa3800

# Empty
"""

# ── what is found ───────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("is_regex", [False, True])
def test_a_match_has_its_line_and_the_deepest_section_that_holds_it(tmp_path: Path, is_regex: bool) -> None:
    vault = _vault(tmp_path, {"log.md": LOG})

    found = _grep(vault, "opa380", is_regex=is_regex)

    assert found == GrepResults(
        matches=(
            GrepMatch(file="log.md", heading_path="", line=2, text="title: Log of the OPA380"),
            GrepMatch(file="log.md", heading_path="Preamble", line=5, text="Preface: opa380."),
            GrepMatch(file="log.md", heading_path="Parts", line=9, text="An OPA380 (two of them)."),
            GrepMatch(file="log.md", heading_path="Parts > Spare", line=13, text="OPA380[1] and opa3800"),
        ),
        total=4,
        counts=(("log.md", 4),),
    )


def test_heading_lines_belong_to_their_own_section(tmp_path: Path) -> None:
    vault = _vault(tmp_path, {"log.md": "# A\n\n  ## Find me\n\nFind me\n-------\n"})

    assert [match.heading_path for match in _grep(vault, "find me").matches] == ["A > Find me", "A > Find me[2]"]


@pytest.mark.parametrize(
    ("pattern", "asked", "lines"),
    [
        ("OPA380", {"case_sensitive": True}, [2, 9, 13]),
        ("opa380", {"case_sensitive": True}, [5, 13]),
        ("380[1]", {}, [13]),
        ("380[1]", {"is_regex": True}, []),
        (r"380\[1\]", {"is_regex": True}, [13]),
        (r"\bopa380\b", {"is_regex": True}, [2, 5, 9, 13]),
        (r"^opa", {"is_regex": True}, [13]),
        (r"^opa", {"is_regex": True, "case_sensitive": True}, []),
        (r"\.$", {"is_regex": True}, [5, 9]),
        (r"\)\.$", {"is_regex": True}, [9]),
        (r"^$", {"is_regex": True}, [4, 6, 8, 10, 12, 14]),
        (r"(?<=two )of", {"is_regex": True}, [9]),
        ("^#+ .*e", {"is_regex": True}, [11, 15]),
        ("nothing of the kind", {}, []),
    ],
)
def test_a_pattern_finds_lines(tmp_path: Path, pattern: str, asked: dict[str, bool], lines: list[int]) -> None:
    found = _grep(_vault(tmp_path, {"log.md": LOG}), pattern, **asked)

    assert [match.line for match in found.matches] == lines


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("straße", "STRASSE", True),
        ("STRASSE", "eine Straße", True),
        ("ÜBER", "über", True),
        ("k", "300 \u212a", True),
        ("笔记", "读书笔记。", True),
        ("é", "e\u0301", False),
        ("i", "I", True),
    ],
)
def test_letter_case_is_folded_as_unicode_says(tmp_path: Path, pattern: str, text: str, found: bool) -> None:
    vault = _vault(tmp_path, {"n.md": f"x\n{text}\n"})

    assert _lines(_grep(vault, pattern)) == ([("n.md", 2, text)] if found else [])
    assert _lines(_grep(vault, text, case_sensitive=True)) == [("n.md", 2, text)]


@pytest.mark.parametrize("is_regex", [False, True])
def test_lines_end_at_all_three_line_ends_and_at_nothing_else(tmp_path: Path, is_regex: bool) -> None:
    vault = _vault(tmp_path, {"n.md": b"\xef\xbb\xbfmark a\r\nmark b\rmark c\nmark\x0bd\x0c \xe2\x80\xa8 e\x85 mark"})

    assert _lines(_grep(vault, "^mark" if is_regex else "mark", is_regex=is_regex)) == [
        ("n.md", 1, "mark a"),
        ("n.md", 2, "mark b"),
        ("n.md", 2, "mark c"),
        ("n.md", 3, "mark\x0bd\x0c \u2028 e\ufffd mark"),
    ]


def test_bytes_that_are_no_text_are_shown_as_such_and_hide_nothing(tmp_path: Path) -> None:
    vault = _vault(tmp_path, {"n.md": b"caf\xe9 here\n\xff\xfe\n"})

    assert _lines(_grep(vault, "HERE")) == [("n.md", 1, "caf\ufffd here")]
    assert _lines(_grep(vault, "caf.", is_regex=True)) == [("n.md", 1, "caf\ufffd here")]


def test_the_disk_is_read_not_an_index(tmp_path: Path) -> None:
    vault = _vault(tmp_path, {"n.md": "old\n"})
    assert _grep(vault, "new").total == 0

    (tmp_path / "n.md").write_text("new\n")

    assert _grep(vault, "new").total == 1


# ── how much is shown ───────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("is_regex", [False, True])
def test_the_limit_bounds_the_lines_shown_and_not_the_counts(tmp_path: Path, is_regex: bool) -> None:
    files = {f"{name}.md": "hit\n" * count for name, count in (("b", 3), ("a", 2), ("c", 4), ("B", 1))}
    vault = _vault(tmp_path, {**files, "d.md": "miss\n"})

    found = _grep(vault, "hit", is_regex=is_regex, limit=4)

    assert _lines(found) == [("B.md", 1, "hit"), ("a.md", 1, "hit"), ("a.md", 2, "hit"), ("b.md", 1, "hit")]
    assert found.counts == (("B.md", 1), ("a.md", 2), ("b.md", 3), ("c.md", 4))
    assert (found.total, found.truncated) == (10, "limit")
    assert _grep(vault, "hit", is_regex=is_regex, limit=10).truncated is None
    assert _grep(vault, "hit", is_regex=is_regex, limit=0) == GrepResults(
        matches=(), total=10, counts=found.counts, truncated="limit"
    )


def test_lines_around_a_match_stop_at_the_ends_of_the_note(tmp_path: Path) -> None:
    vault = _vault(tmp_path, {"n.md": "one\ntwo\nthree\nfour\nfive"})

    found = {match.text: (match.before, match.after) for match in _grep(vault, "o", context_lines=2).matches}

    assert found == {
        "one": ((), ("two", "three")),
        "two": (("one",), ("three", "four")),
        "four": (("two", "three"), ("five",)),
    }


def test_filters_choose_the_notes(tmp_path: Path) -> None:
    front = "---\ntags: [{}]\nstatus: {}\nnested: {{deep: 7}}\n---\nhit\n"
    vault = _vault(
        tmp_path,
        {
            "m/a.md": front.format("method/optical", "active"),
            "m/b.md": front.format("Method", "[active, old]"),
            "c.md": "hit #methods\n",
        },
    )

    def files(**filters: object) -> list[str]:
        found = _grep(vault, "hit", filters=Filters(**filters))  # type: ignore[arg-type]
        assert found.total == len(found.counts)
        return [file for file, _ in found.counts]

    assert files() == ["c.md", "m/a.md", "m/b.md"]
    assert files(path="m/*") == ["m/a.md", "m/b.md"]
    assert files(path="A.M") == ["m/a.md"]
    assert files(tags=("method",)) == ["m/a.md", "m/b.md"]
    assert files(tags=("#METHOD/optical/",)) == ["m/a.md"]
    assert files(tags=("methods",)) == ["c.md"]
    assert files(front_matter={"status": "active"}) == ["m/a.md", "m/b.md"]
    assert files(front_matter={"status": "old", "nested.deep": 7}) == ["m/b.md"]
    assert files(front_matter={"status": "gone"}) == []
    assert files(front_matter={"nested.deep": {"gte": 7}, "title": ["a", "c"]}) == ["m/a.md"]
    assert files(front_matter={"nested": {"exists": False}}) == ["c.md"]


def test_a_field_that_no_note_has_is_refused_once_nothing_matches(tmp_path: Path) -> None:
    vault = _vault(
        tmp_path, {"a.md": "---\nstatus: old\nlarge: {deep: 1}\n---\nhit\n", "b.md": "---\nstatus: [x]\n---\n"}
    )

    assert _grep(vault, "miss", filters=Filters(front_matter={"large": 1, "title": "none"})).total == 0
    for asked in ({"stats": "old"}, {"stats": {"exists": True}}, {"status": "old", "stats": 1}):
        with pytest.raises(InvalidRequestError, match="'stats': no note has") as refusal:
            _grep(vault, "hit", filters=Filters(path="b.md", front_matter=asked))
        assert refusal.value.details["suggestions"][0] == "status"
        assert refusal.value.details["fields"] == ["status", "large", "large.deep", "title"]


def test_filters_that_make_no_sense_are_refused(tmp_path: Path) -> None:
    vault = _vault(tmp_path, {"a.md": "hit\n"})

    for filters in (
        Filters(tags=("#",)),
        Filters(front_matter={"status": None}),
        Filters(modified_after="soon"),
        Filters(heading_prefix=(" ",)),
    ):
        with pytest.raises(InvalidRequestError):
            _grep(vault, "hit", filters=filters)


def test_time_chooses_the_notes(tmp_path: Path) -> None:
    vault = _vault(tmp_path, {"old.md": "hit\n", "new.md": "hit\n"})
    os.utime(tmp_path / "old.md", (0, 0))

    def files(**filters: str) -> list[str]:
        return [file for file, _ in _grep(vault, "hit", filters=Filters(**filters)).counts]  # type: ignore[arg-type]

    assert files(modified_before="1970-01-02") == ["old.md"]
    assert files(modified_after="1970-01-02") == ["new.md"]
    assert files(modified_after="1970-01-01", modified_before="1970-01-01") == []


def test_headings_choose_the_lines(tmp_path: Path) -> None:
    vault = _vault(
        tmp_path,
        {
            "a.md": "hit 1\n\n# Plan\n\nhit 5\n\n## Risks\n\nhit 9\n\n# Log\n\nhit 13\n\n## Risks\n\nhit 17\n",
            "b.md": "hit\n",
        },
    )

    def lines(*headings: str, **asked: int) -> list[int]:
        found = _grep(vault, "hit", filters=Filters(heading_prefix=headings), **asked)
        assert found.total == sum(count for _, count in found.counts)
        return [match.line for match in found.matches]

    assert lines("plan") == [5, 9]
    assert lines("risks") == [9, 17]
    assert lines("LOG", " Risks\u200b") == [17]
    assert lines("Log", "Plan") == lines("Preamble") == lines("hit") == []
    assert lines("Risks", limit=1) == [9]


# ── what cannot be read, what cannot be asked ───────────────────────────────────────────────────


def test_notes_that_are_ignored_too_large_or_unreadable_are_passed_over(tmp_path: Path) -> None:
    vault = _vault(
        tmp_path,
        {"a.md": "hit\n", ".kbignore": "no/\n", "no/b.md": "hit\n", "big.md": "hit " * 100, "c.txt": "hit\n"},
        Settings(max_file_bytes=50),
    )
    (tmp_path / "link.md").symlink_to(tmp_path / "a.md")

    assert [file for file, _ in _grep(vault, "hit").counts] == ["a.md"]


@pytest.mark.parametrize(
    ("pattern", "is_regex", "message"),
    [
        ("", False, "the pattern is empty"),
        ("", True, "the pattern is empty"),
        ("a\nb", False, "holds a line end"),
        ("x" * (MAX_PATTERN + 1), False, "more than"),
        ("a(b", True, r"missing \), unterminated subpattern at position 1, here: a⟨\?⟩\(b"),
        ("[a-", True, "unterminated character set at position 0"),
        ("a**", True, "multiple repeat at position 2"),
        ("(?P<x", True, "at position"),
        ("*", True, "nothing to repeat at position 0"),
        ("(" * 900 + ")" * 900, True, "nested too deeply"),
        ("a{99999999999}", True, "too large"),
    ],
)
def test_a_pattern_that_makes_no_sense_is_refused_and_says_where(
    tmp_path: Path, pattern: str, is_regex: bool, message: str
) -> None:
    with pytest.raises(InvalidRequestError, match=message):
        _grep(_vault(tmp_path, {"n.md": "text\n"}), pattern, is_regex=is_regex)


# ── time and memory ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("pattern", "line"),
    [
        (r"(a|aa)+$", "a" * 60 + "!"),
        (r"(a+)+$", "a" * 60 + "!"),
        (r"(\w+\s?)*$", "word " * 40 + "!"),
        (r"^(([a-z])+.)+[A-Z]([a-z])+$", "a" * 60),
        (r"(.*)*x(.*)*y\1", "ab" * 60),
    ],
)
def test_an_expression_that_would_run_for_ever_is_stopped_when_its_time_is_up(
    tmp_path: Path, pattern: str, line: str
) -> None:
    vault = _vault(tmp_path, {"a.md": "aaaa\n" * 10, "b.md": line + "\n", "c.md": "aaaa\n"})
    begin = time.monotonic()

    found = _grep(vault, pattern, is_regex=True, case_sensitive=True, time_budget=1.0)

    assert time.monotonic() - begin < 6
    assert found.truncated == "time"
    assert {file for file, _ in found.counts} <= {"a.md"}


def test_what_was_found_before_the_time_was_up_is_kept(tmp_path: Path) -> None:
    vault = _vault(tmp_path, {"a.md": "aaaa\n", "b.md": "a" * 60 + "!\n", "c.md": "aaaa\n"})

    found = _grep(vault, r"(a|aa)+$", is_regex=True, time_budget=1.0)

    assert (_lines(found), found.total, found.truncated) == ([("a.md", 1, "aaaa")], 1, "time")


@pytest.mark.parametrize("is_regex", [False, True])
def test_without_time_nothing_is_looked_at(tmp_path: Path, is_regex: bool) -> None:
    found = _grep(_vault(tmp_path, {"a.md": "hit\n"}), "hit", is_regex=is_regex, time_budget=0.0)

    assert found == GrepResults(matches=(), total=0, truncated="time")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not hold a process to a limit of address space")
def test_an_expression_that_takes_too_much_memory_is_refused(tmp_path: Path) -> None:
    vault = _vault(tmp_path, {"a.md": "ab" * 4_000_000 + "\n"})

    with pytest.raises(InvalidRequestError, match="more than 1024 MB"):
        _grep(vault, r"(a|b|c(d))*e", is_regex=True, time_budget=60.0)


@pytest.mark.skipif(sys.platform != "linux", reason="asks the kernel for the children of this process")
def test_no_process_and_no_timer_is_left_behind(tmp_path: Path) -> None:
    vault = _vault(tmp_path, {"a.md": "a" * 60 + "!\n"})

    def running() -> set[object]:
        found: set[object] = {thread for thread in threading.enumerate() if isinstance(thread, threading.Timer)}
        for task in Path("/proc/self/task").glob("*/children"):
            with contextlib.suppress(OSError):  # a thread of another test has just ended
                found.update(task.read_text().split())
        return found

    before = running()
    _grep(vault, r"(a|aa)+$", is_regex=True, time_budget=0.3)
    assert running() <= before
    _grep(vault, "a", is_regex=True)
    assert running() <= before
    with pytest.raises(InvalidRequestError):
        _grep(vault, "(", is_regex=True)
    assert running() <= before


# ── the program that matches ────────────────────────────────────────────────────────────────────


def test_the_program_answers_file_by_file() -> None:
    files = [b"one\ntwo\n", b"", b"two\r\none\rtwo"]
    order = b'{"pattern": "^two", "ignore_case": true, "seconds": 5}\n[8, 0, 12]\n' + b"".join(files)

    run = subprocess.run([sys.executable, "-I", "-S", matcher.__file__], input=order, capture_output=True, check=True)

    assert run.stdout.splitlines() == [b'{"error": null, "at": null}', b"[1]", b"[]", b"[0, 2]"]


# ── the two roads agree ─────────────────────────────────────────────────────────────────────────

_TEXTS = st.text(st.sampled_from("aAbß 笔\u212a\n\r.#\ufeff"), max_size=30)


@given(
    texts=st.lists(_TEXTS, min_size=1, max_size=4), pattern=st.text(st.sampled_from("aAb.ß#"), min_size=1, max_size=3)
)
def test_literal_search_finds_the_lines_that_hold_the_pattern(
    texts: list[str], pattern: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    vault = _vault(tmp_path_factory.mktemp("vault"), {f"{n}.md": text for n, text in enumerate(texts)})

    def expected(sensitive: bool) -> list[tuple[str, str]]:
        found = []
        for number, text in enumerate(texts):
            for line in re.split(r"\r\n|\n|\r", text.removeprefix("\ufeff")):
                here, wanted = (line, pattern) if sensitive else (line.casefold(), pattern.casefold())
                found += [(f"{number}.md", line)] * (wanted in here)
        return found

    for sensitive in (True, False):
        found = _grep(vault, pattern, case_sensitive=sensitive, limit=1000)
        assert [(match.file, match.text) for match in found.matches] == expected(sensitive)


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize(("pattern", "is_regex"), [("dataview", False), (r"\bdataview\b.*table", True)])
def test_a_large_vault_is_searched_whole(data_dir: Path, pattern: str, is_regex: bool) -> None:
    vault = Vault(data_dir / "vaults" / "obsidian-hub")

    found = _grep(vault, pattern, is_regex=is_regex, limit=100_000, time_budget=60)

    assert found.truncated is None
    assert len(found.matches) == found.total > 20
    assert all(re.search(pattern, match.text, re.IGNORECASE) for match in found.matches)
