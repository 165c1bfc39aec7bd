"""Notes as resources: listed by page, read whole or by section, exact to the byte."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path

import pytest
from mcp import MCPError
from mcp_types import BlobResourceContents, TextResourceContents

from jupyter_kb.mcp import resources
from jupyter_kb.mcp.results import LARGEST
from tests.mcp.driving import MODES, Agent, agent, connected, write
from tests.mcp.hosting import hosted

NOTE = "---\nx: 1\n---\n# Flight\r\n\r\nSteady  wind.   \n\n## Launch\n\nRun.\n\n## Landing\n\nPull.\n"

FILES: dict[str, str | bytes | None] = {
    "sub folder/kite #1.md": NOTE,
    "log.md": "# Log\n\nMonday.\n\n# Kites\n\n## Launch\n\nx\n\n# Boats\n\n## Launch\n\ny\n",
    "raw.md": b"# R\xff\n\nx\xfe\n",
}


@pytest.fixture(params=MODES)
def client(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Agent]:
    root = write(tmp_path / "lab", FILES)
    with agent(root, "vault", mode=request.param) as (client, _):
        yield client


def read(client: Agent, uri: str) -> TextResourceContents:
    """The text of a resource."""
    (contents,) = client.ask(client.client.read_resource, uri).contents
    assert isinstance(contents, TextResourceContents)
    assert contents.uri == uri
    assert contents.mime_type == "text/markdown"
    return contents


def refused(client: Agent, uri: str) -> MCPError:
    with pytest.raises(MCPError) as caught:
        client.ask(client.client.read_resource, uri)
    return caught.value


def test_every_note_is_listed_with_an_address_that_can_be_read(client: Agent) -> None:
    listed = client.ask(client.client.list_resources).resources

    assert [note.uri for note in listed] == [
        "kb://lab/log.md",
        "kb://lab/raw.md",
        "kb://lab/sub%20folder/kite%20%231.md",
    ]
    assert [note.name for note in listed] == ["log.md", "raw.md", "sub folder/kite #1.md"]
    assert listed[2].title == "Flight"
    assert listed[2].size == len(NOTE.encode())
    assert listed[2].annotations is not None
    assert str(listed[2].annotations.last_modified).endswith("+00:00")
    assert read(client, listed[2].uri).text == NOTE


def test_the_list_comes_by_page_and_each_note_once(client: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resources, "_PAGE", 2)

    first = client.ask(client.client.list_resources)
    second = client.ask(client.client.list_resources, cursor=first.next_cursor)

    assert [len(page.resources) for page in (first, second)] == [2, 1]
    assert second.next_cursor is None
    assert len({note.uri for page in (first, second) for note in page.resources}) == 3
    with pytest.raises(MCPError, match="no cursor of this list"):
        client.ask(client.client.list_resources, cursor="x")


def test_the_templates_are_offered(client: Agent) -> None:
    offered = client.ask(client.client.list_resource_templates).resource_templates

    assert [template.uri_template for template in offered] == ["kb://lab/{+path}", "kb://lab/{+path}#{section}"]


@pytest.mark.parametrize("fragment", ["Flight%20%3E%20Launch", "Launch", "Flight > Launch"])
def test_a_section_is_its_exact_text_with_the_hash_that_an_edit_needs(fragment: str, client: Agent) -> None:
    found = read(client, f"kb://lab/sub%20folder/kite%20%231.md#{fragment}")
    section = client.call("get_section", file="sub folder/kite #1.md", heading_path="Launch")

    assert found.text == "## Launch\n\nRun."
    assert found.meta is not None
    assert str(found.meta["jupyter-kb/content_hash"]).startswith(section["content_hash"])
    assert found.meta["jupyter-kb/version"] == section["version"]


def test_the_vaults_name_may_be_in_any_case_and_the_note_without_its_folder(client: Agent) -> None:
    assert read(client, "kb://LAB/kite%20%231").text == NOTE


def test_bytes_that_are_not_utf8_come_as_bytes(client: Agent) -> None:
    (contents,) = client.ask(client.client.read_resource, "kb://lab/raw.md").contents

    assert isinstance(contents, BlobResourceContents)
    assert base64.b64decode(contents.blob) == FILES["raw.md"]


@pytest.mark.parametrize(
    ("uri", "words"),
    [
        ("kb://lab/logg.md", "log.md"),
        ("kb://lab/log.md#Lag", "Log"),
        ("kb://lab/log.md#Launch", "Kites > Launch"),
        ("kb://other/log.md", "addresses here begin with kb://lab/"),
        ("file:///etc/passwd", "an address is kb://VAULT/path.md"),
        ("kb://lab/../secret.md", "not a vault-relative path"),
        ("kb://lab/%2e%2e/secret.md", "not a vault-relative path"),
        ("kb://lab//etc/passwd", "not"),
        ("kb://lab/a%00.md", "not"),
    ],
)
def test_what_is_not_there_is_refused_with_what_is_near(uri: str, words: str, client: Agent, tmp_path: Path) -> None:
    write(tmp_path, {"secret.md": "# Secret\n"})

    error = refused(client, uri)

    assert error.code == -32602
    assert words in error.message
    assert error.data["code"]
    assert "Secret" not in str(error.data)


def test_a_note_that_is_too_long_for_one_answer_names_its_sections(tmp_path: Path) -> None:
    write(tmp_path / "lab", {"long.md": "# One\n\n" + "words\n" * (LARGEST // 6) + "\n# Two\n\nshort\n"})
    with agent(tmp_path / "lab", "vault") as (client, _):
        error = refused(client, "kb://lab/long.md")
        part = read(client, "kb://lab/long.md#Two")

    assert "near: 'One', 'Two'" in error.message
    assert part.text == "# Two\n\nshort"


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("toolset", ["vault", "structural"])
def test_resources_are_read_over_http_by_whoever_may_read(mode: str, toolset: str, tmp_path: Path) -> None:
    with hosted(write(tmp_path / "lab", FILES), toolset) as host, connected(host.url, mode=mode) as client:
        assert len(client.ask(client.client.list_resources).resources) == 3
        assert read(client, "kb://lab/sub%20folder/kite%20%231.md").text == NOTE
        host.rights = set()

        assert refused(client, "kb://lab/log.md").data == {"code": "forbidden"}
