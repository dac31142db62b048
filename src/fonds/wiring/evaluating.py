"""A run of an archive's own suite, over its live build."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from fonds.answering.gate import gate_state
from fonds.answering.prompt import PROMPT_VERSION
from fonds.archive_config import ArchiveConfig
from fonds.contract.failures import Misconfigured, ProviderMisbehaved, ProviderUnavailable
from fonds.contract.near_query import LiveBuild
from fonds.evaluation.calibrating import questions_hash
from fonds.evaluation.calibration_curve import CalibrationCurve, calibration_curve
from fonds.evaluation.gold import GoldSuite, check_sources_exist
from fonds.evaluation.page import report_page
from fonds.evaluation.report import CaseResult, EvalReport, RunTerms
from fonds.evaluation.report_file import default_report_name, report_to_repeat, write_report
from fonds.evaluation.score_table import ScoreTable, score_table
from fonds.evaluation.selection import Selection, selected_cases
from fonds.evaluation.suite import Engine, Run, run_suite
from fonds.ingestion.draft_task import PROMPT_VERSION as GIST_PROMPT_VERSION
from fonds.ingestion.roots import folder_read_at
from fonds.wiring.calibrator import gate_terms
from fonds.wiring.house import House
from fonds.wiring.known_questions import knowing_embedder
from fonds.wiring.watching import suite_of

REPORTS_FOLDER = "reports"


@dataclass(frozen=True, slots=True)
class EvalWishes:
    """What a run was asked to do (R183)."""

    full: bool = False
    ids: tuple[str, ...] | None = None
    from_report: str | None = None
    fail_fast: bool = False
    report: Path | None = None


def evaluate(
    house: House,
    wishes: EvalWishes,
    *,
    warn: Callable[[str], None],
    on_result: Callable[[CaseResult], None] = lambda result: None,
) -> EvalReport:
    """Sweep, then the selected cases; the report is kept where `report` says, with its page.

    Raises Misconfigured when the archive names no suite, MisauthoredInput for a case that names an
    id the archive does not hold, NothingServed without a live build.
    """
    suite = _checked_suite(house)
    kept = None if wishes.report is None else _place_made(wishes.report, house.config)
    selection = _selection(house, suite, wishes)
    warning = selection.warning(full=wishes.full and _answer_model(house) is not None)
    if warning:
        warn(warning)
    live = house.live_build()
    house = _knowing(house, _searched(selection, everything=wishes.full or kept is not None))
    report = run_suite(
        suite,
        selection,
        Engine(house.search, house.ask_unrecorded if wishes.full else None),
        swept=house.swept_strings(live.build_id),
        run=Run(_terms(house, live), datetime.now(UTC), wishes.fail_fast, on_result),
    )
    if kept is not None:
        report = replace(report, calibration_curve=_curve_of(house, live, report))
        file = kept / default_report_name(report) if kept.is_dir() else kept
        page = report_page(report, _scores_of(house, selection, report))
        write_report(report, file, page=page)
    return report


def _knowing(house: House, questions: Sequence[str]) -> House:
    """The same house, which embeds none of these any more."""
    return replace(house, embedder=knowing_embedder(house.embedder, questions))


def _searched(selection: Selection, *, everything: bool) -> list[str]:
    """What is going to be embedded: the retrieval tier asks only where a case names a source."""
    return [case.query for case in selection.cases if everything or case.names_sources]


def _scores_of(house: House, selection: Selection, report: EvalReport) -> ScoreTable | None:
    """None for a run that was broken off, and where the embedder is: a page does without."""
    if report.aborted is not None or not selection.cases:
        return None
    try:
        return score_table(selection.cases, house.search)
    except (ProviderUnavailable, ProviderMisbehaved):
        return None


def _curve_of(house: House, live: LiveBuild, report: EvalReport) -> CalibrationCurve | None:
    """None without a calibration that holds for the build, for a run that was broken off, where
    other questions are stored, and where one lacks a vector and the embedder is out of reach.
    """
    measurable = report.terms.gate in ("fitted", "provisional")
    if report.aborted is not None or live.calibration is None or not measurable:
        return None
    calibrator = house.calibrator
    stored = [one.question for one in calibrator.store.questions()]
    if questions_hash(stored) != live.calibration.questions:
        return None  # others are stored by now: the build that is fitted to them is not live
    try:
        with calibrator.looking(live.build_id, stored) as look:
            return calibration_curve(stored, look, live.calibration, author=house.config.author)
    except (ProviderUnavailable, ProviderMisbehaved):
        return None


def scores(house: House) -> ScoreTable:
    """Where answerable and unanswerable questions score (R173)."""
    cases = _checked_suite(house).cases
    return score_table(cases, _knowing(house, [case.query for case in cases]).search)


def archive_suite(house: House) -> GoldSuite:
    """The suite `[evaluation] gold` names; raises Misconfigured without one."""
    suite = suite_of(house.config)
    if suite is None:
        raise Misconfigured("no suite: name one under [evaluation] gold in the archive file")
    return suite


def _checked_suite(house: House) -> GoldSuite:
    """The suite, none of whose sources is a slip: such a case would test nothing."""
    suite = archive_suite(house)
    check_sources_exist(suite, house.known_ids())
    return suite


def _selection(house: House, suite: GoldSuite, wishes: EvalWishes) -> Selection:
    failed = None
    if wishes.from_report is not None:
        failed = report_to_repeat(wishes.from_report, reports_folder(house.config))
    return selected_cases(suite, ids=wishes.ids, failed_in=failed)


def reports_folder(config: ArchiveConfig) -> Path:
    """Where reports are kept when no other place is named."""
    return config.file.parent / REPORTS_FOLDER


def _place_made(named: Path, config: ArchiveConfig) -> Path:
    """The folder that is named, or the file that ends in `.json` or `.html`: then the one to read.

    Made before anything is asked: a run that cannot be kept is not worth its questions. Never where
    the next ingest would take its page for one of the author's, and publish what was asked.
    """
    is_file = named.suffix in (".json", ".html") and not named.is_dir()
    folder = named.parent if is_file else named
    read = folder_read_at(config, folder)
    if read is not None:
        raise Misconfigured(f"{read} is read by fonds ingest: keep reports elsewhere (--report-to)")
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError:
        raise Misconfigured(f"{folder}: cannot be made, and a report is kept there") from None
    return named.with_suffix(".json") if is_file else folder


def _terms(house: House, live: LiveBuild) -> RunTerms:
    return RunTerms(
        archive=house.config.slug,
        build_id=live.build_id,
        space=live.space,
        score_floor=live.score_floor,
        coverage_floor=live.coverage_floor,
        writer=house.writer.name,
        answer_prompt_version=PROMPT_VERSION,
        answer_model=_answer_model(house),
        gist_model=house.config.gist.model,
        gist_prompt_version=GIST_PROMPT_VERSION,
        gate=gate_state(live.calibration, gate_terms(house.config, house.retrieval)),
    )


def _answer_model(house: House) -> str | None:
    """None for a writer that is no model."""
    provider, _, model = house.writer.name.partition(":")
    return model or None if provider != "extractive" else None
