"""The MCP server of one toolset: tools, resources, prompts and completions; checks rights and translates errors."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, TypeVar

from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    CallToolRequestParams,
    CallToolResult,
    CompleteRequestParams,
    CompleteResult,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    ToolAnnotations,
)
from mcp_types import (
    Tool as ListedTool,
)

from jupyter_kb import __version__
from jupyter_kb.errors import ForbiddenError, KBError
from jupyter_kb.mcp import completions, prompts, resources
from jupyter_kb.mcp.progress import followed
from jupyter_kb.mcp.results import LARGEST, result, weight
from jupyter_kb.mcp.rights import Authorize, Right, actor, by_request, may, reader
from jupyter_kb.mcp.session import Session, SessionClosedError
from jupyter_kb.mcp.stdio import serve_stdio
from jupyter_kb.mcp.tools import InvalidArgumentError, Payload, Tool, Toolset
from jupyter_kb.mcp.toolsets import TOOLSETS

__all__ = ["TOOLSETS", "build_server", "listed", "serve_stdio"]

_log = logging.getLogger(__name__)

_T = TypeVar("_T")


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
            work = session.run(_call, toolset, tool, session, asks, values, writes=tool.writes)
            payload, failed = await followed(work, context, session)
        except SessionClosedError as error:
            unsure = ": read what you wanted to change before you try again" if tool.writes else ""
            payload, failed = {"message": str(error) + unsure}, True
        if ignored and not tool.strict and not failed:
            payload = {**payload, "ignored_arguments": sorted(ignored)}
        if not tool.writes and (size := weight(payload)) > LARGEST:
            return result(_too_large(size), failed=True)
        return result(payload, failed=failed)

    async def answer(context: Any, function: Callable[..., _T], *arguments: Any) -> _T:
        """What a reading function says, its errors as the protocol's."""
        if not await may(context, "read", authorize):
            raise MCPError(INVALID_REQUEST, "this user may not read this vault", {"code": ForbiddenError.code})
        try:
            return await followed(session.run(function, session, *arguments), context, session)
        except KBError as error:
            raise MCPError(INVALID_PARAMS, _sentence(error), error.payload()) from None
        except SessionClosedError as error:
            raise MCPError(INVALID_REQUEST, str(error)) from None

    async def list_resources(context: Any, parameters: PaginatedRequestParams | None) -> ListResourcesResult:
        return await answer(context, resources.list_notes, parameters.cursor if parameters else None)

    async def list_templates(context: Any, parameters: PaginatedRequestParams | None) -> ListResourceTemplatesResult:
        return await answer(context, resources.list_templates)

    async def read_resource(context: Any, parameters: ReadResourceRequestParams) -> ReadResourceResult:
        return await answer(context, resources.read, parameters.uri)

    async def list_prompts(context: Any, parameters: PaginatedRequestParams | None) -> ListPromptsResult:
        return prompts.list_prompts()

    async def get_prompt(context: Any, parameters: GetPromptRequestParams) -> GetPromptResult:
        return await answer(context, prompts.get_prompt, parameters.name, parameters.arguments or {})

    async def complete(context: Any, parameters: CompleteRequestParams) -> CompleteResult:
        known = parameters.context.arguments if parameters.context else None
        wanted = parameters.argument
        return await answer(context, completions.complete, parameters.ref, wanted.name, wanted.value, known or {})

    return Server(
        "jupyter-kb",
        version=__version__,
        title="Knowledge base",
        instructions=toolset.instructions,
        get_tool_input_schema=schemas.get,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
        on_completion=complete,
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


def _sentence(error: KBError) -> str:
    """An error as one text, since many clients show nothing else of it."""
    near = error.details.get("suggestions") or error.details.get("candidates") or ()
    names = [one["heading_path"] if isinstance(one, dict) and "heading_path" in one else str(one) for one in near]
    parts = [error.message, f"near: {', '.join(map(repr, names))}" if names else "", error.hint or ""]
    return "; ".join(part for part in parts if part)


def _forbidden(tool: Tool, right: Right) -> ForbiddenError:
    return ForbiddenError(
        f"{tool.name} was not run: this user may not {right} this vault",
        hint="go on without changing notes, and tell the person whom you work for" if tool.writes else None,
    )


def _refused(error: InvalidArgumentError) -> Payload:
    return {"message": str(error), "code": "invalid-request"}


def _too_large(size: int) -> Payload:
    return {
        "message": f"the answer would have {size} bytes, and one may have {LARGEST}",
        "code": "answer-too-large",
        "hint": "ask for less: a smaller max_tokens or limit, or a sub-section",
    }


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
