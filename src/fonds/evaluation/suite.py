"""A run of the gold suite: the sweep, then each question, judged as it comes (R183)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime

from fonds.answering.refusal import Answered, Refused
from fonds.contract.citation import AnswerMode
from fonds.contract.failures import ProviderMisbehaved, ProviderUnavailable
from fonds.contract.search_request import SearchRequest
from fonds.contract.swept_string import SweptString
from fonds.evaluation.gold import GoldCase, GoldSuite
from fonds.evaluation.judging import answer_issues, retrieval_issues
from fonds.evaluation.report import Aborted, CaseResult, EvalReport, RunTerms, Skipped
from fonds.evaluation.selection import Selection
from fonds.evaluation.sweep import canary_issues
from fonds.retrieval.search import Searched


@dataclass(frozen=True, slots=True)
class Engine:
    """The engine as a caller has it. Without `ask` a run is the retrieval tier."""

    search: Callable[[SearchRequest], Searched]
    ask: Callable[[SearchRequest], Answered | Refused] | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """How one run goes about it. `on_result` is told of each case once it is judged."""

    terms: RunTerms
    ran_at: datetime
    fail_fast: bool = False
    on_result: Callable[[CaseResult], None] = field(default=lambda result: None)


def run_suite(
    suite: GoldSuite,
    selection: Selection,
    engine: Engine,
    *,
    swept: Iterable[SweptString],
    run: Run,
) -> EvalReport:
    """Sweep every served string, then ask the selected questions one after another.

    A canary ends the run before any question; so does the first failure of a run that is to fail
    fast. An embedder that fails is a failed case; a database that does is raised, as is
    NothingServed. An interruption keeps what was judged so far.
    """
    found = canary_issues(suite.canaries, swept)
    results: list[CaseResult] = []
    aborted: Aborted | None = "canaries" if found else None
    try:
        for case in () if found else selection.cases:
            if run.fail_fast and results and results[-1].failed:
                aborted = "fail-fast"
                break
            results.append(_result(case, engine, run.terms))
            run.on_result(results[-1])
    except KeyboardInterrupt:
        aborted = "interrupted"
    return EvalReport(
        ran_at=run.ran_at,
        full=engine.ask is not None,
        selected_total=len(selection.cases),
        results=tuple(results),
        terms=run.terms,
        canaries=len(suite.canaries),
        canary_issues=found,
        aborted=aborted,
        note=selection.note,
    )


def _result(case: GoldCase, engine: Engine, terms: RunTerms) -> CaseResult:
    skipped = _skipped(case, engine, terms)
    if skipped is not None:
        return CaseResult(case.case_id, case.query, case.expect_mode, skipped=skipped)
    issues: list[str] = []
    mode: AnswerMode | None = None
    reason: str | None = None
    if case.names_sources:
        try:
            searched = engine.search(case.request)
        except (ProviderUnavailable, ProviderMisbehaved) as failure:
            issues.append(f"search: {type(failure).__name__}")
            reason = "embedder_unavailable"
        else:
            issues += retrieval_issues(case, searched.hits)
            issues += _build_issues(str(searched.build.build_id), terms)
    if engine.ask is not None:
        given = engine.ask(case.request)
        mode = given.mode
        reason = given.reason if isinstance(given, Refused) else None
        issues += answer_issues(case, given)
        issues += _build_issues(given.build, terms)
    kept = tuple(dict.fromkeys(issues))
    return CaseResult(case.case_id, case.query, case.expect_mode, kept, mode, reason)


def _skipped(case: GoldCase, engine: Engine, terms: RunTerms) -> Skipped | None:
    if case.requires_model and terms.answer_model is None:
        return "needs-model"
    if engine.ask is None and not case.names_sources:
        # A case that nothing was asked of has not passed.
        return "needs-answers"
    return None


def _build_issues(answered_by: str | None, terms: RunTerms) -> Iterable[str]:
    """A report is about one build; a switch in the middle of it makes the case worthless."""
    if answered_by is not None and answered_by != str(terms.build_id):
        yield "build: another one than the run began with"
