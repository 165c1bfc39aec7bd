"""What wants a person's attention: links, aliases and findings in single notes, with hints."""

from __future__ import annotations

import pytest

from jupyter_kb.errors import InvalidRequestError
from jupyter_kb.graph.diagnostics import diagnostics, exact_diagnostics
from jupyter_kb.graph.near import NearNames
from jupyter_kb.models import Diagnostic
from tests.graph.conftest import MakeVault
from tests.graph.vaults import IndexedVault


def _all(vault: IndexedVault, path: str | None = None, kind: str | None = None) -> list[Diagnostic]:
    found, total = diagnostics(vault.database, vault.vault, path=path, kind=kind, limit=10_000)
    assert total == len(found)
    return list(found)


def _only(vault: IndexedVault) -> tuple[str, str | None]:
    (found,) = _all(vault)
    return found.message, found.hint


def test_a_vault_in_order_has_none(make_vault: MakeVault) -> None:
    vault = make_vault(
        {"a.md": "---\naliases: [x]\n---\n# A\n\n[[b]] [b](b.md#b) ![](p.png)\n", "b.md": "# B\n", "p.png": b""}
    )

    assert _all(vault) == []


def test_a_link_to_nothing_names_what_is_near(make_vault: MakeVault) -> None:
    vault = make_vault({"from.md": "# Plan\n\n\nsee [[Protocl]]\n", "methods/Protocol.md": "x\n"})

    (found,) = _all(vault)

    assert found == Diagnostic(
        file="from.md",
        kind="unresolved-link",
        message="link '[[Protocl]]' in section 'Plan' does not resolve: no note, alias or file is named 'Protocl'",
        line=4,
        hint="did you mean 'methods/Protocol.md'?",
    )


@pytest.mark.parametrize(
    ("link", "message", "hint"),
    [
        pytest.param(
            "[[zebra crossing]]",
            "link '[[zebra crossing]]' in section 'Preamble' does not resolve: "
            "no note, alias or file is named 'zebra crossing'",
            "correct the link, or create what it names",
            id="nothing near",
        ),
        pytest.param(
            "[t](methods/protocol.html)",
            "link '[…](methods/protocol.html)' in section 'Preamble' does not resolve: "
            "there is no note or file at 'methods/protocol.html'",
            "did you mean 'methods/protocol.md'?",
            id="a page made of a note",
        ),
        pytest.param(
            "[t](/protocol/)",
            "link '[…](/protocol/)' in section 'Preamble' does not resolve: there is no note or file at 'protocol'",
            "did you mean 'methods/protocol.md'?",
            id="the right name in another folder",
        ),
        pytest.param(
            "[t](../../x.md)",
            "link '[…](../../x.md)' in section 'Preamble' does not resolve: '../../x.md' leads out of the vault",
            "correct the link, or create what it names",
            id="out of the vault",
        ),
        pytest.param(
            "![[protocol.png]]",
            "link 'protocol.png' in section 'Preamble' does not resolve: "
            "no note, alias or file is named 'protocol.png'",
            "correct the link, or put the file there",
            id="a picture",
        ),
        pytest.param(
            "![alt](img/protocol.png)",
            "link '![…](img/protocol.png)' in section 'Preamble' does not resolve: "
            "there is no note or file at 'img/protocol.png'",
            "correct the link, or put the file there",
            id="a picture as Markdown",
        ),
        pytest.param(
            "[[protocol#Stepps]]",
            "link '[[protocol#Stepps]]' in section 'Preamble' does not resolve: "
            "there is no heading 'Stepps' in 'methods/protocol.md'",
            "did you mean the heading 'Steps'?",
            id="a heading",
        ),
        pytest.param(
            "[t](methods/protocol.md#first-stepp)",
            "link '[…](methods/protocol.md#first-stepp)' in section 'Preamble' does not resolve: "
            "there is no heading 'first-stepp' in 'methods/protocol.md'",
            "did you mean the heading 'First step'?",
            id="an anchor",
        ),
        pytest.param(
            "[[protocol#Outlook]]",
            "link '[[protocol#Outlook]]' in section 'Preamble' does not resolve: "
            "there is no heading 'Outlook' in 'methods/protocol.md'",
            "correct the link, or add the heading to 'methods/protocol.md'",
            id="a heading like no other",
        ),
        pytest.param(
            "[[protocol#^gone]]",
            "link '[[protocol#^gone]]' in section 'Preamble' does not resolve: "
            "there is no block '^gone' in 'methods/protocol.md'",
            "correct the block id, or write it at the end of the block",
            id="a block",
        ),
    ],
)
def test_an_unresolved_link_says_why_and_what_to_do(link: str, message: str, hint: str, make_vault: MakeVault) -> None:
    vault = make_vault({"q.md": f"{link}\n", "methods/protocol.md": "# Steps\n\n# First step\n"})

    assert _only(vault) == (message, hint)


