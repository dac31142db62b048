"""`fonds eval` and `fonds scores`: the archive's own suite, over its live build."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from fonds.cli.options import ArchiveOption, JsonOption
from fonds.cli.output import note, say, show_json
from fonds.evaluation.comparison import Comparison, compared
from fonds.evaluation.gold import GoldCase
from fonds.evaluation.report import CaseResult, EvalReport
from fonds.evaluation.report_file import read_report
from fonds.evaluation.score_table import ScoredQuestion
from fonds.settings import read_settings
from fonds.wiring.evaluating import EvalWishes, archive_suite, evaluate, reports_folder, scores
from fonds.wiring.opening import opened

eval_app = typer.Typer(invoke_without_command=True)


@eval_app.callback()
def eval_command(
    context: typer.Context,
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
        bool, typer.Option("--report", help="Keep report and page in reports/ by the archive file.")
    ] = False,
    report_to: Annotated[
        Path | None, typer.Option(help="Keep them in this folder, or as this .json and .html.")
    ] = None,
    listing: Annotated[
        bool, typer.Option("--list", help="List the cases and ask nothing.")
    ] = False,
    archive: ArchiveOption = None,
    as_json: JsonOption = False,
) -> int:
    """Sweep the served strings for canaries, then judge the gold cases; no key is needed."""
    if context.invoked_subcommand is not None:
        return 0
    chosen = tuple(one.strip() for one in ids.split(",")) if ids is not None else None
    with opened(read_settings(), archive) as house:
        kept = report_to or (reports_folder(house.config) if report else None)
        wishes = EvalWishes(full, chosen, from_report, fail_fast, kept)
        if listing:
            _list_cases(archive_suite(house).cases, as_json=as_json)
            return 0
        done = evaluate(house, wishes, warn=note, on_result=_note_failure)
    if as_json:
        show_json(done.as_json())
    else:
        say(*eval_lines(done))
    return done.exit_code


@eval_app.command("compare")
def eval_compare_command(
    before: Annotated[Path, typer.Argument(help="A kept report.")],
    after: Annotated[Path, typer.Argument(help="One of a later run, of the same tier.")],
    *,
    as_json: JsonOption = False,
) -> int:
    """Two kept reports side by side: what changed, and under which terms; exits 1 for worse."""
    comparison = compared(read_report(before), read_report(after))
    if as_json:
        show_json(comparison.as_json())
    else:
        say(*_comparison_lines(comparison))
    return comparison.exit_code


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
        lines += [f"  {name}: {rate.count} of {rate.of}" for name, rate in done.rates.named]
    lines += [f"  canary found: {issue}" for issue in done.canary_issues]
    lines += [f"  failed {r.case_id}: {'; '.join(r.issues)}" for r in done.results if r.failed]
    lines += [f"  aborted: {done.aborted}"] if done.aborted else []
    lines += [f"  {done.note}"] if done.note else []
    return lines


def _comparison_lines(comparison: Comparison) -> list[str]:
    before, after = comparison.before, comparison.after
    lines = [
        f"{name}: {one.passed} passed, {one.failed} failed, {one.skipped} skipped, "
        f"build {one.terms.build_id}"
        for name, one in (("before", before), ("after", after))
    ]
    if before.rates is not None and after.rates is not None:
        lines += [
            f"  {name}: {first.count} of {first.of} -> {second.count} of {second.of}"
            for (name, first), (_, second) in zip(
                before.rates.named, after.rates.named, strict=True
            )
        ]
    lines += [f"  {one.case_id}: {one.before} -> {one.after}" for one in comparison.changed]
    if comparison.changed_terms:
        lines.append(f"  terms that differ: {', '.join(comparison.changed_terms)}")
    lines += [f"  another question under the same id: {one}" for one in comparison.changed_words]
    worse = [*comparison.worse, *comparison.worse_rates]
    return [*lines, f"worse: {', '.join(worse)}" if worse else "nothing got worse"]


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
    """Score, case and the passage that has it; none where no hit was above the floor."""
    return f"  {_shown(one.best_score)}  {one.case_id}  {one.passage or 'no hit'}"


def _shown(figure: float | None) -> str:
    return "none" if figure is None else f"{figure:.3f}"
