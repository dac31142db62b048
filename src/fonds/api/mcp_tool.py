"""The one tool of MCP: `search`, over the very function the service searches with (R189).

Its schemas are the wire's: what a request may hold, and the contract `archive-search/1`.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable
from functools import cache
from importlib.metadata import version
from typing import Any, Final, TypeAlias

from mcp.server import Server
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
    ToolAnnotations,
)
from pydantic import TypeAdapter

from fonds.api.problems import problem_of
from fonds.contract.failures import Failure
from fonds.contract.search_request import SearchRequest
from fonds.contract.search_response import SearchResponse
from fonds.retrieval.policy_copy import EXPOSURE_COPY, POLICY_NOTE
from fonds.retrieval.wire_request import SearchBody, parsed_search
from fonds.retrieval.wire_response import WireResponse, search_response_json

TOOL: Final = "search"
METHODS: Final = frozenset({"initialize", "ping", "server/discover", "tools/list", "tools/call"})
ADVICE: Final = (
    "Searches one author's archive and returns passages with where they stand; writes no answer.\n"
    "Run several narrow searches, each for one thing, in place of a broad one. Narrow by"
    " filters.dateFrom and filters.dateTo where a time is meant, by filters.speaker where"
    " somebody's own words are, by filters.creator for who made a work. A hit is a passage that was"
    " found, not yet a citation: cite only what bears out a claim.\n"
    "What each hit lets you claim is its exposure. A gist is a description drafted by a machine and"
    " released by the owner's policy; it is not a quotation."
)
DESCRIPTION: Final = "\n".join(
    (ADVICE, *(f"{level}: {copy}" for level, copy in EXPOSURE_COPY.items()), POLICY_NOTE)
)

Context: TypeAlias = ServerRequestContext[Any, Any]
Search: TypeAlias = Callable[[SearchRequest], Awaitable[SearchResponse]]
"""Raises a Failure, which becomes a tool error."""

_LOG = logging.getLogger(__name__)


@cache
def search_tool() -> Tool:
    """The tool as it is listed: input is the body of a search, output its response."""
    return Tool(
        name=TOOL,
        title="Search the archive",
        description=DESCRIPTION,
        input_schema=SearchBody.model_json_schema(),
        output_schema=TypeAdapter(WireResponse).json_schema(),
        annotations=ToolAnnotations(read_only_hint=True, open_world_hint=False),
    )


def search_server(search_of: Callable[[Context], Search]) -> Server[Any]:
    """A server without sessions whose every call finds its own search in its request's context.

    A request out of shape, a limit that is used up and an outage are tool errors: a problem's slug,
    fields and rules, never a value and never a message. A defect is one as well, told by its slug.
    """

    async def listed(context: Context, params: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=[search_tool()])

    async def called(context: Context, params: CallToolRequestParams) -> CallToolResult:
        if params.name != TOOL:
            raise MCPError(INVALID_PARAMS, f"there is one tool here: {TOOL}")
        try:
            found = await search_of(context)(parsed_search(params.arguments or {}))
        except Failure as failure:
            return problem_result(failure)
        except Exception as defect:  # the last resort: what it says may be anything
            _LOG.error("a search over MCP failed: %s", type(defect).__name__)
            return problem_result(Failure())
        return _found(search_response_json(found))

    server = Server("fonds", version=version("fonds"), on_list_tools=listed, on_call_tool=called)
    # In place of the library's own tracing, which writes what a caller made up into a span.
    server.middleware = [_known_methods_only]
    return server


async def _known_methods_only(ctx: Context, call_next: CallNext) -> HandlerResult:
    """A method that is not there is told so without being repeated; a notification is dropped."""
    if ctx.request_id is not None and ctx.method not in METHODS:
        raise MCPError(METHOD_NOT_FOUND, "no such method here")
    return await call_next(ctx)


def problem_result(failure: Failure) -> CallToolResult:
    """What an HTTP caller would read in a problem document, without a document's envelope."""
    problem = problem_of(failure)
    told: dict[str, object] = {"problem": problem.slug}
    if problem.errors:
        told["errors"] = [{"field": field, "rule": rule} for field, rule in problem.errors]
    if problem.retry_after is not None:
        told["retryAfter"] = problem.retry_after
    told |= problem.more or {}
    return CallToolResult(content=[_text(told)], is_error=True)


def _found(response: WireResponse) -> CallToolResult:
    # The same twice: a client that does not know of structured content reads the text.
    return CallToolResult(content=[_text(response)], structured_content=response)


def _text(value: object) -> TextContent:
    return TextContent(type="text", text=json.dumps(value, ensure_ascii=False))
