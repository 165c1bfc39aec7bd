"""Progress of long calls: while one waits for the index, the client is told how far that is, if it asked to be told."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

from jupyter_kb.errors import KBError
from jupyter_kb.mcp.rights import leaving
from jupyter_kb.mcp.session import STOPPING, SessionClosedError

if TYPE_CHECKING:
    from jupyter_kb.mcp.session import Session
    from jupyter_kb.models import Status

_T = TypeVar("_T")

EVERY = 0.5
"""Seconds until the first word, and between two."""


async def followed(work: Coroutine[Any, Any, _T], context: Any, session: Session) -> _T:
    """The outcome of `work`; meanwhile the client hears of the notes that are indexed, or the texts embedded.

    Raises
    ------
    SessionClosedError : the server stops; a thread may still be at work.
    """
    task = asyncio.ensure_future(work)
    asked = context.meta is not None and "progress_token" in context.meta
    teller = asyncio.create_task(_tell(context, session)) if asked else None
    stops = leaving(context)
    try:
        awaited: list[asyncio.Future[Any]] = [task] if stops is None else [task, stops]
        await asyncio.wait(awaited, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise SessionClosedError(STOPPING)
        return task.result()
    finally:
        task.cancel()
        if teller is not None:
            teller.cancel()


async def _tell(context: Any, session: Session) -> None:
    """Report until cancelled. What is reported may only grow, also when one kind of work follows another."""
    so_far, base, kind = 0, 0, ""
    while True:
        await asyncio.sleep(EVERY)
        try:
            state = await session.run(lambda: session.operations().status())
        except (KBError, SessionClosedError):
            continue  # the call itself will say what is wrong
        done, total, now = _work(state)
        if now != kind:
            base, kind = so_far, now
        if base + done > so_far and now:
            so_far = base + done
            await context.session.report_progress(so_far, base + total, f"{done} of {total} {now}")


def _work(state: Status) -> tuple[int, int, str]:
    """How much is done of what, if anything is being done."""
    if state.indexing is not None:
        return *state.indexing, "notes indexed"
    model = state.model
    if model is not None and model.device is not None and model.embedded < model.chunks:
        return model.embedded, model.chunks, "texts embedded"
    return 0, 0, ""
