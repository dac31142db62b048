"""A house that tells what is done in it: searches, answers, refusals, ingests and builds (R186)."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

from fonds.answering.refusal import Answered, Refused
from fonds.build.build_report import BuildReport
from fonds.contract.ports import RefusalLog
from fonds.contract.search_request import SearchRequest
from fonds.ingestion.report import IngestReport
from fonds.observing.events import (
    ArchiveSearched,
    BuildEnded,
    IngestEnded,
    QuestionAnswered,
    QuestionRefused,
    WorkFailed,
)
from fonds.observing.in_hand import in_hand
from fonds.observing.observer import SILENT, Observer
from fonds.observing.vocabulary import WorkStep, failure_name
from fonds.retrieval.search import Searched
from fonds.wiring.house import House
from fonds.wiring.observed_ports import ObservedRefusalLog


@dataclass
class ObservedHouse(House):
    """As a House; `observer` is told how each of these ended, by numbers and closed words."""

    observer: Observer = field(default=SILENT, repr=False)

    def search(self, request: SearchRequest, *, exactly: bool = False) -> Searched:
        spent, before = self.observer.stopwatch(), _embedding_ms()
        found: Searched | None = None
        try:
            with self._told("search"):
                found = House.search(self, request, exactly=exactly)
            return found
        finally:
            self.observer.note(
                ArchiveSearched(
                    self._archive_id,
                    None if found is None else found.build.build_id,
                    0 if found is None else len(found.hits),
                    "failed" if found is None else "done",
                    round(max(0.0, spent() - (_embedding_ms() - before)), 3),
                )
            )

    def _asked(
        self,
        request: SearchRequest,
        log: RefusalLog | None,
        on_found: Callable[[Searched], None] | None = None,
    ) -> Answered | Refused:
        spent = self.observer.stopwatch()
        kept = None if log is None else ObservedRefusalLog(log, self.observer, self._archive_id)
        with self._told("ask"):
            given = House._asked(self, request, kept, on_found)
        match given:
            case Answered(mode, _, citations):
                told = QuestionAnswered(self._archive_id, mode, len(citations), spent())
            case Refused(reason):
                told = QuestionRefused(self._archive_id, reason, spent())
        self.observer.note(told)
        return given

    def ingest(
        self,
        *,
        progress: Callable[[str, int, int], None],
        publish: frozenset[str] = frozenset(),
    ) -> IngestReport:
        spent = self.observer.stopwatch()
        with self._told("ingest"):
            report = House.ingest(self, progress=progress, publish=publish)
        counts = (report.found, len(report.removed), len(report.refused), report.waiting)
        self.observer.note(IngestEnded(self._archive_id, *counts, milliseconds=spent()))
        return report

    def build(
        self,
        *,
        yes: bool = False,
        accept: str | None = None,
        dry_run: bool = False,
        progress: Callable[[str], None] = lambda step: None,
    ) -> BuildReport:
        spent = self.observer.stopwatch()
        with self._told("build"):
            report = House.build(self, yes=yes, accept=accept, dry_run=dry_run, progress=progress)
        self.observer.note(
            BuildEnded(
                archive=self._archive_id,
                build=report.build_id,
                switched=report.switched,
                entities=report.entities,
                fragments=report.fragments,
                waiting=len(report.waiting),
                milliseconds=spent(),
            )
        )
        return report

    @contextmanager
    def _told(self, step: WorkStep) -> Generator[None]:
        try:
            with self.observer.span(step, archive=self._archive_id):
                yield
        except Exception as failure:
            self.observer.note(WorkFailed(self._archive_id, step, failure_name(failure)))
            raise


def _embedding_ms() -> float:
    request = in_hand()
    return 0.0 if request is None else request.embedding_ms
