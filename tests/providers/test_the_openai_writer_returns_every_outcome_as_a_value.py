"""R142, R161, R162: each reply of a Responses API, through the real client over a mock transport."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, cast

import httpx2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fonds.contract.answer_evidence import AnswerEvidence
from fonds.contract.citation import Citation
from fonds.contract.failures import Misconfigured
from fonds.contract.writer_reply import (
    NotWritten,
    WriterReply,
    WriterTask,
    Written,
    WrittenSentence,
)
from fonds.providers.openai_calls import OpenAIAccess
from fonds.providers.openai_writer import OpenAIAnswers, OpenAIWriter, is_reasoning_model
from fonds.providers.writer_schema import ANSWER_SCHEMA, written_of

TASK = WriterTask(
    instructions="Answer from the records.",
    prompt="RECORDS ... QUESTION when does the ferry run",
    question="when does the ferry run",
    evidence=AnswerEvidence(),
)
ANSWER = {
    "mode": "supported",
    "sentences": [
        {
            "text": "The ferry runs at six.",
            "citations": [
                {"kind": "record", "recordId": "essay:ferry#1", "url": "https://example.org/f"},
                {"kind": "hint", "hintId": "note:tide#2", "url": "https://example.org/n"},
            ],
        }
    ],
}
Handler = Callable[[httpx2.Request], httpx2.Response]


def response(content: list[dict[str, Any]], **fields: Any) -> dict[str, Any]:
    message = {"type": "message", "role": "assistant", "id": "m", "content": content}
    return {
        "id": "r",
        "object": "response",
        "status": "completed",
        "output": [{"type": "reasoning", "id": "t", "summary": []}, message],
        **fields,
    }


def text_part(text: str) -> dict[str, Any]:
    return {"type": "output_text", "text": text, "annotations": []}


def writer(handler: Handler, answers: OpenAIAnswers | None = None) -> OpenAIWriter:
    return OpenAIWriter(
        OpenAIAccess(api_key="sk-made-up"),
        answers,
        transport=httpx2.MockTransport(handler),
        sleep=lambda _: None,
    )


def asked(
    body: object, status: int = 200, answers: OpenAIAnswers | None = None
) -> tuple[WriterReply, list[httpx2.Request]]:
    """The reply of one write, with the requests that were made of it."""
    requests: list[httpx2.Request] = []

    def handler(request: httpx2.Request) -> httpx2.Response:
        requests.append(request)
        return httpx2.Response(status, json=body)

    with_it = writer(handler, answers)
    try:
        return with_it.write(TASK), requests
    finally:
        with_it.close()


def test_a_reply_of_the_agreed_shape_is_written() -> None:
    """R142: the parts of the text are joined, and each sentence keeps its own citations."""
    whole = json.dumps(ANSWER)
    found, _ = asked(response([text_part(whole[:20]), text_part(whole[20:])]))
    assert found == Written(
        "supported",
        (
            WrittenSentence(
                "The ferry runs at six.",
                (
                    Citation("record", "essay:ferry#1", "https://example.org/f"),
                    Citation("hint", "note:tide#2", "https://example.org/n"),
                ),
            ),
        ),
    )


def test_the_request_stores_nothing_and_binds_the_shape() -> None:
    """R142: store false, strict schema, temperature 0, a bound, and who asks only as a hash."""
    _, (request,) = asked(
        response([text_part(json.dumps(ANSWER))]),
        answers=OpenAIAnswers(safety_subject="the-example-archive"),
    )
    sent = json.loads(request.content)
    assert request.url.path == "/v1/responses"
    assert len(sent.pop("safety_identifier")) == 32
    assert sent == {
        "model": "gpt-4o-mini",
        "instructions": TASK.instructions,
        "input": TASK.prompt,
        "store": False,
        "max_output_tokens": 4000,
        "temperature": 0,
        "text": {
            "format": {
                "type": "json_schema",
                "name": "archive_answer",
                "strict": True,
                "schema": ANSWER_SCHEMA,
            }
        },
    }
    assert "the-example-archive" not in request.content.decode()


@pytest.mark.parametrize("model", ["gpt-5", "gpt-5-mini", "o3", "o4-mini", "vendor/o1-preview"])
def test_a_reasoning_model_is_given_an_effort_and_no_temperature(model: str) -> None:
    """R142: such a model refuses a temperature."""
    _, (request,) = asked(
        response([text_part(json.dumps(ANSWER))]), answers=OpenAIAnswers(model=model)
    )
    sent = json.loads(request.content)
    assert sent["reasoning"] == {"effort": "low"}
    assert "temperature" not in sent


@pytest.mark.parametrize("model", ["gpt-4o-mini", "gpt-4.1", "olmo-7b", "vendor/gpt-4o"])
def test_another_model_is_not_taken_for_a_reasoning_one(model: str) -> None:
    """An o without a digit is a name."""
    assert not is_reasoning_model(model)


@pytest.mark.parametrize(
    ("body", "outcome"),
    [
        (
            response([{"type": "refusal", "refusal": "hollyhock"}]),
            NotWritten("model_declined", "refusal"),
        ),
        (
            response(
                [text_part('{"mode": "supp')],
                status="incomplete",
                incomplete_details={"reason": "max_output_tokens"},
            ),
            NotWritten("unparseable_response", "incomplete"),
        ),
        (
            response([], status="incomplete", incomplete_details={"reason": "content_filter"}),
            NotWritten("model_declined", "content_filter"),
        ),
        (response([], status="failed"), NotWritten("model_unavailable", "failed")),
        (response([], status="queued"), NotWritten("unparseable_response", "not completed")),
        (response([]), NotWritten("unparseable_response", "empty")),
        (response([text_part(" \n")]), NotWritten("unparseable_response", "empty")),
        (
            response([text_part("I think hollyhock")]),
            NotWritten("unparseable_response", "json_invalid"),
        ),
        (response([text_part("[]")]), NotWritten("unparseable_response", "model_type")),
        ("<html>hollyhock</html>", NotWritten("unparseable_response", "not a response")),
        ({"output": None}, NotWritten("unparseable_response", "not a response")),
    ],
)
def test_a_reply_that_is_no_answer_has_its_own_outcome(body: object, outcome: NotWritten) -> None:
    """R162: declined, cut, failed, empty, not JSON, wrong shape; the model's words are in none."""
    found, requests = asked(body)
    assert found == outcome
    assert len(requests) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"mode": "certain"},
        {"note": "hollyhock"},
        {"sentences": [{"text": 6, "citations": []}]},
        {"sentences": [{"text": "The ferry runs at six."}]},
        {
            "sentences": [
                {"text": "x", "citations": [{"kind": "record", "hintId": "a", "url": "b"}]}
            ]
        },
        {
            "sentences": [
                {"text": "x", "citations": [{"kind": "book", "recordId": "a", "url": "b"}]}
            ]
        },
        {"sentences": [{"text": "a\x00b", "citations": []}]},
    ],
)
def test_a_reply_off_the_schema_is_unparseable(change: dict[str, Any]) -> None:
    """R162: an extra property, a wrong type, a missing one, a crossed citation, a NUL."""
    found = written_of(json.dumps({**ANSWER, **change}))
    assert isinstance(found, NotWritten)
    assert found.reason == "unparseable_response"
    assert "hollyhock" not in found.detail


