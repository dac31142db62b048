"""R189: one tool over the search of the service, with the wire's schemas and the fixed copy."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any, Literal, TypeVar

import anyio
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, TextContent
from pydantic import TypeAdapter

from fonds.api.mcp_tool import Context, Search, search_server
from fonds.contract.failures import (
    Failure,
    Misconfigured,
    NothingServed,
    Overloaded,
    ProviderUnavailable,
    TooMany,
    Unavailable,
)
from fonds.contract.search_request import Filters, SearchRequest
from fonds.contract.search_response import SearchResponse, ServedIndex
from fonds.retrieval.policy_copy import EXPOSURE_COPY, POLICY_NOTE
from fonds.retrieval.wire_request import SearchBody
from fonds.retrieval.wire_response import WireResponse, search_response_json
from tests.factories import a_locator_hit, a_semantic_hit, a_text_hit

T = TypeVar("T")
PLANTED = "zebrawood quillfeather"
INDEX = ServedIndex(datetime(2026, 1, 1, tzinfo=UTC), 2, 3)
HITS = (a_text_hit(), a_semantic_hit(), a_locator_hit())
ERAS: tuple[Literal["auto", "legacy"], ...] = ("auto", "legacy")

pytestmark = pytest.mark.parametrize("era", ERAS)


class Searches:
    """What the tool calls: remembers what it was asked, and answers or fails as told."""

    def __init__(self, failing: BaseException | None = None) -> None:
        self.asked: list[SearchRequest] = []
        self._failing = failing

    def of(self, context: Context) -> Search:
        return self._search

    async def _search(self, request: SearchRequest) -> SearchResponse:
        self.asked.append(request)
        if self._failing is not None:
            raise self._failing
        return SearchResponse(request.query, HITS, 3, 0, INDEX)


def with_client(
    searches: Searches,
    era: Literal["auto", "legacy"],
    step: Callable[[Client], Awaitable[T]],
) -> T:
    """One step of the SDK's own client, connected in memory."""

    async def run() -> T:
        async with Client(search_server(searches.of), mode=era) as client:
            return await step(client)

    return anyio.run(run)


def called(
    searches: Searches, era: Literal["auto", "legacy"], arguments: dict[str, Any] | None
) -> CallToolResult:
    async def step(client: Client) -> CallToolResult:
        await client.list_tools()  # so that the client holds the result against the schema
        return await client.call_tool("search", arguments)

    return with_client(searches, era, step)


def told(result: CallToolResult) -> dict[str, Any]:
    """The one text of a result."""
    (content,) = result.content
    assert isinstance(content, TextContent)
    return json.loads(content.text)


def test_there_is_one_tool_with_the_schemas_of_the_wire(era: Literal["auto", "legacy"]) -> None:
    (tool,) = with_client(Searches(), era, lambda client: client.list_tools()).tools

    assert tool.name == "search"
    assert tool.input_schema == SearchBody.model_json_schema()
    assert tool.output_schema == TypeAdapter(WireResponse).json_schema()
    assert tool.annotations is not None
    assert tool.annotations.read_only_hint is True


def test_its_description_says_the_fixed_copy_and_how_to_ask(era: Literal["auto", "legacy"]) -> None:
    """R132, R189: word for word what every response carries."""
    (tool,) = with_client(Searches(), era, lambda client: client.list_tools()).tools

    said = tool.description or ""
    assert all(copy in said for copy in (*EXPOSURE_COPY.values(), POLICY_NOTE))
    assert all(level + ": " in said for level in EXPOSURE_COPY)
    for advice in ("several narrow searches", "filters.dateFrom", "filters.speaker"):
        assert advice in said
    assert "drafted by a machine" in said
    assert "not a quotation" in said


def test_a_call_is_the_search_it_asks_for_and_answers_as_the_wire_does(
    era: Literal["auto", "legacy"],
) -> None:
    searches = Searches()
    arguments = {
        "q": "kites",
        "limit": 3,
        "filters": {"type": ["essay"], "dateFrom": "2019", "speaker": "Ilse"},
        "recency": "prefer-recent",
    }

    result = called(searches, era, arguments)

    asked = Filters(types=("essay",), date_from="2019", speaker="Ilse")
    request = SearchRequest("kites", limit=3, filters=asked, recency="prefer-recent")
    assert searches.asked == [request]
    expected = search_response_json(SearchResponse("kites", HITS, 3, 0, INDEX))
    assert result.is_error is False
    assert result.structured_content == expected
    assert told(result) == expected


