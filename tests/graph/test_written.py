"""Links of a text that is no indexed note mean what they would mean in the note that it belongs to."""

from __future__ import annotations

import pytest

from jupyter_kb.errors import InvalidRequestError
from jupyter_kb.graph.written import Targets, Written, resolve_written
from jupyter_kb.models import LinkTarget, ResolvedTarget
from tests.graph.conftest import MakeVault
from tests.graph.vaults import IndexedVault


@pytest.fixture
def vault(make_vault: MakeVault) -> IndexedVault:
    made = make_vault(
        {
            "top.md": "# Top\n\n## Part\n",
            "folder/inner.md": "---\naliases: [Alias]\n---\n# Inner\n\n## Deep\n",
            "folder/other.md": "# Other\n",
            "elsewhere/other.md": "# Other\n",
        }
    )
    (made.root / "folder/pic.png").write_bytes(b"")
    return made


def meaning(vault: IndexedVault, file: str | None, *links: Written) -> list[tuple[str, LinkTarget | None] | None]:
    found = resolve_written(vault.database, vault.vault, file, links)
    return [None if one is None else (one.status, one.target) for one in found]


def wiki(target: str, *, embed: bool = False) -> Written:
    return Written(syntax="wiki", target=target, embed=embed)


def markdown(target: str, *, embed: bool = False) -> Written:
    return Written(syntax="markdown", target=target, embed=embed)


def test_wikilinks_resolve_by_name_alias_and_heading(vault: IndexedVault) -> None:
    assert meaning(vault, None, wiki("inner#Deep"), wiki("alias"), wiki("TOP"), wiki("nowhere"), wiki("other")) == [
        ("resolved", LinkTarget(file="folder/inner.md", heading_path="Inner > Deep")),
        ("resolved", LinkTarget(file="folder/inner.md")),
        ("resolved", LinkTarget(file="top.md")),
        ("missing", None),
        ("ambiguous", None),
    ]


def test_links_are_relative_to_the_note_that_the_text_belongs_to(vault: IndexedVault) -> None:
    links = (markdown("other.md"), markdown("../top.md#part"), wiki("./other"), markdown("pic.png", embed=True))

    assert meaning(vault, "folder/new.md", *links) == [
        ("resolved", LinkTarget(file="folder/other.md")),
        ("resolved", LinkTarget(file="top.md", heading_path="Top > Part")),
        ("resolved", LinkTarget(file="folder/other.md")),
        ("resolved", LinkTarget(file="folder/pic.png")),
    ]


def test_a_link_to_a_heading_of_the_same_note_needs_the_note(vault: IndexedVault) -> None:
    inside = ("resolved", LinkTarget(file="top.md", heading_path="Top > Part"))

    assert meaning(vault, "top.md", wiki("#Part"), markdown("#part")) == [inside, inside]
    assert [status for status, _ in filter(None, meaning(vault, None, wiki("#Part"), markdown("#part")))] == [
        "missing",
        "missing",
    ]


def test_escapes_of_a_destination_are_resolved(vault: IndexedVault) -> None:
    assert meaning(vault, None, markdown("folder/%69nner.md"), wiki("inner\\")) == [
        ("resolved", LinkTarget(file="folder/inner.md")),
        ("resolved", LinkTarget(file="folder/inner.md")),
    ]


def test_a_destination_that_leads_out_is_no_link_into_the_vault(vault: IndexedVault) -> None:
    assert meaning(vault, None, markdown("https://a.example"), markdown("//a.example"), markdown(" ")) == [None] * 3
    assert meaning(vault, None, markdown("../../etc/passwd"), wiki("../x")) == [("missing", None), ("missing", None)]


def test_undecodable_bytes_are_no_trouble(vault: IndexedVault) -> None:
    assert meaning(vault, "\udcff.md", wiki("\udc80"), markdown("\udc80.md")) == [("missing", None), ("missing", None)]


def test_targets_are_resolved_in_their_order_by_the_rules_of_rendering(vault: IndexedVault) -> None:
    names = ["inner#Deep", "alias", "TOP|shown", "other", "#Part", "top#Nowhere", "folder/pic.png", "../x"]

    found = Targets(vault.database, vault.vault).resolve("top.md", names)

    links = [wiki(name.partition("|")[0]) for name in names]
    assert [(one.status, one.target) for one in found] == meaning(vault, "top.md", *links)
    assert [one.raw_target for one in found] == names
    assert found[3].candidates == (LinkTarget(file="elsewhere/other.md"), LinkTarget(file="folder/other.md"))
    assert found[5] == ResolvedTarget(
        raw_target="top#Nowhere",
        status="missing",
        target=LinkTarget(file="top.md"),
        reason="there is no heading 'Nowhere' in 'top.md'",
    )


def test_a_missing_note_comes_with_near_names_as_a_link_may_write_them(vault: IndexedVault) -> None:
    targets = Targets(vault.database, vault.vault)

    inner, other, far, image = targets.resolve(None, ["iner.md#Deep", "folder/othr", "entirely different", "pig.png"])

    assert inner.suggestions[0] == "inner"
    assert other.suggestions[:2] == ("elsewhere/other", "folder/other")
    assert far.suggestions == image.suggestions == ()
    assert {one.status for one in targets.resolve(None, [*inner.suggestions, *other.suggestions])} == {"resolved"}


def test_near_names_follow_the_index(vault: IndexedVault) -> None:
    targets = Targets(vault.database, vault.vault)
    assert targets.resolve(None, ["softmx"])[0].suggestions == ()

    vault.write({"softmax.md": "# Softmax\n"})

    assert targets.resolve(None, ["softmx"])[0].suggestions == ("softmax",)


def test_more_targets_than_are_resolved_at_once_are_refused(vault: IndexedVault) -> None:
    targets = Targets(vault.database, vault.vault)

    assert len(targets.resolve(None, ["top"] * 500)) == 500
    with pytest.raises(InvalidRequestError, match="at most 500"):
        targets.resolve(None, ["top"] * 501)
