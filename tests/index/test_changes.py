"""What changed between two states of a note: topmost additions and removals, deepest modifications."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_kb.index.changes import Ledger, Ledgers, compare, document_marks, without
from jupyter_kb.markdown.document import Document, parse
from jupyter_kb.models import FileChange
from tests.index.vaults import indexed

BASE = "# A\n\nx\n\n## B\n\ny\n\n### C\n\nz\n\n## D\n\nw\n"


def change(old: str, new: str) -> tuple[str, str, str] | None:
    found = compare("f.md", document_marks(parse(old.encode())), document_marks(parse(new.encode())))
    if found is None:
        return None
    return tuple(", ".join(x) for x in (found.sections_added, found.sections_removed, found.sections_modified))  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        (BASE, None),
        (BASE + "\n\n", None),
        ("---\na: 1\n---\n" + BASE, None),
        (BASE.replace("z", "Z"), ("", "", "A > B > C")),
        (BASE.replace("y", "Y"), ("", "", "A > B")),
        (BASE.replace("x", "X"), ("", "", "A")),
        (BASE.replace("x", "X").replace("z", "Z"), ("", "", "A > B > C")),
        (BASE.replace("z", "Z").replace("w", "W"), ("", "", "A > B > C, A > D")),
        (BASE.replace("## B", "## E"), ("A > E", "A > B", "")),
        (BASE.replace("### C", "### E"), ("A > B > E", "A > B > C", "")),
        (BASE.replace("# A\n", "# E\n", 1), ("E", "A", "")),
        (BASE + "\n## New\n\n### Deep\n", ("A > New", "", "")),
        (BASE + "\n# Other\n", ("Other", "", "")),
        (BASE.replace("## D\n\nw\n", ""), ("", "A > D", "")),
        ("", ("", "A", "")),
        ("intro\n\n" + BASE, ("Preamble", "", "")),
        (BASE + "## B\n\nagain\n", ("A > B[2]", "", "")),
    ],
)
def test_the_cause_of_a_change_is_told(new: str, expected: tuple[str, str, str] | None) -> None:
    assert change(BASE, new) == expected


def test_sections_whose_paths_collide_are_compared_together() -> None:
    colliding = "# G\n\na\n\n# G[2]\n\nb\n\n# G\n\nc\n"
    assert change(colliding, colliding) is None
    assert change(colliding, colliding.replace("c", "C")) == ("", "", "G[2]")


LINES = st.lists(st.sampled_from(["# A", "## A", "# B", "## B", "### C", "", "x", "y"]), max_size=12)


@given(LINES, LINES)
def test_the_rules_hold_for_any_change(old_lines: list[str], new_lines: list[str]) -> None:
    documents = [parse("\n".join(lines).encode()) for lines in (old_lines, new_lines)]
    old, new = map(by_path, documents)
    found = compare("f.md", *map(document_marks, documents)) or FileChange(file="f.md")
    added, removed = new.keys() - old.keys(), old.keys() - new.keys()
    modified = {path for path in old.keys() & new.keys() if old[path] != new[path]}
    changed = added | removed | modified
    assert set(found.sections_added) == {path for path in added if above(path) not in added}
    assert set(found.sections_removed) == {path for path in removed if above(path) not in removed}
    assert set(found.sections_modified) == {
        path for path in modified if not any(other.startswith(path + " > ") for other in changed)
    }
    assert list(found.sections_added) == sorted(found.sections_added)


def by_path(document: Document) -> dict[str, list[str]]:
    hashes: dict[str, list[str]] = {}
    for section in document.sections:
        hashes.setdefault(section.heading_path, []).append(section.content_hash)
    return hashes


def above(path: str) -> str:
    return path.rpartition(" > ")[0]


# ── own changes ─────────────────────────────────────────────────────────────────────────────────


@given(LINES, LINES, LINES)
def test_a_change_left_out_leaves_the_rest(one: list[str], two: list[str], three: list[str]) -> None:
    then, before, after = (document_marks(parse("\n".join(lines).encode())) for lines in (one, two, three))
    adjusted = without(then, before, after)
    if then == before:
        assert compare("f.md", adjusted, after) is None
    if before == after:
        assert adjusted == then


def test_own_changes_are_not_reported_and_foreign_ones_in_other_sections_are() -> None:
    start, foreign = parse(BASE.encode()), parse(BASE.replace("w", "W").encode())
    both = parse(BASE.replace("w", "W").replace("z", "Z").encode())
    ledger = Ledger()
    ledger.enter(["f.md"], {"f.md": document_marks(start)}, {"f.md": document_marks(foreign)})
    ledger.enter(["f.md"], {"f.md": document_marks(foreign)}, {"f.md": document_marks(both)}, own=True)
    report = ledger.close({"f.md": document_marks(both)})
    assert report.files_changed == (FileChange(file="f.md", sections_modified=("A > D",)),)
    assert ledger.close({}).files_changed == ()


def test_a_foreign_change_that_only_the_own_edit_saw_is_reported() -> None:
    start, foreign = parse(BASE.encode()), parse(BASE.replace("w", "W").encode())
    both = parse(BASE.replace("w", "W").replace("z", "Z").encode())
    ledger = Ledger()
    ledger.enter(["f.md"], {"f.md": document_marks(start)}, {"f.md": document_marks(both)}, own=True, before=foreign)
    report = ledger.close({"f.md": document_marks(both)})
    assert report.files_changed == (FileChange(file="f.md", sections_modified=("A > D",)),)


def test_each_reader_is_told_of_every_change_but_its_own_and_only_once() -> None:
    start, end = document_marks(parse(BASE.encode())), document_marks(parse(BASE.replace("z", "Z").encode()))
    ledgers = Ledgers()
    ledgers.open()
    for reader in ("ann", "bob"):
        ledgers.follow(reader)
    ledgers.enter(["f.md"], {"f.md": start}, {"f.md": end}, by="ann")
    ledgers.follow("late")

    reports = {reader: ledgers.close(reader, {"f.md": end}) for reader in ("ann", "bob", "late", "")}

    told = (FileChange(file="f.md", sections_modified=("A > B > C",)),)
    assert {reader: report.files_changed for reader, report in reports.items()} == {
        "ann": (),
        "bob": told,
        "late": (),
        "": told,
    }
    assert ledgers.close("bob", {"f.md": end}).files_changed == ()


def test_of_too_many_readers_the_one_that_asked_longest_ago_is_forgotten() -> None:
    ledgers = Ledgers()
    ledgers.open()
    for number in range(Ledgers.MOST - 1):
        ledgers.follow(str(number))
    ledgers.follow("0")  # asks again
    ledgers.enter(["f.md"], {}, {"f.md": {}})
    ledgers.follow("one more")

    assert ledgers.paths("0") == ledgers.paths("2") == ledgers.paths("") == ["f.md"]
    with pytest.raises(KeyError):
        ledgers.paths("1")


# ── through the indexer ─────────────────────────────────────────────────────────────────────────


def test_a_report_tells_what_changed_since_the_last_one(tmp_path: Path) -> None:
    with indexed(tmp_path / "v", {"a.md": BASE, "gone.md": "# X\n", "same.md": "# Y\n"}) as vault:
        assert vault.indexer.report() == vault.indexer.report()  # nothing: the first scan is the start
        vault.write({"a.md": BASE.replace("z", "Z"), "new.md": "# N\n"})
        (vault.root / "gone.md").unlink()
        vault.indexer.scan()
        vault.write({"a.md": BASE.replace("z", "Z").replace("w", "W")})
        vault.indexer.update(["a.md"])
        report = vault.indexer.report()
        assert (report.files_added, report.files_removed) == (("new.md",), ("gone.md",))
        assert report.files_changed == (FileChange(file="a.md", sections_modified=("A > B > C", "A > D")),)
        empty = vault.indexer.report()
        assert (empty.files_added, empty.files_removed, empty.files_changed) == ((), (), ())


def test_what_came_and_went_between_two_reports_is_not_told(tmp_path: Path) -> None:
    with indexed(tmp_path / "v", {"a.md": BASE}) as vault:
        vault.write({"b.md": "# B\n", "a.md": "# other\n"})
        vault.indexer.scan()
        (vault.root / "b.md").unlink()
        vault.write({"a.md": BASE})
        vault.indexer.scan()
        report = vault.indexer.report()
        assert (report.files_added, report.files_removed, report.files_changed) == ((), (), ())


def test_a_renamed_note_is_one_removed_and_one_added(tmp_path: Path) -> None:
    with indexed(tmp_path / "v", {"a.md": BASE}) as vault:
        (vault.root / "a.md").rename(vault.root / "b.md")
        vault.indexer.scan()
        report = vault.indexer.report()
        assert (report.files_added, report.files_removed, report.files_changed) == (("b.md",), ("a.md",), ())


def test_a_note_that_can_no_longer_be_read_is_removed(tmp_path: Path) -> None:
    with indexed(tmp_path / "v", {"a.md": BASE}) as vault:
        vault.write({"a.md": BASE + "x"})
        vault.vault.refused.add("a.md")
        vault.indexer.scan()
        assert vault.indexer.report().files_removed == ("a.md",)


def test_an_own_edit_is_in_the_index_and_not_in_the_report(tmp_path: Path) -> None:
    with indexed(tmp_path / "v", {"a.md": BASE}) as vault:
        before = parse((vault.root / "a.md").read_bytes())
        vault.write({"a.md": BASE.replace("z", "Z")})
        vault.indexer.update(["a.md"], by="", before=before)
        assert vault.database.query("SELECT text FROM sections WHERE heading = 'C'") == [("Z",)]
        assert vault.indexer.report().files_changed == ()
        vault.indexer.scan()
        assert vault.indexer.report().files_changed == ()


def test_an_own_edit_right_after_an_unseen_foreign_one_reports_the_foreign_one(tmp_path: Path) -> None:
    with indexed(tmp_path / "v", {"a.md": BASE}) as vault:
        before = parse(BASE.replace("w", "W").encode())
        vault.write({"a.md": BASE.replace("w", "W").replace("z", "Z")})
        vault.indexer.update(["a.md"], by="", before=before)
        assert vault.indexer.report().files_changed == (FileChange(file="a.md", sections_modified=("A > D",)),)
