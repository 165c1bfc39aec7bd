"""The vault toolset, the default: for an agent with a small context and no knowledge of the vault.

The answer to one call is the exact argument of the next. Nothing is silently cut, changed or guessed, and an
error says what to call instead."""

from __future__ import annotations

from jupyter_kb.mcp.tools import Toolset
from jupyter_kb.mcp.toolsets.vault.editing import edit_section
from jupyter_kb.mcp.toolsets.vault.errors import failure
from jupyter_kb.mcp.toolsets.vault.finding import grep, search
from jupyter_kb.mcp.toolsets.vault.linking import backlinks, links
from jupyter_kb.mcp.toolsets.vault.reading import get_section, outline
from jupyter_kb.mcp.toolsets.vault.upkeep import diagnostics, reindex_vault, status

TOOLSET = Toolset(
    name="vault",
    instructions=(
        "A vault of Markdown notes. Begin with search (your own words) or grep (exact characters); without an idea, "
        "outline without file shows the folders. Copy file and heading_path from an answer into get_section, and its "
        "content_hash into edit_section, which refuses to overwrite what changed meanwhile."
    ),
    tools=(
        backlinks,
        diagnostics,
        edit_section,
        get_section,
        grep,
        links,
        outline,
        reindex_vault,
        search,
        status,
    ),
    failure=failure,
)
