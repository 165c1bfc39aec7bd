"""The extension in a server: what is configured is what is offered."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from jupyter_kb import __version__
from jupyter_kb.index.location import locate
from tests.server.agents import agent
from tests.server.jupyter import Jupyter

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Jupyter]:
    """A server without vaults configured, that only reads, whose index lies in a hidden folder among the notes."""
    home = tmp_path_factory.mktemp("plain")
    root = home / "notes"
    index = root / ".index"
    root.mkdir()
    (root / "one.md").write_text("# One\n\nCalibrations.\n")
    folder = locate(root, index).folder
    folder.mkdir(parents=True)
    trap = {"language": "german", "model": "/tmp/evil", "embedding_url": "http://evil.example/v1"}
    (folder / "vault.json").write_text(json.dumps({"settings": trap}))
    (root / ".jupyter_kb.json").write_text(json.dumps({"JupyterKB": {"model": "/tmp/evil", "vaults": {"etc": "/etc"}}}))
    config = {"JupyterKB": {"read_only": True, "toolsets": ["structural"], "index_dir": str(index)}}
    with Jupyter(home, root, config) as server:
        yield server


def test_vaults_are_offered_by_name_and_the_first_is_the_default(jupyter: Jupyter) -> None:
    assert [(vault["name"], vault["is_default"]) for vault in jupyter.api("vaults")["vaults"]] == [
        ("lab", True),
        ("spare", False),
    ]
    assert jupyter.indexed("lab")["notes"] > 40
    assert jupyter.api("vaults/spare/outline?file=one.md")["file"] == "one.md"


def test_the_apis_own_address_says_what_answers_there_with_and_without_a_slash(jupyter: Jupyter) -> None:
    with_slash = jupyter.api("")
    without = jupyter.ask("GET", "api").json()

    assert with_slash == without == {"name": "jupyter-kb", "version": __version__, "openapi": "openapi.json"}
    assert jupyter.api(with_slash["openapi"])["info"]["version"] == __version__


def test_the_log_says_once_where_the_knowledge_base_is_and_no_token(jupyter: Jupyter) -> None:
    told = [line for line in jupyter.lines if f"{jupyter.url}kb/mcp" in line]

    assert len(told) == 1
    assert "jupyter kb connect" in told[0]
    assert jupyter.token not in told[0]


def test_a_vault_says_where_jupyters_file_browser_has_it(jupyter: Jupyter, plain: Jupyter) -> None:
    assert [vault["contents_path"] for vault in jupyter.api("vaults")["vaults"]] == ["lab", "spare"]
    assert [vault["contents_path"] for vault in plain.api("vaults")["vaults"]] == [""]
    found = jupyter.client.get("api/contents/spare/one.md", headers={"Authorization": f"token {jupyter.token}"})
    assert found.json()["content"] == "# One\n\nThe only note.\n"


def test_each_vault_has_its_own_mcp_servers(jupyter: Jupyter) -> None:
    with agent(jupyter, "mcp") as default, agent(jupyter, "mcp/v/spare") as spare:
        assert default.call("status")["notes"] > 40
        assert spare.call("status")["vault"] == "spare"
    assert jupyter.ask("POST", "mcp/v/nowhere", json={}).status_code == 404


def test_without_vaults_the_servers_root_is_the_vault(plain: Jupyter) -> None:
    (vault,) = plain.api("vaults")["vaults"]

    assert (vault["name"], vault["root"], vault["is_default"]) == ("notes", str(plain.root), True)


def test_what_lies_in_a_vault_names_no_model_and_no_other_folder(plain: Jupyter) -> None:
    status = plain.indexed("notes")

    assert (status["language"], status["model"], status["notes"]) == ("english", None, 1)


def test_a_server_that_only_reads_refuses_to_write_and_offers_no_tool_for_it(plain: Jupyter) -> None:
    shown = plain.ask("GET", "api/vaults/notes/section?file=one.md&heading_path=One")
    body = {"section": {"file": "one.md", "heading_path": "One"}, "operation": "append", "body": "More.\n"}

    answer = plain.ask("PATCH", "api/vaults/notes/section", json=body, headers={"If-Match": shown.headers["ETag"]})

    assert (answer.status_code, answer.json()["code"]) == (403, "read-only")
    assert (plain.root / "one.md").read_text() == "# One\n\nCalibrations.\n"
    with agent(plain) as client:
        offered = {tool.name: tool.annotations for tool in client.list_tools().tools}
        assert offered
        assert all(hints and hints.read_only_hint for hints in offered.values())


def test_toolsets_that_are_off_are_not_there(plain: Jupyter) -> None:
    assert plain.ask("POST", "mcp/vault", json={}).status_code == 404
    with agent(plain, "mcp") as default, agent(plain, "mcp/structural") as named:
        assert default.list_tools().tools == named.list_tools().tools


def test_options_that_make_no_sense_are_told_at_the_start(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    config = {"JupyterKB": {"language": "klingon"}}

    with Jupyter(tmp_path, tmp_path / "notes", config) as server:
        assert "klingon" in server.log
        assert server.client.get("api").status_code == 200  # Jupyter goes on without the extension


def test_a_vault_whose_folder_is_missing_is_a_problem_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    config = {"JupyterKB": {"vaults": {"gone": "gone", "here": "here"}}}

    with Jupyter(tmp_path, tmp_path, config) as server:
        server.indexed("here")
        assert server.ask("GET", "api/vaults/gone/status").status_code == 404
        assert "does not exist" in server.api("vaults")["vaults"][0]["problem"]


def test_installing_enables_the_extension() -> None:
    project = (ROOT / "pyproject.toml").read_text()
    enabled = json.loads((ROOT / "etc/jupyter/jupyter_server_config.d/jupyter_kb.json").read_text())

    assert '"etc/jupyter" = "etc/jupyter"' in project
    assert enabled == {"ServerApp": {"jpserver_extensions": {"jupyter_kb": True}}}
