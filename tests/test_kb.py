"""The operations as a whole: what one method promises across the rooms."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from jupyter_kb.errors import (
    ConflictError,
    InvalidPathError,
    InvalidRequestError,
    NoteNotFoundError,
    VaultNotFoundError,
)
from jupyter_kb.events import Event, IndexUpdated, NoteChanged
from jupyter_kb.index import indexer
from jupyter_kb.index.location import find_vault, locate
from jupyter_kb.kb import KnowledgeBase
from jupyter_kb.models import Filters, SearchRequest, SectionEdit, SectionRef, Status
from jupyter_kb.settings import Settings

KITE = (
    "---\ntags: [wind]\n---\n\n# Flight\n\nSteady wind.\n\n## Launch\n\nRun forward.\n\n## Landing\n\nPull the line.\n"
)
INDEX = "# Index\n\nSee [[kite#Launch]], [[kite]] and [[ghost]].\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    (folder / "kite.md").write_text(KITE)
    (folder / "index.md").write_text(INDEX)
    return folder


@pytest.fixture
def kb(root: Path, tmp_path: Path) -> Iterator[KnowledgeBase]:
    with KnowledgeBase.open(root, index_dir=tmp_path / "index") as opened:
        yield opened


def found(kb: KnowledgeBase, query: str, **options: object) -> list[tuple[str, str]]:
    hits = kb.search(SearchRequest(query=query, **options)).hits  # type: ignore[arg-type]
    return [(hit.file, hit.heading_path) for hit in hits]


def edit(kb: KnowledgeBase, path: str, body: str) -> SectionEdit:
    ref = SectionRef(file="kite.md", heading_path=path)
    return SectionEdit(section=ref, expected_hash=kb.get_section(ref).content_hash, body=body)


def test_a_search_finds_the_deepest_section_without_a_scan_of_its_own(kb: KnowledgeBase) -> None:
    assert found(kb, "run forward") == [("kite.md", "Flight > Launch")]


def test_an_edit_is_found_when_its_call_returns(kb: KnowledgeBase) -> None:
    result = kb.edit_section(edit(kb, "Flight > Launch", "Throw it like a javelin.\n"), actor="test")

    assert result.written
    assert result.changed == ("Flight", "Flight > Launch")
    assert kb.search(SearchRequest(query="javelin"), fresh=False).hits[0].heading_path == "Flight > Launch"
    assert kb.get_section(SectionRef(file="kite.md", heading_path="Launch")).content_hash == result.content_hash


def test_what_another_program_wrote_is_found_at_once(kb: KnowledgeBase, root: Path) -> None:
    assert found(kb, "thermals") == []

    (root / "soaring.md").write_text("# Soaring\n\nThermals carry it.\n")
    assert found(kb, "thermals") == [("soaring.md", "Soaring")]

    (root / "soaring.md").unlink()
    assert found(kb, "thermals") == []


def test_an_edit_of_what_another_program_changed_is_a_conflict_and_writes_nothing(
    kb: KnowledgeBase, root: Path
) -> None:
    stale = edit(kb, "Flight > Launch", "Mine.")
    theirs = KITE.replace("Run forward.", "Run backward.")
    (root / "kite.md").write_text(theirs)

    with pytest.raises(ConflictError) as caught:
        kb.edit_section(stale)

    assert "Run backward." in caught.value.details["current_content"]
    assert (root / "kite.md").read_text() == theirs


def test_reindex_tells_what_others_changed_and_not_what_this_process_wrote(kb: KnowledgeBase, root: Path) -> None:
    kb.scan()
    kb.edit_section(edit(kb, "Flight > Launch", "Own."))
    (root / "new.md").write_text("# New\n")
    (root / "index.md").write_text(INDEX + "\n## Later\n")

    report = kb.reindex()

    assert report.files_added == ("new.md",)
    assert [(change.file, change.sections_added) for change in report.files_changed] == [
        ("index.md", ("Index > Later",))
    ]
    assert report.diagnostics == 1  # the link to a ghost
    again = kb.reindex()
    assert (again.files_added, again.files_removed, again.files_changed) == ((), (), ())


def test_each_reader_of_reports_is_told_of_the_others_edits_from_when_it_first_asked(
    kb: KnowledgeBase, root: Path
) -> None:
    kb.reindex(reader="ann", fresh=False)  # before anything is scanned
    kb.scan()
    kb.edit_section(edit(kb, "Flight > Launch", "Ann's."), reader="ann")
    kb.reindex(reader="bob", fresh=False)
    (root / "new.md").write_text("# New\n")

    ann, bob, nameless = (kb.reindex(reader=reader) for reader in ("ann", "bob", ""))

    assert [report.files_added for report in (ann, bob, nameless)] == [("new.md",)] * 3
    assert (ann.files_changed, bob.files_changed) == ((), ())
    assert [change.sections_modified for change in nameless.files_changed] == [("Flight > Launch",)]


def test_notes_are_found_by_name_without_a_scan_of_their_own(kb: KnowledgeBase, root: Path) -> None:
    assert [note.file for note in kb.notes(query="ki").notes] == ["kite.md"]

    (root / "kiosk.md").write_text("# Kiosk\n")

    assert kb.notes(query="ki").total == 1  # asked at each key that is pressed: the index as it is
    assert [note.file for note in kb.notes().notes] == ["index.md", "kiosk.md", "kite.md"]
    assert kb.notes(query="ki").total == 2
    assert kb.suggest("kit.md") == ["kite.md", "kiosk.md", "index.md"]


def test_a_graph_sees_the_disk_unless_that_is_not_wanted(kb: KnowledgeBase, root: Path) -> None:
    assert {node.file for node in kb.graph("kite.md").nodes} == {"kite.md", "index.md"}

    (root / "wind.md").write_text("[[kite]]\n")

    assert kb.graph("kite.md", fresh=False).total == 2
    assert kb.graph("kite.md").total == 3
    assert ("ghost", True) in [(node.file, node.missing) for node in kb.graph().nodes]
    with pytest.raises(NoteNotFoundError):
        kb.graph("nothing.md")


def test_markdown_is_rendered_as_if_it_stood_in_a_note(kb: KnowledgeBase) -> None:
    html = kb.render("[[#Launch]] [[ghost]]", file="kite.md").html

    assert 'data-kb-file="kite.md" data-kb-heading="Flight &gt; Launch"' in html
    assert 'class="kb-link kb-missing" data-kb-target="ghost"' in html
    assert "data-kb-file" not in kb.render("[[#Launch]]").html
    with pytest.raises(InvalidPathError):
        kb.render("x", file="../kite.md")


def test_diagnostics_by_the_exact_rules_know_no_aliases(kb: KnowledgeBase, root: Path) -> None:
    (root / "other.md").write_text(
        "---\naliases: [Dragon]\n---\n[[dragon]] [[KITE]] [[ghost]] [x](gone.md)\n\xff\n", "latin-1"
    )

    loose, _ = kb.diagnostics(path="other.md")
    exact, total = kb.diagnostics(path="other.md", exact=True)

    assert [entry.kind for entry in loose] == ["unresolved-link", "unresolved-link", "invalid-utf8"]
    assert [entry.kind for entry in exact] == ["unresolved-link"] * 3 + ["invalid-utf8"]
    assert total == 4
    assert "wikilink '[[dragon]]'" in exact[0].message
    assert kb.diagnostics(exact=True, kind="invalid-utf8")[1] == 1
    assert kb.diagnostics(exact=True, kind="unresolved-link", limit=0) == ((), 4)


def test_a_renamed_heading_names_the_links_that_pointed_at_it(kb: KnowledgeBase) -> None:
    ref = SectionRef(file="kite.md", heading_path="Flight > Launch")
    change = SectionEdit(
        section=ref, expected_hash=kb.get_section(ref).content_hash, operation="rename", heading="Take-off"
    )

    planned = kb.edit_section(SectionEdit(**{**vars(change), "dry_run": True}))
    done = kb.edit_section(change)

    for result in (planned, done):
        assert [(link.source.file, link.raw_target) for link in result.broken_links] == [("index.md", "kite#Launch")]
    statuses = {link.raw_target: link.status for link in kb.links("kite.md").links}
    assert statuses == {"kite#Launch": "missing", "kite": "resolved"}


def test_an_edit_needs_no_index(kb: KnowledgeBase, root: Path) -> None:
    kb.scan()
    kb.database.close()  # as if it had been damaged

    result = kb.edit_section(edit(kb, "Flight > Launch", "Throw it."))

    assert result.written
    assert "Throw it." in (root / "kite.md").read_text()


def test_events_tell_of_the_edit_and_of_the_update_of_the_index(kb: KnowledgeBase) -> None:
    kb.scan()
    events: list[Event] = []
    kb.events.subscribe(events.append)

    result = kb.edit_section(edit(kb, "Flight > Landing", "Walk towards it."), actor="ada")

    assert NoteChanged(file="kite.md", operation="replace", actor="ada", version=result.version) in events
    assert IndexUpdated(added=(), changed=("kite.md",), removed=()) in events


def test_filters_narrow_a_search(kb: KnowledgeBase) -> None:
    assert found(kb, "kite flight wind index", filters=Filters(tags=("wind",)))[0][0] == "kite.md"
    assert found(kb, "kite flight wind index", filters=Filters(path="index")) == [("index.md", "Index")]


def test_an_unknown_note_comes_with_near_names(kb: KnowledgeBase) -> None:
    for ask in (kb.outline, kb.backlinks, kb.links):
        with pytest.raises(NoteNotFoundError) as caught:
            ask("kit.md")
        assert "'kit.md'" in caught.value.message
        assert caught.value.details["suggestions"][0] == "kite.md"


def test_a_second_process_works_in_memory_and_says_so(kb: KnowledgeBase, root: Path, tmp_path: Path) -> None:
    kb.scan()
    program = (
        "import sys; from jupyter_kb.kb import KnowledgeBase; from jupyter_kb.models import SearchRequest\n"
        "with KnowledgeBase.open(sys.argv[1], index_dir=sys.argv[2]) as kb:\n"
        "    hits = kb.search(SearchRequest(query='run forward')).hits\n"
        "    print(hits[0].heading_path, kb.status().index_location, kb.status().note, sep='|')\n"
    )

    run = subprocess.run(
        [sys.executable, "-c", program, str(root), str(tmp_path / "index")],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )

    path, location, note = run.stdout.strip().split("|")
    assert (path, location) == ("Flight > Launch", "None")
    assert "another process owns the index" in note
    assert kb.status().note is None


def test_an_index_that_was_closed_is_used_again_without_reading_a_note(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexer, "_TICK_NS", 20_000_000)
    time.sleep(0.06)  # until the notes are older than the grain of a file system's clock
    with KnowledgeBase.open(root, index_dir=tmp_path / "index") as first:
        assert first.scan().added == 2

    with KnowledgeBase.open(root, index_dir=tmp_path / "index") as second:
        scan = second.scan()

    assert (scan.added, scan.changed, scan.removed, scan.unchanged) == (0, 0, 0, 2)


def test_settings_are_remembered_until_others_are_given(root: Path, tmp_path: Path) -> None:
    (root / ".drafts").mkdir()
    (root / ".drafts" / "secret.md").write_text("# Secret\n")
    folder = tmp_path / "index"
    with KnowledgeBase.open(root, index_dir=folder, settings=Settings(hidden=True)) as opened:
        assert opened.scan().added == 3
    with KnowledgeBase.open(root, index_dir=folder) as opened:
        assert opened.settings.hidden
        assert found(opened, "secret") == [(".drafts/secret.md", "Secret")]
    with KnowledgeBase.open(root, index_dir=folder, settings=Settings()) as opened:
        assert found(opened, "secret") == []


def test_where_no_index_can_be_kept_it_is_kept_in_memory(root: Path, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")

    with KnowledgeBase.open(root, index_dir=blocked) as opened:
        assert found(opened, "run forward") == [("kite.md", "Flight > Launch")]
        assert "in memory" in (opened.status().note or "")


def test_indexing_writes_nothing_into_the_vault(kb: KnowledgeBase, root: Path) -> None:
    before = {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in root.iterdir()}
    kb.reindex()
    assert {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in root.iterdir()} == before


def test_a_vault_must_be_a_folder_that_exists(tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("# Note\n")
    for name, words in (("nowhere", "does not exist"), ("note.md", "is not a directory")):
        with pytest.raises(VaultNotFoundError, match=words):
            KnowledgeBase.open(tmp_path / name, index_dir=tmp_path / "index")


def test_the_nearest_folder_above_with_an_index_is_the_vault(root: Path, tmp_path: Path) -> None:
    deep = root / "a" / "b"
    deep.mkdir(parents=True)
    index = tmp_path / "index"
    assert find_vault(deep, index) == deep

    locate(root, index).save(Settings())
    assert find_vault(deep, index) == root


def test_two_vaults_of_one_name_do_not_share_an_index(tmp_path: Path) -> None:
    (tmp_path / "a" / "notes").mkdir(parents=True)
    (tmp_path / "b" / "notes").mkdir(parents=True)
    index = tmp_path / "index"
    assert locate(tmp_path / "a" / "notes", index).folder != locate(tmp_path / "b" / "notes", index).folder


def test_an_index_among_the_notes_is_refused_and_a_hidden_folder_is_not(root: Path) -> None:
    with pytest.raises(InvalidRequestError, match="inside the vault"):
        KnowledgeBase.open(root, index_dir=root / "index")
    assert sorted(path.name for path in root.iterdir()) == ["index.md", "kite.md"]
    with KnowledgeBase.open(root, index_dir=root / ".local" / "share") as opened:
        assert found(opened, "run forward") == [("kite.md", "Flight > Launch")]


DAMAGED = (
    "",
    "{",
    "[]",
    '{"settings": 3}',
    '{"settings": {"hidden": true, "gone": 1}}',
    '{"settings": {"exclude": 5}}',
    '{"settings": {"include": [5]}}',
    '{"settings": {"max_file_bytes": -1}}',
    '{"settings": {"language": "klingon"}}',
    '{"settings": {"language": []}}',
    '{"settings": {"read_only": true}}',
)


@pytest.mark.parametrize("text", DAMAGED)
def test_a_damaged_description_of_the_index_is_written_anew(root: Path, tmp_path: Path, text: str) -> None:
    location = locate(root, tmp_path / "index")
    location.save(Settings())
    (location.folder / "vault.json").write_text(text)

    with KnowledgeBase.open(root, index_dir=tmp_path / "index") as opened:
        assert found(opened, "run forward") == [("kite.md", "Flight > Launch")]
        assert not opened.settings.read_only
    assert location.settings() is not None


def test_a_hit_tells_the_hash_of_the_whole_section_and_of_its_own_text_apart(kb: KnowledgeBase, root: Path) -> None:
    for length in (10, 3000):  # whatever fits into a passage
        (root / "area.md").write_text("# Area\n\n" + "widgets " * length + "\n\n## Keep me\n\nPrecious.\n")
        [hit] = kb.search(SearchRequest(query="widgets")).hits
        ref = SectionRef(file="area.md", heading_path="Area")
        assert hit.content_hash == kb.get_section(ref).content_hash
        assert hit.own_hash == kb.get_section(ref, children=False).content_hash
        assert hit.byte_range == kb.get_section(ref).byte_range


def test_an_edit_names_the_sections_that_it_removes(kb: KnowledgeBase) -> None:
    assert kb.edit_section(edit(kb, "Flight", "Nothing else.")).removed == ("Flight > Launch", "Flight > Landing")


def test_a_note_is_found_by_what_it_can_only_mean(kb: KnowledgeBase, root: Path) -> None:
    for name in ("a/plan.md", "a/Deep Note.md", "b/index.md", "b/twin.md", "c/twin.md"):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text("# A\n")
    for name, key in {
        "kite.md": "kite.md",
        "Kite": "kite.md",
        "plan": "a/plan.md",
        "A/PLAN.md": "a/plan.md",
        "deep note": "a/Deep Note.md",
        "index": "index.md",
        "b\\index": "b/index.md",
    }.items():
        assert kb.find_note(name) == key, name
    with pytest.raises(InvalidRequestError) as several:
        kb.find_note("twin")
    assert several.value.details["candidates"] == ["b/twin.md", "c/twin.md"]
    with pytest.raises(NoteNotFoundError) as none:
        kb.find_note("plam")
    assert none.value.details["suggestions"][0] == "a/plan.md"
    with pytest.raises(NoteNotFoundError) as part:
        kb.find_note("deep")
    assert part.value.details["suggestions"] == ["a/Deep Note.md"]


def test_while_a_scan_runs_the_status_counts_no_links_anew(kb: KnowledgeBase, root: Path) -> None:
    kb.scan()
    before = kb.status().diagnostics
    (root / "broken.md").write_text("[[nowhere]]\n")
    seen: list[Status] = []

    kb.scan(lambda done, total: seen.append(kb.status()))

    assert {(status.indexing is None, status.diagnostics) for status in seen} == {(False, before)}
    assert kb.status().diagnostics == before + 1
