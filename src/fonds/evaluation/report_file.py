"""A report as a file: its owner's alone, and believed only when its counts agree (R184)."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, NoReturn

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from fonds.contract.calibration import CalibrationSource, ConformalRule
from fonds.contract.citation import AnswerMode
from fonds.contract.embedding_space import EmbeddingSpace
from fonds.contract.failures import MisauthoredInput, Misconfigured, QueryRefused
from fonds.evaluation.calibration_curve import CalibrationCurve, CurvePoint
from fonds.evaluation.report import Aborted, CaseResult, EvalReport, RunTerms, Skipped

MAX_BYTES = 20 * 1024 * 1024
LATEST = "latest"


def report_text(report: EvalReport) -> str:
    """The bytes of the file: the same keys in the same order, for whoever compares two of them."""
    return json.dumps(report.as_json(), ensure_ascii=False, indent=2) + "\n"


def write_report(report: EvalReport, file: Path, *, page: str | None = None) -> None:
    """Put the report in place whole, readable by its owner alone (R180), and its page beside it."""
    if page is not None:
        _write(page, file.with_suffix(".html"))
    _write(report_text(report), file)


def _write(text: str, file: Path) -> None:
    beside = file.with_name(f".{file.name}.{secrets.token_hex(4)}")
    try:
        opened = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(opened, "w", encoding="utf-8") as stream:
            stream.write(text)
        beside.replace(file)
    except OSError:
        beside.unlink(missing_ok=True)
        raise Misconfigured(f"cannot write the report {file.name}: check its folder") from None


def default_report_name(report: EvalReport) -> str:
    """A name under which `latest` finds it in a folder of reports."""
    return f"eval-{report.ran_at.astimezone(UTC):%Y%m%dT%H%M%S.%fZ}.json"


def kept_bytes(file: Path) -> bytes:
    """What a report or the page beside it holds; raises Misconfigured where that cannot be read,
    MisauthoredInput where it is larger than MAX_BYTES, and then reads no more.
    """
    try:
        with file.open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
    except OSError:
        raise Misconfigured(f"cannot read the report {file.name}") from None
    if len(content) > MAX_BYTES:
        _refuse(file, f"larger than {MAX_BYTES} bytes")
    return content


def read_report(file: Path) -> EvalReport:
    """A report whose every count is the one its results give; else MisauthoredInput (R184)."""
    content = kept_bytes(file)
    try:
        written = _ReportJson.model_validate(_parsed(content, file))
        report = _report(written)
    except ValidationError as trouble:
        first = trouble.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        _refuse(file, f"{place}: not of a report's form")
    except (MisauthoredInput, Misconfigured) as trouble:
        _refuse(file, str(trouble))
    for name, said in _counts(written):
        if said != (own := getattr(report, name)):
            _refuse(file, f"{to_camel(name)}: {said}, and the results give {own}")
    if written.rates != report.as_json()["rates"]:
        _refuse(file, "rates: not those of the results")
    for position, result in enumerate(report.results):
        if written.results[position].passed != result.passed:
            _refuse(file, f"results[{position}].pass: does not follow from its issues")
    return report


def report_to_repeat(named: str, folder: Path) -> EvalReport:
    """The report `--from-report` names: a path, or `latest` for the youngest of `folder` (R183).

    Raises QueryRefused when there is none and for an aborted one: it does not know all failures.
    """
    if named != LATEST:
        report = read_report(Path(named))
    else:
        kept = [read_report(file) for file in sorted(folder.glob("eval-*.json"))]
        if not kept:
            raise QueryRefused("from-report", "a report: none has been kept yet")
        report = max(kept, key=lambda one: one.ran_at)
    if report.aborted is not None:
        raise QueryRefused(
            "from-report", f"a report of a whole run: this one was broken off ({report.aborted})"
        )
    return report


class _Strict(BaseModel):
    model_config = ConfigDict(
        extra="forbid", strict=True, hide_input_in_errors=True, alias_generator=to_camel
    )


_Count = Annotated[int, Field(ge=0)]


class _ResultJson(_Strict):
    id: str
    query: Annotated[str, Field(repr=False)]
    passed: Annotated[bool, Field(alias="pass")]
    issues: list[str]
    mode: AnswerMode | None
    reason: str | None
    expected: AnswerMode
    skipped: Skipped | None


class _SpaceJson(_Strict):
    provider: str
    model: str
    dimensions: int
    query_prefix: str
    passage_prefix: str
    centring: str


class _FloorsJson(_Strict):
    score: float
    coverage: float


class _ModelsJson(_Strict):
    answer: str | None
    gist: str | None


class _TermsJson(_Strict):
    archive: str
    build: int
    embedding: _SpaceJson
    floors: _FloorsJson
    gate: str
    writer: str
    models: _ModelsJson
    answer_prompt_version: str
    gist_prompt_version: str | None


class _PointJson(_Strict):
    alpha: float
    passed: _Count
    of: _Count
    low: float
    high: float


class _CurveJson(_Strict):
    source: CalibrationSource
    rule: ConformalRule
    alpha: float
    folds: int
    points: list[_PointJson]


class _ReportJson(_Strict):
    # A time is text in JSON, which strict mode would refuse.
    ran_at: Annotated[AwareDatetime, Field(strict=False)]
    full: bool
    selected_total: _Count
    total: _Count
    passed: _Count
    failed: _Count
    skipped: _Count
    aborted: Aborted | None
    note: str | None
    canaries: _Count
    canary_issues: list[str]
    rates: dict[str, dict[str, int]] | None
    calibration_curve: _CurveJson | None = None  # a report of before there was one has none
    terms: _TermsJson
    results: list[_ResultJson]


def _parsed(content: bytes, file: Path) -> object:
    try:
        return json.loads(content.decode("utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
        _refuse(file, "not JSON in UTF-8")


def _counts(written: _ReportJson) -> Iterator[tuple[str, int]]:
    yield "total", written.total
    yield "passed", written.passed
    yield "failed", written.failed
    yield "skipped", written.skipped


def _report(written: _ReportJson) -> EvalReport:
    ran_at: datetime = written.ran_at
    return EvalReport(
        ran_at=ran_at,
        full=written.full,
        selected_total=written.selected_total,
        results=tuple(_result(one) for one in written.results),
        terms=_terms(written.terms),
        canaries=written.canaries,
        canary_issues=tuple(written.canary_issues),
        aborted=written.aborted,
        note=written.note,
        calibration_curve=_curve(written.calibration_curve),
    )


def _curve(written: _CurveJson | None) -> CalibrationCurve | None:
    """The curve of the counts; raises MisauthoredInput when an interval is not theirs."""
    if written is None:
        return None
    points = tuple(CurvePoint(one.alpha, one.passed, one.of) for one in written.points)
    for position, (one, point) in enumerate(zip(written.points, points, strict=True)):
        if point.as_json() != one.model_dump():
            place = f"calibrationCurve.points[{position}]"
            raise MisauthoredInput(f"{place}: the interval is not that of its counts")
    return CalibrationCurve(written.source, written.rule, written.alpha, written.folds, points)


def _result(written: _ResultJson) -> CaseResult:
    return CaseResult(
        case_id=written.id,
        query=written.query,
        expected=written.expected,
        issues=tuple(written.issues),
        mode=written.mode,
        reason=written.reason,
        skipped=written.skipped,
    )


def _terms(written: _TermsJson) -> RunTerms:
    space = written.embedding
    return RunTerms(
        archive=written.archive,
        build_id=written.build,
        space=EmbeddingSpace(
            space.provider,
            space.model,
            space.dimensions,
            space.query_prefix,
            space.passage_prefix,
            space.centring,
        ),
        score_floor=written.floors.score,
        coverage_floor=written.floors.coverage,
        writer=written.writer,
        answer_prompt_version=written.answer_prompt_version,
        answer_model=written.models.answer,
        gist_model=written.models.gist,
        gist_prompt_version=written.gist_prompt_version,
        gate=written.gate,
    )


def _refuse(file: Path, reason: str) -> NoReturn:
    raise MisauthoredInput(f"{file.name}: {reason}") from None
