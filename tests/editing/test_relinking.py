"""Links that follow a renamed heading: which, to what, byte for byte, and what happens to those that cannot."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from jupyter_kb.errors import InvalidRequestError
from jupyter_kb.events import Event, NoteChanged
from jupyter_kb.kb import KnowledgeBase
from jupyter_kb.models import EditResult, SectionEdit, SectionRef
from jupyter_kb.vault.paths import Folder

NOTE = """\
---
aliases: [Heights]
---

# Kites

Go to [[#Flight]], [down](#landing) and [[#Flight#Landing|there]].

## Flight

Steady [[kites#Flight]].

### Landing

Slow. ^slow

## Twice

## Twice
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault/kites.md").write_text(NOTE)
    return tmp_path / "vault"


@pytest.fixture
def kb(root: Path) -> Iterator[KnowledgeBase]:
    with KnowledgeBase.open(root, in_memory=True) as opened:
        yield opened


def rename(
    kb: KnowledgeBase, path: str, heading: str, *, file: str = "kites.md", dry_run: bool = False, links: bool = True
) -> EditResult:
    section = kb.get_section(SectionRef(file=file, heading_path=path))
    edit = SectionEdit(
        section=SectionRef(file=file, heading_path=path),
        expected_hash=section.content_hash,
        operation="rename",
        heading=heading,
        dry_run=dry_run,
        update_links=links,
    )
    return kb.edit_section(edit, actor="ada", reader="me")


FOLLOW = [
    # a link to Flight (or through it), and what it becomes when that is called "Gliding & more"
    ("[[kites#Flight]]", "[[kites#Gliding & more]]"),
    ("![[kites#Flight]]", "![[kites#Gliding & more]]"),
    ("[[KITES.md# flight |the *Flight*]]", "[[KITES.md# Gliding & more |the *Flight*]]"),
    ("[[Heights#Flight#Landing|x]]", "[[Heights#Gliding & more#Landing|x]]"),
    ("[[kites#Kites#Flight]]", "[[kites#Kites#Gliding & more]]"),
    ("[[kites## Flight#Landing]]", "[[kites## Gliding & more#Landing]]"),
    ("| a |\n|---|\n| [[kites#Flight\\|x]] |", "| a |\n|---|\n| [[kites#Gliding & more\\|x]] |"),
    ("[x](kites.md#flight)", "[x](kites.md#gliding--more)"),
    ('[x [y] z](<kites.md#flight> "t (u)")', '[x [y] z](<kites.md#gliding--more> "t (u)")'),
    ("![x](./kites.md#Kites#Flight 't')", "![x](./kites.md#Kites#Gliding%20%26%20more 't')"),
    ("- é [[kites#Flight]] 風 [[kites#Flight]]", "- é [[kites#Gliding & more]] 風 [[kites#Gliding & more]]"),
]
STAY = [
    "[[kites]]",
    "[[kites#Landing]]",
    "[[kites#^slow]]",
    "[[kites#Twice]]",
    "[[other#Flight]]",
    "[[#Flight]]",
    "`[[kites#Flight]]`",
    "[x](kites.md#landing)",
    "[x](https://example.org/kites.md#flight)",
]


@pytest.mark.parametrize(("before", "after"), FOLLOW)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_link_follows_and_nothing_else_of_its_note_changes(
    kb: KnowledgeBase, root: Path, before: str, after: str, end: str
) -> None:
    frame = b"\xef\xbb\xbfBytes \xff\r\n\r\n%s\r\n\r\nEnd  "
    (root / "log.md").write_bytes(frame % before.replace("\n", end).encode())

    done = rename(kb, "Kites > Flight", "Gliding & more")

    assert (root / "log.md").read_bytes() == frame % after.replace("\n", end).encode()
    assert [(note.file, note.count) for note in done.links_updated] == [
        ("kites.md", 3),
        ("log.md", before.count("light") if "風" in before else 1),
    ]
    assert done.links_left == ()
    assert done.broken_links == ()


@pytest.mark.parametrize("text", STAY)
def test_a_link_to_something_else_stays(kb: KnowledgeBase, root: Path, text: str) -> None:
    (root / "other.md").write_text("# Flight\n")
    (root / "log.md").write_text(text)
    stat = (root / "log.md").stat()

    done = rename(kb, "Kites > Flight", "Gliding")

    assert (root / "log.md").read_text() == text
    assert (root / "log.md").stat().st_ino == stat.st_ino
    assert [note.file for note in done.links_updated] == ["kites.md"]
    assert done.links_left == ()


def test_the_renamed_note_itself_is_written_once_and_the_answer_is_of_what_is_there(
    kb: KnowledgeBase, root: Path
) -> None:
    events: list[Event] = []
    (root / "log.md").write_text("# Log\n\n[[kites#Flight]]\n")
    kb.scan()
    kb.reindex(reader="me", fresh=False)
    kb.events.subscribe(events.append)

    done = rename(kb, "Kites > Flight", "Gliding")

    now = (root / "kites.md").read_text()
    assert now == NOTE.replace("#Flight", "#Gliding").replace("## Flight", "## Gliding")
    assert done.version == kb.outline("kites.md").version
    assert done.content_hash == kb.get_section(SectionRef(file="kites.md", heading_path="Kites > Gliding")).content_hash
    assert done.diff.count("@@ -") == 1
    assert [(event.file, event.operation, event.actor) for event in events if isinstance(event, NoteChanged)] == [
        ("kites.md", "rename", "ada"),
        ("log.md", "update_links", "ada"),
    ]
    assert [(note.file, note.title, note.count) for note in done.links_updated] == [
        ("kites.md", "Kites", 3),
        ("log.md", "Log", 1),
    ]
    assert kb.links("kites.md", "Kites > Gliding", fresh=False).total == 3  # in the index already
    assert kb.reindex(reader="me").files_changed == ()


def test_a_rehearsal_tells_what_would_follow_and_writes_nothing(kb: KnowledgeBase, root: Path) -> None:
    (root / "log.md").write_text("[[kites#Flight]] [[kites#Flight|x]]\n")
    (root / "Plan.md").write_text("[x][1]\n\n[1]: kites.md#flight\n")

    planned = rename(kb, "Kites > Flight", "Gliding", dry_run=True)

    assert (root / "kites.md").read_text() == NOTE
    assert (root / "log.md").read_text() == "[[kites#Flight]] [[kites#Flight|x]]\n"
    assert [(note.file, note.count) for note in planned.links_updated] == [("kites.md", 3), ("log.md", 2)]
    assert [(note.file, note.count, note.reason) for note in planned.links_left] == [
        ("Plan.md", 1, "the link's address stands elsewhere in the note")
    ]
    done = rename(kb, "Kites > Flight", "Gliding")
    assert (done.links_updated, done.links_left) == (planned.links_updated, planned.links_left)


def test_the_same_call_backwards_restores_every_note(kb: KnowledgeBase, root: Path) -> None:
    texts = {"kites.md": NOTE}
    links = "[[kites#Flight]] ![[Heights#Flight#Landing|x]] [y](kites.md#flight) [[kites#Landing]]\r\n"
    for name in ("a.md", "deep/b.md", "c.md"):
        texts[name] = f"# {name}\n\n{links}"
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_bytes(texts[name].replace("kites.md#", "/kites.md#").encode())
        texts[name] = (root / name).read_bytes().decode()

    there = rename(kb, "Kites > Flight", "Gliding")
    back = rename(kb, "Kites > Gliding", "Flight")

    assert {name: (root / name).read_bytes().decode() for name in texts} == texts
    assert there.links_updated == back.links_updated
    assert sum(note.count for note in there.links_updated) == 12


@pytest.mark.parametrize("heading", ["A | B", "C #1", "x^2", "see [1]", "Twice", "50 %% off"])
def test_a_heading_that_no_link_can_name_leaves_the_links_and_says_so(
    kb: KnowledgeBase, root: Path, heading: str
) -> None:
    (root / "log.md").write_text("[[kites#Flight]] and [[kites#Flight]]\n")

    done = rename(kb, "Kites > Flight", heading)

    assert (root / "log.md").read_text() == "[[kites#Flight]] and [[kites#Flight]]\n"
    assert done.written
    assert [(left.file, left.count) for left in done.links_left if left.file == "log.md"] == [("log.md", 2)]
    assert heading in done.links_left[0].reason


def test_a_link_in_a_heading_is_left_since_others_may_point_at_that_heading(kb: KnowledgeBase, root: Path) -> None:
    (root / "log.md").write_text("# See [[kites#Flight]]\n\n[[kites#Flight]]\n")
    done = rename(kb, "Kites > Flight", "Gliding")
    assert (root / "log.md").read_text() == "# See [[kites#Flight]]\n\n[[kites#Gliding]]\n"
    assert [(left.file, left.count) for left in done.links_left] == [("log.md", 1)]


def test_a_note_that_changes_meanwhile_is_reported_and_not_forced(
    kb: KnowledgeBase, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from jupyter_kb.editing import relinking
    from jupyter_kb.vault.write import replace_file

    (root / "a.md").write_text("[[kites#Flight]]\n")
    (root / "b.md").write_text("[[kites#Flight]]\n")

    def late(vault: object, file: str, **more: object) -> None:
        if file == "a.md":
            (root / "a.md").write_text("[[kites#Flight]] and theirs\n")
        replace_file(vault, file, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(relinking, "replace_file", late)
    done = rename(kb, "Kites > Flight", "Gliding")

    assert (root / "a.md").read_text() == "[[kites#Flight]] and theirs\n"
    assert (root / "b.md").read_text() == "[[kites#Gliding]]\n"
    assert [(left.file, left.count, left.reason) for left in done.links_left] == [
        ("a.md", 1, "the note changed while its links were being updated")
    ]
    assert [note.file for note in done.links_updated] == ["kites.md", "b.md"]


def test_a_note_that_may_not_be_written_is_reported(
    kb: KnowledgeBase, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "a.md").write_text("[[kites#Flight]]\n")
    monkeypatch.setattr(Folder, "writable", lambda self, name: name != "a.md")  # root may write everything
    done = rename(kb, "Kites > Flight", "Gliding")
    assert (root / "a.md").read_text() == "[[kites#Flight]]\n"
    assert "could not be written" in done.links_left[0].reason
    assert done.links_left[0].file == "a.md"


def test_without_being_asked_no_link_follows_and_the_broken_ones_are_named(kb: KnowledgeBase, root: Path) -> None:
    (root / "a.md").write_text("[[kites#Flight]] [[kites#Landing]] [[kites#Flight#Landing]]\n")
    done = rename(kb, "Kites > Flight", "Gliding", links=False)
    assert (root / "a.md").read_text() == "[[kites#Flight]] [[kites#Landing]] [[kites#Flight#Landing]]\n"
    assert [link.raw_target for link in done.broken_links if link.source.file == "a.md"] == [
        "kites#Flight",
        "kites#Flight#Landing",  # [[kites#Landing]] still finds it
    ]
    assert (done.links_updated, done.links_left) == ((), ())


def test_a_move_breaks_no_link_that_names_the_heading_alone(kb: KnowledgeBase, root: Path) -> None:
    (root / "a.md").write_text("[[kites#Landing]] [[kites#Flight#Landing]]\n")
    section = kb.get_section(SectionRef(file="kites.md", heading_path="Landing"))
    done = kb.edit_section(
        SectionEdit(
            section=SectionRef(file="kites.md", heading_path="Landing"),
            expected_hash=section.content_hash,
            operation="move",
            target="Kites > Flight",
        )
    )
    assert done.heading_path == "Kites > Landing"
    assert [link.raw_target for link in done.broken_links if link.source.file == "a.md"] == ["kites#Flight#Landing"]


def test_only_renaming_updates_links(kb: KnowledgeBase) -> None:
    with pytest.raises(InvalidRequestError, match="updates no links"):
        kb.edit_section(
            SectionEdit(
                section=SectionRef(file="kites.md", heading_path="Flight"),
                expected_hash="0" * 12,
                body="x",
                update_links=True,
            )
        )
