"""R189: `fonds mcp` as a client starts it: a process of its own, on its standard streams."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import anyio
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp_types import CallToolResult, ListToolsResult
from pydantic import SecretStr

from fonds.contract.search_request import SearchRequest
from fonds.retrieval.wire_response import search_response_json
from fonds.settings import Settings
from fonds.wiring.hosting_desk import hosting_desk
from tests.archives import essay, house_of, note, published, written
from tests.database.rows import cloned
from tests.scopes import COMMON
from tests.servers import Database, TestServer

CEILING = 60  # seconds; ends a hung test, decides nothing
ARGUMENTS = ["-c", "from fonds.cli.main import main; main(['mcp'])"]
SECRET = "She owed the pawnbroker Tolliver forty crowns."


@pytest.fixture(scope="module")
def shared(server: TestServer, template: str) -> Generator[Database]:
    with cloned(server, template) as made:
        yield made


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, shared: Database) -> Path:
    """An archive that is built."""
    files = {
        "essays/kites.md": essay("On Kites", "Aunt Ilse flew kites on the dyke at Norden."),
        "notes/ilse.md": note("A note", SECRET),
    }
    made = written(tmp_path_factory.mktemp("stdio") / "archive", files)
    with house_of(made, shared) as house:
        published(house)
    return made


@pytest.fixture
def environment(folder: Path, shared: Database) -> dict[str, str]:
    """What the process is started with: the archive, and its database's roles."""
    urls = shared.environment
    return urls | {
        "FONDS_ARCHIVE": str(folder),
        "FONDS_HOME": str(folder / "home"),
        "PATH": os.environ["PATH"],
    }


def test_the_sdks_client_searches_the_archive(
    environment: dict[str, str], folder: Path, shared: Database
) -> None:
    async def run() -> tuple[ListToolsResult, CallToolResult, CallToolResult]:
        started = StdioServerParameters(command=sys.executable, args=ARGUMENTS, env=environment)
        async with Client(started, read_timeout_seconds=CEILING) as client:
            listed = await client.list_tools()
            found = await client.call_tool("search", {"q": "kites and forty crowns"})
            wrong = await client.call_tool("search", {"q": "kites", "limit": 0})
            return listed, found, wrong

    listed, found, wrong = anyio.run(run)

    assert [tool.name for tool in listed.tools] == ["search"]
    with house_of(folder, shared) as house:
        response = house.search(SearchRequest("kites and forty crowns", limit=10, recency="none"))
    assert found.structured_content == search_response_json(response.response)
    assert {hit["raw"] for hit in found.structured_content["hits"]} == {"public", "private"}
    assert "Tolliver" not in str(found)
    assert wrong.is_error


@contextmanager
def process(environment: dict[str, str]) -> Generator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, *ARGUMENTS],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as started:
        ceiling = threading.Timer(CEILING, started.kill)
        ceiling.start()
        try:
            yield started
        finally:
            ceiling.cancel()
            started.kill()


def answer(started: subprocess.Popen[str], message: dict[str, object]) -> dict[str, Any]:
    assert started.stdin is not None
    assert started.stdout is not None
    started.stdin.write(json.dumps({"jsonrpc": "2.0"} | message) + "\n")
    started.stdin.flush()
    return json.loads(started.stdout.readline())


HELLO: Final = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "zebrawood", "version": "1"},
}


def test_a_key_is_asked_for_anew_and_a_signal_ends_it_in_order(
    environment: dict[str, str], shared: Database
) -> None:
    """A revoked key opens nothing from then on. What is read is a pipe somebody else holds open,
    which must not keep the process; no word is left on stderr.
    """
    kites: dict[str, object] = {
        "id": 4,
        "method": "tools/call",
        "params": {"name": "search", "arguments": {"q": "kites"}},
    }
    at = Settings(
        home=Path("/nowhere"),
        host_url=SecretStr(shared.url("fonds_host")),
        scope_key=SecretStr(COMMON),
    )
    with hosting_desk(at) as desk:
        key, kept = desk.mint("example", ("search",), "a client", None)
    with process(environment | {"FONDS_MCP_KEY": key.text}) as started:
        assert "result" in answer(started, {"id": 1, "method": "initialize", "params": HELLO})
        call = {"name": "search", "arguments": {"q": "zebrawood", "zebrawood": 1}}
        refused = answer(started, {"id": 2, "method": "tools/call", "params": call})
        unknown = answer(started, {"id": 3, "method": "zebrawood"})
        found = answer(started, kites)
        with hosting_desk(at) as desk:
            assert desk.revoke("example", kept.key_id)
        gone = answer(started, kites)
        started.send_signal(signal.SIGTERM)
        started.wait()
        out, err = started.communicate()

    assert found["result"]["structuredContent"]["matched"] >= 1
    assert gone["result"]["content"][0]["text"] == '{"problem": "no-such-archive"}'
    assert refused["result"]["isError"] is True
    assert "error" in unknown
    assert "zebrawood" not in json.dumps([refused, unknown])
    assert (started.returncode, out, err) == (128 + signal.SIGTERM, "", "")
