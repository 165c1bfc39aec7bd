"""What the magics give for doing: an edit and its difference, a conflict, the state of the vault, help."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jupyter_kb.magics.showing import Result
from jupyter_kb.render import edits, html, markdown, text
from jupyter_kb.render.lines import count, plain, visible, visible_lines, with_tilde

if TYPE_CHECKING:
    from jupyter_kb.magics.session import Session
    from jupyter_kb.models import EditResult, LinkTarget, ReindexReport, Status, VaultInfo


class Edit(Result):
    """What an edit did, or would do: `diff`, `content_hash` and the rest of its `result`."""

    def __init__(self, result: EditResult, session: Session) -> None:
        self.result = result
        self._session = session

    @property
    def diff(self) -> str:
        """The difference, unified; empty where nothing changed."""
        return self.result.diff

    @property
    def content_hash(self) -> str | None:
        """The section's new hash."""
        return self.result.content_hash

    @property
    def written(self) -> bool:
        """Whether it is in the note."""
        return self.result.written

    def __repr__(self) -> str:
        return f"<Edit: {self._title()}>"

    def _title(self) -> str:
        verb = ("wrote" if self.written else "would write") if self.diff else "no change in"
        place = f" > {visible(self.result.heading_path)}" if self.result.heading_path else ""
        return f"{verb} {visible(self.result.file)}{place}"

    def _html(self) -> str:
        return html.edit(self.result, address=self._session.address)

    def _markdown(self) -> str:
        told = f"{self._title()}\n\n"
        return told + markdown.fenced(self.diff, "diff") if self.diff else told

    def _plain(self) -> str:
        told = plain(edits.edit(self.result)) if self.diff else f"{self._title()}\n"
        return told + visible_lines(self.diff)


class Conflict(Result):
    """An edit that was not written, since the section changed: the text there `now`, and `mine`."""

    def __init__(self, place: LinkTarget, now: str, mine: str, *, read: str | None, content_hash: str) -> None:
        self.place = place
        self.now = now
        self.mine = mine
        self.read = read
        self.content_hash = content_hash

    def __repr__(self) -> str:
        return f"<Conflict: {self._name()}>"

    def _name(self) -> str:
        path = f" > {visible(self.place.heading_path)}" if self.place.heading_path else ""
        return visible(self.place.file) + path

    def _html(self) -> str:
        return html.conflict(self.place, self.now, self.mine, read=self.read, hash=self.content_hash)

    def _markdown(self) -> str:
        return f"In the note now:\n\n{markdown.fenced(self.now)}\nNot written:\n\n{markdown.fenced(self.mine)}"

    def _plain(self) -> str:
        now, mine = (visible_lines(side).rstrip("\n") for side in (self.now, self.mine))
        return f"── {self._name()} now ──\n{now}\n── your text, not written ──\n{mine}\n"


class State(Result):
    """The vault and its index."""

    def __init__(self, status: Status) -> None:
        self.status = status

    def __repr__(self) -> str:
        return f"<State: {visible(self.status.vault)}, {count(self.status.notes, 'note')}>"

    def _html(self) -> str:
        return html.status(self.status)

    def _markdown(self) -> str:
        return markdown.table(text.status_rows(self.status))

    def _plain(self) -> str:
        return plain(text.status(self.status))


class Reindexed(Result):
    """What changed in the vault since the last report."""

    def __init__(self, report: ReindexReport) -> None:
        self.report = report

    def __repr__(self) -> str:
        return f"<Reindexed: {text.reindex_title(self.report)}>"

    def _html(self) -> str:
        return html.reindex(self.report)

    def _markdown(self) -> str:
        return markdown.table(text.reindex_rows(self.report), text.reindex_title(self.report))

    def _plain(self) -> str:
        return plain(text.reindex(self.report))


class Vaults(Result):
    """The vaults that there are, and which of them is in use."""

    def __init__(self, known: Sequence[VaultInfo], current: str) -> None:
        self.known = tuple(known)
        self.current = current

    def __repr__(self) -> str:
        return f"<Vaults: {', '.join(visible(vault.name) for vault in self.known)}>"

    def _html(self) -> str:
        return html.vaults(self.known, self.current)

    def _markdown(self) -> str:
        return markdown.table((vault.name, with_tilde(vault.root)) for vault in self.known)

    def _plain(self) -> str:
        return "".join(
            f"{'*' if vault.root == self.current else ' '} {visible(vault.name)}  {visible(with_tilde(vault.root))}\n"
            for vault in self.known
        )


class Message(Result):
    """A few words; the first line is the matter."""

    def __init__(self, *lines: str) -> None:
        self.lines = lines

    def __repr__(self) -> str:
        return f"<Message: {self.lines[0]}>"

    def _html(self) -> str:
        return html.message(*self.lines)

    def _markdown(self) -> str:
        return "\n".join(map(visible, self.lines)) + "\n"

    def _plain(self) -> str:
        return "\n".join(map(visible, self.lines)) + "\n"