# A small alphabet of what JSON is made of: the whole of Unicode takes seconds to prepare.
WORDS = st.text('{}[]":,\\ u0e\x00é', max_size=60)


@given(WORDS | st.recursive(st.none() | WORDS, st.lists).map(json.dumps))
@settings(max_examples=60, deadline=None)
def test_no_text_of_a_model_makes_the_reader_raise(text: str) -> None:
    """R161: whatever a model says is a value."""
    assert isinstance(written_of(text), (Written, NotWritten))


@pytest.mark.parametrize(
    ("status", "outcome", "requests"),
    [
        (429, NotWritten("model_unavailable", "429"), 2),
        (500, NotWritten("model_unavailable", "500"), 2),
        (503, NotWritten("model_unavailable", "503"), 2),
        (400, NotWritten("model_unavailable", "400"), 1),
    ],
)
def test_a_provider_that_fails_is_unavailable_after_one_more_try(
    status: int, outcome: NotWritten, requests: int
) -> None:
    """R142, R162: one retry, and none for a request that is refused as it stands."""
    found, made = asked({"error": {"message": "hollyhock"}}, status)
    assert found == outcome
    assert len(made) == requests


def test_a_content_filter_before_the_model_is_a_decline() -> None:
    """R142: some servers refuse with a status where others answer with a refusal."""
    found, _ = asked({"error": {"message": "x", "code": "content_filter"}}, 400)
    assert found == NotWritten("model_declined", "content_filter")


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_wrong_key_or_model_is_raised_for_the_operator(status: int) -> None:
    """R161: misconfiguration is no refusal."""
    with pytest.raises(Misconfigured) as raised:
        asked({"error": {"message": "hollyhock"}}, status)
    assert "hollyhock" not in str(raised.value)


