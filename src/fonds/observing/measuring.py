"""Measures in a process: counted from events, read from their sources when somebody scrapes."""

from __future__ import annotations

from threading import Lock
from typing import Final, TypeAlias, TypeVar, assert_never

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
)
from prometheus_client.exposition import generate_latest

from fonds.observing.checked import Event
from fonds.observing.events import (
    ArchiveSearched,
    CacheAsked,
    CallerAdmitted,
    DefectMet,
    JobEnded,
    LibraryRemark,
    LimitDecided,
    ProcessStands,
    QuestionAnswered,
    QuestionRefused,
    RefusalUnrecorded,
    RequestServed,
    TextsEmbedded,
    WorkFailed,
    WriterReplied,
)
from fonds.observing.measures import LABELS, MEASURES, Measure, MeasureName, Source

_Instrument: TypeAlias = Counter | Histogram | Gauge
_Kept = TypeVar("_Kept", Counter, Histogram)
_Kind = TypeVar("_Kind", Counter, Histogram, Gauge)
CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"

disable_created_metrics()  # when each series began: as many lines again, and no alert reads one


class Measures:
    """A sink of events, and the page Prometheus fetches. Gauges are read anew for each page, one
    page at a time; what cannot be read is missing from it and counted.
    """

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        self._instruments = {
            name: _instrument(name, measure, self._registry) for name, measure in MEASURES.items()
        }
        # Each series found once; its labels are of closed lists, so there are not many.
        self._series: dict[tuple[object, ...], Counter | Histogram] = {}
        self._sources: list[Source] = []
        self._one_page = Lock()

    def read_from(self, source: Source) -> None:
        """Asks `source` for its gauges whenever a page is made."""
        self._sources.append(source)

    def page(self) -> bytes:
        """Every measure in Prometheus' text format."""
        with self._one_page:
            for name, measure in MEASURES.items():
                if measure.kind == "gauge" and name != "fonds_process" and measure.labels:
                    self._instruments[name].clear()
            failed = sum(not self._has_read(source) for source in self._sources)
            self._set("fonds_scrape_failures", failed)
            return generate_latest(self._registry)

    def __call__(self, event: Event) -> None:
        match event:
            case RequestServed(route, _, status, spent):
                self._count("fonds_requests", route=route, status=status)
                self._time("fonds_request_seconds", spent, route=route)
            case CallerAdmitted(decision):
                self._count("fonds_admissions", decision=decision)
            case LimitDecided(_, step, decision, caller):
                self._count("fonds_limit_decisions", step=step, decision=decision, caller=caller)
            case CacheAsked(_, kind, outcome):
                self._count("fonds_cache_lookups", kind=kind, outcome=outcome)
            case TextsEmbedded(_, outcome, spent):
                self._time("fonds_embedding_seconds", spent, outcome=outcome)
            case ArchiveSearched(outcome=outcome, milliseconds=spent):
                self._time("fonds_retrieval_seconds", spent, outcome=outcome)
            case WriterReplied(outcome, spent):
                self._time("fonds_writer_seconds", spent, outcome=outcome)
            case ProcessStands(process):
                self._set("fonds_process", 1.0, process=process)
            case _:
                self._note_end(event)

    def _note_end(self, event: Event) -> None:
        match event:
            case QuestionAnswered(archive, mode):
                self._count("fonds_answers", archive=_number(archive), mode=mode)
            case QuestionRefused(archive, reason):
                self._count("fonds_refusals", archive=_number(archive), reason=reason)
            case RefusalUnrecorded():
                self._count("fonds_refusals_unrecorded")
            case WorkFailed(_, step, failure):
                self._count("fonds_failures", step=step, failure=failure)
            case JobEnded(_, job, exit_code, spent):
                self._count("fonds_jobs", job=job, exit_code=exit_code)
                self._time("fonds_job_seconds", spent, job=job)
            case LibraryRemark(_, level):
                self._count("fonds_library_remarks", level=level)
            case DefectMet():
                self._count("fonds_defects")
            case _:
                """Told in the log alone."""

    def _has_read(self, source: Source) -> bool:
        try:
            for name, labels, value in source():
                self._set(name, value, **labels)
        except Exception:  # one source that is out of order hides no other
            return False
        return True

    def _count(self, name: MeasureName, **labels: str | int) -> None:
        self._found(name, Counter, labels).inc()

    def _time(self, name: MeasureName, milliseconds: float, **labels: str | int) -> None:
        self._found(name, Histogram, labels).observe(milliseconds / 1000)

    def _set(self, name: MeasureName, value: float, **labels: str | int) -> None:
        self._of(name, Gauge, labels).set(value)

    def _found(self, name: MeasureName, kind: type[_Kept], labels: dict[str, str | int]) -> _Kept:
        """As `_of`, for what is never cleared."""
        key = (name, *labels.values())
        series = self._series.get(key)
        if not isinstance(series, kind):
            series = self._series[key] = self._of(name, kind, labels)
        return series

    def _of(self, name: MeasureName, kind: type[_Kind], labels: dict[str, str | int]) -> _Kind:
        for label, value in labels.items():
            if not LABELS[label](value):
                raise ValueError(f"{name}: the label {label} is not of its vocabulary")
        instrument = self._instruments[name]
        found = instrument.labels(**labels) if labels else instrument
        if not isinstance(found, kind):
            raise TypeError(f"{name} is no {kind.__name__}")
        return found


def _instrument(name: MeasureName, measure: Measure, registry: CollectorRegistry) -> _Instrument:
    match measure.kind:
        case "counter":
            return Counter(name, measure.says, measure.labels, registry=registry)
        case "gauge":
            return Gauge(name, measure.says, measure.labels, registry=registry)
        case "histogram":
            bounds = measure.bounds
            return Histogram(name, measure.says, measure.labels, registry=registry, buckets=bounds)
        case unreachable:
            assert_never(unreachable)


def _number(archive: int | None) -> str | int:
    return "none" if archive is None else archive
