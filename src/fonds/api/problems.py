"""What a caller is told when a request comes to nothing: a problem document of RFC 9457 that names
field and rule, never a value, a key or a question (R130, R186).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from starlette.responses import Response

from fonds.contract.failures import Failure, Overloaded, QueryRefused, TooMany
from fonds.contract.outcomes import RETRY_SECONDS, ProblemSlug, outcome_of
from fonds.retrieval.wire_request import RequestRefused

MEDIA_TYPE: Final = "application/problem+json"
TYPE_PREFIX: Final = "urn:fonds:problem:"

TITLES: Final[Mapping[ProblemSlug, str]] = {
    "request-refused": "The request is out of shape.",
    "malformed-request": "The request cannot be read.",
    "key-needed": "A key is needed: send it as Authorization: Bearer.",
    "key-without-scope": "The key does not allow this.",
    "no-such-archive": "There is no such archive, or the key is not for it.",
    "no-such-page": "There is nothing at this address.",
    "method-not-allowed": "This address does not take this method.",
    "body-too-large": "The body is too large.",
    "media-type-unknown": "The body has to be application/json, in UTF-8, not compressed.",
    "sent-from-elsewhere": "A form of another site is not taken.",
    "too-many-requests": "A limit is used up for now.",
    "overloaded": "Too much is asked at once.",
    "unavailable": "The service cannot answer for now.",
    "provider-unavailable": "What embeds or writes for this archive does not answer for now.",
    "nothing-served": "This archive serves nothing yet.",
    "archive-unusable": "This archive cannot answer until its owner or its host mends it.",
    "not-ready": "The service is not ready.",
    "defect": "Something failed that should not have.",
}


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem, before it is written. `more` are members of its own kind: no free text."""

    slug: ProblemSlug
    status: int
    errors: tuple[tuple[str, str], ...] = ()
    retry_after: int | None = None
    headers: tuple[tuple[str, str], ...] = ()
    more: Mapping[str, object] | None = None


def problem_of(failure: Failure) -> Problem:
    """What the one table says of a failure; nothing of its message."""
    outcome = outcome_of(failure)
    errors: tuple[tuple[str, str], ...] = ()
    more: Mapping[str, object] | None = None
    retry_after = RETRY_SECONDS if outcome.status == 503 else None
    if isinstance(failure, RequestRefused):
        errors = tuple((error.field, error.rule) for error in failure.errors)
    elif isinstance(failure, QueryRefused):
        errors = ((failure.field, failure.rule),)
    elif isinstance(failure, TooMany):
        retry_after, more = failure.retry_after, {"limit": failure.limit}
    elif isinstance(failure, Overloaded):
        retry_after = failure.retry_after
    asks_for_key = outcome.status == 401
    headers = (("www-authenticate", 'Bearer realm="fonds"'),) if asks_for_key else ()
    return Problem(outcome.problem, outcome.status, errors, retry_after, headers, more)


def problem_response(problem: Problem, request_id: str) -> Response:
    """The document of a problem; `instance` is the id of the request."""
    document: dict[str, object] = {
        "type": TYPE_PREFIX + problem.slug,
        "title": TITLES[problem.slug],
        "status": problem.status,
        "instance": f"urn:uuid:{request_id}",
    }
    if problem.errors:
        document["errors"] = [{"field": field, "rule": rule} for field, rule in problem.errors]
    document |= problem.more or {}
    response = Response(json.dumps(document), problem.status, media_type=MEDIA_TYPE)
    for name, value in problem.headers:
        response.headers[name] = value
    if problem.retry_after is not None:
        response.headers["retry-after"] = str(problem.retry_after)
    return response
