"""Spans: named steps with numbers, a trace of one shape, nothing of libraries (R186)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from opentelemetry import trace
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from fonds.contract.failures import StoreRefused
from fonds.observing.in_hand import RequestInHand, admitted_to, taken_in_hand
from fonds.observing.spans import SPAN_NAMES, SPANS, NoTracer
from fonds.observing.traceparent import traceparent
from fonds.observing.tracing import OpenTelemetryTracer

TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
WORDS = "Where is the zebrawood box?"


@pytest.fixture
def exported() -> InMemorySpanExporter:
    return InMemorySpanExporter()


@pytest.fixture
def tracer(exported: InMemorySpanExporter) -> OpenTelemetryTracer:
    return OpenTelemetryTracer(SimpleSpanProcessor(exported))


def test_a_span_is_a_name_and_numbers(
    tracer: OpenTelemetryTracer, exported: InMemorySpanExporter
) -> None:
    with taken_in_hand(RequestInHand("0" * 32)), tracer.span("request", parent=TRACE):
        admitted_to(7)
        with tracer.span("search", archive=7):
            pass
    search, request = exported.get_finished_spans()
    assert request.attributes == {"request": "0" * 32, "archive": 7, "outcome": "done"}
    assert search.attributes == {"request": "0" * 32, "archive": 7, "outcome": "done"}
    assert search.parent == request.get_span_context()
    assert request.parent is not None
    assert f"{request.parent.trace_id:032x}-{request.parent.span_id:016x}" in TRACE
    assert dict(request.resource.attributes) == {"service.name": "fonds"}


@pytest.mark.parametrize(
    ("failure", "outcome"), [(ValueError(WORDS), "defect"), (StoreRefused(None, None, None), None)]
)
def test_a_step_that_failed_carries_the_name_of_its_failure(
    tracer: OpenTelemetryTracer,
    exported: InMemorySpanExporter,
    failure: Exception,
    outcome: str | None,
) -> None:
    with pytest.raises(type(failure)), tracer.span("ask"):
        raise failure
    (span,) = exported.get_finished_spans()
    assert span.attributes == {"outcome": outcome or "StoreRefused"}
    assert (span.events, span.status.is_ok, span.status.description) == ((), False, None)
    assert "zebrawood" not in span.to_json()


def test_a_span_of_another_name_is_refused(tracer: OpenTelemetryTracer) -> None:
    with pytest.raises(ValueError, match="SPAN_NAMES"), tracer.span(WORDS):  # pyright: ignore[reportArgumentType]
        pass
    assert set(SPANS) == set(SPAN_NAMES)


def test_what_a_library_traces_goes_nowhere(
    tracer: OpenTelemetryTracer, exported: InMemorySpanExporter
) -> None:
    """A library asks for the global provider, and may put a statement or a tool's words on it."""
    library = trace.get_tracer("psycopg")
    with tracer.span("search"), library.start_as_current_span(WORDS, attributes={"q": WORDS}):
        trace.get_current_span().set_attribute("question", WORDS)
    (span,) = exported.get_finished_spans()
    assert (span.name, span.attributes) == ("search", {"outcome": "done"})


def test_without_a_tracer_nothing_is_kept() -> None:
    with NoTracer().span("search", archive=3):
        pass


@settings(deadline=None)
@given(header=st.text() | st.from_regex(r"00-[0-9a-fA-F ]{32}-[0-9a-f]{16}-[0-9]{2}"))
def test_a_caller_sends_a_trace_in_its_shape_or_none(header: str) -> None:
    taken = traceparent(header)
    assert taken is None or (len(taken) == 55 and set(taken) <= set("0123456789abcdef-"))


@pytest.mark.parametrize(
    "header",
    [
        None,
        "",
        WORDS,
        TRACE.upper(),
        f"{TRACE}-zebrawood",
        f"{TRACE}\n",
        TRACE.replace("00-", "01-", 1),
        TRACE.replace("b7ad6b7169203331", "0" * 16),
        TRACE.replace("0af7651916cd43dd8448eb211c80319c", "0" * 32),
    ],
)
def test_any_other_trace_is_not_taken(header: str | None) -> None:
    assert traceparent(header) is None
    assert traceparent(TRACE) == TRACE
