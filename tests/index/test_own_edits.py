"""A change is told from a foreign one by its text, whoever brings it into the index."""

from __future__ import annotations

from pathlib import Path

from jupyter_kb.index.own_edits import OwnEdit, OwnEdits
from jupyter_kb.markdown.document import Document, parse
from jupyter_kb.models import FileChange, ReindexReport
from tests.index.vaults import IndexedVault, indexed

BASE = "# A\n\n## B\n\nb\n\n## C\n\nc\n"


def document(text: str) -> Document:
    return parse(text.encode())


def reported(vault: IndexedVault, reader: str) -> tuple[FileChange, ...]:
    return vault.indexer.report(reader).files_changed


def test_an_own_edit_is_known_by_its_text_while_it_lasts() -> None:
    edits = OwnEdits()
    one, two, three = map(document, ("# One\n", "# Two\n", "# Three\n"))
    with edits.announced(by="me") as announce:
        announce("f.md", one, two)
        assert edits.leading_to("f.md", two.version) == [OwnEdit(one, "me")]
        assert edits.leading_to("g.md", two.version) == []
        assert edits.leading_to("f.md", three.version) == []
    assert edits.leading_to("f.md", two.version) == []


def test_edits_on_top_of_each_other_are_known_from_the_first() -> None:
    edits = OwnEdits()
    one, two, three = map(document, ("# One\n", "# Two\n", "# Three\n"))
    with edits.announced(by="me") as first, edits.announced(by="you") as second:
        first("f.md", one, two)
        second("f.md", two, three)
        assert edits.leading_to("f.md", three.version) == [OwnEdit(one, "me"), OwnEdit(two, "you")]
        second("f.md", three, two)  # and back: no circle without end
        assert edits.leading_to("f.md", two.version) == [OwnEdit(one, "me")]


def test_an_own_edit_that_a_scan_brings_in_is_foreign_to_others_only(tmp_path: Path) -> None:
    with indexed(tmp_path / "v", {"a.md": BASE}) as vault:
        vault.indexer.follow("me")
        after = BASE.replace("b\n", "mine\n")
        with vault.indexer.own_edits.announced(by="me") as announce:
            announce("a.md", document(BASE), document(after))
            vault.write({"a.md": after})
            vault.indexer.scan()
            vault.indexer.update(["a.md"], by="me", before=document(BASE))
        assert vault.indexer.report("me") == ReindexReport()
        assert reported(vault, "") == (FileChange(file="a.md", sections_modified=("A > B",)),)


def test_edits_of_two_that_come_in_at_once_are_each_the_others(tmp_path: Path) -> None:
    with indexed(tmp_path / "v", {"a.md": BASE}) as vault:
        vault.indexer.follow("me")
        vault.indexer.follow("you")
        mine = BASE.replace("b\n", "mine\n")
        both = mine.replace("c\n", "yours\n")
        with (
            vault.indexer.own_edits.announced(by="me") as first,
            vault.indexer.own_edits.announced(by="you") as second,
        ):
            first("a.md", document(BASE), document(mine))
            second("a.md", document(mine), document(both))
            vault.write({"a.md": both})
            vault.indexer.update(["a.md"])
        assert reported(vault, "me") == (FileChange(file="a.md", sections_modified=("A > C",)),)
        assert reported(vault, "you") == (FileChange(file="a.md", sections_modified=("A > B",)),)
        assert reported(vault, "") == (FileChange(file="a.md", sections_modified=("A > B", "A > C")),)


def test_a_foreign_change_below_an_own_edit_is_reported_whoever_brings_it_in(tmp_path: Path) -> None:
    with indexed(tmp_path / "v", {"a.md": BASE}) as vault:
        foreign = BASE.replace("c\n", "theirs\n")
        both = foreign.replace("b\n", "mine\n")
        with vault.indexer.own_edits.announced(by="") as announce:
            announce("a.md", document(foreign), document(both))
            vault.write({"a.md": both})
            vault.indexer.update(["a.md"])
        assert reported(vault, "") == (FileChange(file="a.md", sections_modified=("A > C",)),)
