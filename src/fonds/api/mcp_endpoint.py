"""MCP over HTTP: one request in, one JSON reply out, no session and no stream (R189, R192).

What stands before it has let the caller in and bounded the body. It says which search the caller
may use; a call over MCP is then counted, cached and charged as any other search.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import Final, cast

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from mcp_types import INVALID_REQUEST, PARSE_ERROR
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import Message, Receive

from fonds.api.mcp_tool import Context, Search, search_server
from fonds.api.problems import Problem

LONGEST_ID: Final = 64
_VERSION: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
_SEARCH: Final = "mcp_search"  # where a request carries its search, from the route to the tool
_WRONG_METHOD: Final = Problem("method-not-allowed", 405, headers=(("allow", "POST"),))
_UNREADABLE: Final = Problem("malformed-request", 400, (("mcp-protocol-version", "YYYY-MM-DD"),))
_HOSTS: Final = {
    421: Problem("malformed-request", 421, (("host", "a name this service is known by"),)),
    403: Problem("malformed-request", 403, (("origin", "a name this service is known by"),)),
}


class McpEndpoint:
    """Answers what a route hands over; `running` spans the life of the application.

    `names` are the hosts the service is reached by, with their ports where these are not the
    scheme's own; `:*` stands for any, and for none. A page that a browser was tricked into taking
    for this service names another, and is refused.
    """

    def __init__(self, names: tuple[str, ...], body_bytes: int) -> None:
        # For the library any port is one that is written out.
        hosts = [one for name in names for one in dict.fromkeys((name, name.removesuffix(":*")))]
        security = TransportSecuritySettings(
            allowed_hosts=hosts,
            allowed_origins=[f"{way}://{host}" for host in hosts for way in ("http", "https")],
        )
        self._security = TransportSecurityMiddleware(security)
        self._body_bytes = body_bytes
        self._manager: StreamableHTTPSessionManager | None = None

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Entered for as long as requests are answered, and again when the application is."""
        self._manager = StreamableHTTPSessionManager(
            search_server(_search_of),
            json_response=True,
            stateless=True,
            max_request_body_size=self._body_bytes,
        )
        async with self._manager.run():
            yield

    async def refused(self, request: Request) -> Problem | None:
        """What is wrong with a request before its caller is let in, by method and headers alone."""
        if request.method != "POST":
            return _WRONG_METHOD
        wrong = await self._security.validate_request(request)
        if wrong is not None:
            return _HOSTS[wrong.status_code]
        version = request.headers.get("mcp-protocol-version")
        if version is not None and _VERSION.fullmatch(version) is None:
            return _UNREADABLE
        return None

    async def answer(self, request: Request, search: Search) -> Response:
        """The reply to one JSON-RPC message, whose tool call uses `search`."""
        body = await request.body()
        wrong = _wrong_message(body)
        if wrong is not None:
            return wrong
        if self._manager is None:
            raise RuntimeError("the endpoint is not running")
        request.scope.setdefault("state", {})[_SEARCH] = search
        reply = _Gathered()
        replayed = _replayed(body, request.receive)
        await self._manager.handle_request(request.scope, replayed, reply.send)
        return reply.response()


def _search_of(context: Context) -> Search:
    request = cast("Request", context.request)
    return cast("Search", getattr(request.state, _SEARCH))


def _wrong_message(body: bytes) -> Response | None:
    """An error of JSON-RPC for what is no single message of it; the library would repeat the
    caller's words in one.
    """
    try:
        message: object = json.loads(body)
    except (ValueError, RecursionError):
        return _rpc_error(PARSE_ERROR, "the body is not JSON")
    if not isinstance(message, Mapping):
        return _rpc_error(INVALID_REQUEST, "one JSON-RPC message, an object")
    members = cast("Mapping[str, object]", message)
    number, params = members.get("id", 0), members.get("params", {})
    if (
        members.get("jsonrpc") != "2.0"
        or not isinstance(members.get("method"), str)
        or not isinstance(params, Mapping)
        or isinstance(number, bool)
        or not (isinstance(number, int) or (isinstance(number, str) and len(number) <= LONGEST_ID))
    ):
        return _rpc_error(INVALID_REQUEST, "a request or a notification of JSON-RPC 2.0")
    return None


def _rpc_error(code: int, said: str) -> Response:
    error = {"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": said}}
    return JSONResponse(error, 400)


class _Gathered:
    """What the library would send, as one reply: it streams nothing here."""

    def __init__(self) -> None:
        self._status = 500
        self._media: str | None = None
        self._body = bytearray()

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._status = message["status"]
            self._media = Headers(raw=message["headers"]).get("content-type")
        else:
            self._body += message.get("body", b"")

    def response(self) -> Response:
        return Response(bytes(self._body), self._status, media_type=self._media)


def _replayed(body: bytes, receive: Receive) -> Receive:
    left: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return left.pop() if left else await receive()

    return again
