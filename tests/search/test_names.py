"""Notes by name: what answers to a query, in which order, and that changes are seen."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from jupyter_kb.errors import InvalidPathError
from jupyter_kb.events import EventBus, IndexUpdated
from jupyter_kb.index.database import Database
from jupyter_kb.index.indexer import Indexer
from jupyter_kb.models import NoteInfo
from jupyter_kb.search.names import Names
from jupyter_kb.settings import Settings
from jupyter_kb.vault.vault import Vault

NOTES = {
    "projects/kite.md": "---\ntitle: Kite\ntags: [wind]\naliases: [Dragon of the air, Drachen]\n---\n",
    "projects/kite-making.md": "# Making kites\n",
    "projects/archive/old kite.md": "# An old one\n",
    "people/kite/jane.md": "# Jane\n",
    "Überblick.md": "# Überblick über alles\n",
    "日本語ノート.md": "# 日本語ノート\n",
    "zebra.md": "# Zebra kites are striped\n",
}


class Named:
    """A folder of notes, its index in memory, and the names in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.bus = EventBus()
        self.database = Database(None)
        self.indexer = Indexer(Vault(root, Settings()), self.database, self.bus, Settings())
        self.names = Names(self.database, self.bus)

    def found(self, query: str, folder: str = "", limit: int = 50, offset: int = 0) -> list[str]:
        page = self.names.notes(query=query, folder=folder, limit=limit, offset=offset)
        return [note.file for note in page.notes]


@pytest.fixture
def named(tmp_path: Path) -> Iterator[Named]:
    for key, text in NOTES.items():
        path = tmp_path / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    made = Named(tmp_path)
    made.indexer.scan()
    yield made
    made.database.close()


def test_without_a_query_all_notes_come_in_order_of_their_paths(named: Named) -> None:
    assert named.found("") == sorted(NOTES)
    assert named.found("  ") == sorted(NOTES)


def test_a_note_comes_with_what_a_list_shows_of_it(named: Named) -> None:
    (note,) = named.names.notes(query="drachen").notes

    path = named.root / "projects/kite.md"
    assert note == NoteInfo(
        file="projects/kite.md",
        title="Kite",
        aliases=("Dragon of the air", "Drachen"),
        tags=("wind",),
        size=path.stat().st_size,
        modified=note.modified,
    )
    assert note.modified == pytest.approx(path.stat().st_mtime)


def test_whole_names_come_first_then_beginnings_words_and_paths(named: Named) -> None:
    assert named.found("kite") == [
        "projects/kite.md",  # is called so
        "projects/kite-making.md",  # its file name begins so
        "projects/archive/old kite.md",  # a word of its file name does, and the title is shorter
        "zebra.md",  # a word of its title does
        "people/kite/jane.md",  # its path has it
    ]


@pytest.mark.parametrize(
    ("query", "files"),
    [
        ("KITE MAK", ["projects/kite-making.md"]),
        ("making archive", []),
        ("kite archive", ["projects/archive/old kite.md"]),
        ("dragon air", ["projects/kite.md"]),
        ("people/kite", ["people/kite/jane.md"]),
        ("jane.md", ["people/kite/jane.md"]),
        ("überblick", ["Überblick.md"]),
        ("U\u0308BERBLICK", ["Überblick.md"]),
        ("本語", ["日本語ノート.md"]),
        ("ebra", ["zebra.md"]),
        ("nothing of the kind", []),
        ("%", []),
        ("'; DROP TABLE notes; --", []),
        ("\udc80\0", []),
    ],
)
def test_every_word_of_a_query_must_be_in_a_name(named: Named, query: str, files: list[str]) -> None:
    assert named.found(query) == files


@pytest.mark.parametrize(
    ("query", "files"),
    [
        ("mkgkt", ["projects/kite-making.md"]),  # ma_k_in_g_ _k_i_t_es
        ("zbrstr", ["zebra.md"]),
        ("tk", ["projects/kite-making.md"]),  # of the file name
        ("[^", []),
        ("\\d", []),
    ],
)
def test_where_nothing_holds_the_words_letters_in_their_order_are_enough(
    named: Named, query: str, files: list[str]
) -> None:
    assert [file for file in named.found(query) if file in files] == files
    assert bool(named.found(query)) == bool(files)


def test_pages_follow_each_other_and_count_all(named: Named) -> None:
    whole = named.names.notes(query="kite")
    pages = [named.names.notes(query="kite", limit=2, offset=at) for at in (0, 2, 4, 6)]

    assert tuple(note for page in pages for note in page.notes) == whole.notes
    assert {page.total for page in pages} == {5}
    assert named.names.notes(limit=0).total == len(NOTES)


def test_a_folder_holds_the_notes_below_it(named: Named) -> None:
    assert named.found("", "projects") == [
        "projects/archive/old kite.md",
        "projects/kite-making.md",
        "projects/kite.md",
    ]
    assert named.found("kite", "projects/archive/") == ["projects/archive/old kite.md"]
    assert named.found("", "/") == sorted(NOTES)
    assert named.found("", "project") == []
    with pytest.raises(InvalidPathError):
        named.found("", "../x")


def test_changes_of_the_index_are_seen_at_once(named: Named) -> None:
    assert "new.md" not in named.found("kite")

    (named.root / "new.md").write_text("# Kite too\n")
    (named.root / "zebra.md").unlink()
    (named.root / "projects/kite.md").write_text("# Something else\n")
    named.indexer.scan()

    assert named.found("kite") == [
        "projects/kite.md",  # its file name is the query
        "new.md",
        "projects/kite-making.md",
        "projects/archive/old kite.md",
        "people/kite/jane.md",
    ]
    assert "zebra.md" not in named.found("")
    assert named.found("drachen") == []


def test_many_changes_at_once_are_seen_too(named: Named) -> None:
    named.found("")
    for number in range(300):
        (named.root / f"many {number}.md").write_text("x\n")
    named.indexer.scan()

    assert named.names.notes(query="many").total == 300


def test_a_change_that_is_told_while_names_are_read_is_not_lost(named: Named) -> None:
    named.found("")
    (named.root / "late.md").write_text("# Late\n")
    named.bus.publish(IndexUpdated(added=("late.md",), changed=(), removed=()))  # before it is in the index
    assert "late.md" not in named.found("")

    named.indexer.scan()

    assert "late.md" in named.found("")


@pytest.mark.data
@pytest.mark.slow
def test_thousands_of_names_are_searched_between_two_keys(data_dir: Path) -> None:
    hub = Named(data_dir / "vaults" / "obsidian-hub")
    hub.indexer.scan()
    hub.found("warm")
    times = []

    for query in ("p", "pl", "plugin", "obsidian plugin", "dataview", "community themes") * 3:
        started = time.thread_time()
        assert hub.found(query, limit=20)
        times.append(time.thread_time() - started)

    hub.database.close()
    assert sorted(times)[len(times) // 2] < 0.020