@pytest.mark.parametrize(
    ("error", "detail"),
    [(httpx2.ReadTimeout("x"), "APITimeoutError"), (httpx2.ConnectError("x"), "ConnectError")],
)
def test_a_model_that_cannot_be_reached_is_unavailable(error: Exception, detail: str) -> None:
    """R162: not raised."""

    def broken(_: httpx2.Request) -> httpx2.Response:
        raise error

    assert writer(broken).write(TASK) == NotWritten("model_unavailable", detail)


def test_a_defect_of_our_own_is_raised() -> None:
    """R161: containment names the provider's exceptions and no others."""

    def defect(_: httpx2.Request) -> httpx2.Response:
        raise TypeError("ours")

    with pytest.raises(TypeError, match="ours"):
        writer(defect).write(TASK)


def test_without_a_key_everything_but_a_call_works() -> None:
    """R045: the client is made when it is needed."""
    keyless = OpenAIWriter(OpenAIAccess())
    assert keyless.name == "openai:gpt-4o-mini"
    keyless.close()
    with pytest.raises(Misconfigured, match="OPENAI_API_KEY"):
        keyless.write(TASK)


def test_a_reply_that_drips_past_its_time_is_given_up() -> None:
    """R142: 30 s overall, though each piece comes in time."""
    now = [0.0]

    class Drip(httpx2.SyncByteStream):
        def __iter__(self) -> Any:
            while True:
                now[0] += 5.0
                yield b" "

    slow = OpenAIWriter(
        OpenAIAccess(api_key="sk-made-up"),
        transport=httpx2.MockTransport(lambda _: httpx2.Response(200, stream=Drip())),
        sleep=lambda _: None,
        clock=lambda: now[0],
    )
    assert slow.write(TASK) == NotWritten("model_unavailable", "APITimeoutError")
    assert now[0] == pytest.approx(35.0)


def test_a_reply_without_end_is_cut_off() -> None:
    """A hostile server does not fill the memory."""

    class Flood(httpx2.SyncByteStream):
        def __iter__(self) -> Any:
            while True:
                yield b" " * 2**16

    found = writer(lambda _: httpx2.Response(200, stream=Flood())).write(TASK)
    assert found == NotWritten("unparseable_response", "reply out of bounds")


def test_the_schema_is_strict_at_every_object() -> None:
    """R142: no extra properties, all required."""

    def objects(node: object) -> list[dict[str, Any]]:
        if isinstance(node, list):
            return [found for part in cast("list[object]", node) for found in objects(part)]
        if not isinstance(node, dict):
            return []
        known = cast("dict[str, Any]", node)
        inner = [found for part in known.values() for found in objects(part)]
        return [known, *inner] if known.get("type") == "object" else inner

    found = objects(ANSWER_SCHEMA)
    assert len(found) == 4
    for each in found:
        assert each["additionalProperties"] is False
        assert each["required"] == list(each["properties"])
