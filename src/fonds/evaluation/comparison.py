"""Two reports side by side: what a change of exposure, floor, model or index did (R185)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from fonds.contract.failures import QueryRefused
from fonds.contract.sealed import sealed
from fonds.evaluation.report import CaseResult, EvalReport

Outcome: TypeAlias = Literal["passed", "failed", "skipped", "absent"]


@sealed
@dataclass(frozen=True, slots=True)
class ChangedCase:
    """A case that came out otherwise."""

    case_id: str
    before: Outcome
    after: Outcome


@sealed
@dataclass(frozen=True, slots=True)
class Comparison:
    """`changed_terms` names what the two runs were made under that differs.

    `changed_words` are cases that ask another question, or expect another mode, under the same id.
    """

    changed: tuple[ChangedCase, ...]
    changed_terms: tuple[str, ...]
    changed_words: tuple[str, ...]
    before: EvalReport
    after: EvalReport

    @property
    def worse(self) -> tuple[str, ...]:
        """Cases that passed and do so no longer, for whatever reason."""
        return tuple(one.case_id for one in self.changed if one.before == "passed")

    @property
    def worse_rates(self) -> tuple[str, ...]:
        """Ways to be wrong that became more frequent: a case that fails may come to fail worse."""
        if self.before.rates is None or self.after.rates is None:
            return ()
        return tuple(
            name
            for (name, first), (_, second) in zip(
                self.before.rates.named, self.after.rates.named, strict=True
            )
            if first.count * second.of < second.count * first.of
        )

    @property
    def exit_code(self) -> int:
        """0 when nothing got worse: the change may be admitted."""
        return 1 if self.worse or self.worse_rates else 0

    def as_json(self) -> dict[str, object]:
        return {
            "changed": [
                {"id": one.case_id, "before": one.before, "after": one.after}
                for one in self.changed
            ],
            "worse": list(self.worse),
            "worseRates": list(self.worse_rates),
            "changedTerms": list(self.changed_terms),
            "changedWords": list(self.changed_words),
            "before": _summary(self.before),
            "after": _summary(self.after),
        }


def compared(before: EvalReport, after: EvalReport) -> Comparison:
    """Raises QueryRefused for an aborted report, and for reports of two tiers."""
    for name, report in (("before", before), ("after", after)):
        if report.aborted is not None:
            raise QueryRefused(name, f"a report of a whole run: broken off ({report.aborted})")
    if before.full != after.full:
        raise QueryRefused("after", "a report of the same tier: one has answers, one has not")
    first = {result.case_id: result for result in before.results}
    second = {result.case_id: result for result in after.results}
    changed = tuple(
        ChangedCase(case_id, _outcome(first.get(case_id)), _outcome(second.get(case_id)))
        for case_id in dict.fromkeys((*first, *second))
        if _outcome(first.get(case_id)) != _outcome(second.get(case_id))
    )
    reworded = tuple(
        case_id
        for case_id, result in first.items()
        if (other := second.get(case_id)) is not None
        and (result.query, result.expected) != (other.query, other.expected)
    )
    return Comparison(changed, _changed_terms(before, after), reworded, before, after)


def _outcome(result: CaseResult | None) -> Outcome:
    if result is None:
        return "absent"
    if result.skipped is not None:
        return "skipped"
    return "passed" if result.passed else "failed"


def _changed_terms(before: EvalReport, after: EvalReport) -> tuple[str, ...]:
    first, second = before.terms.as_json(), after.terms.as_json()
    return tuple(name for name, term in first.items() if term != second[name])


def _summary(report: EvalReport) -> dict[str, object]:
    rates = report.rates
    return {
        "ranAt": report.as_json()["ranAt"],
        "build": report.terms.build_id,
        "passed": report.passed,
        "failed": report.failed,
        "skipped": report.skipped,
        "rates": None if rates is None else rates.as_json(),
    }
