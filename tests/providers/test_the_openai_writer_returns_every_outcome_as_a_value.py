"""R142, R162: what is asked of a model, and each reply it can give, through the real client."""

from __future__ import annotations

import json
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fonds.contract.citation import Citation
from fonds.contract.writer_reply import NotWritten, Written, WrittenSentence
from fonds.providers.openai_writer import OpenAIAnswers
from fonds.providers.responses_request import is_reasoning_model
from fonds.providers.writer_schema import ANSWER_SCHEMA, written_of
from tests.providers.stub_model import ANSWER, TASK, asked, response, text_part


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


OFF_SCHEMA: list[dict[str, Any]] = [
    {"mode": "certain"},
    {"note": "hollyhock"},
    {"sentences": [{"text": 6, "citations": []}]},
    {"sentences": [{"text": "The ferry runs at six."}]},
    {"sentences": [{"text": "x", "citations": [{"kind": "record", "hintId": "a", "url": "b"}]}]},
    {"sentences": [{"text": "x", "citations": [{"kind": "book", "recordId": "a", "url": "b"}]}]},
    {"sentences": [{"text": "a\x00b", "citations": []}]},
    {"sentences": [{"text": "a", "citations": [{"kind": "hint", "hintId": "a\x00", "url": "b"}]}]},
]


@pytest.mark.parametrize("change", OFF_SCHEMA)
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
