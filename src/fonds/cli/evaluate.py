"""`fonds eval` and `fonds scores`: the archive's own suite, over its live build."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from fonds.cli.options import ArchiveOption, JsonOption
from fonds.cli.output import note, say, show_json
from fonds.evaluation.gold import GoldCase
from fonds.evaluation.report import CaseResult, EvalReport
from fonds.evaluation.score_table import ScoredQuestion
from fonds.settings import read_settings
from fonds.wiring.evaluating import EvalWishes, archive_suite, evaluate, scores
from fonds.wiring.house import opened


def eval_command(
    *,
    full: Annotated[bool, typer.Option("--full", help="Also write and judge answers.")] = False,
    ids: Annotated[str | None, typer.Option(help="Only these cases: a,b,c.")] = None,
    from_report: Annotated[
        str | None, typer.Option(help="Only what failed in a report: a path, or latest.")
    ] = None,
    fail_fast: Annotated[
        bool, typer.Option("--fail-fast", help="Stop at the first failure.")
    ] = False,
    report: Annotated[
        bool, typer.Option("--report", help="Keep the report in reports/ beside the archive file.")
    ] = False,
    listing: Annotated[
        bool, typer.Option("--list", help="List the cases and ask nothing.")
    ] = False,
    archive: ArchiveOption = None,
    as_json: JsonOption = False,
) -> int:
    """Sweep the served strings for canaries, then judge the gold cases; no key is needed."""
    chosen = tuple(one.strip() for one in ids.split(",")) if ids is not None else None
    wishes = EvalWishes(full, chosen, from_report, fail_fast, report)
    with opened(read_settings(), archive) as house:
        if listing:
            _list_cases(archive_suite(house).cases, as_json=as_json)
            return 0
        done = evaluate(house, wishes, warn=note, on_result=_note_failure)
    if as_json:
        show_json(done.as_json())
    else:
        say(*eval_lines(done))
    return done.exit_code


def scores_command(*, archive: ArchiveOption = None, as_json: JsonOption = False) -> None:
    """Where answerable and unanswerable questions score, and what no floor can separate."""
    with opened(read_settings(), archive) as house:
        table = scores(house)
    if as_json:
        show_json(table.as_json())
        return
    say("answerable, lowest first", *(_score_line(one) for one in table.answerable))
    say("unanswerable, highest first", *(_score_line(one) for one in table.unanswerable))
    say(f"gap {_shown(table.gap)}, suggested floor {_shown(table.suggested_floor)}")
    say(
        *(
            f"needs a model: {i.answerable} is not above {', '.join(i.unanswerable)}"
            for i in table.inversions
        )
    )


def eval_lines(done: EvalReport) -> list[str]:
    """What a person reads: counts, both rates, then what failed and why; no answer and no
    canary.
    """
    tier = "answers" if done.full else "retrieval"
    lines = [
        f"{tier}: {done.passed} passed, {done.failed} failed, {done.skipped} skipped "
        f"of {done.selected_total}; {done.canaries} canaries swept",
        f"  gate: {done.terms.gate}",
    ]
    if done.rates is not None:
        shown = (
            ("false answers", done.rates.false_answers),
            ("false refusals", done.rates.false_refusals),
            ("false routes", done.rates.false_routes),
        )
        lines += [f"  {name}: {rate.count} of {rate.of}" for name, rate in shown]
    lines += [f"  canary found: {issue}" for issue in done.canary_issues]
    lines += [f"  failed {r.case_id}: {'; '.join(r.issues)}" for r in done.results if r.failed]
    lines += [f"  aborted: {done.aborted}"] if done.aborted else []
    lines += [f"  {done.note}"] if done.note else []
    return lines


def _list_cases(cases: Sequence[GoldCase], *, as_json: bool) -> None:
    """Ids and expectations; the questions stay in the suite."""
    if as_json:
        show_json({"cases": [{"id": c.case_id, "expects": c.expect_mode} for c in cases]})
    else:
        say(*(f"{case.case_id}  {case.expect_mode}" for case in cases))


def _note_failure(result: CaseResult) -> None:
    if result.failed:
        note(f"failed {result.case_id}")


def _score_line(one: ScoredQuestion) -> str:
    return f"  {_shown(one.best_score)}  {one.case_id}"


def _shown(figure: float | None) -> str:
    return "none" if figure is None else f"{figure:.3f}"
