"""`fonds jobs`: what runs by itself, run here, queued, worked off and looked at (R191)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated

import typer

from fonds.cli.options import ArchiveOption, JsonOption
from fonds.cli.output import note, one_line, say, show_json
from fonds.jobs.waking import waking
from fonds.jobs.worker import WorkerTerms
from fonds.settings import read_settings
from fonds.wiring.job_standing import JobStanding, job_standings
from fonds.wiring.observed_worker import observed_worker
from fonds.wiring.working import enqueued, run_here

jobs_app = typer.Typer(
    help="Ingest and build by themselves: a queue, schedules, and a worker.", no_args_is_help=True
)


@jobs_app.command("run")
def jobs_run_command(
    job: Annotated[str, typer.Argument(help="ingest, build, or one a package brings.")],
    *,
    queue: Annotated[
        bool, typer.Option("--queue", help="Leave it to a worker instead of running it here.")
    ] = False,
    archive: ArchiveOption = None,
    as_json: JsonOption = False,
) -> int:
    """Run a job now, in a process of its own; its exit code is this command's."""
    if not queue:
        code = run_here(read_settings(), archive, job)
        if as_json:
            show_json({"job": job, "exitCode": code})
        return code
    made = enqueued(read_settings(), archive, job)
    if as_json:
        show_json({"job": job, "id": made, "queued": made is not None})
    else:
        say(f"{job}: job {made} waits" if made is not None else f"{job}: waits already")
    return 0


@jobs_app.command("worker")
def jobs_worker_command(
    *,
    at_once: Annotated[
        int, typer.Option(help="Jobs at once, one of an archive.", min=1, max=64)
    ] = 2,
    time_limit: Annotated[
        int, typer.Option(help="Minutes a job may take.", min=1, max=7 * 24 * 60)
    ] = 240,
    poll: Annotated[
        int, typer.Option(help="Seconds between looks at the queue.", min=1, max=60)
    ] = 5,
    archive: ArchiveOption = None,
) -> int:
    """Run what waits and what is due until told to end; one JSON line on stderr a thing done.

    SIGTERM ends it: what runs is told to end and given back to the queue.
    """
    terms = WorkerTerms(at_once=at_once, time_limit=time_limit * 60.0, poll=float(poll))
    with observed_worker(read_settings(), archive, _line, terms) as worker, waking() as signals:
        worker.run(signals)
    return 0


@jobs_app.command("list")
def jobs_list_command(
    *,
    limit: Annotated[
        int, typer.Option(help="At most so many of the last runs.", min=1, max=1000)
    ] = 5,
    archive: ArchiveOption = None,
    as_json: JsonOption = False,
) -> int:
    """Schedules, what waits or runs, and how the last runs ended."""
    found = job_standings(read_settings(), archive, limit)
    if as_json:
        show_json(found.as_json())
        return 0
    for one in found.archives:
        say(*_lines(one))
    say(*(f"{name}: cannot be used: {one_line(reason)}" for name, reason in found.unusable))
    return 0


def _line(done: Mapping[str, object]) -> None:
    note(json.dumps(done, ensure_ascii=False))


def _lines(of: JobStanding) -> list[str]:
    lines = [of.slug]
    lines += [
        f"  {job}: at {line}, next {due:%Y-%m-%d %H:%M} UTC" for job, line, due in of.schedule
    ]
    for one in of.queued:
        later = f", not before {one.not_before:%Y-%m-%d %H:%M} UTC" if one.not_before else ""
        lines.append(
            f"  job {one.job_id} {one.job}: {one.status}, {one.attempts} attempt(s){later}"
        )
    for one in of.attempts:
        code = "" if one.exit_code is None else f", exit {one.exit_code}"
        ended = one.outcome or "runs"
        lines.append(f"  {one.began_at:%Y-%m-%d %H:%M} UTC {one.job}: {ended}{code}")
    lines += [f"  run {ended:%Y-%m-%d %H:%M} UTC {job}: {how}" for job, how, ended in of.runs]
    return lines
