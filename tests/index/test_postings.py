"""What is counted where."""

from __future__ import annotations

from pathlib import Path

from jupyter_kb.index.terms import term_id
from tests.index.vaults import IndexedVault, indexed

NOTE = """---
title: Fluorometer
tags: [optics/lamp]
aliases: [Kestrel]
owner: Mira
draft: true
---
# Calibration

The lamp of the lamps - --- lamp-house

## Dark current

Lamp off. 使用命令行
"""


def postings(vault: IndexedVault, term: str) -> dict[str, tuple[int, int, int, int]]:
    rows = vault.database.query(
        "SELECT heading_path, p.heading, context, body, names FROM postings p JOIN sections USING (section_id)"
        " WHERE term_id = ?",
        [term_id(term)],
    )
    assert len({row[0] for row in rows}) == len(rows)
    return {path: (heading, context, body, names) for path, heading, context, body, names in rows}


def test_terms_are_counted_by_field(tmp_path: Path) -> None:
    with indexed(tmp_path / "v", {"Bench 7.md": NOTE}) as vault:
        one, two = "Calibration", "Calibration > Dark current"
        assert postings(vault, "lamp") == {one: (0, 0, 3, 1), two: (0, 0, 1, 0)}
        assert postings(vault, "lamphous") == {one: (0, 0, 1, 0)}
        assert postings(vault, "calibr") == {one: (1, 0, 0, 0), two: (0, 1, 0, 0)}
        assert postings(vault, "dark") == {two: (1, 0, 0, 0)}
        # the title is no heading of the note, so it counts as the heading of its beginning
        assert postings(vault, "fluoromet") == {one: (1, 1, 0, 0), two: (0, 1, 0, 0)}
        for name in ("bench", "kestrel", "mira", "optic"):
            assert postings(vault, name) == {one: (0, 0, 0, 1)}
        assert postings(vault, "true") == {}
        assert postings(vault, "命令") == {two: (0, 0, 1, 0)}
        lengths = vault.database.query("SELECT heading_path, length FROM sections ORDER BY ordinal")
        assert lengths == [(one, 8), (two, 8)]


def test_a_note_without_text_is_found_by_its_names(tmp_path: Path) -> None:
    with indexed(tmp_path / "v", {"Kite plan.md": "", "b.md": "---\ntitle: Kite\ntags: [sky]\n---\n"}) as vault:
        rows = vault.database.query(
            "SELECT file FROM postings JOIN sections USING (section_id) WHERE term_id = ?", [term_id("kite")]
        )
        assert sorted(rows) == [("Kite plan.md",), ("b.md",)]
        assert postings(vault, "sky") == {"": (0, 0, 0, 1)}


def test_many_repetitions_do_not_overflow(tmp_path: Path) -> None:
    with indexed(tmp_path / "v", {"a.md": "word " * 40_000}) as vault:
        assert postings(vault, "word") == {"Preamble": (0, 0, 32_767, 0)}
        assert vault.database.query("SELECT length FROM sections") == [
            (40_001,)
        ]  # with the title, here the file's name


def test_postings_stand_in_the_order_of_terms(tmp_path: Path) -> None:
    with indexed(tmp_path / "v", {"a.md": NOTE, "b.md": NOTE}) as vault:
        terms = [term for (term,) in vault.database.query("SELECT term_id FROM postings")]
        assert terms == sorted(terms)


def test_words_are_kept_as_written_for_prefixes(tmp_path: Path) -> None:
    with indexed(tmp_path / "v", {"a.md": "Calibrating kube-proxies"}) as vault:
        assert vault.database.query("SELECT term, term_id FROM terms ORDER BY term") == [
            ("a", term_id("a")),
            ("calibrating", term_id("calibr")),
            ("kube", term_id("kube")),
            ("kubeproxies", term_id("kubeproxi")),
            ("proxies", term_id("proxi")),
        ]
