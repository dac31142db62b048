"""Ports that tell how they were used, around the ones that do the work; the stages stay as they are
(R186).
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from fonds.contract.admitted import Admitted
from fonds.contract.caller import Caller
from fonds.contract.embedding_space import EmbeddingSpace
from fonds.contract.failures import NotAdmitted, TooMany
from fonds.contract.key_scope import KeyScope
from fonds.contract.ports import (
    AnswerWriter,
    BatchEmbedder,
    Embedder,
    EmbedOutcome,
    RefusalLog,
    Vector,
)
from fonds.contract.service_ports import Door, Limiter
from fonds.contract.writer_reply import WriterReply, WriterTask, Written
from fonds.observing.events import (
    CallerAdmitted,
    LimitDecided,
    RefusalUnrecorded,
    TextsEmbedded,
    WriterReplied,
)
from fonds.observing.in_hand import admitted_to, in_hand
from fonds.observing.observer import Observer
from fonds.observing.vocabulary import (
    AdmissionDecision,
    LimitDecision,
    LimitStep,
    StepOutcome,
    WriterOutcome,
    failure_name,
)


def observed_embedder(embedder: Embedder, observer: Observer) -> Embedder:
    """The embedder with its calls told; one that takes many questions in a call still does."""
    kind = _ObservedBatchEmbedder if isinstance(embedder, BatchEmbedder) else _ObservedEmbedder
    return kind(embedder, observer)


class _ObservedEmbedder:
    def __init__(self, inner: Embedder, observer: Observer) -> None:
        self._inner = inner
        self._observer = observer

    @property
    def space(self) -> EmbeddingSpace:
        return self._inner.space

    def embed_passages(self, texts: Sequence[str]) -> EmbedOutcome:
        with self._told(len(texts)):
            return self._inner.embed_passages(texts)

    def embed_query(self, text: str) -> Vector:
        with self._told(1):
            return self._inner.embed_query(text)

    @contextmanager
    def _told(self, texts: int) -> Generator[None]:
        spent = self._observer.stopwatch()
        outcome: StepOutcome = "failed"
        try:
            with self._observer.span("embed"):
                yield
            outcome = "done"
        finally:
            milliseconds = spent()
            if (request := in_hand()) is not None:
                request.embedding_ms += milliseconds
            self._observer.note(TextsEmbedded(texts, outcome, milliseconds))


class _ObservedBatchEmbedder(_ObservedEmbedder):
    def embed_queries(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        if not isinstance(self._inner, BatchEmbedder):
            raise TypeError("an embedder of single questions was taken for one of many")
        with self._told(len(texts)):
            return self._inner.embed_queries(texts)


@dataclass(frozen=True, slots=True)
class ObservedWriter:
    """An AnswerWriter whose calls are told."""

    inner: AnswerWriter
    observer: Observer = field(repr=False)

    @property
    def name(self) -> str:
        return self.inner.name

    def write(self, task: WriterTask) -> WriterReply:
        spent = self.observer.stopwatch()
        outcome: WriterOutcome = "failed"
        try:
            with self.observer.span("write"):
                reply = self.inner.write(task)
            outcome = "written" if isinstance(reply, Written) else reply.reason
            return reply
        finally:
            self.observer.note(WriterReplied(outcome, spent()))


@dataclass(frozen=True, slots=True)
class ObservedRefusalLog:
    """A RefusalLog whose failures are told; whoever keeps a refusal gets them as before."""

    inner: RefusalLog
    observer: Observer = field(repr=False)
    archive_id: int | None = None

    def note_refusal(self, reason: str, record: Mapping[str, object]) -> None:
        try:
            self.inner.note_refusal(reason, record)
        except Exception as failure:
            self.observer.note(RefusalUnrecorded(self.archive_id, failure_name(failure)))
            raise


@dataclass(frozen=True, slots=True)
class ObservedDoor:
    """A Door that tells who came through, and the request at work which archive it is of."""

    inner: Door
    observer: Observer = field(repr=False)

    def admit(self, slug: str, key: str | None, scope: KeyScope) -> Admitted:
        decision: AdmissionDecision = "failed"
        admitted: Admitted | None = None
        try:
            admitted = self.inner.admit(slug, key, scope)
            decision = "admitted"
            admitted_to(admitted.archive_id)
            return admitted
        except NotAdmitted as turned_away:
            decision = turned_away.why
            raise
        finally:
            by = (None, None) if admitted is None else (admitted.kind, admitted.key_id)
            self.observer.note(CallerAdmitted(decision, *by))


@dataclass(frozen=True, slots=True)
class ObservedLimiter:
    """A Limiter that tells what it decided of which kind of caller, and of nobody in particular."""

    inner: Limiter
    observer: Observer = field(repr=False)

    def take(self, archive_id: int, caller: Caller) -> None:
        with self._told(archive_id, "take", caller):
            self.inner.take(archive_id, caller)

    def charge_private(self, archive_id: int, caller: Caller, question: bytes) -> None:
        with self._told(archive_id, "charge", caller):
            self.inner.charge_private(archive_id, caller, question)

    @contextmanager
    def _told(self, archive_id: int, step: LimitStep, caller: Caller) -> Generator[None]:
        decision: LimitDecision = "failed"
        try:
            yield
            decision = "allowed"
        except TooMany as used_up:
            decision = used_up.limit
            raise
        finally:
            self.observer.note(LimitDecided(archive_id, step, decision, caller.kind))
