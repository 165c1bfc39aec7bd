"""The magics about the vault as a whole: status, reindex, use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jupyter_kb.magics.reports import Reindexed, State, Vaults

if TYPE_CHECKING:
    from jupyter_kb.magics.grammar import Arguments
    from jupyter_kb.magics.session import Session


def status(session: Session, arguments: Arguments) -> State:
    """The vault and its index."""
    return State(session.kb.status())


def reindex(session: Session, arguments: Arguments) -> Reindexed:
    """Look at all notes again."""
    return Reindexed(session.kb.reindex(reader=session.reader))


def use(session: Session, arguments: Arguments) -> Vaults | State:
    """Choose a vault; without a name, list them."""
    if not arguments.note:
        return Vaults(session.vaults(), session.root)
    session.use(arguments.note)
    return State(session.kb.status())
