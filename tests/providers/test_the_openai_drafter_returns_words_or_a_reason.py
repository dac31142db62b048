"""R081, R194: what is asked of a drafting model, and each reply it can give."""

from __future__ import annotations

import json

import httpx2
import pytest

from fonds.contract.draft_reply import Drafted, DraftReply, DraftTask
from fonds.contract.failures import Misconfigured
from fonds.contract.writer_reply import NotWritten
from fonds.providers.openai_calls import OpenAIAccess
from fonds.providers.openai_drafter import (
    DRAFTER_LIMITS,
    GIST_SCHEMA,
    OpenAIDrafter,
    OpenAIDrafting,
)
from fonds.providers.scripted_drafter import ScriptedDrafter
from tests.providers.stub_model import Handler, response, text_part

TASK = DraftTask("note:a#1", "Describe.", '{"passage": "hollyhock"}')
GIST = {"gist": "A flower, and who grew it."}


def drafter(handler: Handler, drafting: OpenAIDrafting | None = None) -> OpenAIDrafter:
    return OpenAIDrafter(
        OpenAIAccess(api_key="sk-made-up"),
        drafting,
        transport=httpx2.MockTransport(handler),
        sleep=lambda _: None,
    )


def asked(
    body: object, status: int = 200, drafting: OpenAIDrafting | None = None
) -> tuple[DraftReply, list[httpx2.Request]]:
    requests: list[httpx2.Request] = []

    def handler(request: httpx2.Request) -> httpx2.Response:
        requests.append(request)
        return httpx2.Response(status, json=body)

    with_it = drafter(handler, drafting)
    try:
        return with_it.draft(TASK), requests
    finally:
        with_it.close()


def said(gist: object) -> dict[str, object]:
    return response([text_part(json.dumps(gist))])


def test_the_request_stores_nothing_and_binds_the_shape() -> None:
    """R081: store false, strict schema, temperature 0, and who asks only as a hash."""
    reply, (request,) = asked(said(GIST), drafting=OpenAIDrafting(safety_subject="the-archive"))
    sent = json.loads(request.content)
    assert reply == Drafted("A flower, and who grew it.")
    assert request.url.path == "/v1/responses"
    assert len(sent.pop("safety_identifier")) == 32
    assert sent == {
        "model": "gpt-4o-mini",
        "instructions": "Describe.",
        "input": '{"passage": "hollyhock"}',
        "store": False,
        "max_output_tokens": 4000,
        "temperature": 0,
        "text": {
            "format": {"type": "json_schema", "name": "gist", "strict": True, "schema": GIST_SCHEMA}
        },
    }
    assert "the-archive" not in request.content.decode()
    assert "note:a#1" not in request.content.decode()


def test_a_reasoning_model_is_given_a_low_effort_and_no_temperature() -> None:
    _, (request,) = asked(said(GIST), drafting=OpenAIDrafting("gpt-5-mini"))
    sent = json.loads(request.content)
    assert sent["reasoning"] == {"effort": "low"}
    assert "temperature" not in sent
    assert "safety_identifier" not in sent


def test_a_draft_is_given_two_minutes() -> None:
    """R081."""
    seen: list[object] = []

    def handler(request: httpx2.Request) -> httpx2.Response:
        seen.append(request.extensions["timeout"]["read"])
        return httpx2.Response(200, json=said(GIST))

    drafter(handler).draft(TASK)
    assert DRAFTER_LIMITS.request_seconds == 120
    assert seen == [120.0]


@pytest.mark.parametrize(
    ("gist", "outcome"),
    [
        ({"gist": "  A flower.\n"}, Drafted("A flower.")),
        ({"gist": " \n"}, NotWritten("unparseable_response", "an empty gist")),
        ({"gist": 7}, NotWritten("unparseable_response", "not a gist")),
        ({"gist": "a", "more": "hollyhock"}, NotWritten("unparseable_response", "not a gist")),
        ("hollyhock", NotWritten("unparseable_response", "not a gist")),
        ({"gist": "a\x00"}, NotWritten("unparseable_response", "NUL or a lone surrogate")),
    ],
)
def test_words_are_trimmed_and_anything_else_is_a_reason(gist: object, outcome: DraftReply) -> None:
    """No reason repeats what the model said."""
    reply, _ = asked(said(gist))
    assert reply == outcome
    assert "hollyhock" not in repr(reply)
    assert "flower" not in repr(reply)


@pytest.mark.parametrize(
    ("body", "status", "reason", "requests"),
    [
        (response([{"type": "refusal", "refusal": "hollyhock"}]), 200, "model_declined", 1),
        (response([], status="incomplete"), 200, "unparseable_response", 1),
        ({"error": {"message": "hollyhock"}}, 400, "model_declined", 1),
        ({"error": {"message": "hollyhock"}}, 500, "model_unavailable", 2),
        ({"error": {"message": "hollyhock"}}, 429, "model_unavailable", 2),
    ],
)
def test_a_failing_model_is_a_value(body: object, status: int, reason: str, requests: int) -> None:
    reply, made = asked(body, status)
    assert isinstance(reply, NotWritten)
    assert reply.reason == reason
    assert len(made) == requests
    assert "hollyhock" not in repr(reply)


def test_a_missing_key_names_its_remedy_and_asks_nobody() -> None:
    """R045: a drafter that is never asked needs none."""
    made = OpenAIDrafter(OpenAIAccess())
    assert made.model == "openai:gpt-4o-mini"
    with pytest.raises(Misconfigured, match=r"^the drafter needs an API key: set OPENAI_API_KEY$"):
        made.draft(TASK)


def test_a_refused_key_is_no_outcome_of_a_draft() -> None:
    with pytest.raises(Misconfigured):
        asked({"error": {"message": "hollyhock"}}, 401)


def test_a_scripted_drafter_fails_at_the_end_of_its_script() -> None:
    scripted = ScriptedDrafter([Drafted("A.")])
    assert scripted.draft(TASK) == Drafted("A.")
    with pytest.raises(AssertionError, match="asked 2 times"):
        scripted.draft(TASK)
