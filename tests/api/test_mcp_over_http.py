"""R187, R189, R192: MCP at an archive's address, let in, counted and answered as a search is."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult
from starlette.testclient import TestClient
from starlette.types import ASGIApp, Message

from fonds.contract.caller import Caller
from fonds.contract.service_ports import Limiter
from fonds.wiring.hosting import Hosting
from tests.api.conftest import Hosted
from tests.hosts import WORDS, app_of

T = TypeVar("T")
PLANTED = "zebrawood"
HOST = "127.0.0.1:8010"
HELLO: dict[str, Any] = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": PLANTED, "version": "1"},
    },
}
Era = Literal["auto", "legacy"]


@dataclass
class Counted:
    """The limiter of a hosting, and whom it was asked about."""

    limiter: Limiter
    taken: list[Caller] = field(default_factory=list[Caller])
    charged: list[Caller] = field(default_factory=list[Caller])

    def take(self, archive_id: int, caller: Caller) -> None:
        self.taken.append(caller)
        self.limiter.take(archive_id, caller)

    def charge_private(self, archive_id: int, caller: Caller, question: bytes) -> None:
        self.charged.append(caller)
        self.limiter.charge_private(archive_id, caller, question)


def address(slug: str) -> str:
    return f"/v1/archives/{slug}/mcp"


@asynccontextmanager
async def started(app: ASGIApp) -> AsyncGenerator[None]:
    """The application with its lifespan, in this event loop."""
    said_in, said_out = anyio.create_memory_object_stream[Message](2), list[Message]()
    begun, ended = anyio.Event(), anyio.Event()

    async def send(message: Message) -> None:
        said_out.append(message)
        (begun if "startup" in message["type"] else ended).set()

    async def live() -> None:
        await app({"type": "lifespan", "state": {}}, said_in[1].receive, send)

    async with anyio.create_task_group() as tasks, said_in[0], said_in[1]:
        tasks.start_soon(live)
        await said_in[0].send({"type": "lifespan.startup"})
        await begun.wait()
        yield
        await said_in[0].send({"type": "lifespan.shutdown"})
        await ended.wait()
    assert [one["type"] for one in said_out] == [
        "lifespan.startup.complete",
        "lifespan.shutdown.complete",
    ]


def with_client(
    hosting: Hosting,
    slug: str,
    headers: dict[str, str],
    step: Callable[[Client], Awaitable[T]],
    era: Era = "auto",
) -> T:
    """One step of the SDK's own client, over HTTP to the application in this process."""

    async def run() -> T:
        app = app_of(hosting)
        async with (
            started(app),
            httpx2.AsyncClient(transport=httpx2.ASGITransport(app), headers=headers) as http,
            Client(
                streamable_http_client(f"http://{HOST}{address(slug)}", http_client=http),
                mode=era,
            ) as client,
        ):
            return await step(client)

    return anyio.run(run)


@pytest.mark.parametrize("era", ["auto", "legacy"])
@pytest.mark.parametrize("slug", list(WORDS))
def test_the_sdks_client_finds_what_a_search_finds(
    hosting: Hosting, client: TestClient, hosted: Hosted, slug: str, era: Era
) -> None:
    """Two closed archives with their keys and an open one, in both eras of the protocol."""
    headers = hosted.bearer(slug) if slug != "tide" else {}

    async def step(client: Client) -> CallToolResult:
        assert [tool.name for tool in (await client.list_tools()).tools] == ["search"]
        return await client.call_tool("search", {"q": WORDS[slug]})

    result = with_client(hosting, slug, headers, step, era)

    found = client.post(f"/v1/archives/{slug}/search", json={"q": WORDS[slug]}, headers=headers)
    assert result.structured_content == found.json()
    assert found.json()["hits"][0]["text"] == WORDS[slug]


def test_a_call_is_counted_and_charged_and_kept_as_a_search_is(
    hosting: Hosting, hosted: Hosted
) -> None:
    """R187: MCP is no way round a limit; the second of two alike is answered from the cache."""
    counted = Counted(hosting.limiter)
    watched = dataclasses.replace(hosting, limiter=counted)
    arguments = {"q": "What did the miller bury under the third sycamore?"}

    async def step(client: Client) -> list[Any]:
        return [(await client.call_tool("search", arguments)).structured_content for _ in range(2)]

    held = hosting.cache.held()[0]
    first, second = with_client(watched, "mill", hosted.bearer("mill"), step)

    assert first == second
    assert {hit["raw"] for hit in first["hits"]} >= {"private"}
    assert [caller.kind for caller in counted.taken] == ["key", "key"]
    assert counted.charged == counted.taken
    assert hosting.cache.held()[0] == held + 1


def posted(
    client: TestClient, slug: str, body: object, headers: dict[str, str] | None = None
) -> httpx2.Response:
    """A message as JSON, or a body as it is."""
    given = {"host": HOST, "accept": "application/json", "content-type": "application/json"}
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return client.post(address(slug), content=content, headers=given | (headers or {}))


def problem(reply: httpx2.Response, status: int) -> str:
    """The slug of a problem; nothing that was sent is in it, and nothing keeps it."""
    assert reply.status_code == status
    assert reply.headers["content-type"] == "application/problem+json"
    assert reply.headers["cache-control"] == "no-store"
    assert PLANTED not in reply.text
    return reply.json()["type"].rpartition(":")[2]


