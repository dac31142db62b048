"""The access log: an application's route, status and time; a caller's words in no line (R186)."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fonds.observing.event_log import EventLog
from fonds.observing.in_hand import admitted_to, in_hand
from fonds.observing.observer import Observer
from fonds.observing.requests import Message, ObservedRequests, Receive, Send, request_id

WORD = "zebrawood"
UUID = "7d444840-9dc0-11d1-b245-5ffdce74fad2"


class Route:
    """What a router leaves in the scope of a request it knew."""

    def __init__(self, path: str) -> None:
        self.path = path


async def answers(scope: Message, receive: Receive, send: Send) -> None:
    """An application that knows /ask, hangs up on /gone, and fails over anything else."""
    if scope["path"] == "/ask":
        scope["route"] = Route("/v1/archives/{archive}/ask")
        admitted_to(7)
    elif scope["path"] != "/gone":
        raise ValueError(scope["path"])
    if scope["path"] != "/gone":
        await send({"type": "http.response.start", "status": 422, "headers": []})
        await send({"type": "http.response.body", "body": WORD.encode()})


def told(path: str, *, method: str = "POST", headers: Mapping[str, str] = {}) -> list[str]:
    """The lines of one request."""
    written, ticks = io.StringIO(), iter([1.0, 1.5])
    app = ObservedRequests(answers, Observer([EventLog(written)], clock=lambda: next(ticks)))
    scope: Message = {
        "type": "http",
        "path": path,
        "query_string": b"q=zebrawood",
        "method": method,
        "client": (WORD, 1),
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }

    async def receive() -> Message:
        return {"type": "http.request", "body": WORD.encode()}

    async def send(message: Message) -> None:
        """A caller that reads everything."""

    try:
        asyncio.run(app(scope, receive, send))
    except ValueError:
        assert path not in ("/ask", "/gone")
    assert in_hand() is None
    assert scope["state"]["request_id"] in written.getvalue()
    return written.getvalue().splitlines()


def test_a_request_is_one_line_of_closed_words() -> None:
    (line,) = told("/ask", headers={"x-request-id": UUID})
    served = json.loads(line)
    assert served.pop("at")
    assert served == {
        "event": "request.served",
        "request": UUID.replace("-", ""),
        "archive": 7,
        "route": "ask",
        "method": "POST",
        "status": 422,
        "milliseconds": 500.0,
    }


def test_a_caller_who_had_gone_is_499() -> None:
    (line,) = told("/gone")
    assert json.loads(line)["status"] == 499
    assert json.loads(line)["route"] == "other"


def test_a_defect_is_a_type_and_a_place() -> None:
    defect, served = (json.loads(line) for line in told(f"/{WORD}"))
    assert (defect["event"], defect["where"], defect["error"]) == (
        "defect.met",
        "request",
        "ValueError",
    )
    assert defect["place"].startswith("test_requests_are_told.py")
    assert defect["request"] == served["request"]
    assert (served["status"], served["route"]) == (500, "other")


@pytest.mark.parametrize("path", ["/ask", "/gone", f"/v1/archives/{WORD}/ask"])
@pytest.mark.parametrize(
    "name",
    ["authorization", "x-request-id", "traceparent", "tracestate", "user-agent", WORD, "baggage"],
)
def test_no_part_of_a_request_is_in_a_line(path: str, name: str) -> None:
    for line in told(path, method=WORD.upper(), headers={name: f"Bearer {WORD}"}):
        assert WORD not in line.lower()


@settings(deadline=None)
@given(header=st.text() | st.none())
def test_an_id_is_a_uuid_or_ours(header: str | None) -> None:
    made = request_id(header)
    assert len(made) == 32
    assert set(made) <= set("0123456789abcdef")
    assert request_id(UUID.upper()) == UUID.replace("-", "")


def test_what_is_no_http_passes() -> None:
    seen: list[str] = []

    async def app(scope: Message, receive: Receive, send: Send) -> None:
        seen.append(scope["type"])

    async def nothing() -> Message:
        return {}

    async def nowhere(message: Message) -> None:
        """Nobody."""

    asyncio.run(ObservedRequests(app, Observer())({"type": "lifespan"}, nothing, nowhere))
    assert seen == ["lifespan"]