def test_an_ambiguous_link_says_how_to_write_it_without_doubt(make_vault: MakeVault) -> None:
    vault = make_vault({"q.md": "[[n#H]]\n", "n.md": "# H\n", "x/n.md": "# H\n"})

    message, hint = _only(vault)

    assert message == "link '[[n#H]]' in section 'Preamble' does not resolve: 'n' may mean any of: n.md, x/n.md"
    assert hint == "write the path from the vault's folder: [[/n#H]] or [[x/n#H]]"
    vault.write({"q.md": "[[/n#H]] [[x/n#H]]\n"})
    assert _all(vault) == []


def test_an_ambiguous_markdown_link_is_shown_encoded(make_vault: MakeVault) -> None:
    vault = make_vault({"q.md": "[t](my%20n.md)\n", "x/my n.md": "", "y/my n.md": ""})

    _, hint = _only(vault)

    assert hint == "write the path from the vault's folder: […](/x/my%20n.md) or […](/y/my%20n.md)"
    vault.write({"q.md": "[t](/x/my%20n.md)\n"})
    assert _all(vault) == []


def test_a_heading_that_stands_twice_makes_its_links_ambiguous(make_vault: MakeVault) -> None:
    vault = make_vault({"q.md": "[[#H]]\n\n# H\n\n# H\n"})

    assert _only(vault) == (
        "link '[[#H]]' in section 'Preamble' does not resolve: heading 'H' may mean any of: H, H[2]",
        "give the headings different texts, or link to a block id",
    )


# ── aliases ─────────────────────────────────────────────────────────────────────────────────────


def test_an_alias_of_two_notes_is_reported_on_both(make_vault: MakeVault) -> None:
    vault = make_vault({name: f"---\naliases: [{alias}]\n---\n" for name, alias in (("a.md", "One"), ("b.md", "one"))})

    assert _all(vault) == [
        Diagnostic(
            file=file,
            kind="duplicate-alias",
            message=f"alias '{alias}' is also an alias of '{other}'",
            hint=f"[[{alias}]] is ambiguous: change the alias, or link to the note by its own name",
        )
        for file, alias, other in (("a.md", "One", "b.md"), ("b.md", "one", "a.md"))
    ]


def test_an_alias_that_is_another_notes_file_name_is_reported(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "---\naliases: [Bee]\n---\n", "x/bee.md": "", "c.md": "---\naliases: [bee]\n---\n"})

    assert [(found.file, found.message) for found in _all(vault)] == [
        ("a.md", "alias 'Bee' is also the file name of 'x/bee.md'"),
        ("c.md", "alias 'bee' is also the file name of 'x/bee.md'"),
    ]


def test_an_alias_that_is_the_notes_own_name_or_stands_twice_does_no_harm(make_vault: MakeVault) -> None:
    vault = make_vault({"Bee.md": "---\naliases: [bee, x, X]\n---\n", "other.md": "---\naliases: [wasp]\n---\n"})

    assert _all(vault) == []


# ── the list ────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def untidy(make_vault: MakeVault) -> IndexedVault:
    return make_vault(
        {
            "b/one.md": "# One\n\n[[gone]]\n\n[[two]]\n",
            "b/two.md": "---\na: [\n---\n[[gone]]\n",
            "c/two.md": "---\naliases: [Same]\n---\n",
            "a.draft.md": "---\naliases: [same]\nopen\n",
            "z.md": "---\naliases: [same]\n---\n[[lost]]\n",
        }
    )


