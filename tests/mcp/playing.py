"""Plays cases in YAML against a server: the format is described at the head of cases/structural.yaml."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from mcp import MCPError

from tests.mcp.driving import Agent, Payload, write

CASES = Path(__file__).parent / "cases"


def load(name: str) -> list[Payload]:
    """The cases of one file; `base` of a case names the set of files it starts from."""
    document = yaml.safe_load((CASES / name).read_text(encoding="utf-8"))
    bases = document.get("bases", {})
    return [{**case, "files": bases.get(case.get("base"), {}) | case.get("files", {})} for case in document["cases"]]


def play(agent: Agent, root: Path, case: Payload) -> None:
    """Every step of one case, in order; the vault holds the case's files already."""
    for number, step in enumerate(case["steps"], 1):
        found = _step(agent, root, step)
        for name, text in step.get("files_after", {}).items():
            path = root / name
            found += _differences(text, path.read_bytes().decode() if path.is_file() else None, name)
        assert not found, f"{case['id']} step {number}: " + "\n".join(found)


def _step(agent: Agent, root: Path, step: Payload) -> list[str]:
    if "write" in step:
        write(root, step["write"])
        return []
    arguments = dict(step.get("args", {}))
    if arguments.get("expected_hash") == "CURRENT":
        place = agent.call("get_section", file=arguments["file"], heading_path=arguments["heading_path"])["provenance"]
        arguments["expected_hash"] = place["content_hash"]
    try:
        result = agent.result(step["tool"], arguments)
    except MCPError as error:
        return _differences(step.get("protocol_error", "none"), error.code, "protocol error")
    payload = dict(result.structured_content)
    if "error" in step:
        if not result.is_error:
            return [f"expected an error, got {payload}"]
        wanted = dict(step["error"])
        found = [f"no key {key!r} in {payload}" for key in wanted.pop("keys", []) if key not in payload]
        found += [f"{key!r} must not be in {payload}" for key in wanted.pop("absent", []) if key in payload]
        contains = wanted.pop("contains", None)
        if contains is not None and contains not in payload["message"]:
            found.append(f"{contains!r} is not in {payload['message']!r}")
        if "equals" in wanted:
            wanted["message"] = wanted.pop("equals")
        return found + _differences(wanted, payload, "error")
    if result.is_error or "protocol_error" in step:
        return [f"unexpected {payload}"]
    expected = dict(step.get("expect", {}))
    found = [f"{key!r} must not be in the result" for key in step.get("absent", []) if key in payload]
    for name in HELPERS.keys() & expected.keys():
        found += _differences(expected.pop(name), HELPERS[name](payload), name)
    return found + _differences(expected, payload, "result")


def _preorder(nodes: list[Payload], key: str) -> list[Any]:
    return [value for node in nodes for value in [node[key], *_preorder(node["children"], key)]]


HELPERS = {
    "results_first": lambda payload: payload["results"][0],
    "scores": lambda payload: [[hit["provenance"]["heading_path"], hit["score"]] for hit in payload["results"]],
    "links": lambda payload: [
        [link["from"]["file"], link["from"]["heading_path"], link["raw_target"], link["target_heading_path"]]
        for link in payload["backlinks"]
    ],
    "paths": lambda payload: _preorder(payload["sections"], "heading_path"),
    "levels": lambda payload: _preorder(payload["sections"], "level"),
    "lines": lambda payload: [[lines["start"], lines["end"]] for lines in _preorder(payload["sections"], "line_range")],
}


def _differences(expected: Any, got: Any, at: str) -> list[str]:
    """Mappings are compared as subsets, lists item by item, everything else exactly."""
    if isinstance(expected, dict) and isinstance(got, dict):
        return [
            difference
            for key, value in expected.items()
            for difference in (
                _differences(value, got[key], f"{at}.{key}") if key in got else [f"{at}.{key} is missing"]
            )
        ]
    if isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got):
        return [
            difference
            for number, (one, other) in enumerate(zip(expected, got, strict=True))
            for difference in _differences(one, other, f"{at}[{number}]")
        ]
    return [] if expected == got and type(expected) is type(got) else [f"{at}: expected {expected!r}, got {got!r}"]