def test_nobody_is_told_of_the_tool_who_is_not_let_in(client: TestClient, hosted: Hosted) -> None:
    """R192: at an archive and at none alike, and before the protocol has begun."""
    for slug in ("mill", "nowhere"):
        assert problem(posted(client, slug, HELLO), 401) == "key-needed"
        wrong = [hosted.bearer("harbour"), {"authorization": f"Bearer {PLANTED}"}]
        for key in wrong:
            assert problem(posted(client, slug, HELLO, key), 404) == "no-such-archive"
    assert problem(posted(client, "tide", HELLO, hosted.bearer("mill")), 404) == "no-such-archive"


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
def test_there_is_no_session_to_open_or_to_end(client: TestClient, method: str) -> None:
    reply = client.request(method, address("tide"), headers={"host": HOST})

    assert problem(reply, 405) == "method-not-allowed"
    assert reply.headers["allow"] == "POST"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": f"{PLANTED}.example"}, 421),
        ({"host": f"127.0.0.1.{PLANTED}.example:8010"}, 421),
        ({"origin": f"https://{PLANTED}.example"}, 403),
        ({"origin": "null"}, 403),
        ({"mcp-protocol-version": PLANTED}, 400),
        ({"content-type": f"text/{PLANTED}"}, 415),
        ({"content-encoding": "gzip"}, 415),
    ],
)
def test_a_request_led_here_by_another_name_is_refused(
    client: TestClient, headers: dict[str, str], status: int
) -> None:
    """As a browser sends it for a page whose name was bent to this address."""
    problem(posted(client, "tide", HELLO, headers), status)


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": f"http://{HOST}"},
        {"host": "localhost"},
        {"host": "localhost", "origin": "https://localhost"},
        {"host": "[::1]:8010"},
    ],
)
def test_a_name_of_the_services_own_may_ask(client: TestClient, headers: dict[str, str]) -> None:
    """With its port and without, as a proxy may pass it on."""
    reply = posted(client, "tide", HELLO, headers)

    assert reply.status_code == 200
    assert "mcp-session-id" not in reply.headers
    assert reply.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    "body",
    [
        b"{zebrawood",
        b'["zebrawood"]',
        b"[" * 5_000,
        b'"zebrawood"',
        {"zebrawood": 1},
        {"jsonrpc": "2.0", "id": 1, "result": {"zebrawood": 1}},
        {"jsonrpc": "2.0", "id": {"zebrawood": 1}, "method": "ping"},
        {"jsonrpc": "2.0", "id": PLANTED * 10, "method": "ping"},
        {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": [PLANTED]},
        {"jsonrpc": "2.0", "id": 1, "method": {"zebrawood": 1}},
        [HELLO, HELLO],
    ],
)
@pytest.mark.parametrize("version", ["2025-06-18", "2026-07-28"])
def test_what_is_no_message_is_told_so_without_being_repeated(
    client: TestClient, body: object, version: str
) -> None:
    reply = posted(client, "tide", body, {"mcp-protocol-version": version})

    assert reply.status_code == 400
    assert reply.json()["error"]["code"] in (-32700, -32600)
    assert PLANTED not in reply.text


@pytest.mark.parametrize("version", ["2025-06-18", "2026-07-28", "1999-01-01"])
@pytest.mark.parametrize(
    "message",
    [
        {"method": PLANTED},
        {"method": "tools/call", "params": {"name": PLANTED, "arguments": {}}},
        {"method": "tools/call", "params": {"name": {"zebrawood": 1}}},
        {"method": "tools/call", "params": {"name": "search", "arguments": [PLANTED]}},
        {"method": "tools/call", "params": {"name": "search", "arguments": {"q": 1, PLANTED: 1}}},
        {"method": "initialize", "params": {"protocolVersion": {PLANTED: 1}}},
        {"method": "subscriptions/listen", "params": {"zebrawood": 1}},
        {"method": "resources/read", "params": {"uri": "file:///zebrawood"}},
    ],
)
def test_no_error_of_the_protocol_repeats_a_callers_words(
    client: TestClient, message: dict[str, object], version: str
) -> None:
    reply = posted(
        client,
        "tide",
        {"jsonrpc": "2.0", "id": 7} | message,
        {"mcp-protocol-version": version, "accept": "application/json, text/event-stream"},
    )

    assert reply.headers["content-type"].startswith("application/json")
    assert "error" in reply.text.lower()
    assert PLANTED not in reply.text


def test_a_body_over_its_bound_is_not_read(client: TestClient, hosting: Hosting) -> None:
    call = {"name": "search", "arguments": {"q": PLANTED * hosting.settings.serve_body_bytes}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}

    assert problem(posted(client, "tide", message), 413) == "body-too-large"


def test_a_key_and_a_question_have_no_place_in_the_address(client: TestClient) -> None:
    headers = {"host": HOST, "accept": "application/json"}
    reply = client.post(address("tide") + f"?q={PLANTED}", json=HELLO, headers=headers)

    assert problem(reply, 422) == "request-refused"
