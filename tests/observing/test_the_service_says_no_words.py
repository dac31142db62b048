"""A real `fonds serve`, sent planted words in every part of a request; then everything it wrote is
searched for them (R186, C21).
"""

from __future__ import annotations

import json
import socket
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path

import pytest

from tests.archives import UNGATED, house_of, published, written
from tests.hosts import OPEN, minted
from tests.observing.collector import collecting
from tests.observing.planted import FILES, PLANTED, QUESTION, ServerLog, fetched, found_in, traces
from tests.observing.served import Served, served
from tests.servers import Database

WORD = "zebrawood"
SEARCH, ASK = "/v1/archives/tide/search", "/v1/archives/tide/ask"
MCP = "/v1/archives/tide/mcp"
ASKED = {"q": QUESTION}


def call(name: str, arguments: object) -> dict[str, object]:
    """A call of a tool of MCP."""
    parameters = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": WORD, "method": "tools/call", "params": parameters}


@dataclass(frozen=True)
class Sent:
    """One request, and the status that is its answer."""

    status: int
    path: str
    body: object = None
    method: str = "POST"
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


REQUESTS = (
    Sent(200, SEARCH, ASKED),
    Sent(200, SEARCH, ASKED),
    Sent(200, ASK, ASKED),
    Sent(200, ASK, {"q": "When was the Harbourbell ledger kept?"}),
    Sent(200, "/v1/archives/tide", method="GET"),
    Sent(200, f"/livez?q={WORD}", method="GET"),
    Sent(200, "/readyz", method="GET"),
    Sent(401, f"/v1/archives/{WORD}/search", ASKED),
    Sent(404, SEARCH, ASKED, headers={"authorization": f"Bearer fonds_{WORD}sesame"}),
    Sent(404, f"/{WORD}/sesame", method="GET"),
    Sent(405, SEARCH, method="DELETE"),
    Sent(405, SEARCH, method=WORD.upper()),
    Sent(422, SEARCH, {"q": QUESTION, WORD: "quillfeather"}),
    Sent(422, SEARCH, {"q": {WORD: QUESTION}}),
    Sent(422, SEARCH, {"q": QUESTION, "filters": {WORD: WORD}}),
    Sent(422, SEARCH, {"q": QUESTION, "filters": {"dateFrom": WORD}}),
    Sent(422, SEARCH, b'{"q": "zebrawood quillfeather'),
    Sent(422, ASK, b"\xff\xfe zebrawood"),
    Sent(413, ASK, {"q": f"{QUESTION} " * 5000}),
    Sent(415, ASK, ASKED, headers={"content-type": f"text/{WORD}"}),
    Sent(200, MCP, call("search", ASKED)),
    Sent(200, MCP, call(WORD, {WORD: "sesame"})),
    Sent(200, MCP, call("search", {"q": [QUESTION]})),
    *(
        Sent(200, "/livez", method="GET", headers={name: f"sesame {WORD}"})
        for name in ("user-agent", "x-request-id", "traceparent", "tracestate", "baggage", "cookie")
    ),
    Sent(200, "/livez", method="GET", headers={"x-forwarded-for": WORD, WORD: "sesame"}),
)


@pytest.fixture
def environment(database: Database, tmp_path: Path) -> dict[str, str]:
    """A folder of archives: one that is served to everybody, one whose file is broken."""
    archives = tmp_path / "archives"
    tide = written(archives / "tide", FILES, "tide", gate=UNGATED + OPEN)
    with house_of(tide, database) as house:
        published(house)
    broken = written(archives / "harbour", {}, "harbour")
    (broken / "archive.toml").write_text('zebrawood = "Quillfeather"\nname = ', encoding="utf-8")
    (archives / "not a slug, sesame").mkdir()
    urls = database.environment
    return {
        **urls,
        "FONDS_ARCHIVES": str(archives),
        "FONDS_HOME": str(tmp_path / "unused"),
        "FONDS_METRICS_PORT": "0",
        "FONDS_TRACES": "true",
        "OPENAI_LOG": "debug",
        "PYTHONWARNINGS": "always",
    }


