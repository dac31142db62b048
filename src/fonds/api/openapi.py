"""The OpenAPI document: what FastAPI makes of the routes, with bodies, problems and the key."""

from __future__ import annotations

from typing import Any, Final

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic.json_schema import models_json_schema

from fonds.api.problems import TITLES, TYPE_PREFIX
from fonds.retrieval.wire_request import AskBody, FilterBody, SearchBody

DESCRIPTION: Final = (
    "An archive answers from what its author published and cites it, points at private material, "
    "or declines. Private material is never quoted; its scores are rounded."
)
_PROBLEM: Final[dict[str, Any]] = {
    "type": "object",
    "title": "Problem",
    "description": "RFC 9457. Names field and rule, never a value.",
    "required": ["type", "title", "status", "instance"],
    "properties": {
        "type": {"type": "string", "enum": [TYPE_PREFIX + slug for slug in TITLES]},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "instance": {"type": "string", "pattern": "^urn:uuid:"},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["field", "rule"],
                "properties": {"field": {"type": "string"}, "rule": {"type": "string"}},
            },
        },
        "limit": {"type": "string", "enum": ["minute", "day", "archive", "private"]},
        "reason": {"type": "string", "enum": ["model_unavailable", "embedder_unavailable"]},
        "checks": {"type": "object", "additionalProperties": {"type": "boolean"}},
    },
}


def openapi_document(app: FastAPI) -> dict[str, Any]:
    """The document of this application, the same each time."""
    document = get_openapi(
        title=app.title,
        version=app.version,
        description=DESCRIPTION,
        routes=app.routes,
        servers=[{"url": app.root_path}] if app.root_path else None,
    )
    components = document.setdefault("components", {})
    schemas = components.setdefault("schemas", {})
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    _, bodies = models_json_schema(
        [(SearchBody, "validation"), (AskBody, "validation"), (FilterBody, "validation")],
        ref_template="#/components/schemas/{model}",
    )
    schemas |= bodies["$defs"] | {"Problem": _PROBLEM}
    components["schemas"] = dict(sorted(schemas.items()))
    components["securitySchemes"] = {
        "key": {"type": "http", "scheme": "bearer", "description": "A key minted for the archive."}
    }
    return document
