"""The same questions to the owner of an index, to a client of its server, and to another process's shared vault."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from jupyter_kb.client import Client
from jupyter_kb.errors import ConflictError, KBError, NoteExistsError, NoteNotFoundError
from jupyter_kb.events import Event, NoteChanged
from jupyter_kb.kb import KnowledgeBase
from jupyter_kb.models import EditResult, Filters, GrepRequest, SearchRequest, SectionEdit, SectionRef
from jupyter_kb.operations import Operations
from jupyter_kb.rest.loopback import LoopbackServer
from jupyter_kb.settings import Settings
from jupyter_kb.sharing import SharedKnowledgeBase

NOTES: dict[str, str | bytes] = {
    "kite.md": "---\ntags: [wind]\nyear: 2024\naliases: [Drachen]\n---\n\nBefore.\n\n# Flight\n\nSteady wind.\n\n"
    "## Launch\n\nRun forward.\n\n## Landing\n\nPull the line. See [[tools#Reel]].\n",
    "docs/tools.md": "# Reel\n\nWinds the cord.\n\n# Twice\n\nOne.\n\n# Twice\n\n[[kite#Landing|down]] [[ghost]]\n",
    "注/风筝.md": "# 放飞\n\n需要稳定的风。\n\n## A > B\n\nA heading with the separator in it.\n",
    "broken.md": b"# Bad bytes \xff\xfe\n\nLatin \xe9t\xe9.\n",
    "empty.md": "",
}
SETTINGS = Settings(model="hashing:64")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, content in NOTES.items():
        path = tmp_path / "vault" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return tmp_path / "vault"


@pytest.fixture
def shared(root: Path, tmp_path: Path) -> Iterator[SharedKnowledgeBase]:
    """The owner, which answers to others."""
    with SharedKnowledgeBase(root, settings=SETTINGS, index_dir=tmp_path / "index", publish=LoopbackServer) as owner:
        assert owner.standing == "owner"
        owner.scan()
        owner.embed()
        yield owner


@pytest.fixture
def owner(shared: SharedKnowledgeBase) -> KnowledgeBase:
    owned = shared.owned
    assert owned is not None
    return owned


@pytest.fixture(params=["owner", "client", "guest"])
def vault(
    request: pytest.FixtureRequest, shared: SharedKnowledgeBase, owner: KnowledgeBase, root: Path, tmp_path: Path
) -> Iterator[Operations]:
    """The vault as it is asked by the owner itself, over HTTP, and by a process that found the index owned."""
    if request.param == "owner":
        yield owner
    elif request.param == "client":
        record = (tmp_path / "index").glob("*/owner.json")
        with _client(next(record)) as client:
            yield client.vault()
    else:
        with SharedKnowledgeBase(root, index_dir=tmp_path / "index", publish=LoopbackServer) as guest:
            assert guest.standing == "guest"
            yield guest


def _client(record: Path) -> Client:
    import json

    found = json.loads(record.read_text())
    return Client(found["url"], found["token"])


def outcome(ask: Callable[[Operations], Any], vault: Operations) -> Any:
    """A result, or an error as everything that a door tells of it."""
    try:
        return ask(vault)
    except KBError as error:
        return type(error), error.status, error.payload()


def ref(file: str, path: str | tuple[str, ...] | None = None, **fields: Any) -> SectionRef:
    return SectionRef(file=file, heading_path=path, **fields)


QUESTIONS: dict[str, Callable[[Operations], Any]] = {
    "status": lambda vault: vault.status(),
    "search by words": lambda vault: vault.search(SearchRequest(query="wind line", mode="text", explain=True)),
    "search by meaning": lambda vault: vault.search(SearchRequest(query="steady wind", mode="semantic", explain=True)),
    "search by both": lambda vault: vault.search(SearchRequest(query="steady wind"), fresh=False, wait=0.5, fill=3),
    "search in chunks": lambda vault: vault.search(SearchRequest(query="cord", granularity="chunk", mode="hybrid")),
    "search headings": lambda vault: vault.search(SearchRequest(query="landing", mode="headings")),
    "search like": lambda vault: vault.search(SearchRequest(like=ref("kite.md", "Landing"))),
    "search like nothing": lambda vault: vault.search(SearchRequest(like=ref("kite.md", "Take-off"))),
    "search in Chinese": lambda vault: vault.search(SearchRequest(query="稳定的风", mode="text")),
    "search with filters": lambda vault: vault.search(
        SearchRequest(query="wind", filters=Filters(tags=("wind",), front_matter={"year": {"gte": 2020}}))
    ),
    "search with a wrong filter": lambda vault: vault.search(
        SearchRequest(query="wind", filters=Filters(front_matter={"colour": "red"}))
    ),
    "search with a wrong weight": lambda vault: vault.search(SearchRequest(query="wind", weight=7.0)),
    "list": lambda vault: vault.search(SearchRequest(order_by="title", descending=True, limit=2, offset=1)),
    "grep": lambda vault: vault.grep(GrepRequest(pattern="line", context_lines=1)),
    "grep bytes": lambda vault: vault.grep(GrepRequest(pattern="Latin")),
    "grep a wrong expression": lambda vault: vault.grep(GrepRequest(pattern="(", is_regex=True)),
    "tree": lambda vault: vault.tree(),
    "tree of a folder": lambda vault: vault.tree(folder="注"),
    "tree of nothing": lambda vault: vault.tree(folder="nothing"),
    "notes": lambda vault: vault.notes(query="drach"),
    "notes of a folder": lambda vault: vault.notes(folder="docs", limit=1),
    "all notes": lambda vault: vault.notes(limit=2, offset=1),
    "find a note": lambda vault: vault.find_note("Tools"),
    "find nothing": lambda vault: vault.find_note("kites"),
    "find outside": lambda vault: vault.find_note("../secret"),
    "suggest": lambda vault: vault.suggest("kit.md"),
    "outline": lambda vault: vault.outline("kite.md"),
    "outline of bytes": lambda vault: vault.outline("broken.md"),
    "outline of an empty note": lambda vault: vault.outline("empty.md"),
    "outline of nothing": lambda vault: vault.outline("kit.md"),
    "section": lambda vault: vault.get_section(ref("kite.md", "Flight > Landing"), children=False),
    "section by headings": lambda vault: vault.get_section(ref("注/风筝.md", ("放飞", "A > B"))),
    "section by one heading": lambda vault: vault.get_section(ref("注/风筝.md", ("A > B",))),
    "section by path": lambda vault: vault.get_section(ref("注/风筝.md", "A > B")),
    "section by line": lambda vault: vault.get_section(ref("kite.md", line=14), levels_up=1),
    "section of bytes": lambda vault: vault.get_section(ref("broken.md")),
    "section with an empty name": lambda vault: vault.get_section(ref("kite.md", "")),
    "ambiguous section": lambda vault: vault.get_section(ref("docs/tools.md", "Twice")),
    "exact section": lambda vault: vault.get_section(ref("docs/tools.md", "Twice", exact=True)),
    "no such section": lambda vault: vault.get_section(ref("kite.md", "Flight > Lunch")),
    "render": lambda vault: vault.render("See [[tools#Reel]] and [[ghost]] <b>", file="kite.md"),
    "backlinks": lambda vault: vault.backlinks("kite.md", "Flight > Landing"),
    "backlinks of nothing": lambda vault: vault.backlinks("kit.md"),
    "links": lambda vault: vault.links("docs/tools.md", direction="out", limit=1, offset=1),
    "links of a kind": lambda vault: vault.links("kite.md", "Flight", direction="both", kind="wikilink", fresh=False),
    "graph": lambda vault: vault.graph("kite.md", depth=2),
    "whole graph": lambda vault: vault.graph(limit=2, offset=1),
    "diagnostics": lambda vault: vault.diagnostics(limit=1, offset=1),
    "exact diagnostics": lambda vault: vault.diagnostics(exact=True, path="docs", kind="unresolved-link"),
    "a planned edit": lambda vault: vault.edit_section(
        SectionEdit(
            section=ref("kite.md", "Flight > Launch"),
            expected_hash=vault.get_section(ref("kite.md", "Flight > Launch")).content_hash,
            operation="rename",
            heading="Take-off",
            dry_run=True,
        )
    ),
    "a planned renaming with its links": lambda vault: vault.edit_section(
        SectionEdit(
            section=ref("kite.md", "Flight > Landing"),
            expected_hash=vault.get_section(ref("kite.md", "Flight > Landing")).content_hash,
            operation="rename",
            heading="Touchdown",
            dry_run=True,
            update_links=True,
        )
    ),
    "a planned move": lambda vault: vault.edit_section(
        SectionEdit(
            section=ref("kite.md", "Flight > Landing"),
            expected_hash=vault.get_section(ref("kite.md", "Flight > Landing")).content_hash,
            operation="move",
            target=("Flight", "Launch"),
            place="before",
            dry_run=True,
        )
    ),
    "a move to nowhere": lambda vault: vault.edit_section(
        SectionEdit(
            section=ref("kite.md", "Flight > Landing"),
            expected_hash=vault.get_section(ref("kite.md", "Flight > Landing")).content_hash,
            operation="move",
            target="Take-off",
        )
    ),
    "a conflict": lambda vault: vault.edit_section(
        SectionEdit(section=ref("kite.md", "Flight"), expected_hash="0" * 12, body="x")
    ),
    "an edit without a body": lambda vault: vault.edit_section(
        SectionEdit(section=ref("kite.md", "Flight"), expected_hash="0" * 12, operation="append")
    ),
    "making a note that is there": lambda vault: vault.create_note("Docs/TOOLS.md", "x"),
    "making a note outside": lambda vault: vault.create_note("../secret.md"),
    "making what is no note": lambda vault: vault.create_note("kite.txt"),
    "making a hidden note": lambda vault: vault.create_note(".trash/kite.md"),
    "a strict conflict": lambda vault: vault.edit_section(
        SectionEdit(section=ref("kite.md", "Flight"), expected_hash="none", body="x", strict=True)
    ),
}


def test_every_answer_is_the_same_whoever_is_asked(vault: Operations, owner: KnowledgeBase) -> None:
    for question, ask in QUESTIONS.items():
        assert outcome(ask, vault) == outcome(ask, owner), question


def test_every_verb_is_asked() -> None:
    verbs = {name for name in vars(Operations) if not name.startswith("_")}
    asked: set[str] = set()

    class Spy:
        def __getattr__(self, verb: str) -> Any:
            asked.add(verb)
            raise KeyError(verb)

    for ask in QUESTIONS.values():
        with pytest.raises(KeyError):
            ask(Spy())
    assert verbs - asked == {"reindex", "embed"}  # which have tests of their own, for they change what they answer


def test_an_edit_is_in_the_file_and_in_the_index_when_its_call_returns(
    vault: Operations, owner: KnowledgeBase, root: Path
) -> None:
    events: list[Event] = []
    owner.events.subscribe(events.append)
    section = vault.get_section(ref("kite.md", "Flight > Launch"))

    done = vault.edit_section(
        SectionEdit(section=ref("kite.md", "Flight > Launch"), expected_hash=section.content_hash, body="Javelin.\n"),
        actor="ada",
    )

    assert done.written
    assert "Javelin." in (root / "kite.md").read_text()
    assert vault.search(SearchRequest(query="javelin"), fresh=False).hits[0].heading_path == "Flight > Launch"
    assert [event.actor for event in events if isinstance(event, NoteChanged)] == ["ada"]
    with pytest.raises(ConflictError):
        vault.edit_section(
            SectionEdit(section=ref("kite.md", "Flight > Launch"), expected_hash=section.content_hash, body="Again.")
        )


def test_a_new_note_is_in_the_folder_and_in_the_index_when_its_call_returns(
    vault: Operations, owner: KnowledgeBase, root: Path
) -> None:
    events: list[Event] = []
    owner.events.subscribe(events.append)
    vault.reindex(reader="me", fresh=False)

    done = vault.create_note("Docs/new/wind.md", "# Wind\n\nSirocco \udcff.\n", actor="ada", reader="me")

    assert done.file == "docs/new/wind.md"  # the folder is there in this case
    assert (root / done.file).read_bytes() == b"# Wind\n\nSirocco \xff.\n"
    assert done.written
    assert done.content_hash == vault.get_section(ref(done.file)).content_hash
    assert [node.heading for node in done.sections] == ["Wind"]
    assert done.version == vault.outline(done.file).version
    assert vault.search(SearchRequest(query="sirocco"), fresh=False).hits[0].file == done.file
    assert [(event.operation, event.actor) for event in events if isinstance(event, NoteChanged)] == [("create", "ada")]
    assert vault.reindex(reader="me").files_added == ()
    with pytest.raises(NoteExistsError) as caught:
        vault.create_note("docs/new/Wind.MD", "other")
    assert caught.value.details["file"] == done.file
    assert b"Sirocco" in (root / done.file).read_bytes()


def test_links_follow_a_renamed_heading_and_come_back_with_it(vault: Operations, root: Path) -> None:
    before = {path: path.read_bytes() for path in root.rglob("*.md")}

    def rename(path: str, heading: str) -> EditResult:
        return vault.edit_section(
            SectionEdit(
                section=ref("kite.md", path),
                expected_hash=vault.get_section(ref("kite.md", path)).content_hash,
                operation="rename",
                heading=heading,
                update_links=True,
            )
        )

    there = rename("Flight > Landing", "Touchdown")
    assert "[[kite#Touchdown|down]]" in (root / "docs/tools.md").read_text()
    back = rename("Flight > Touchdown", "Landing")

    assert [(note.file, note.title, note.count) for note in there.links_updated] == [("docs/tools.md", "Reel", 1)]
    assert (there.links_updated, there.links_left) == (back.links_updated, back.links_left)
    assert {path: path.read_bytes() for path in root.rglob("*.md")} == before


def test_what_is_read_says_when_its_file_was_written(vault: Operations, root: Path) -> None:
    os.utime(root / "kite.md", ns=(0, 1_700_000_000_123_456_789))
    written = (root / "kite.md").stat().st_mtime_ns / 1e9

    assert vault.outline("kite.md").modified == written
    assert vault.get_section(ref("kite.md")).modified == written
    assert vault.get_section(ref("kite.md", "Flight"), children=False).modified == written
    with pytest.raises(ConflictError) as caught:
        vault.edit_section(SectionEdit(section=ref("kite.md", "Flight"), expected_hash="0" * 12, body="x"))
    assert caught.value.details["current_modified"] == written
    assert caught.value.details["current_version"] == vault.outline("kite.md").version


def test_bytes_that_are_no_text_survive_an_edit_beside_them(vault: Operations, root: Path) -> None:
    section = vault.get_section(ref("broken.md"))
    heading = vault.outline("broken.md").sections[0]
    vault.edit_section(
        SectionEdit(
            section=ref("broken.md", line=1), expected_hash=heading.content_hash, operation="append", body="More."
        )
    )

    assert section.content.encode("utf-8", "surrogateescape") == NOTES["broken.md"]
    assert (root / "broken.md").read_bytes() == b"# Bad bytes \xff\xfe\n\nLatin \xe9t\xe9.\n\nMore.\n"


def test_each_reader_is_told_what_others_changed(vault: Operations, root: Path) -> None:
    vault.reindex(reader="me", fresh=False)
    section = vault.get_section(ref("kite.md", "Flight > Launch"))
    own = SectionEdit(section=ref("kite.md", "Flight > Launch"), expected_hash=section.content_hash, body="Mine.")
    vault.edit_section(own, reader="me")
    (root / "new.md").write_text("# New\n")

    report = vault.reindex(reader="me")

    assert report.files_added == ("new.md",)
    assert report.files_changed == ()


def test_missing_vectors_are_made(vault: Operations, root: Path) -> None:
    (root / "new.md").write_text("# New\n\nThermals.\n")
    vault.search(SearchRequest(limit=1))

    done = vault.embed()

    assert (done.embedded, done.pending) == (1, 0)


def test_an_unknown_note_comes_with_near_names(vault: Operations) -> None:
    for ask in (vault.outline, vault.backlinks, vault.links):
        with pytest.raises(NoteNotFoundError) as caught:
            ask("kit.md")
        assert caught.value.details["suggestions"][0] == "kite.md"


def test_long_lists_are_whole_however_they_are_sent(vault: Operations, owner: KnowledgeBase, root: Path) -> None:
    for number in range(20):
        text = "".join(f"## {'Heading ' * 12}{number} {line}\n\n[[kite]] [[gone {line}]]\n\n" for line in range(100))
        (root / f"{'long name ' * 10}{number}.md").write_text(text)
    many = SearchRequest(query="heading", mode="headings", limit=1_900, offset=7)

    found, expected = vault.search(many), owner.search(many)
    # a page of few hits carries their texts, one of thousands does not
    assert [replace(hit, text="", snippet="", complete=False) for hit in found.hits] == [
        replace(hit, text="", snippet="", complete=False) for hit in expected.hits
    ]
    assert (len(found.hits), found.has_more, found.total) == (1_900, True, expected.total)
    assert vault.backlinks("kite.md") == owner.backlinks("kite.md")
    assert vault.links("kite.md", limit=1_500, offset=3) == owner.links("kite.md", limit=1_500, offset=3)
    assert vault.diagnostics(limit=10_000) == owner.diagnostics(limit=10_000)
    assert vault.graph(limit=1_000) == owner.graph(limit=1_000)
    assert vault.notes(limit=1_000) == owner.notes(limit=1_000)
    assert len(vault.backlinks("kite.md")) > 2_000