def test_a_service_writes_no_planted_word_anywhere(
    environment: dict[str, str], database: Database, tmp_path: Path
) -> None:
    log = ServerLog(database)
    with collecting() as collected:
        settings = {**environment, "OTEL_EXPORTER_OTLP_ENDPOINT": collected.url}
        with served(tmp_path, settings) as service:
            key = minted(database, "tide", "search", "ask")
            keyed = Sent(200, SEARCH, ASKED, headers={"authorization": f"Bearer {key}"})
            replies = [(sent, answered(service, sent)) for sent in (*REQUESTS, keyed)]
            malformed(service)
            page = fetched(metrics_port(service)).decode()
    others = [(sent.path, *got) for sent, got in replies if got[0] != sent.status]
    assert others == [], "\n".join(map(str, others))
    places = {
        "log": service.log.read_text(encoding="utf-8"),
        "metrics": page,
        "traces": traces(collected),
        "database log": log.since,
        "refusals": "".join(body for sent, (_, body) in replies if sent.status >= 400),
    }
    assert {place: found for place, words in places.items() if (found := found_in(words))} == {}
    assert key not in "".join(places.values())
    assert str(tmp_path) not in "".join(places.values())
    check_the_log(service)
    for measure in ('fonds_requests_total{route="ask",status="200"}', "fonds_build_age_seconds{"):
        assert measure in page, measure
    assert 'fonds_archives{state="unusable"} 2.0' in page
    assert all(span in places["traces"] for span in ("request", "search", "embed", "ask"))


def metrics_port(service: Served) -> int:
    """As the service says it in its log."""
    (port,) = [one["port"] for one in service.events if one["event"] == "metrics.listening"]
    assert isinstance(port, int)
    return port


def check_the_log(service: Served) -> None:
    """The premise: every request has its line, and everything that happens is told of."""
    events = service.events
    access = [one for one in events if one["event"] == "request.served"]
    assert len(access) == len(REQUESTS) + 1
    assert {one["route"] for one in access} == {
        *("search", "ask", "about", "mcp", "livez", "readyz", "other")
    }
    # In no order: a reply is told of when it was sent, and the next may be quicker.
    assert Counter(one["status"] for one in access) == Counter(
        sent.status for sent in (*REQUESTS, Sent(200, SEARCH))
    )
    asked = [one for one in access if one["route"] in ("search", "ask") and one["status"] == 200]
    assert {one.get("archive") for one in asked} == {1}
    assert {one["event"] for one in events} >= {
        *("process.stands", "metrics.listening", "caller.admitted", "limit.decided"),
        *("cache.asked", "texts.embedded", "archive.searched", "archive.unusable"),
        *("question.answered", "question.refused", "library.remark"),
    }
    moments = [one["moment"] for one in events if one["event"] == "process.stands"]
    assert moments == ["started", "ready", "ending", "ended"]
    assert "defect.met" not in {one["event"] for one in events}


def answered(service: Served, sent: Sent) -> tuple[int, str]:
    """Status and body of a request, on a connection of its own."""
    connection = HTTPConnection("127.0.0.1", service.port, timeout=60)
    body = sent.body if isinstance(sent.body, bytes | None) else json.dumps(sent.body)
    headers = {
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        **sent.headers,
    }
    connection.request(sent.method, sent.path, body=body, headers=headers)
    reply = connection.getresponse()
    found = reply.status, reply.read().decode()
    connection.close()
    return found


def malformed(service: Served) -> None:
    """Something that is no HTTP; the server's own library has a word to say about it."""
    with socket.create_connection(("127.0.0.1", service.port), timeout=60) as raw:
        raw.sendall(b"zebrawood sesame\r\nquillfeather\r\n\r\n")
        while raw.recv(4096):
            """Until it hangs up."""


def test_the_words_are_planted() -> None:
    sent = str([(one.path, one.body, dict(one.headers)) for one in REQUESTS]).lower()
    assert {"zebrawood", "quillfeather", "sesame", "harbourbell"} <= set(found_in(sent))
    assert set(PLANTED) >= set(found_in(sent))
