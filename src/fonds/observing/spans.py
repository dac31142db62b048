"""The steps that are traced, and what of them may be told: numbers and closed words."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Final, Literal, Protocol, TypeAlias, get_args

SpanName: TypeAlias = Literal[
    "request", "search", "embed", "ask", "write", "ingest", "build", "job"
]
SpanMark: TypeAlias = Literal["archive", "request", "outcome"]
SPAN_NAMES: Final[tuple[SpanName, ...]] = get_args(SpanName)
SPANS: Final[dict[SpanName, str]] = {
    "request": "one HTTP request, from its head to its last byte",
    "search": "one question searched for, embedding included",
    "embed": "one call of the embedder",
    "ask": "one question, to its answer or refusal",
    "write": "one call of the writer",
    "ingest": "one ingest of an archive",
    "build": "one build of an archive",
    "job": "one run of a scheduled job",
}


class Tracer(Protocol):
    """Where spans go. A span carries its name, its archive's number, the id of its request, and how
    it ended: `done`, or the name of a failure.
    """

    def span(
        self, name: SpanName, *, archive: int | None = None, parent: str | None = None
    ) -> AbstractContextManager[None]:
        """`parent` is a checked traceparent, or None for whatever span is open here."""
        ...


class NoTracer:
    """Traces nothing."""

    def span(
        self, name: SpanName, *, archive: int | None = None, parent: str | None = None
    ) -> AbstractContextManager[None]:
        return nullcontext()
