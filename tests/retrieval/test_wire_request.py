"""A request on the wire: strict, and refused without a word of what it held (R105, R130)."""

from __future__ import annotations

import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fonds.contract.search_request import Filters, SearchRequest
from fonds.retrieval.wire_request import RequestRefused, SearchBody, parsed_search


def errors(body: object) -> list[dict[str, str]]:
    with pytest.raises(RequestRefused) as refused:
        parsed_search(json.dumps(body))
    return refused.value.errors_json()


def test_a_question_alone_gets_the_defaults_of_the_wire() -> None:
    """R130, R110: ten hits of one list, no filter, recency off."""
    assert parsed_search('{"q": "kites"}') == SearchRequest("kites", limit=10, recency="none")


def test_everything_a_request_may_hold_is_read() -> None:
    """R130: camelCase on the wire, one meaning inside."""
    body = {
        "q": "kites",
        "limit": 20,
        "recency": "prefer-recent",
        "filters": {
            "type": ["essay"],
            "dateFrom": "2019",
            "dateTo": "2020-02",
            "undated": "include",
            "creator": "okafor",
            "speaker": "mina",
            "exposure": ["text", "semantic"],
            "raw": "public",
        },
    }
    wanted = SearchRequest(
        "kites",
        limit=20,
        recency="prefer-recent",
        filters=Filters(
            types=("essay",),
            date_from="2019",
            date_to="2020-02",
            undated="include",
            creator="okafor",
            speaker="mina",
            exposures=("text", "semantic"),
            raw="public",
        ),
    )
    assert parsed_search(json.dumps(body)) == wanted
    assert parsed_search(body) == wanted
    assert parsed_search(json.dumps(body).encode()) == wanted


@pytest.mark.parametrize(
    ("body", "field", "rule"),
    [
        ({"q": "kites", "limit": 21}, "limit", "integer from 1 to 20"),
        ({"q": "kites", "limit": 0}, "limit", "integer from 1 to 20"),
        ({"q": "kites", "limit": True}, "limit", "integer from 1 to 20"),
        ({"q": "kites", "limit": "5"}, "limit", "integer from 1 to 20"),
        ({"q": "kites", "limit": 5.5}, "limit", "integer from 1 to 20"),
        ({}, "q", "required"),
        ({"q": ""}, "q", "text of 1 to 512 characters"),
        ({"q": " \n "}, "q", "not blank"),
        ({"q": "x" * 513}, "q", "text of 1 to 512 characters"),
        ({"q": "x " * 201}, "q", "at most 200 words"),
        ({"q": "a\x00b"}, "q", "no NUL and no lone surrogate"),
        ({"q": 7}, "q", "text of 1 to 512 characters"),
        ({"q": "x", "filters": []}, "filters", "an object"),
        ({"q": "x", "filters": {"type": []}}, "filters.type", "a list of 1 to 20 texts"),
        ({"q": "x", "filters": {"type": ["y"] * 21}}, "filters.type", "a list of 1 to 20 texts"),
        ({"q": "x", "filters": {"type": [1]}}, "filters.type[0]", "a list of 1 to 20 texts"),
        (
            {"q": "x", "filters": {"exposure": ["none"]}},
            "filters.exposure[0]",
            "a list of 1 to 20 of text, semantic, locator",
        ),
        ({"q": "x", "filters": {"raw": "secret"}}, "filters.raw", "public or private"),
        ({"q": "x", "filters": {"undated": "yes"}}, "filters.undated", "include or exclude"),
        (
            {"q": "x", "filters": {"dateFrom": "spring"}},
            "filters.dateFrom",
            "YYYY, YYYY-MM or YYYY-MM-DD",
        ),
        (
            {"q": "x", "filters": {"dateTo": "2019-02-30"}},
            "filters.dateTo",
            "YYYY, YYYY-MM or YYYY-MM-DD",
        ),
        (
            {"q": "x", "filters": {"dateFrom": "2020", "dateTo": "2019"}},
            "filters.dateTo",
            "not before dateFrom",
        ),
        ({"q": "x", "filters": {"creator": " "}}, "filters.creator", "not blank"),
        ({"q": "x", "recency": "always"}, "recency", "none, auto or prefer-recent"),
        ({"q": "x", "query": "y"}, "body", "has no such key"),
        ({"q": "x", "limitPerRaw": {}}, "body", "has no such key"),
        ({"q": "x", "filters": {"date_from": "2019"}}, "filters", "has no such key"),
        ([], "body", "a JSON object"),
        (None, "body", "a JSON object"),
    ],
)
def test_each_error_names_field_and_rule(body: object, field: str, rule: str) -> None:
    """R130: one entry an error, a path and what has to stand there."""
    assert errors(body) == [{"field": field, "rule": rule}]


