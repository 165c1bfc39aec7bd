"""One index, many processes: the first one owns it, the others ask the owner, and its end makes one of them owner."""

from __future__ import annotations

from jupyter_kb.sharing.seats import OneVault, Publication, Publish
from jupyter_kb.sharing.shared import SharedKnowledgeBase

__all__ = ["OneVault", "Publication", "Publish", "SharedKnowledgeBase"]
