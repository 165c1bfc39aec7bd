"""Each magic in a shell, over a real knowledge base."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_kb.magics.reports import Message, Reindexed, State, Vaults
from jupyter_kb.magics.results import Headings, Hits, Links, Section
from tests.magics.shells import Notebook


def test_a_search_is_shown_and_can_be_used_by_python(notebook: Notebook) -> None:
    hits = notebook.run("%kb search dark adaptation")

    assert isinstance(hits, Hits)
    assert {hit.file for hit in hits} >= {"methods/npq-protocol.md", "glossary.md"}
    bundle = hits._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html", "text/markdown"}
    assert bundle["text/plain"].startswith("10 of ")
    assert "[0] glossary.md > Glossary > Dark adaptation  22-24" in bundle["text/plain"]
    assert bundle["text/markdown"].startswith("- [[glossary#Dark adaptation|")


def test_a_search_can_be_assigned(notebook: Notebook) -> None:
    notebook.run("hits = %kb search gain --mode text -n 4 --path methods/**")

    assert notebook.run("len(hits)") == 4
    assert notebook.run("all(hit.file.startswith('methods/') for hit in hits)")


def test_a_question_may_end_in_a_question_mark(notebook: Notebook) -> None:
    assert notebook.run("%kb search how long is dark adaptation?").query == "how long is dark adaptation?"
    notebook.run("hits = %kb search which gain ?")
    assert notebook.run("hits.query") == "which gain ?"


def test_a_semicolon_silences_and_is_no_part_of_the_query(notebook: Notebook) -> None:
    notebook.run("hits = %kb search gain;")
    assert notebook.run("hits.query") == "gain"

    notebook.run("%kb search gain;")
    assert "gain" not in notebook.printed


def test_variables_are_expanded(notebook: Notebook) -> None:
    notebook.run("word, path = 'gain', 'methods/**'")

    assert notebook.run("%kb search $word --path {path}").query == "gain"


def test_a_hit_names_its_section_in_a_line(notebook: Notebook) -> None:
    notebook.run("hits = %kb search dark adaptation")

    assert notebook.run("%kb get {hits[0]}").text == notebook.run("hits[0].text")


def test_filters_find_what_they_find_elsewhere(notebook: Notebook) -> None:
    methods = notebook.run("%kb search --tag method/optical --where status=active --order title")
    assert {hit.file for hit in methods} >= {"methods/npq-protocol.md"}
    assert notebook.run("%kb search gain --under Operation").total < notebook.run("%kb search gain").total


def test_quiet_shows_nothing_and_gives_the_value(notebook: Notebook) -> None:
    hits = notebook.run("%kb search -q gain")

    assert "gain" not in notebook.printed
    assert len(hits) == 10
    notebook.run("_")
    assert "gain" in str(notebook.shown) + notebook.printed


def test_nothing_found_says_what_else_to_try(notebook: Notebook) -> None:
    hits = notebook.run("%kb search zzzz")

    assert not hits
    assert "adapt*" in hits._repr_mimebundle_()["text/plain"]


def test_an_outline_lists_headings_that_can_be_read(notebook: Notebook) -> None:
    headings = notebook.run("%kb outline npq-protocol")

    assert isinstance(headings, Headings)
    assert [heading.heading for heading in headings][:2] == ["NPQ protocol", "Before the first cuvette"]
    assert headings[3].text.startswith("## Dark adaptation time\n\nTwenty minutes.")
    assert headings[3].body.startswith("Twenty minutes.")


def test_get_gives_the_exact_text(notebook: Notebook, demo_vault: Path) -> None:
    section = notebook.run("%kb get npq-protocol > Dark adaptation time")

    assert isinstance(section, Section)
    assert section.text in (demo_vault / "methods/npq-protocol.md").read_text(encoding="utf-8")
    assert section.content_hash[:16] in section._repr_mimebundle_()["text/plain"]
    assert notebook.run("%kb get npq-protocol").text == (demo_vault / "methods/npq-protocol.md").read_text("utf-8")


def test_get_by_line_and_own_text(notebook: Notebook) -> None:
    assert notebook.run("%kb get npq-protocol --line 34").heading_path == "NPQ protocol > Dark adaptation time"
    own = notebook.run("%kb get npq-protocol > NPQ protocol --own")
    assert "Before the first cuvette" not in own.text
    assert "without its sub-sections" in own._repr_mimebundle_()["text/html"]


def test_get_renders_a_page_whose_links_open_notes(notebook: Notebook) -> None:
    html = notebook.run("%kb get npq-protocol > Before the first cuvette --render")._repr_mimebundle_()["text/html"]

    assert "<h2>Before the first cuvette</h2>" in html
    assert 'href="./vault/instruments/kestrel.md"' in html


def test_backlinks_and_links_say_where_and_what(notebook: Notebook) -> None:
    back = notebook.run("%kb backlinks kestrel > Daily check")
    assert isinstance(back, Links)
    assert "methods/npq-protocol.md" in {place.file for place in back}

    out = notebook.run("%kb links npq-protocol > Sequence")
    assert [place.link.target.file for place in out] == ["glossary.md", "instruments/acquisition-software.md"]
    assert out.total == len(out) == 2
    assert out[0].text.startswith("## Sequence")


def test_status_reindex_and_use(notebook: Notebook, demo_vault: Path, tmp_path: Path) -> None:
    state = notebook.run("%kb status")
    assert isinstance(state, State)
    assert state.status.root == str(demo_vault)

    notebook.run("%kb search anything -q")  # what a first scan finds is no change
    (demo_vault / "new.md").write_text("# New\n", encoding="utf-8")
    report = notebook.run("%kb reindex")
    assert isinstance(report, Reindexed)
    assert report.report.files_added == ("new.md",)
    assert "1 note added" in repr(report)

    other = tmp_path / "other"
    other.mkdir()
    (other / "only.md").write_text("# Only here\n", encoding="utf-8")
    assert notebook.run("%kb use other").status.root == str(other)
    assert [hit.file for hit in notebook.run("%kb search only")] == ["only.md"]
    assert isinstance(notebook.run("%kb use"), Vaults)


def test_own_edits_are_left_out_of_the_next_report(notebook: Notebook) -> None:
    notebook.run("%kb status")
    notebook.run("%kb get inbox > Ideas -q")
    notebook.run("%%kb edit inbox > Ideas\n- one")

    assert notebook.run("%kb reindex").report.files_changed == ()


def test_insert_puts_the_section_below(notebook: Notebook) -> None:
    told = notebook.run("%kb insert inbox > Ideas")

    assert isinstance(told, Message)
    assert "Esc, M" in told._repr_mimebundle_()["text/plain"]
    assert notebook.next_input is not None
    assert notebook.next_input.startswith("## Ideas\n\n")

    notebook.run("%kb insert inbox > Ideas --magic")
    assert notebook.next_input.startswith("%%markdown\n## Ideas")


def test_help_is_there_in_every_way_that_one_asks_for_it(notebook: Notebook) -> None:
    assert "%kb search QUERY" in notebook.run("%kb")._repr_mimebundle_()["text/plain"]
    for line in ("%kb search --help", "%kb help search", "%kb search?", "%kb search -h"):
        assert notebook.run(line).command.name == "search"
    notebook.run("%kb?")
    assert "%%kb edit NOTE > HEADING" in notebook.printed


@pytest.mark.parametrize(
    ("cell", "says"),
    [
        ("%kb serch x", "there is no command 'serch'; did you mean 'search'?"),
        ("%kb grep OPA380", "`%kb` has no 'grep'; `!jupyter kb grep` runs it as in a terminal"),
        ("%kb get inbox#Ideas", "there is no note 'inbox#Ideas' in this vault; did you mean `inbox > Ideas`?"),
        ("%kb outline npq", "there is no note 'npq' in this vault; did you mean 'methods/npq-protocol.md'?"),
        ("%kb search --mode txt x", "--mode knows no 'txt'; did you mean 'text'?"),
        ("%kb help serch", "there is no command 'serch'; did you mean 'search'?"),
        ("%kb outline", "name a note; the Tab key lists them"),
        ("%kb outline inbx", "there is no note 'inbx' in this vault; did you mean 'inbox.md'"),
        ("%kb get inbox > Idees", "heading path 'Idees' was not found; did you mean"),
        ("%kb get inbox > Ideas --line 3", "give a HEADING or --line, not both"),
        ("%kb get ../../etc/passwd", "'../../etc/passwd'"),
        ("%kb search x --like y", "give a QUERY or --like, not both"),
        ("%kb search x --order title", "--order and --descending are for lists"),
        ("%kb search --where year>", "'year>' has no value"),
        ("%kb search --modified-after soon", "soon"),
        ("%kb use nowhere", "there is no vault or folder 'nowhere'"),
        ("%%kb search x\ny", "`%%kb search` takes no cell; write it as `%kb search QUERY`, alone"),
    ],
)
def test_errors_are_one_line_that_says_what_to_do(notebook: Notebook, cell: str, says: str) -> None:
    told = notebook.fails(cell)

    assert says in told
    assert "\n" not in told


def test_several_sections_of_a_name_are_listed(notebook: Notebook, demo_vault: Path) -> None:
    (demo_vault / "twice.md").write_text("# A\n\n## X\n\n# B\n\n## X\n", encoding="utf-8")

    assert "'A > X' (line 3), 'B > X' (line 7)" in notebook.fails("%kb get twice > X")


def test_the_rest_of_a_notebook_does_not_run_after_an_error(notebook: Notebook) -> None:
    notebook.fails("%kb get nothing-here\nafter = 1")

    assert "after" not in notebook.shell.user_ns


def test_unloading_leaves_nothing_behind(notebook: Notebook) -> None:
    from jupyter_kb import load_ipython_extension, unload_ipython_extension

    shell = notebook.shell
    before = len(shell.Completer.custom_matchers)
    unload_ipython_extension(shell)

    assert shell.find_line_magic("kb") is None
    assert shell.find_cell_magic("kb") is None
    assert len(shell.Completer.custom_matchers) == before - 1

    load_ipython_extension(shell)
    load_ipython_extension(shell)
    assert len(shell.Completer.custom_matchers) == before
    assert shell.find_line_magic("kb") is not None
