"""A process that serves or works, observed: its log, its measures, its traces, and nothing else it
could say (R186).
"""

from __future__ import annotations

import sys
from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TextIO

from fonds.contract.failures import Misconfigured
from fonds.observing.events import MetricsListening, ProcessStands
from fonds.observing.last_resort import take_over_exceptions
from fonds.observing.library_log import take_over_logging
from fonds.observing.measures import Figure, Source
from fonds.observing.observer import Observer
from fonds.observing.spans import Tracer
from fonds.observing.vocabulary import ProcessName
from fonds.settings import Settings
from fonds.store.pools import Pool
from fonds.wiring.serving import RolePools

if TYPE_CHECKING:
    from fonds.observing.measuring import Measures


@dataclass(frozen=True, slots=True)
class ObservedProcess:
    """What a process tells through `observer`, and where it lets its gauges be read."""

    observer: Observer
    measures: Measures = field(repr=False)
    name: ProcessName = "serve"
    metrics_port: int | None = None

    def ready(self, port: int | None = None) -> None:
        """Says that work is taken from here on."""
        self.observer.note(ProcessStands(self.name, "ready", port))

    def ending(self) -> None:
        """Says that no more work is taken."""
        self.observer.note(ProcessStands(self.name, "ending"))

    def read_pools(self, pools: RolePools) -> None:
        """Lets the use of these pools be measured."""
        self.measures.read_from(lambda: pool_figures(pools.opened))

    def read_from(self, source: Source) -> None:
        """Lets any other gauge be read: the queue, the archives."""
        self.measures.read_from(source)


@contextmanager
def observed_process(
    name: ProcessName, settings: Settings, *, stream: TextIO | None = None
) -> Generator[ObservedProcess]:
    """From here to the end of the block, what this process says is events on `stream` (stderr).

    Libraries' logs, warnings and exceptions nobody catches are reduced, `FONDS_METRICS_PORT` is
    bound for a process that stays, and spans go where FONDS_TRACES says. Raises Misconfigured
    for a port that cannot be had and for traces without the extra `otel`.
    """
    # A command that observes nothing loads neither library.
    from fonds.observing.event_log import EventLog
    from fonds.observing.measuring import Measures

    log, measures = EventLog(stream or sys.stderr), Measures()
    with ExitStack() as stack:
        observer = Observer((log, measures), _tracer(settings, stack))
        stack.enter_context(take_over_logging(observer.note))
        stack.enter_context(take_over_exceptions(observer.note))
        observer.note(ProcessStands(name, "started"))
        stack.callback(lambda: observer.note(ProcessStands(name, "ended")))
        measures.read_from(lambda: [("fonds_log_lines_dropped", {}, float(log.dropped))])
        port = None if name == "job" else _metrics_port(settings, measures, stack)
        if port is not None:
            observer.note(MetricsListening(port))
        yield ObservedProcess(observer, measures, name, port)


def pool_figures(pools: Mapping[str, Pool]) -> list[Figure]:
    """How each role's pool is used."""
    figures: list[Figure] = []
    for role, pool in pools.items():
        stats = pool.get_stats()
        for state, count in (("open", "pool_size"), ("idle", "pool_available")):
            labels: dict[str, str | int] = {"role": role, "state": state}
            figures.append(("fonds_pool_connections", labels, stats.get(count, 0)))
        figures.append(("fonds_pool_waiting", {"role": role}, stats.get("requests_waiting", 0)))
    return figures


def _metrics_port(settings: Settings, measures: Measures, stack: ExitStack) -> int | None:
    if settings.metrics_port is None:
        return None
    from fonds.observing.metrics_server import metrics_served

    host, port = settings.metrics_host, settings.metrics_port
    try:
        return stack.enter_context(metrics_served(measures.page, host=host, port=port))
    except OSError:
        raise Misconfigured(
            "FONDS_METRICS_PORT: this port cannot be had at FONDS_METRICS_HOST: free it, or name"
            " another"
        ) from None


def _tracer(settings: Settings, stack: ExitStack) -> Tracer | None:
    if not settings.traces:
        return None
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.trace.export import BatchSpanProcessor

        from fonds.observing.tracing import OpenTelemetryTracer
    except ImportError:
        raise Misconfigured("FONDS_TRACES: pip install 'fonds[otel]' first, or unset it") from None
    tracer = OpenTelemetryTracer(BatchSpanProcessor(OTLPSpanExporter()))
    stack.callback(tracer.close)
    return tracer