@pytest.mark.parametrize(
    ("arguments", "errors"),
    [
        (None, [("q", "required")]),
        ({"q": 7}, [("q", "text of 1 to 512 characters")]),
        ({"q": PLANTED, PLANTED: PLANTED}, [("body", "has no such key")]),
        ({"q": PLANTED * 100}, [("q", "text of 1 to 512 characters")]),
        ({"q": PLANTED * 100_000}, [("q", "text of 1 to 512 characters")]),
        ({"q": "kites", "limit": 21}, [("limit", "integer from 1 to 20")]),
        (
            {"q": PLANTED, "filters": {"raw": PLANTED, PLANTED: 1}},
            [("filters.raw", "public or private"), ("filters", "has no such key")],
        ),
        ({"q": PLANTED, "filters": {"dateFrom": "soon"}}, [("filters.dateFrom", None)]),
        ({"q": PLANTED, "filters": [PLANTED]}, [("filters", None)]),
    ],
)
def test_wrong_arguments_are_told_by_field_and_rule(
    era: Literal["auto", "legacy"],
    arguments: dict[str, object] | None,
    errors: list[tuple[str, str | None]],
) -> None:
    """R130: never by a value, and nothing is searched."""
    searches = Searches()

    result = called(searches, era, arguments)

    problem = told(result)
    assert result.is_error
    assert result.structured_content is None
    assert problem["problem"] == "request-refused"
    assert [error["field"] for error in problem["errors"]] == [field for field, _ in errors]
    for error, (_, rule) in zip(problem["errors"], errors, strict=True):
        assert rule is None or error["rule"] == rule
    assert "zebra" not in json.dumps(problem)
    assert searches.asked == []


@pytest.mark.parametrize(
    ("failure", "expected"),
    [
        (
            TooMany("private", 77),
            {"problem": "too-many-requests", "retryAfter": 77, "limit": "private"},
        ),
        (Overloaded(3), {"problem": "overloaded", "retryAfter": 3}),
        (Unavailable(PLANTED), {"problem": "unavailable", "retryAfter": 5}),
        (ProviderUnavailable(PLANTED), {"problem": "provider-unavailable", "retryAfter": 5}),
        (NothingServed(PLANTED), {"problem": "nothing-served", "retryAfter": 5}),
        (Misconfigured(PLANTED), {"problem": "archive-unusable", "retryAfter": 5}),
        (Failure(PLANTED), {"problem": "defect"}),
        (ValueError(PLANTED), {"problem": "defect"}),
    ],
    ids=lambda given: type(given).__name__,
)
def test_what_goes_wrong_is_a_tool_error_without_a_message(
    era: Literal["auto", "legacy"],
    failure: Exception,
    expected: dict[str, object],
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The client's model may try again, and reads nothing an exception happened to hold."""
    caplog.set_level("DEBUG")

    result = called(Searches(failure), era, {"q": PLANTED})

    assert result.is_error
    assert told(result) == expected
    assert "zebrawood" not in caplog.text


def test_there_is_no_other_tool_and_no_other_method(era: Literal["auto", "legacy"]) -> None:
    searches = Searches()

    async def step(client: Client) -> list[str]:
        said: list[str] = []
        for attempt in (
            client.call_tool(PLANTED, {"q": "kites"}),
            client.list_resources(),
            client.list_prompts(),
            client.get_prompt(PLANTED),
            client.read_resource("file:///zebrawood"),
        ):
            with pytest.raises(MCPError) as refused:
                await attempt
            said.append(f"{refused.value.error.message} {refused.value.error.data}")
        return said

    said = with_client(searches, era, step)

    assert said[0].startswith("there is one tool here: search")
    assert not any("zebrawood" in one for one in said)
    assert searches.asked == []
