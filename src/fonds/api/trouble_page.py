"""What a person is told when a request comes to nothing: the problem a caller of the API gets, as a
page. Plain words for each kind, and no word of what was sent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Scope

from fonds.api.problems import Problem, problem_response
from fonds.contract.outcomes import ProblemSlug
from fonds.pages.rendering import page

API: Final = "/v1/archives/"

_NO_PAGE: Final = ("There is no such page", "Nothing is here to be read without a key.")
_FAILED: Final = ("Something failed that should not have", "Nothing of your question was kept.")
_AWAY: Final = ("No answer can be given for now", "This says nothing of your question.")
_SAID: Final[dict[ProblemSlug, tuple[str, str]]] = {
    "request-refused": ("This request cannot be read", "Open the page by its plain address."),
    "malformed-request": ("This request cannot be read", "Open the page by its plain address."),
    "key-needed": _NO_PAGE,
    "key-without-scope": _NO_PAGE,
    "no-such-archive": _NO_PAGE,
    "no-such-page": _NO_PAGE,
    "method-not-allowed": ("This page is only to be read", "Open it by its address."),
    "body-too-large": ("That is more than a question", "A question has at most 512 characters."),
    "media-type-unknown": ("This request cannot be read", "Ask from the page itself."),
    "sent-from-elsewhere": (
        "This question was sent by another site",
        "Nothing was asked. Ask from the page of the archive itself.",
    ),
    "too-many-requests": ("That was enough for now", "A limit on questions is used up."),
    "overloaded": ("Too much is asked at once", "Nothing was asked."),
    "unavailable": _AWAY,
    "provider-unavailable": _AWAY,
    "nothing-served": ("Nothing is published here yet", "Come back later."),
    "archive-unusable": ("This archive cannot answer", "Its keeper has to mend it first."),
}
_ENDS_BY_ITSELF: Final = frozenset(
    {"too-many-requests", "overloaded", "unavailable", "provider-unavailable"}
)


@dataclass(frozen=True, slots=True)
class Trouble:
    """A heading and one sentence."""

    heading: str
    remedy: str


def trouble_of(problem: Problem) -> Trouble:
    """A problem in plain words, with the time to wait where there is one."""
    heading, remedy = _SAID.get(problem.slug, _FAILED)
    if problem.slug in _ENDS_BY_ITSELF:
        remedy += f" Ask again {waiting(problem.retry_after or 0)}."
    return Trouble(heading, remedy)


def waiting(seconds: int) -> str:
    """A time to wait as one says it, never shorter than it is."""
    if seconds <= 60:
        return "in a minute"
    minutes = -(-seconds // 60)
    if minutes < 90:
        return f"in {minutes} minutes"
    return f"in {-(-minutes // 60)} hours"


def told(problem: Problem, scope: Scope) -> Response:
    """A page for whoever accepts pages, else the problem's document; below the API always that.

    The scope is of a request that the envelope has taken in.
    """
    request_id: str = scope["state"]["request_id"]
    if not reads_pages(scope):
        return problem_response(problem, request_id)
    reply = page(
        "reader/trouble.html",
        status=problem.status,
        root=scope.get("root_path", ""),
        trouble=trouble_of(problem),
    )
    return with_headers(reply, problem)


def with_headers(reply: Response, problem: Problem) -> Response:
    """A page with what its problem says in headers; none asks a browser for a key."""
    for name, value in problem.headers:
        if name != "www-authenticate":
            reply.headers[name] = value
    if problem.retry_after is not None:
        reply.headers["retry-after"] = str(problem.retry_after)
    return reply


def reads_pages(scope: Scope) -> bool:
    """Whether a reply is read by a person: by `Accept`, and never below the API."""
    path: str = scope["path"]
    return API not in path and "text/html" in Headers(scope=scope).get("accept", "")
