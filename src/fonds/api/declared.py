"""What the OpenAPI document says of each address: every status it answers with, and what then."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from fonds.api import examples
from fonds.api.problems import MEDIA_TYPE, TITLES, TYPE_PREFIX
from fonds.api.wire_about import WireAbout, WireHealth, WireStanding
from fonds.api.wire_answer import WireAnswer
from fonds.contract.outcomes import ProblemSlug
from fonds.retrieval.wire_response import WireResponse

Responses: TypeAlias = dict[int | str, dict[str, Any]]

_RETRY: Final = {
    "Retry-After": {
        "description": "Seconds after which to ask again.",
        "schema": {"type": "integer", "minimum": 1},
    }
}
_CHALLENGE: Final = {
    "WWW-Authenticate": {"description": "The scheme to use.", "schema": {"type": "string"}}
}
_INSTANCE: Final = "urn:uuid:6f1c0a54-9f0e-4a5e-9f5c-0f5d9d1c7a11"

_MEMBERS: Final[Mapping[ProblemSlug, Mapping[str, object]]] = {
    "request-refused": {"errors": [{"field": "limit", "rule": "integer from 1 to 20"}]},
    "too-many-requests": {"limit": "minute"},
    "not-ready": {
        "checks": {"database": False, "revision": False, "roleProof": False, "spaces": False}
    },
}


def _problem(status: int, *slugs: ProblemSlug, headers: Mapping[str, object]) -> dict[str, Any]:
    shown = {
        slug: {
            "value": {
                "type": TYPE_PREFIX + slug,
                "title": TITLES[slug],
                "status": status,
                "instance": _INSTANCE,
                **_MEMBERS.get(slug, {}),
            }
        }
        for slug in slugs
    }
    schema = {"$ref": "#/components/schemas/Problem"}
    return {
        "description": " ".join(TITLES[slug] for slug in slugs),
        "headers": dict(headers),
        "content": {MEDIA_TYPE: {"schema": schema, "examples": shown}},
    }


def _reply(model: type, description: str, **shown: Mapping[str, object]) -> dict[str, Any]:
    content = {"examples": {name: {"value": value} for name, value in shown.items()}}
    return {"model": model, "description": description, "content": {"application/json": content}}


_AT_AN_ARCHIVE: Final[Responses] = {
    401: _problem(401, "key-needed", headers=_CHALLENGE),
    403: _problem(403, "key-without-scope", headers={}),
    404: _problem(404, "no-such-archive", headers={}),
    422: _problem(422, "request-refused", headers={}),
    500: _problem(500, "defect", headers={}),
    503: _problem(
        503,
        "overloaded",
        "unavailable",
        "provider-unavailable",
        "nothing-served",
        "archive-unusable",
        headers=_RETRY,
    ),
}
_WITH_A_BODY: Final[Responses] = {
    413: _problem(413, "body-too-large", headers={}),
    415: _problem(415, "media-type-unknown", headers={}),
    429: _problem(429, "too-many-requests", headers=_RETRY),
}

FOUND: Final[Responses] = {
    200: _reply(WireResponse, "Hits, each within its policy.", found=examples.RESPONSE),
    **_AT_AN_ARCHIVE,
    **_WITH_A_BODY,
}
ANSWERED: Final[Responses] = {
    200: _reply(
        WireAnswer,
        "A cited answer, a pointer, or a refusal with its reason.",
        answered=examples.ANSWER,
        declined=examples.REFUSAL,
    ),
    **_AT_AN_ARCHIVE,
    **_WITH_A_BODY,
}
TOLD: Final[Responses] = {
    200: _reply(WireAbout, "Whose archive it is, and how much it serves.", told=examples.ABOUT),
    **_AT_AN_ARCHIVE,
}
STANDS: Final[Responses] = {
    200: _reply(WireStanding, "How the archive stands.", stands=examples.STANDING),
    **_AT_AN_ARCHIVE,
}
ALIVE: Final[Responses] = {
    200: _reply(WireHealth, "The process answers.", alive={"status": "alive"}),
    500: _problem(500, "defect", headers={}),
}
READY: Final[Responses] = {
    200: _reply(WireHealth, "Archives can be answered for.", ready={"status": "ready"}),
    500: _problem(500, "defect", headers={}),
    503: _problem(503, "not-ready", headers=_RETRY),
}

_SECURITY: Final[list[dict[str, list[str]]]] = [{"key": []}, {}]
TELLING: Final[dict[str, Any]] = {"security": _SECURITY}


def _body(schema: str, example: Mapping[str, object]) -> dict[str, Any]:
    content = {"schema": {"$ref": f"#/components/schemas/{schema}"}, "example": example}
    return {
        "security": _SECURITY,
        "requestBody": {"required": True, "content": {"application/json": content}},
    }


SEARCHED: Final = _body("SearchBody", examples.SEARCH)
ASKED: Final = _body("AskBody", examples.QUESTION)
