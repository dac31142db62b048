"""`fonds build`, `fonds rollback`, `fonds builds`: what is served, and what was."""

from __future__ import annotations

from datetime import UTC
from typing import Annotated, cast

import typer

from fonds.build.build_report import BuildReport, difference_lines, waiting_lines
from fonds.cli.options import ArchiveOption, JsonOption
from fonds.cli.output import note, say, show_json
from fonds.contract.build_store import BuildSummary
from fonds.contract.failures import Misconfigured
from fonds.settings import read_settings
from fonds.wiring.opening import opened


def build_command(
    *,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check and materialise, then keep nothing.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Accept whatever lets more travel.")] = False,
    accept: Annotated[
        str | None,
        typer.Option("--accept", metavar="HASH", help="Accept what `fonds preview --diff` shows."),
    ] = None,
    archive: ArchiveOption = None,
    as_json: JsonOption = False,
) -> int:
    """Materialise what may travel and switch to it; a failed build leaves the old one served.

    What needs your acceptance waits, the rest is published, and the exit code is 4.
    """
    if yes and accept is not None:
        raise Misconfigured("--yes accepts everything, --accept one difference: give one of them")
    with opened(read_settings(), archive) as house:
        report = house.build(
            yes=yes, accept=accept, dry_run=dry_run, progress=lambda step: note(f"build: {step}")
        )
    if as_json:
        show_json(report.as_json())
    else:
        say(*build_lines(report))
    if accept is not None and report.waiting:
        note("what waits is not the difference that was accepted")
    return 0 if dry_run else report.exit_code


def rollback_command(*, archive: ArchiveOption = None, as_json: JsonOption = False) -> None:
    """Serve the build before the live one; what was withdrawn since stays withdrawn."""
    with opened(read_settings(), archive) as house:
        build = house.rollback()
    if as_json:
        show_json(_summary_json(build))
    else:
        say(f"build {build.build_id} is live again: {build.fragment_count} fragments")


def builds_command(*, archive: ArchiveOption = None, as_json: JsonOption = False) -> None:
    """List the kept builds, youngest first."""
    with opened(read_settings(), archive) as house:
        builds = house.builds()
    if as_json:
        show_json({"builds": [_summary_json(build) for build in builds]})
    else:
        say(*(_summary_line(build) for build in builds))
    if not builds:
        note("no build yet: run fonds build")


def build_lines(report: BuildReport) -> list[str]:
    """What a person reads of a build."""
    size = f"{report.entities} entities, {report.fragments} fragments"
    if report.unchanged:
        head = f"nothing changed: build {report.build_id} stays live ({size})"
        return [head, *_gate(report), *_index(report), *waiting_lines(report.waiting)]
    if report.build_id is None and not report.fragments:
        return ["nothing is published: all of it waits", *waiting_lines(report.waiting)]
    head = f"build {report.build_id} is live" if report.switched else "checked, nothing kept"
    lines = [f"{head}: {size}", *difference_lines(report.changes)]
    lines += [f"  {d.fragment_id}: located, not described ({d.reason})" for d in report.downgrades]
    if report.narrowed_meanwhile:
        lines.append(f"  withdrawn while it was built: {report.narrowed_meanwhile}")
    return [*lines, *_gate(report), *_index(report), *waiting_lines(report.waiting)]


def _gate(report: BuildReport) -> list[str]:
    """The state of the gate, and questions without an answer that it lets through of late."""
    if report.gate.get("state", "off") == "off":
        return []
    rose = cast("list[str]", report.gate.get("rose", []))
    return [f"  gate: {report.gate['state']}", *(f"  question {name} passes now" for name in rose)]


def _index(report: BuildReport) -> list[str]:
    """Whether searches go by an index, where one was asked for."""
    state, recall = report.index["state"], report.index.get("recall")
    if state == "off":
        return []
    measured = "" if recall is None else f", recall {recall:.4f}"
    return [f"  index: {state}{measured}" + ("" if state == "admitted" else "; searches are exact")]


def _summary_line(build: BuildSummary) -> str:
    size = f"{build.entity_count} entities, {build.fragment_count} fragments"
    built = f"{build.built_at.astimezone(UTC):%Y-%m-%d %H:%MZ}"
    return f"{build.build_id}  {build.standing}  {built}  {size}"


def _summary_json(build: BuildSummary) -> dict[str, object]:
    return {
        "build": build.build_id,
        "state": build.state,
        "live": build.live,
        "builtAt": build.built_at.astimezone(UTC).isoformat(),
        "entities": build.entity_count,
        "fragments": build.fragment_count,
    }