def test_diagnostics_come_by_file_and_line_with_those_of_reading(untidy: IndexedVault) -> None:
    assert [(found.file, found.line, found.kind) for found in _all(untidy)] == [
        ("a.draft.md", 1, "unclosed-front-matter"),
        ("b/one.md", 3, "unresolved-link"),
        ("b/one.md", 5, "ambiguous-link"),
        ("b/two.md", 3, "front-matter"),
        ("b/two.md", 4, "unresolved-link"),
        ("c/two.md", None, "duplicate-alias"),
        ("z.md", None, "duplicate-alias"),
        ("z.md", 4, "unresolved-link"),
    ]


def test_diagnostics_can_be_asked_for_by_kind_and_path(untidy: IndexedVault) -> None:
    def files(**asked: str) -> list[str]:
        return [found.file for found in _all(untidy, **asked)]

    assert files(kind="unresolved-link") == ["b/one.md", "b/two.md", "z.md"]
    assert files(kind="duplicate-alias") == ["c/two.md", "z.md"]
    assert files(kind="front-matter") == ["b/two.md"]
    assert files(path="b/**") == ["b/one.md", "b/one.md", "b/two.md", "b/two.md"]
    assert files(path="*.draft.md") == ["a.draft.md"]
    assert files(path="TWO") == ["b/two.md", "b/two.md", "c/two.md"]
    assert files(path="two", kind="unresolved-link") == ["b/two.md"]


def test_an_unknown_kind_is_refused_with_those_there_are(untidy: IndexedVault) -> None:
    with pytest.raises(InvalidRequestError, match="'typo' is no kind of diagnostic") as caught:
        diagnostics(untidy.database, untidy.vault, kind="typo")

    assert "unresolved-link" in str(caught.value.hint)


def test_pages_of_diagnostics_tile_the_list(untidy: IndexedVault) -> None:
    pages = [diagnostics(untidy.database, untidy.vault, limit=3, offset=offset) for offset in (0, 3, 6, 9)]

    assert {total for _, total in pages} == {8}
    assert [found for page, _ in pages for found in page] == _all(untidy)
    assert diagnostics(untidy.database, untidy.vault, limit=0) == ((), 8)


# ── exact ───────────────────────────────────────────────────────────────────────────────────────


def test_exact_diagnostics_have_the_words_of_the_structural_toolset(make_vault: MakeVault) -> None:
    vault = make_vault(
        {
            "q.md": "# S\n\n## T\n\n[[ghost]] [[x/ghost]] [[n]] [[x/n#H]] [[x/n#Two]] [[x/n]] ![[ghost]] [m](no.md)\n",
            "x/n.md": "# Two\n\n## Two\n",
            "y/n.md": "",
        }
    )

    found = exact_diagnostics(vault.database)

    assert [entry.message for entry in found] == [
        f"wikilink '[[{raw}]]' in section 'S > T' of 'q.md' does not resolve: {why}"
        for raw, why in (
            ("ghost", "no file matches 'ghost'"),
            ("x/ghost", "no file matches path 'x/ghost'"),
            ("n", "'n' matches multiple files: x/n.md, y/n.md"),
            ("x/n#H", "no heading named 'H'"),
            ("x/n#Two", "heading 'Two' is ambiguous: Two, Two > Two"),
        )
    ]
    assert [entry.kind for entry in found].count("ambiguous-link") == 2
    assert {(entry.file, entry.line) for entry in found} == {("q.md", 5)}
    assert exact_diagnostics(vault.database, "q.md") == found
    assert exact_diagnostics(vault.database, "x/n.md") == ()


# ── near names ──────────────────────────────────────────────────────────────────────────────────


def test_a_near_name_is_found_unless_more_than_a_third_differs() -> None:
    names = NearNames(["Calibration", "calibre", "Kestrel log", "笔记本"])

    assert names.find("calibraton") == "Calibration"
    assert names.find("KESTREL LOGS") == "Kestrel log"
    assert names.find("笔记") == "笔记本"
    assert names.find("librarian") is None
    assert names.find("") is None


@pytest.mark.data
@pytest.mark.slow
def test_a_page_of_a_large_vault_tells_what_to_do_about_each(hub: IndexedVault) -> None:
    page, total = diagnostics(hub.database, hub.vault, kind="unresolved-link", limit=50)

    assert total > 200
    assert len(page) == 50
    assert all(found.hint for found in page)
