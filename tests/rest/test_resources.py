"""Every route against a knowledge base over the demo vault, as functions and over a loopback port.

What an operation answers is tested with the operation; here it is that the route asks for it as the request says.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from jupyter_kb import __version__, wire
from jupyter_kb.events import Event, NoteChanged
from jupyter_kb.kb import KnowledgeBase
from jupyter_kb.models import (
    ApiIndex,
    BacklinkPage,
    DiagnosticPage,
    EditResult,
    EmbedResult,
    Facets,
    Filters,
    FolderNode,
    Graph,
    GrepRequest,
    GrepResults,
    LinkPage,
    MentionPage,
    NotePage,
    Outline,
    Rendered,
    ResolvedTargets,
    SearchRequest,
    SearchResults,
    SectionContent,
    SectionRef,
    Status,
    VaultList,
)
from tests.rest.asking import Ask, content, failure

LASER = "instruments/laser-473.md"
SCAN = "Monday, 21 September 2026"


# ── vaults and status ───────────────────────────────────────────────────────────────────────────


def test_the_apis_own_address_tells_the_version_and_the_documents_place(ask: Ask) -> None:
    found = wire.load(ApiIndex, content(ask("GET", "/")))

    assert (found.name, found.version) == ("jupyter-kb", __version__)
    assert content(ask("GET", f"/{found.openapi}"))["openapi"].startswith("3.1")


def test_vaults_are_listed(ask: Ask, kb: KnowledgeBase) -> None:
    (vault,) = wire.load(VaultList, content(ask("GET", "/vaults"))).vaults

    assert (vault.name, vault.root, vault.is_default, vault.ready) == ("lab", str(kb.vault.root), True, True)


def test_status_is_that_of_the_vault(ask: Ask, kb: KnowledgeBase) -> None:
    kb.scan()

    status = wire.load(Status, content(ask("GET", "status")))

    assert replace(status, index_bytes=0) == replace(kb.status(), index_bytes=0)  # a log may be folded in meanwhile
    assert status.notes > 40


def test_an_unknown_vault_is_not_found_with_suggestions(ask: Ask) -> None:
    error = failure(ask("GET", "/vaults/labb/status"), 404)

    assert error["code"] == "vault-not-found"
    assert error["details"] == {"suggestions": ["lab"]}


# ── searching ───────────────────────────────────────────────────────────────────────────────────


def test_a_search_takes_its_parameters_from_the_query(ask: Ask, kb: KnowledgeBase) -> None:
    query = {
        "q": "calibration",
        "mode": "hybrid",
        "limit": 3,
        "offset": 1,
        "path": "methods/**",
        "tag": ["method"],
        "modified_after": "1980-01-01",
        "granularity": "section",
        "explain": "true",
        "fresh": "false",
    }
    kb.scan()
    kb.embed()

    found = wire.load(SearchResults, content(ask("GET", "search", query)))

    filters = Filters(path="methods/**", tags=("method",), modified_after="1980-01-01")
    request = SearchRequest(
        query="calibration", limit=3, offset=1, filters=filters, granularity="section", explain=True
    )
    assert found == kb.search(request)
    assert len(found.hits) == 3
    assert all(hit.file.startswith("methods/") for hit in found.hits)
    assert found.hits[0].explanation is not None


def test_sections_below_a_heading_are_searched(ask: Ask) -> None:
    found = wire.load(SearchResults, content(ask("GET", "search", {"q": "strong light", "under": [SCAN]})))

    assert {hit.file for hit in found.hits} == {"daily/2026-09-21.md"}


def test_a_search_takes_all_that_there_is_from_a_body(ask: Ask, kb: KnowledgeBase) -> None:
    request = SearchRequest(
        like=SectionRef(file=LASER), filters=Filters(front_matter={"type": {"exists": True}}), mode="semantic", limit=4
    )
    kb.scan()
    kb.embed()

    found = wire.load(SearchResults, content(ask("POST", "search", body={**wire.dump(request), "fill": 5})))

    assert found == kb.search(request)
    assert len(found.hits) == 4


def test_a_search_without_a_query_lists_documents(ask: Ask) -> None:
    found = wire.load(SearchResults, content(ask("POST", "search", body={})))

    assert found.total > 40
    assert found.hits[0].file == "daily/2026-09-14.md"


def test_what_another_program_wrote_is_found_unless_freshness_is_not_wanted(ask: Ask, kb: KnowledgeBase) -> None:
    kb.scan()
    Path(kb.vault.root, "new.md").write_text("# Zirconium\n")

    assert content(ask("GET", "search", {"q": "zirconium", "mode": "text", "fresh": "0"}))["total"] == 0
    assert content(ask("GET", "search", {"q": "zirconium", "mode": "text"}))["total"] == 1


def test_exact_characters_are_found(ask: Ask, kb: KnowledgeBase) -> None:
    request = GrepRequest(pattern="473 ?nm", is_regex=True, limit=2, context_lines=1)

    found = wire.load(GrepResults, content(ask("POST", "grep", body=wire.dump(request))))

    assert found == kb.grep(request)
    assert len(found.matches) == 2


# ── notes ───────────────────────────────────────────────────────────────────────────────────────


def test_notes_are_found_by_name(ask: Ask) -> None:
    page = wire.load(NotePage, content(ask("GET", "notes", {"query": "laser 4", "limit": 1})))

    assert [note.file for note in page.notes] == [LASER]
    assert page.total == 1


def test_notes_of_a_folder_are_listed_in_pages(ask: Ask) -> None:
    query = {"folder": "people", "limit": 2, "offset": 2}

    page = wire.load(NotePage, content(ask("GET", "notes", query)))

    assert [note.file for note in page.notes] == ["people/idris-okafor.md", "people/marta-lindqvist.md"]
    assert page.total == 5


def test_folders_are_a_tree(ask: Ask, kb: KnowledgeBase) -> None:
    whole = wire.load(FolderNode, content(ask("GET", "tree")))
    people = wire.load(FolderNode, content(ask("GET", "tree", {"folder": "people"})))

    assert whole == kb.tree()
    assert people.files[0] == "people/chen-siyuan.md"


def test_a_name_stands_for_a_note(ask: Ask) -> None:
    assert content(ask("GET", "note", {"name": "Laser-473"})) == {"file": LASER}


def test_a_name_that_no_note_has_is_not_found_with_suggestions(ask: Ask) -> None:
    error = failure(ask("GET", "note", {"name": "laser-437"}), 404)

    assert LASER in error["details"]["suggestions"]
    assert content(ask("GET", "suggestions", {"file": "instruments/laser-437.md"}))["suggestions"][0] == LASER


def test_an_outline_is_read_from_disk(ask: Ask, kb: KnowledgeBase) -> None:
    outline = wire.load(Outline, content(ask("GET", "outline", {"file": LASER})))

    assert outline == kb.outline(LASER)
    assert outline.front_matter is not None


# ── links ───────────────────────────────────────────────────────────────────────────────────────


def test_backlinks_are_given_in_pages(ask: Ask, kb: KnowledgeBase) -> None:
    all_of_them = kb.backlinks("experiments/run-12.md")

    page = wire.load(
        BacklinkPage, content(ask("GET", "backlinks", {"file": "experiments/run-12.md", "limit": 2, "offset": 1}))
    )

    assert page == BacklinkPage(backlinks=all_of_them[1:3], total=len(all_of_them))
    assert page.total > 3


def test_links_are_given_by_direction_and_kind(ask: Ask, kb: KnowledgeBase) -> None:
    query = {"file": LASER, "direction": "both", "kind": "wikilink", "limit": 3, "offset": 1}

    page = wire.load(LinkPage, content(ask("GET", "links", query)))

    assert page == kb.links(LASER, direction="both", kind="wikilink", limit=3, offset=1)
    assert len(page.links) == 3


def test_the_graph_around_a_note_is_given(ask: Ask, kb: KnowledgeBase) -> None:
    graph = wire.load(Graph, content(ask("GET", "graph", {"file": LASER, "depth": 2, "limit": 5})))

    assert graph == kb.graph(LASER, depth=2, limit=5)
    assert graph.nodes[0].file == LASER
    assert graph.edges


def test_the_graph_of_the_whole_vault_is_given_in_pages(ask: Ask, kb: KnowledgeBase) -> None:
    pages = [wire.load(Graph, content(ask("GET", "graph", {"limit": 20, "offset": at}))) for at in (0, 20, 40, 60)]

    whole = kb.graph(limit=1_000)
    assert tuple(node for page in pages for node in page.nodes) == whole.nodes
    assert sorted((edge.source, edge.target) for page in pages for edge in page.edges) == sorted(
        (edge.source, edge.target) for edge in whole.edges
    )


def test_diagnostics_are_given_by_kind_and_rules(ask: Ask, kb: KnowledgeBase) -> None:
    Path(kb.vault.root, "odd.md").write_text("[[nowhere]] [[LASER-473]]\n")

    loose = wire.load(DiagnosticPage, content(ask("GET", "diagnostics", {"path": "odd.md"})))
    exact = wire.load(
        DiagnosticPage, content(ask("GET", "diagnostics", {"path": "odd.md", "kind": "unresolved-link", "exact": 1}))
    )

    assert (len(loose.diagnostics), loose.total) == (1, 1)
    assert (len(exact.diagnostics), exact.total) == (2, 2)


# ── upkeep and rendering ────────────────────────────────────────────────────────────────────────


def test_reindexing_tells_each_reader_what_changed(ask: Ask, kb: KnowledgeBase) -> None:
    for reader in ("one", "two"):
        ask("POST", "reindex", {"reader": reader})
    Path(kb.vault.root, "new.md").write_text("# New\n")

    first = content(ask("POST", "reindex", {"reader": "one"}))
    again = content(ask("POST", "reindex", {"reader": "one", "fresh": "false"}))
    second = content(ask("POST", "reindex", {"reader": "two", "fresh": "false"}))

    assert [first["files_added"], again["files_added"], second["files_added"]] == [["new.md"], [], ["new.md"]]


def test_vectors_are_made(ask: Ask, kb: KnowledgeBase) -> None:
    kb.scan()

    result = wire.load(EmbedResult, content(ask("POST", "embed")))

    assert result.embedded > 100
    assert result.pending == 0


def test_markdown_is_rendered_where_it_stands(ask: Ask, kb: KnowledgeBase) -> None:
    body = {"markdown": "[[laser-473]] [x](laser-473.md) <b>", "file": "instruments/kestrel.md"}

    rendered = wire.load(Rendered, content(ask("POST", "render", body=body)))

    assert rendered.html.count(f'data-kb-file="{LASER}"') == 2
    assert "&lt;b&gt;" in rendered.html


# ── sections ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("query", "ref", "options"),
    [
        ({"heading_path": "Safety"}, SectionRef(file=LASER, heading_path="Safety"), {}),
        ({"heading_path": ["Laser 473", "Safety"]}, SectionRef(file=LASER, heading_path=("Laser 473", "Safety")), {}),
        ({"heading": "Safety"}, SectionRef(file=LASER, heading_path=("Safety",)), {}),
        ({"line": 15}, SectionRef(file=LASER, line=15), {"children": False}),
        ({"line": 30}, SectionRef(file=LASER, line=30), {"levels_up": 1}),
        ({}, SectionRef(file=LASER), {}),
    ],
)
def test_a_section_is_named_in_each_way(
    ask: Ask, kb: KnowledgeBase, query: dict[str, object], ref: SectionRef, options: dict[str, int]
) -> None:
    text = Path(kb.vault.root, LASER).read_text()
    title = text[text.index("# ") + 2 :].partition("\n")[0]
    Path(kb.vault.root, LASER).write_text(
        text.replace(f"# {title}\n", "# Laser 473\n", 1) + "\n## Safety\n\nGoggles.\n"
    )

    answer = ask("GET", "section", {"file": LASER, **query, **{k: str(v).lower() for k, v in options.items()}})

    section = wire.load(SectionContent, content(answer))
    assert section == kb.get_section(ref, **options)  # type: ignore[arg-type]
    assert answer.headers["ETag"] == f'"{section.content_hash}"'


def test_embedding_is_paused_and_resumed(ask: Ask, kb: KnowledgeBase) -> None:
    for paused in (True, False):
        status = wire.load(Status, content(ask("POST", "embedding", body={"paused": paused})))
        assert status.model == kb.status().model
        assert status.model is not None
        assert status.model.paused == paused
    assert failure(ask("POST", "embedding", body={}), 400)["details"]["field"] == "paused"


def test_mentions_come_in_pages_with_their_places(ask: Ask, kb: KnowledgeBase) -> None:
    Path(kb.vault.root, "zz.md").write_text("# Zirconium\n")
    Path(kb.vault.root, "zy.md").write_text("zirconium and\nzirconium\n")

    found = wire.load(MentionPage, content(ask("GET", "mentions", {"file": "zz.md", "limit": 1, "offset": 1})))

    assert found == kb.mentions("zz.md", limit=1, offset=1)
    assert (found.total, found.mentions[0].line, found.mentions[0].span) == (2, 2, (0, 9))
    assert failure(ask("GET", "mentions", {"file": "zzz.md"}), 404)["details"]["suggestions"][0] == "zz.md"


def test_targets_of_links_are_resolved_in_order(ask: Ask, kb: KnowledgeBase) -> None:
    body = {"file": "inbox.md", "targets": ["laser-473", "nothing like it", "#Inbox"]}

    found = wire.load(ResolvedTargets, content(ask("POST", "resolve", body=body)))

    assert found.targets == kb.resolve(body["targets"], file="inbox.md")
    assert [target.status for target in found.targets] == ["resolved", "missing", "resolved"]
    assert failure(ask("POST", "resolve", body={"targets": ["a"] * 501}), 400)["details"]["field"] == "targets"


def test_facets_are_those_of_the_vault(ask: Ask, kb: KnowledgeBase) -> None:
    found = wire.load(Facets, content(ask("GET", "facets")))

    assert found == kb.facets()
    assert found.tags[0].count > 1


def test_an_edit_writes_under_the_guard_of_its_hash(ask: Ask, kb: KnowledgeBase) -> None:
    query = {"file": "inbox.md", "line": 30}
    Path(kb.vault.root, "inbox.md").write_text("# Inbox\n\n" + "old\n" * 40)
    changes: list[Event] = []
    kb.events.subscribe(changes.append)
    tag = ask("GET", "section", query).headers["ETag"]

    answer = ask(
        "PATCH",
        "section",
        body={"section": query, "body": "Nothing to do.\n"},
        headers={"If-Match": tag},
    )

    result = wire.load(EditResult, content(answer))
    assert Path(kb.vault.root, "inbox.md").read_text() == "# Inbox\n\nNothing to do.\n"
    assert result.written
    assert answer.headers["ETag"] == f'"{result.content_hash}"' != tag
    assert ask("GET", "section", query | {"line": 1}).headers["ETag"] == answer.headers["ETag"]
    assert [event.actor for event in changes if isinstance(event, NoteChanged)] == ["tester"]


@pytest.mark.parametrize(
    ("operation", "more"),
    [
        ("append", {"body": "More.\n"}),
        ("prepend", {"body": "First.\n"}),
        ("insert_before", {"heading": "Last", "body": "Before.\n"}),
        ("insert_after", {"heading": "Next", "body": "After.\n"}),
        ("insert_child", {"heading": "Below", "body": "Child.\n"}),
        ("rename", {"heading": "Other"}),
        ("rename", {"heading": "Other", "update_links": True}),
        ("move", {"target": "B"}),
        ("move", {"target": ["B"], "place": "after"}),
        ("rewrite", {"body": "# Other\n\nText.\n"}),
        ("delete", {}),
    ],
)
def test_every_operation_of_an_edit_can_be_asked_for(
    ask: Ask, kb: KnowledgeBase, operation: str, more: dict[str, Any]
) -> None:
    Path(kb.vault.root, "inbox.md").write_text("# A\n\na\n\n# B\n\nb\n")
    section = {"file": "inbox.md", "heading_path": "A"}
    tag = ask("GET", "section", section).headers["ETag"]
    body = {"section": section, "operation": operation, **more}

    planned = ask("PATCH", "section", body={**body, "dry_run": True}, headers={"If-Match": tag})
    done = ask("PATCH", "section", body=body, headers={"If-Match": tag})

    assert "ETag" not in planned.headers
    assert content(planned)["diff"] == content(done)["diff"] != ""
    assert not content(planned)["written"]
    assert content(done)["written"]
    assert ("ETag" in done.headers) == (operation != "delete")


def test_a_note_is_made_with_status_201_and_never_twice(ask: Ask, kb: KnowledgeBase) -> None:
    changes: list[Event] = []
    kb.events.subscribe(changes.append)

    made = ask("POST", "notes", body={"file": "new/kite.md", "content": "# Kite\n"})
    error = failure(ask("POST", "notes", body={"file": "new/KITE.md", "content": "other"}), 409)
    nameless = failure(ask("POST", "notes", body={"content": "x"}), 400)

    assert made.status == 201
    result: EditResult = wire.load(EditResult, json.loads(made.body))
    assert (result.file, result.written, result.heading_path) == ("new/kite.md", True, None)
    assert Path(kb.vault.root, "new/kite.md").read_text() == "# Kite\n"
    assert (error["code"], error["details"]) == ("note-exists", {"file": "new/kite.md"})
    assert nameless["details"]["field"] == "file"
    assert [(event.operation, event.actor) for event in changes if isinstance(event, NoteChanged)] == [
        ("create", "tester")
    ]


def test_the_structural_rules_can_be_asked_for(ask: Ask, kb: KnowledgeBase) -> None:
    Path(kb.vault.root, "inbox.md").write_text("# A\n\na\n")
    section = {"file": "inbox.md", "heading_path": "A", "exact": True}
    tag = ask("GET", "section", section).headers["ETag"]
    short = f'"{tag[1:17]}"'

    error = failure(
        ask("PATCH", "section", body={"section": section, "strict": True}, headers={"If-Match": short}), 412
    )
    done = ask("PATCH", "section", body={"section": section, "strict": True, "body": "b"}, headers={"If-Match": tag})

    assert error["details"]["current_hash"] == tag.strip('"')
    assert content(done)["written"]


def test_an_editors_own_change_is_left_out_of_its_next_report(ask: Ask, kb: KnowledgeBase) -> None:
    for reader in ("one", "two"):
        ask("POST", "reindex", {"reader": reader})
    section = {"file": "inbox.md", "line": 14}
    tag = ask("GET", "section", section).headers["ETag"]

    ask("PATCH", "section", {"reader": "one"}, {"section": section, "body": "x\n"}, {"If-Match": tag})

    changed = {
        reader: content(ask("POST", "reindex", {"reader": reader}))["files_changed"] for reader in ("one", "two")
    }
    assert changed["one"] == []
    assert [change["file"] for change in changed["two"]] == ["inbox.md"]
