"""What a run of the suite found and under which terms (R184). Holds no canary and no pattern.

The question stands in it, as the suite's own words; answers, passages and gists do not. Two runs
over one build differ in `ranAt` alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal, TypeAlias

from fonds.contract.citation import AnswerMode
from fonds.contract.embedding_space import EmbeddingSpace
from fonds.contract.failures import MisauthoredInput
from fonds.contract.sealed import sealed
from fonds.evaluation.calibration_curve import CalibrationCurve

Aborted: TypeAlias = Literal["canaries", "fail-fast", "interrupted"]
Skipped: TypeAlias = Literal["needs-model", "needs-answers"]


@sealed
@dataclass(frozen=True, slots=True)
class RunTerms:
    """Under what a run was made. `answer_model` is None for a writer that is no model."""

    archive: str
    build_id: int
    space: EmbeddingSpace
    score_floor: float
    coverage_floor: float
    writer: str
    answer_prompt_version: str
    answer_model: str | None = None
    gist_model: str | None = None
    gist_prompt_version: str | None = None
    gate: str = "off"

    def as_json(self) -> dict[str, object]:
        space = self.space
        return {
            "archive": self.archive,
            "build": self.build_id,
            "embedding": {
                "provider": space.provider,
                "model": space.model,
                "dimensions": space.dimensions,
                "queryPrefix": space.query_prefix,
                "passagePrefix": space.passage_prefix,
                "centring": space.centring,
            },
            "floors": {"score": self.score_floor, "coverage": self.coverage_floor},
            "gate": self.gate,
            "writer": self.writer,
            "models": {"answer": self.answer_model, "gist": self.gist_model},
            "answerPromptVersion": self.answer_prompt_version,
            "gistPromptVersion": self.gist_prompt_version,
        }


@sealed
@dataclass(frozen=True, slots=True)
class CaseResult:
    """One case. `skipped` says why it was not judged: it is then neither passed nor failed.

    `mode` and `reason` are those of the answer, None in the retrieval tier.
    """

    case_id: str
    query: str = field(repr=False)
    expected: AnswerMode
    issues: tuple[str, ...] = ()
    mode: AnswerMode | None = None
    reason: str | None = None
    skipped: Skipped | None = None

    def __post_init__(self) -> None:
        if self.skipped is not None and (self.issues or self.mode is not None):
            raise MisauthoredInput("a skipped case has neither issues nor a mode")

    @property
    def passed(self) -> bool:
        return self.skipped is None and not self.issues

    @property
    def failed(self) -> bool:
        return bool(self.issues)

    def as_json(self) -> dict[str, object]:
        return {
            "id": self.case_id,
            "query": self.query,
            "pass": self.passed,
            "issues": list(self.issues),
            "mode": self.mode,
            "reason": self.reason,
            "expected": self.expected,
            "skipped": self.skipped,
        }


@sealed
@dataclass(frozen=True, slots=True)
class Rate:
    """`count` of `of`. Measured on the suite itself: it carries no guarantee."""

    count: int
    of: int


@sealed
@dataclass(frozen=True, slots=True)
class Rates:
    """The two ways to be wrong side by side, and private places named for nothing (R170)."""

    false_answers: Rate
    false_refusals: Rate
    false_routes: Rate

    @property
    def named(self) -> tuple[tuple[str, Rate], ...]:
        """In the order they are always shown in."""
        return (
            ("false answers", self.false_answers),
            ("false refusals", self.false_refusals),
            ("false routes", self.false_routes),
        )

    def as_json(self) -> dict[str, object]:
        keys = ("falseAnswers", "falseRefusals", "falseRoutes")
        return {
            key: {"count": rate.count, "of": rate.of}
            for key, (_, rate) in zip(keys, self.named, strict=True)
        }


@sealed
@dataclass(frozen=True, slots=True)
class EvalReport:
    """`selected_total` cases were chosen, `results` were reached; fewer only when `aborted`.

    `calibration_curve` is None without a calibration, and in a run that keeps no report.
    """

    ran_at: datetime
    full: bool
    selected_total: int
    results: tuple[CaseResult, ...]
    terms: RunTerms
    canaries: int
    canary_issues: tuple[str, ...] = ()
    aborted: Aborted | None = None
    note: str | None = None
    calibration_curve: CalibrationCurve | None = None

    def __post_init__(self) -> None:
        if self.ran_at.tzinfo is None:
            raise MisauthoredInput("ranAt: a time zone is needed")
        if self.aborted is None and self.total != self.selected_total:
            raise MisauthoredInput("selectedTotal: differs from total, and nothing was aborted")
        if self.total > self.selected_total:
            raise MisauthoredInput("total: more than selectedTotal")
        if bool(self.canary_issues) != (self.aborted == "canaries"):
            raise MisauthoredInput("aborted: canaries, exactly when there are canaryIssues")
        ids = [result.case_id for result in self.results]
        if len(set(ids)) != len(ids):
            raise MisauthoredInput("results: an id stands twice")

    @property
    def total(self) -> int:
        return len(self.results)

    @property
    def passed(self) -> int:
        return sum(result.passed for result in self.results)

    @property
    def failed(self) -> int:
        return sum(result.failed for result in self.results)

    @property
    def skipped(self) -> int:
        return sum(result.skipped is not None for result in self.results)

    @property
    def failed_ids(self) -> tuple[str, ...]:
        return tuple(result.case_id for result in self.results if result.failed)

    @property
    def exit_code(self) -> int:
        """4 for a canary, 1 for a failed case or a run that was broken off, else 0 (R183)."""
        if self.canary_issues:
            return 4
        return 1 if self.failed or self.aborted else 0

    @property
    def rates(self) -> Rates | None:
        """Over the answers given; None in the retrieval tier."""
        given = [result for result in self.results if result.mode is not None]
        if not self.full:
            return None
        absent = [result for result in given if result.expected == "not-found"]
        held = [result for result in given if result.expected != "not-found"]
        answered = sum(result.mode in ("supported", "partial") for result in absent)
        routed = sum(result.mode == "related-material" for result in absent)
        refused = sum(result.mode == "not-found" for result in held)
        return Rates(
            Rate(answered, len(absent)), Rate(refused, len(held)), Rate(routed, len(absent))
        )

    def as_json(self) -> dict[str, object]:
        rates, curve = self.rates, self.calibration_curve
        return {
            "ranAt": self.ran_at.astimezone(UTC).isoformat(timespec="microseconds"),
            "full": self.full,
            "selectedTotal": self.selected_total,
            "total": self.total,
            "passed": self.passed,
            "failed": self.failed,
            "skipped": self.skipped,
            "aborted": self.aborted,
            "note": self.note,
            "canaries": self.canaries,
            "canaryIssues": list(self.canary_issues),
            "rates": None if rates is None else rates.as_json(),
            "calibrationCurve": None if curve is None else curve.as_json(),
            "terms": self.terms.as_json(),
            "results": [result.as_json() for result in self.results],
        }
