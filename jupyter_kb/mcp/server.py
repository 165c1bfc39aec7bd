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
from jupyter_kb.errors import ForbiddenError, KBError
from jupyter_kb.mcp.results import result
from jupyter_kb.mcp.rights import Authorize, Right, actor, by_request, may, reader
from jupyter_kb.mcp.session import Session, SessionClosedError
from jupyter_kb.mcp.stdio import serve_stdio
from jupyter_kb.mcp.tools import InvalidArgumentError, Payload, Tool, Toolset
from jupyter_kb.mcp.toolsets import TOOLSETS

__all__ = ["TOOLSETS", "build_server", "listed", "serve_stdio"]

_log = logging.getLogger(__name__)


def build_server(
    toolset: Toolset, session: Session, *, read_only: bool = False, authorize: Authorize = by_request
) -> Server[Any]:
    """A server that speaks both protocol eras, on whatever transport it is run.

    On a read-only vault the tools that write are neither listed nor callable. To a caller who may only read they are
    not listed, and a call of one (from an older list) is refused: `authorize` is asked before each call.
    """
    tools = {
        tool.name: tool for tool in sorted(toolset.tools, key=lambda tool: tool.name) if not (read_only and tool.writes)
    }
    schemas = {name: tool.input_schema() for name, tool in tools.items()}

    async def list_tools(context: Any, parameters: PaginatedRequestParams | None) -> ListToolsResult:
        writable = await may(context, "write", authorize)
        return ListToolsResult(tools=[listed(tool) for tool in tools.values() if writable or not tool.writes])

    async def call_tool(context: Any, parameters: CallToolRequestParams) -> CallToolResult:
        tool = tools.get(parameters.name)
        if tool is None:
            known = ", ".join(tools)
            raise MCPError(INVALID_PARAMS, f"unknown tool {parameters.name!r}: this server has {known}")
        right: Right = "write" if tool.writes else "read"
        if not await may(context, right, authorize):
            return result(toolset.failure(_forbidden(tool, right)), failed=True)
        try:
            values, ignored = tool.read(parameters.arguments or {})
        except InvalidArgumentError as error:
            if tool.strict:
                raise MCPError(INVALID_PARAMS, str(error)) from None
            # As a tool result, since many clients keep protocol errors from the model that could mend its call.
            return result(_refused(error), failed=True)
        asks = {"actor": actor(context), "reader": reader(context)}
        try:
            payload, failed = await session.run(_call, toolset, tool, session, asks, values, writes=tool.writes)
        except SessionClosedError as error:
            payload, failed = {"message": str(error)}, True
        if ignored and not tool.strict and not failed:
            payload = {**payload, "ignored_arguments": sorted(ignored)}
        return result(payload, failed=failed)

    return Server(
        "jupyter-kb",
        version=__version__,
        title="Knowledge base",
        instructions=toolset.instructions,
        get_tool_input_schema=schemas.get,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _call(
    toolset: Toolset, tool: Tool, session: Session, asks: dict[str, str], values: dict[str, Any]
) -> tuple[Payload, bool]:
    """Run a tool on a worker thread: its payload, and whether it is a failure."""
    try:
        return tool.function(session.call(**asks), **values), False
    except KBError as error:
        return toolset.failure(error), True
    except InvalidArgumentError as error:
        return _refused(error), True
    except SessionClosedError as error:
        return {"message": str(error)}, True
    except Exception as error:  # a defect of ours: the agent gets an answer, the log gets the trace
        _log.exception("%s failed", tool.name)
        return {"message": f"internal error in {tool.name}: {type(error).__name__}: {error}"}, True


def _forbidden(tool: Tool, right: Right) -> ForbiddenError:
    return ForbiddenError(
        f"{tool.name} was not run: this user may not {right} this vault",
        hint="go on without changing notes, and tell the person whom you work for" if tool.writes else None,
    )


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
