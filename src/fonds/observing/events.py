"""Everything a process may say in its log: one class an event, numbers and closed words (R186).

`name` is the event's name in the log. A field that is neither a number nor on its list nor of its
shape is refused with the names of event and field alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fonds.contract.caller import CallerKind
from fonds.contract.citation import AnswerMode
from fonds.contract.refusal_reason import RefusalReason
from fonds.observing.checked import Event
from fonds.observing.vocabulary import (
    AdmissionDecision,
    CacheKind,
    CacheOutcome,
    FailureName,
    JobName,
    Level,
    LimitDecision,
    LimitStep,
    LoggerName,
    Method,
    Place,
    ProcessMoment,
    ProcessName,
    RouteName,
    Slug,
    StepOutcome,
    TypeName,
    UnusableWhy,
    Whereabouts,
    WorkStep,
    WriterOutcome,
)


@dataclass(frozen=True, slots=True)
class ProcessStands(Event):
    """A process of ours started, is ready, was told to end, or ended."""

    name: ClassVar[str] = "process.stands"
    process: ProcessName
    moment: ProcessMoment
    port: int | None = None


@dataclass(frozen=True, slots=True)
class MetricsListening(Event):
    """The measures can be fetched at this port."""

    name: ClassVar[str] = "metrics.listening"
    port: int


@dataclass(frozen=True, slots=True)
class RequestServed(Event):
    """A request was answered: the access log. `status` is 499 where the caller had gone."""

    name: ClassVar[str] = "request.served"
    route: RouteName
    method: Method
    status: int
    milliseconds: float


@dataclass(frozen=True, slots=True)
class CallerAdmitted(Event):
    """Somebody came to the door of an archive; by which key, where one let them in."""

    name: ClassVar[str] = "caller.admitted"
    decision: AdmissionDecision
    caller: CallerKind | None = None
    key: int | None = None


@dataclass(frozen=True, slots=True)
class LimitDecided(Event):
    """A request was counted, or a limit was used up."""

    name: ClassVar[str] = "limit.decided"
    archive: int
    step: LimitStep
    decision: LimitDecision
    caller: CallerKind


@dataclass(frozen=True, slots=True)
class CacheAsked(Event):
    """A reply was looked for among those kept."""

    name: ClassVar[str] = "cache.asked"
    archive: int
    kind: CacheKind
    outcome: CacheOutcome


@dataclass(frozen=True, slots=True)
class TextsEmbedded(Event):
    """The embedder was called with so many texts."""

    name: ClassVar[str] = "texts.embedded"
    texts: int
    outcome: StepOutcome
    milliseconds: float


@dataclass(frozen=True, slots=True)
class ArchiveSearched(Event):
    """A question was searched for. `milliseconds` is without the embedding."""

    name: ClassVar[str] = "archive.searched"
    archive: int | None
    build: int | None
    hits: int
    outcome: StepOutcome
    milliseconds: float


@dataclass(frozen=True, slots=True)
class WriterReplied(Event):
    """The writer was asked for an answer."""

    name: ClassVar[str] = "writer.replied"
    outcome: WriterOutcome
    milliseconds: float


@dataclass(frozen=True, slots=True)
class QuestionAnswered(Event):
    """A question got a cited answer, or a pointer to private material."""

    name: ClassVar[str] = "question.answered"
    archive: int | None
    mode: AnswerMode
    citations: int
    milliseconds: float


@dataclass(frozen=True, slots=True)
class QuestionRefused(Event):
    """A question was declined."""

    name: ClassVar[str] = "question.refused"
    archive: int | None
    reason: RefusalReason
    milliseconds: float


@dataclass(frozen=True, slots=True)
class WorkFailed(Event):
    """A search, an answer, an ingest or a build ended in a failure."""

    name: ClassVar[str] = "work.failed"
    archive: int | None
    step: WorkStep
    failure: FailureName


@dataclass(frozen=True, slots=True)
class RefusalUnrecorded(Event):
    """A refusal was given to the caller and could not be kept."""

    name: ClassVar[str] = "refusal.unrecorded"
    archive: int | None
    failure: FailureName


@dataclass(frozen=True, slots=True)
class IngestEnded(Event):
    """Files were read in; counts of files and rows."""

    name: ClassVar[str] = "ingest.ended"
    archive: int | None
    found: int
    removed: int
    refused: int
    waiting: int
    milliseconds: float


@dataclass(frozen=True, slots=True)
class BuildEnded(Event):
    """A build was made, or nothing had changed (`build` is None)."""

    name: ClassVar[str] = "build.ended"
    archive: int | None
    build: int | None
    switched: bool
    entities: int
    fragments: int
    waiting: int
    milliseconds: float


@dataclass(frozen=True, slots=True)
class JobEnded(Event):
    """A job ended with an exit code of `docs/commands.md`."""

    name: ClassVar[str] = "job.ended"
    archive: int | None
    job: JobName
    exit_code: int
    milliseconds: float


@dataclass(frozen=True, slots=True)
class ArchiveUnusable(Event):
    """An archive's file cannot be served from; every other archive goes on. `slug` is None where
    the folder's name is none.
    """

    name: ClassVar[str] = "archive.unusable"
    slug: Slug | None
    why: UnusableWhy


@dataclass(frozen=True, slots=True)
class LibraryRemark(Event):
    """A library logged something: who, how loud, of which exception; never what it said."""

    name: ClassVar[str] = "library.remark"
    logger: LoggerName
    level: Level
    place: Place
    error: TypeName | None = None
    error_place: Place | None = None


@dataclass(frozen=True, slots=True)
class DefectMet(Event):
    """Something was raised that nobody expected: its type, where, and where in our code."""

    name: ClassVar[str] = "defect.met"
    where: Whereabouts
    error: TypeName
    place: Place
    own_place: Place


EVENTS: tuple[type[Event], ...] = (
    ProcessStands,
    MetricsListening,
    RequestServed,
    CallerAdmitted,
    LimitDecided,
    CacheAsked,
    TextsEmbedded,
    ArchiveSearched,
    WriterReplied,
    QuestionAnswered,
    QuestionRefused,
    WorkFailed,
    RefusalUnrecorded,
    IngestEnded,
    BuildEnded,
    JobEnded,
    ArchiveUnusable,
    LibraryRemark,
    DefectMet,
)
"""All of them: nothing else can be written to the log."""
