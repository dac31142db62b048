"""Spans by OpenTelemetry, where an operator installed it: names and numbers, no text (R186).

The provider is this process's own and never the global one: what a library would trace through the
global one, which may be a tool's arguments or a statement, goes nowhere.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Final

from opentelemetry.context import Context
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import SpanLimits, SpanProcessor, TracerProvider
from opentelemetry.trace import (
    NonRecordingSpan,
    Span,
    SpanContext,
    Status,
    StatusCode,
    TraceFlags,
    set_span_in_context,
)

from fonds.observing.in_hand import in_hand
from fonds.observing.spans import SPAN_NAMES, SpanName
from fonds.observing.vocabulary import failure_name

SERVICE: Final = "fonds"


class OpenTelemetryTracer:
    """Sends spans to `processor`. Neither exceptions nor events are recorded on them: a span that
    failed carries the name of the failure's class.
    """

    def __init__(self, processor: SpanProcessor) -> None:
        # Not Resource.create(): it adds what the environment says, and may add the command line.
        self._provider = TracerProvider(
            resource=Resource({"service.name": SERVICE}),
            shutdown_on_exit=False,
            span_limits=SpanLimits(max_span_attributes=8, max_events=0, max_links=0),
        )
        self._provider.add_span_processor(processor)
        self._tracer = self._provider.get_tracer(SERVICE)

    @contextmanager
    def span(
        self, name: SpanName, *, archive: int | None = None, parent: str | None = None
    ) -> Generator[None]:
        if name not in SPAN_NAMES:
            raise ValueError("a span's name is one of SPAN_NAMES")
        with self._tracer.start_as_current_span(
            name,
            context=None if parent is None else _context_of(parent),
            attributes=_attributes(archive),
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            try:
                yield
            except BaseException as failure:
                span.set_attribute("outcome", failure_name(failure))
                span.set_status(Status(StatusCode.ERROR))
                raise
            _say_archive(span)

    def close(self) -> None:
        """Sends what was not sent yet, and ends."""
        self._provider.shutdown()


def _attributes(archive: int | None) -> Mapping[str, str | int]:
    request = in_hand()
    marks = {"archive": archive, "request": None if request is None else request.request_id}
    return {name: mark for name, mark in marks.items() if mark is not None}


def _say_archive(span: Span) -> None:
    """A request learns its archive on the way."""
    request = in_hand()
    if request is not None and request.archive is not None:
        span.set_attribute("archive", request.archive)
    span.set_attribute("outcome", "done")


def _context_of(traceparent: str) -> Context:
    _, trace_id, span_id, flags = traceparent.split("-")
    caller = SpanContext(
        int(trace_id, 16), int(span_id, 16), is_remote=True, trace_flags=TraceFlags(int(flags, 16))
    )
    return set_span_in_context(NonRecordingSpan(caller))
