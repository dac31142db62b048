"""The two ends of a question: a sourced answer, or a refusal with figures (R163, R164)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from fonds.contract.failures import LeakRefused
from fonds.contract.refusal_reason import RefusalReason
from fonds.contract.released_score import released_score
from fonds.contract.sealed import sealed

if TYPE_CHECKING:
    from fonds.answering.gate import GateFigures
    from fonds.contract.citation import AnswerMode, CitationKind
    from fonds.contract.disclosure import Raw

FIXED_SENTENCE: Final = (
    "I don't know. I could not find enough in this archive to answer that with confidence."
)
"""All the engine says when it declines; a client shows it, no answer holds it (R149, R163)."""

RefusalLayer: TypeAlias = Literal["retrieval", "floor", "gate", "model", "verifier"]
FailedFloor: TypeAlias = Literal["score", "coverage", "margin"]

LAYER_OF: Final[dict[RefusalReason, RefusalLayer]] = {
    "no_relevant_context": "retrieval",
    "embedder_unavailable": "retrieval",
    "below_score_floor": "floor",
    "below_coverage_floor": "floor",
    "below_calibrated_threshold": "gate",
    "calibration_infinite": "gate",
    "calibration_missing": "gate",
    "calibration_stale": "gate",
    "model_reported_no_answer": "model",
    "model_declined": "model",
    "model_unavailable": "model",
    "unparseable_response": "verifier",
    "fabricated_citation": "verifier",
    "missing_citation": "verifier",
    "unsupported_claim": "verifier",
}


@sealed
@dataclass(frozen=True, slots=True)
class RefusalRecord:
    """The figures of the best passage before the floors; no word of question or passage.

    With a private best passage `best_score` is coarse and `coverage` is None (R164); another value
    is refused here. `detail` is a type, a rule or a position.
    """

    best_score: float | None = None
    best_raw: Raw | None = None
    coverage: float | None = None
    score_floor: float | None = None
    coverage_floor: float | None = None
    failed: tuple[FailedFloor, ...] = ()
    detail: str = ""
    gate: GateFigures | None = None

    def __post_init__(self) -> None:
        if self.best_raw != "private":
            return
        if self.coverage is not None:
            raise LeakRefused("refusal record: coverage is not measured on private material")
        if self.best_score is not None and self.best_score != released_score(
            "private", self.best_score
        ):
            raise LeakRefused("refusal record: a private score is released to the nearest 0.05")
        signal = None if self.gate is None else self.gate.signal
        if signal is not None and signal != released_score("private", signal):
            raise LeakRefused("refusal record: a private signal is released to the nearest 0.05")

    def as_json(self) -> dict[str, object]:
        """What is stored and shown; a figure that does not exist has no key."""
        figures: dict[str, object] = {
            "bestScore": self.best_score,
            "bestRaw": self.best_raw,
            "coverage": self.coverage,
            "failed": list(self.failed),
            "scoreFloor": self.score_floor,
            "coverageFloor": self.coverage_floor,
            "gate": None if self.gate is None else self.gate.as_json(),
            "detail": self.detail or None,
        }
        return {name: figure for name, figure in figures.items() if figure is not None}


@sealed
@dataclass(frozen=True, slots=True)
class CitedSource:
    """A grounded citation with what a source card shows of it (R149)."""

    kind: CitationKind
    id: str
    url: str
    title: str = field(repr=False)
    locator_label: str = field(repr=False)

    def as_json(self) -> dict[str, object]:
        return {
            "kind": self.kind,
            "id": self.id,
            "url": self.url,
            "title": self.title,
            "locatorLabel": self.locator_label,
        }


@sealed
@dataclass(frozen=True, slots=True)
class Answered:
    """A cited answer that passed every layer. `mode` follows from `citations` (R143).

    `gate` is what the gate went by; it is shown where an explanation is asked for.
    """

    mode: Literal["supported", "partial", "related-material"]
    answer: str = field(repr=False)
    citations: tuple[CitedSource, ...]
    prompt_version: str
    writer: str
    build: str
    gate: GateFigures | None = None

    def as_json(self) -> dict[str, object]:
        return _wire(
            mode=self.mode,
            answer=self.answer,
            citations=self.citations,
            reason=None,
            record=None,
            about=(self.prompt_version, self.writer, self.build),
        )


@sealed
@dataclass(frozen=True, slots=True)
class Refused:
    """The archive authorised no answer, which is not to say that none exists (R150)."""

    reason: RefusalReason
    record: RefusalRecord
    prompt_version: str
    writer: str
    build: str | None = None

    @property
    def mode(self) -> Literal["not-found"]:
        return "not-found"

    @property
    def answer(self) -> Literal[""]:
        return ""

    @property
    def citations(self) -> tuple[CitedSource, ...]:
        return ()

    @property
    def layer(self) -> RefusalLayer:
        """Which layer said no: retrieval, floor, gate, model or verifier."""
        return LAYER_OF[self.reason]

    @property
    def recorded(self) -> dict[str, object]:
        """The record as it is stored, with the layer."""
        return {"layer": self.layer, **self.record.as_json()}

    def as_json(self) -> dict[str, object]:
        return _wire(
            mode="not-found",
            answer="",
            citations=(),
            reason=self.reason,
            record=self.recorded,
            about=(self.prompt_version, self.writer, self.build),
        )


def _wire(
    *,
    mode: AnswerMode,
    answer: str,
    citations: tuple[CitedSource, ...],
    reason: RefusalReason | None,
    record: dict[str, object] | None,
    about: tuple[str, str, str | None],
) -> dict[str, object]:
    prompt_version, writer, build = about
    return {
        "mode": mode,
        "answer": answer,
        "citations": [citation.as_json() for citation in citations],
        "reason": reason,
        "record": record,
        "promptVersion": prompt_version,
        "writer": writer,
        "build": build,
    }
