"""The OpenAPI document against the application: shapes are a snapshot, statuses are reached, and
what a machine makes up of it breaks nothing (R133).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

import hypothesis
import jsonschema
import pytest
import schemathesis
from hypothesis import strategies as st
from schemathesis import checks as common_checks
from schemathesis.generation.modes import GenerationMode
from schemathesis.specs.openapi import checks as openapi_checks
from starlette.testclient import TestClient

from fonds.api import examples
from fonds.contract.outcomes import FAILURES, NOT_ADMITTED, REFUSALS
from fonds.wiring.hosting import Hosting
from tests.api.conftest import Hosted
from tests.api.snapshot import SNAPSHOT, without_version
from tests.hosts import app_of

# The library types its checks in part only.
_COMMON, _OPENAPI = cast("Any", common_checks), cast("Any", openapi_checks)
CHECKS = [
    _COMMON.not_a_server_error,
    _OPENAPI.status_code_conformance,
    _OPENAPI.content_type_conformance,
    _OPENAPI.response_headers_conformance,
    _OPENAPI.response_schema_conformance,
    _OPENAPI.negative_data_rejection,
]
OPERATIONS = (
    ("post", "/v1/archives/{archive}/search"),
    ("post", "/v1/archives/{archive}/ask"),
    ("get", "/v1/archives/{archive}"),
    ("get", "/v1/archives/{archive}/standing"),
    ("get", "/livez"),
    ("get", "/readyz"),
)


@pytest.fixture(scope="module")
def document(client: TestClient) -> dict[str, Any]:
    return client.get("/openapi.json").json()


def test_the_document_is_the_one_that_was_read(document: dict[str, Any]) -> None:
    """A change here is a change of the wire: additive, or another contract. Read it, then write the
    snapshot anew: `python -m tests.api.snapshot`.
    """
    assert without_version(document) == json.loads(SNAPSHOT.read_text(encoding="utf-8"))


def test_every_address_is_declared_and_no_other(document: dict[str, Any]) -> None:
    declared = {(method, path) for path, methods in document["paths"].items() for method in methods}
    assert declared == set(OPERATIONS)


def test_every_status_a_failure_or_a_refusal_can_have_is_declared(document: dict[str, Any]) -> None:
    ends = (*FAILURES.values(), *NOT_ADMITTED.values(), *REFUSALS.values())
    possible = {str(end.status) for end in ends} | {"200", "413", "415"}
    for _, path in OPERATIONS[:2]:
        assert set(document["paths"][path]["post"]["responses"]) == possible


@pytest.mark.parametrize(
    ("name", "example"),
    [
        ("WireResponse", examples.RESPONSE),
        ("WireAnswer", examples.ANSWER),
        ("WireAnswer", examples.REFUSAL),
        ("WireAbout", examples.ABOUT),
        ("WireStanding", examples.STANDING),
        ("SearchBody", examples.SEARCH),
        ("AskBody", examples.QUESTION),
    ],
)
def test_the_examples_are_of_their_shapes(
    document: dict[str, Any], name: str, example: Mapping[str, object]
) -> None:
    schema = {"$ref": f"#/components/schemas/{name}", "components": document["components"]}
    jsonschema.validate(example, schema)


def test_every_example_of_a_problem_is_one(document: dict[str, Any]) -> None:
    schema = {"$ref": "#/components/schemas/Problem", "components": document["components"]}
    for method, path in OPERATIONS:
        for status, reply in document["paths"][path][method]["responses"].items():
            for shown in reply["content"].get("application/problem+json", {}).get("examples", {}):
                example = reply["content"]["application/problem+json"]["examples"][shown]["value"]
                jsonschema.validate(example, schema)
                assert str(example["status"]) == status


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_nothing_a_machine_makes_up_breaks_the_service(
    hosting: Hosting, hosted: Hosted, method: str, path: str
) -> None:
    """Twenty requests an address, of the declared shapes and against them, with a key and without:
    every reply is a declared one of its shape, and none is a defect.
    """
    schema: Any = schemathesis.openapi.from_asgi("/openapi.json", app_of(hosting))
    at = {"archive": "harbour"} if "{archive}" in path else None
    operation = schema[path][method]
    made_up = [operation.as_strategy(mode, path_parameters=at) for mode in GenerationMode]
    statuses: list[int] = []

    @hypothesis.settings(max_examples=20, deadline=None, derandomize=True, database=None)
    @hypothesis.given(case=st.one_of(*made_up), with_key=st.booleans())
    def each(
        case: Any,  # noqa: ANN401 - the library's own
        *,
        with_key: bool,
    ) -> None:
        reply = case.call(headers=hosted.bearer("harbour") if with_key else {})
        case.validate_response(reply, checks=CHECKS)
        statuses.append(reply.status_code)

    each()
    assert len(statuses) >= (20 if method == "post" else 1)
    assert set(statuses) <= {200, 401, 404, 405, 415, 422}
