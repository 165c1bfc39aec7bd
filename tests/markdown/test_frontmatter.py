"""Front matter: values that JSON can hold, errors that say where, and nothing that blows up."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_kb.markdown.document import parse
from jupyter_kb.markdown.frontmatter import FrontMatter, read_front_matter
from jupyter_kb.markdown.yaml_values import MAX_DEPTH
from tests.markdown import cases
from tests.markdown.strategies import vault_bytes


@pytest.mark.parametrize("case", cases.load("frontmatter.md"), ids=str)
def test_front_matter_of_a_note(case):
    document = parse(case.data("note"))
    found = document.front_matter
    findings = [f"{finding.kind} | {finding.line}" for finding in document.diagnostics]
    for block in case.of("finding"):
        assert findings == block.lines
    if not case.of("values") and not case.of("names"):
        assert found is None
        return
    assert found is not None
    assert document.head.start <= found.byte_range.start < found.byte_range.end <= document.head.end
    for block in case.of("values"):
        assert found.values == json.loads(block.data)
        assert list(found.values) == list(json.loads(block.data))
    for block in case.of("error"):
        assert found.error is not None
        assert block.lines[0] in found.error
    for block in case.of("at"):
        assert str(found.error_line) == block.lines[0]
    for block in case.of("names"):
        names = f"{found.title} | {' '.join(found.tags)} | {'; '.join(found.aliases)}"
        assert names == block.data.decode().rstrip("\n")


def _check(found: FrontMatter | None, data: bytes) -> None:
    if found is None:
        return
    source = data[found.byte_range.start : found.byte_range.end]
    assert source.startswith(b"---")
    assert source.strip().endswith(b"---")
    json.dumps([found.values, found.error], ensure_ascii=False, allow_nan=False).encode()
    "".join((found.title or "", *found.tags, *found.aliases)).encode()


@given(vault_bytes())
def test_values_can_be_written_as_json(data):
    found, unclosed = read_front_matter(data)
    assert not (found and unclosed)
    _check(found, data)


@given(st.text(alphabet="ab:-[]{}&*!|>'\"#%@, \n\t01.<~?é", max_size=60))
def test_no_yaml_raises(text):
    data = f"---\n{text}\n---\n".encode()
    found, _ = read_front_matter(data)
    _check(found, data)


def _bomb(levels: int) -> str:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]" for level in range(1, levels)]
    return "\n".join(lines)


def _merge_bomb(levels: int) -> str:
    lines = ["a0: &a0 {x: 1}"]
    lines += [f"a{level}: &a{level} {{<<: [{', '.join([f'*a{level - 1}'] * 9)}]}}" for level in range(1, levels)]
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (_bomb(12), "more than 100000 values"),
        (_merge_bomb(12), "more than 100000 values"),
        ("a: " + "[" * 100_000, "maximum nesting depth"),
        ("\n".join(" " * depth + "a:" for depth in range(MAX_DEPTH + 1)), "deeper than"),
        ("a: " + "[" * 500 + "]" * 500, "deeper than"),
    ],
    ids=["aliases", "merges", "unclosed brackets", "indented mappings", "brackets"],
)
def test_yaml_that_would_explode_is_an_error_and_quick(text, error):
    begin = time.perf_counter()
    found, _ = read_front_matter(f"---\n{text}\n---\n# A\n".encode())
    assert time.perf_counter() - begin < 5
    assert found is not None
    assert found.values == {}
    assert error in str(found.error)


def test_a_long_list_of_values_is_read():
    lines = "".join(f"- item {number}\n" for number in range(50_000))
    found, _ = read_front_matter(f"---\nitems:\n{lines}---\n".encode())
    assert found is not None
    assert len(found.values["items"]) == 50_000
