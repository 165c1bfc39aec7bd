"""The reference of the interface names what its sources register."""

from __future__ import annotations

import json
import re

from docs._ext.kb_interface import FRONT, commands, schemas, shortcuts


def test_every_registered_command_has_a_label_and_a_sentence() -> None:
    registered = {
        name
        for path in (FRONT / "src").rglob("*.ts")
        for name in re.findall(r"\badd(?:Command)?\(\s*Commands\.(\w+),", path.read_text(encoding="utf-8"))
    }
    names = dict(
        re.findall(r"(\w+): '(jupyter-kb:[\w-]+)'", (FRONT / "src" / "commands.ts").read_text(encoding="utf-8"))
    )
    listed = commands()

    assert {command.id for command in listed} == {names[name] for name in registered}
    assert [command.id for command in listed if not command.labels or not command.about] == []


def test_keys_are_written_as_people_write_them() -> None:
    search = next(one for one in shortcuts() if one.command == "jupyter-kb:search")

    assert (search.keys, search.mac, search.selector) == ("Alt+K", "Cmd+Option+K", "body")


def test_every_setting_says_what_it_does() -> None:
    settings = [about for schema in schemas().values() for about in schema.get("properties", {}).values()]

    assert len(settings) >= 6
    assert [json.dumps(about) for about in settings if not {"title", "description", "default"} <= about.keys()] == []
