"""What writes, done once also where the process that was to do it ended before it answered."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from jupyter_kb.errors import ReadOnlyError
from jupyter_kb.models import EditResult, SectionEdit
from jupyter_kb.settings import Settings
from jupyter_kb.sharing.seats import GuestSeat, Seat
from jupyter_kb.sharing.verbs import Verbs

if TYPE_CHECKING:
    from jupyter_kb.editing.section import SectionOutcome
    from jupyter_kb.vault.vault import Vault

_T = TypeVar("_T")


class Writing(Verbs):
    """The verbs that write. `fate` finds out of a request whose answer was lost whether it was done."""

    root: Path
    name: str
    _read_only: bool

    @property
    def settings(self) -> Settings:
        """Those of the vault."""
        raise NotImplementedError

    def _on_seat(self, use: Callable[[Seat], _T], *, editing: bool = False) -> _T:
        raise NotImplementedError

    def edit_section(
        self, edit: SectionEdit, *, actor: str = "local", reader: str = "", wait: float | None = None
    ) -> EditResult:
        """Change one section under the guard of its hash; when this returns, the change is in the index too."""
        if self._read_only and not edit.dry_run:
            raise ReadOnlyError(f"vault '{self.name}' is read-only", hint="dry_run shows what the edit would do")
        planned: SectionOutcome | None = None

        def change(seat: Seat) -> EditResult:
            nonlocal planned
            if not edit.dry_run and (planned is not None or isinstance(seat, GuestSeat)):
                from jupyter_kb.sharing import fate

                vault = self._vault()
                if planned is not None and (done := fate.settled(vault, edit, planned)) is not None:
                    return done
                planned = fate.plan(vault, edit)
            return seat.operations.edit_section(edit, actor=actor, reader=reader, wait=wait)

        return self._on_seat(change, editing=True)

    def create_note(self, file: str, content: str = "", *, actor: str = "local", reader: str = "") -> EditResult:
        """Make a note, with the folders that it needs; never over one that is there."""
        if self._read_only:
            raise ReadOnlyError(f"vault '{self.name}' is read-only")
        planned: str | None = None

        def make(seat: Seat) -> EditResult:
            nonlocal planned
            if planned is not None or isinstance(seat, GuestSeat):
                from jupyter_kb.sharing import fate

                vault = self._vault()
                if planned is not None and (done := fate.created(vault, planned, content)) is not None:
                    return done
                planned = fate.place(vault, file)
            return seat.operations.create_note(file, content, actor=actor, reader=reader)

        return self._on_seat(make, editing=True)

    def _vault(self) -> Vault:
        from jupyter_kb.vault.vault import Vault

        return Vault(self.root, self.settings)