def test_all_errors_of_shape_are_told_at_once() -> None:
    """R130: a caller mends a request in one go."""
    found = errors({"limit": 99, "recency": "x", "filters": {"raw": "y", "wind": 1}})
    assert found == [
        {"field": "q", "rule": "required"},
        {"field": "limit", "rule": "integer from 1 to 20"},
        {"field": "filters.raw", "rule": "public or private"},
        {"field": "filters", "rule": "has no such key"},
        {"field": "recency", "rule": "none, auto or prefer-recent"},
    ]


@pytest.mark.parametrize("body", [b"", b"{", b"\xff\xfe", b'{"q": "x"}{', b"quillfeather"])
def test_a_body_that_is_no_json_is_refused_as_a_whole(body: bytes) -> None:
    """R130: no excerpt of what was sent."""
    with pytest.raises(RequestRefused) as refused:
        parsed_search(body)
    assert refused.value.errors_json() == [{"field": "body", "rule": "a JSON object"}]


WORDS = "quillfeather zebrawood"


@given(
    place=st.sampled_from(("q", "limit", "filters", "recency", "type", "creator", "raw", "key")),
    padding=st.text(max_size=30),
)
def test_a_refusal_repeats_nothing_of_the_request(place: str, padding: str) -> None:
    """R130, R186: neither values nor keys a caller made up, in no form of the error."""
    said = padding + WORDS
    body: dict[str, object] = {"q": "x" * 600 + said}
    if place in {"limit", "filters", "recency"}:
        body[place] = said
    elif place == "key":
        body |= {said: 1, "filters": {said: said}}
    else:
        body["filters"] = {place: {said: said}}
    with pytest.raises(RequestRefused) as refused:
        parsed_search(json.dumps(body))
    shown = f"{refused.value} {refused.value!r} {refused.value.errors_json()}"
    for word in WORDS.split():
        assert word not in shown
    assert refused.value.__cause__ is None
    assert all(len(error["field"]) <= 40 for error in refused.value.errors_json())


def test_a_refusal_crosses_a_process_whole() -> None:
    """It is a Failure like any other: pickled, one line."""
    with pytest.raises(RequestRefused) as refused:
        parsed_search({"limit": 99})
    copy = pickle.loads(pickle.dumps(refused.value))  # noqa: S301
    assert copy.errors == refused.value.errors
    assert str(copy) == "q: required"


def test_the_models_hide_what_they_hold() -> None:
    """R013: a question is in no repr."""
    body = SearchBody.model_validate({"q": WORDS, "filters": {"creator": "zebrawood"}})
    assert "zebrawood" not in repr(body)


def test_the_schema_of_the_request_is_the_one_agreed() -> None:
    """R133: additive only; a change here is read by a person."""
    schema = SearchBody.model_json_schema(by_alias=True)
    assert sorted(schema["properties"]) == ["filters", "limit", "q", "recency"]
    assert schema["required"] == ["q"]
    assert schema["additionalProperties"] is False
    filters = schema["$defs"]["FilterBody"]
    assert filters["additionalProperties"] is False
    assert sorted(filters["properties"]) == [
        "creator",
        "dateFrom",
        "dateTo",
        "exposure",
        "raw",
        "speaker",
        "type",
        "undated",
    ]
    assert schema["properties"]["limit"] == {
        "default": 10,
        "maximum": 20,
        "minimum": 1,
        "title": "Limit",
        "type": "integer",
    }
