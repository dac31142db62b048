"""The words an event may hold: each a closed list, or an id of a checked shape (R186).

Nothing a caller, an author or a provider wrote can be put in a field of these types: a value that
is on no list and of no shape is refused when the event is made.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Final, Literal, TypeAlias, get_args

from fonds.contract.archive_slug import SLUG_SHAPE
from fonds.contract.failures import LimitName, WhyNotAdmitted


@dataclass(frozen=True, slots=True)
class Shape:
    """The shape of an id, in characters that spell no sentence."""

    pattern: str

    def fits(self, value: str) -> bool:
        return re.fullmatch(self.pattern, value) is not None


RequestId: TypeAlias = Annotated[str, Shape(r"[0-9a-f]{32}")]
"""Of random bits, or a caller's UUID without its hyphens."""
Slug: TypeAlias = Annotated[str, Shape(SLUG_SHAPE.pattern)]
"""A folder's name as the host gave it; never one a caller asked for."""
TypeName: TypeAlias = Annotated[str, Shape(r"[A-Za-z_][A-Za-z0-9_]{0,79}")]
"""The name of a class that stands in a loaded module (`reduced.type_name`)."""
Place: TypeAlias = Annotated[str, Shape(r"[A-Za-z0-9_.-]{1,80}\.py:[0-9]{1,6}|elsewhere")]
"""File and line of loaded code (`reduced.place_of`)."""
LoggerName: TypeAlias = Annotated[str, Shape(r"[A-Za-z_][A-Za-z0-9_.]{0,99}")]
"""The loaded module a logger is named after, else `other` (`reduced.logger_name`)."""

RouteName: TypeAlias = Literal[
    "search",
    "ask",
    "about",
    "standing",
    "mcp",
    "livez",
    "readyz",
    "schema",
    "reader",
    "reader-about",
    "reader-led",
    "static",
    "other",
]
ROUTES: Final[dict[str, RouteName]] = {
    "/v1/archives/{archive}/search": "search",
    "/v1/archives/{archive}/ask": "ask",
    "/v1/archives/{archive}": "about",
    "/v1/archives/{archive}/standing": "standing",
    "/v1/archives/{archive}/mcp": "mcp",
    "/livez": "livez",
    "/readyz": "readyz",
    "/openapi.json": "schema",
    "/{archive}/": "reader",
    "/{archive}/about": "reader-about",
    "/{archive}": "reader-led",
    "/_static/{file}": "static",
}
"""A route's template to its name; a path that matched none is `other`."""

Method: TypeAlias = Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "other"]
AdmissionDecision: TypeAlias = WhyNotAdmitted | Literal["admitted", "failed"]
LimitDecision: TypeAlias = LimitName | Literal["allowed", "failed"]
LimitStep: TypeAlias = Literal["take", "charge"]
CacheKind: TypeAlias = Literal["search", "ask"]
CacheOutcome: TypeAlias = Literal["hit", "miss"]
StepOutcome: TypeAlias = Literal["done", "failed"]
WorkStep: TypeAlias = Literal["search", "ask", "ingest", "build"]
WriterOutcome: TypeAlias = Literal[
    "written", "model_declined", "unparseable_response", "model_unavailable", "failed"
]
FailureName: TypeAlias = Literal[
    "Failure",
    "Misconfigured",
    "MisauthoredInput",
    "MisauthoredFile",
    "PublicSafeLintError",
    "IllegalDisclosure",
    "LeakRefused",
    "ValidationRefused",
    "AcceptanceNeeded",
    "Unavailable",
    "ProviderUnavailable",
    "ProviderMisbehaved",
    "QueryRefused",
    "NothingServed",
    "Busy",
    "StoreRefused",
    "NotAdmitted",
    "TooMany",
    "Overloaded",
    "defect",
]
"""The closed family of failures, and `defect` for everything else."""
JobName: TypeAlias = Literal["ingest", "build", "other"]
JobState: TypeAlias = Literal["waiting", "working", "failed"]
PoolState: TypeAlias = Literal["open", "idle"]
ArchiveState: TypeAlias = Literal["usable", "unusable"]
ProcessName: TypeAlias = Literal["serve", "worker", "job", "mcp", "desk"]
ProcessMoment: TypeAlias = Literal["started", "ready", "ending", "ended"]
UnusableWhy: TypeAlias = Literal["unreadable", "wrong-slug", "outside", "misconfigured"]
Level: TypeAlias = Literal["debug", "info", "warning", "error", "critical"]
RoleName: TypeAlias = Literal[
    "fonds_reader",
    "fonds_ingest",
    "fonds_build",
    "fonds_curator",
    "fonds_migrator",
    "fonds_host",
    "fonds_queue",
    "fonds_limiter",
    "other",
]
Whereabouts: TypeAlias = Literal["main", "thread", "loop", "unraisable", "request"]

_METHODS: Final[frozenset[str]] = frozenset(get_args(Method))
_FAILURES: Final[frozenset[str]] = frozenset(get_args(FailureName))


def route_name(template: str | None) -> RouteName:
    """The name of a route by its template; a path of the caller's own is never told."""
    return ROUTES.get(template or "", "other")


def method_name(method: str) -> Method:
    """A method of HTTP, or `other` for a word of the caller's own."""
    return method if method in _METHODS else "other"  # pyright: ignore[reportReturnType]


def failure_name(failure: BaseException) -> FailureName:
    """The nearest class of the closed family; `defect` for what is none of it."""
    for cls in type(failure).__mro__:
        if cls.__module__ == "fonds.contract.failures" and cls.__name__ in _FAILURES:
            return cls.__name__  # pyright: ignore[reportReturnType]
    return "defect"
