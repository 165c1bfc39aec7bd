"""The values that the rooms hand to each other: frozen, keyword-only dataclasses without behaviour.

Never `slots=True`: the MCP SDK silently drops the output schema of slotted dataclasses.
Units: byte offsets count the file as stored (byte order mark and front matter included), ranges are half-open;
lines are counted from 1 and line ranges are inclusive; hashes are lower-case hexadecimal.
"""

from __future__ import annotations

from jupyter_kb.models.edits import EditResult, LeftLinks, Operation, SectionEdit, UpdatedLinks
from jupyter_kb.models.graph import Graph, GraphEdge, GraphNode
from jupyter_kb.models.links import Backlink, LinkKind, LinkPage, LinkStatus, LinkTarget, ResolvedLink
from jupyter_kb.models.notes import (
    FolderNode,
    NoteInfo,
    NotePage,
    Outline,
    OutlineNode,
    Rendered,
    SectionContent,
    SectionRef,
)
from jupyter_kb.models.pages import BacklinkPage, DiagnosticPage, NoteName, Suggestions, VaultList
from jupyter_kb.models.places import ByteRange, Diagnostic, DiagnosticKind, LineRange, Provenance
from jupyter_kb.models.search import (
    Explanation,
    Filters,
    Fusion,
    Granularity,
    GrepMatch,
    GrepRequest,
    GrepResults,
    Hit,
    Order,
    SearchMode,
    SearchRequest,
    SearchResults,
)
from jupyter_kb.models.state import EmbedResult, FileChange, ModelStatus, ReindexReport, ScanResult, Status, VaultInfo

__all__ = [
    "Backlink",
    "BacklinkPage",
    "ByteRange",
    "Diagnostic",
    "DiagnosticKind",
    "DiagnosticPage",
    "EditResult",
    "EmbedResult",
    "Explanation",
    "FileChange",
    "Filters",
    "FolderNode",
    "Fusion",
    "Granularity",
    "Graph",
    "GraphEdge",
    "GraphNode",
    "GrepMatch",
    "GrepRequest",
    "GrepResults",
    "Hit",
    "LeftLinks",
    "LineRange",
    "LinkKind",
    "LinkPage",
    "LinkStatus",
    "LinkTarget",
    "ModelStatus",
    "NoteInfo",
    "NoteName",
    "NotePage",
    "Operation",
    "Order",
    "Outline",
    "OutlineNode",
    "Provenance",
    "ReindexReport",
    "Rendered",
    "ResolvedLink",
    "ScanResult",
    "SearchMode",
    "SearchRequest",
    "SearchResults",
    "SectionContent",
    "SectionEdit",
    "SectionRef",
    "Status",
    "Suggestions",
    "UpdatedLinks",
    "VaultInfo",
    "VaultList",
]
