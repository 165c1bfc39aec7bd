"""The MCP server of one toolset: lists its tools, reads arguments, runs the function, translates errors."""

from __future__ import annotations

import logging
from typing import Any

from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    ToolAnnotations,
)
from mcp_types import (
    Tool as ListedTool,
)

from jupyter_kb import __version__
from jupyter_kb.errors import KBError
from jupyter_kb.mcp.results import result
from jupyter_kb.mcp.session import Session, SessionClosedError
from jupyter_kb.mcp.stdio import serve_stdio
from jupyter_kb.mcp.tools import InvalidArgumentError, Payload, Tool, Toolset
from jupyter_kb.mcp.toolsets import TOOLSETS

__all__ = ["TOOLSETS", "build_server", "listed", "serve_stdio"]

_log = logging.getLogger(__name__)


def build_server(toolset: Toolset, session: Session, *, read_only: bool = False) -> Server[Any]:
    """A server that speaks both protocol eras, on whatever transport it is run.

    On a read-only vault the tools that write are neither listed nor callable.
    """
    tools = {
        tool.name: tool for tool in sorted(toolset.tools, key=lambda tool: tool.name) if not (read_only and tool.writes)
    }

    async def list_tools(context: Any, parameters: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=[listed(tool) for tool in tools.values()])

    async def call_tool(context: Any, parameters: CallToolRequestParams) -> CallToolResult:
        tool = tools.get(parameters.name)
        if tool is None:
            known = ", ".join(tools)
            raise MCPError(INVALID_PARAMS, f"unknown tool {parameters.name!r}: this server has {known}")
        try:
            values, ignored = tool.read(parameters.arguments or {})
        except InvalidArgumentError as error:
            if tool.strict:
                raise MCPError(INVALID_PARAMS, str(error)) from None
            # As a tool result, since many clients keep protocol errors from the model that could mend its call.
            return result(_refused(error), failed=True)
        payload, failed = await session.run(_call, toolset, tool, session, values, writes=tool.writes)
        if ignored and not tool.strict and not failed:
            payload = {**payload, "ignored_arguments": sorted(ignored)}
        return result(payload, failed=failed)

    return Server(
        "jupyter-kb",
        version=__version__,
        title="Knowledge base",
        instructions=toolset.instructions,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _call(toolset: Toolset, tool: Tool, session: Session, values: dict[str, Any]) -> tuple[Payload, bool]:
    """Run a tool on a worker thread: its payload, and whether it is a failure."""
    try:
        return tool.function(session, **values), False
    except KBError as error:
        return toolset.failure(error), True
    except InvalidArgumentError as error:
        return _refused(error), True
    except SessionClosedError as error:
        return {"message": str(error)}, True
    except Exception as error:  # a defect of ours: the agent gets an answer, the log gets the trace
        _log.exception("%s failed", tool.name)
        return {"message": f"internal error in {tool.name}: {type(error).__name__}: {error}"}, True


def _refused(error: InvalidArgumentError) -> Payload:
    return {"message": str(error), "code": "invalid-request"}


def listed(tool: Tool) -> ListedTool:
    """A tool as `tools/list` shows it."""
    hints = ToolAnnotations(read_only_hint=not tool.writes, open_world_hint=False)
    if tool.writes:
        hints = hints.model_copy(update={"destructive_hint": tool.destructive, "idempotent_hint": tool.idempotent})
    return ListedTool(
        name=tool.name,
        description=tool.description,
        input_schema=tool.input_schema(),
        output_schema=tool.output,
        annotations=hints,
    )
