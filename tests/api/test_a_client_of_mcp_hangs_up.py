"""Whoever hangs up between being let in and its search is no defect, and begins no work (R189)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TypeVar

import pytest
from starlette.testclient import TestClient

from fonds.api.turns import CallerGone, Turns

T = TypeVar("T")


def test_a_caller_that_left_the_line_before_its_search_is_no_defect(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    turns = iter(["let in", "gone"])

    async def work(
        _: Turns, archive: str, caller: str, work: Callable[[], T], *__: object, elsewhere: bool
    ) -> T:
        assert not elsewhere
        if next(turns) == "gone":
            raise CallerGone
        return work()

    monkeypatch.setattr(Turns, "work", work)
    called = {"name": "search", "arguments": {"q": "the tidal clock"}}
    reply = client.post(
        "/v1/archives/tide/mcp",
        json={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": called},
        headers={"host": "127.0.0.1:8010", "accept": "application/json"},
    )
    (content,) = reply.json()["result"]["content"]
    assert json.loads(content["text"])["problem"] == "unavailable"
    assert "failed" not in caplog.text
