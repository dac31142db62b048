"""`fonds build`, `fonds rollback`, `fonds builds`: what is served, and what was."""

from __future__ import annotations

from datetime import UTC
from typing import Annotated, cast

import typer

from fonds.build.build_served import BuildReport
from fonds.cli.options import ArchiveOption, JsonOption
from fonds.cli.output import note, say, show_json
from fonds.contract.build_store import BuildSummary
from fonds.settings import read_settings
from fonds.wiring.house import opened


def build_command(
    *,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check and materialise, then keep nothing.")
    ] = False,
    archive: ArchiveOption = None,
    as_json: JsonOption = False,
) -> None:
    """Materialise what may travel and switch to it; a failed build leaves the old one served."""
    with opened(read_settings(), archive) as house:
        report = house.build(dry_run=dry_run, progress=lambda step: note(f"build: {step}"))
    if as_json:
        show_json(report.as_json())
    else:
        say(*build_lines(report))


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
        return [f"nothing changed: build {report.build_id} stays live ({size})", *_gate(report)]
    head = f"build {report.build_id} is live" if report.switched else "checked, nothing kept"
    lines = [f"{head}: {size}"]
    lines += [f"  {d.fragment_id}: located, not described ({d.reason})" for d in report.downgrades]
    if report.narrowed_meanwhile:
        lines.append(f"  withdrawn while it was built: {report.narrowed_meanwhile}")
    return [*lines, *_gate(report)]


def _gate(report: BuildReport) -> list[str]:
    """The state of the gate, and questions without an answer that it lets through of late."""
    if report.gate.get("state", "off") == "off":
        return []
    rose = cast("list[str]", report.gate.get("rose", []))
    return [f"  gate: {report.gate['state']}", *(f"  question {name} passes now" for name in rose)]


def _summary_line(build: BuildSummary) -> str:
    state = "live" if build.live else build.state
    size = f"{build.entity_count} entities, {build.fragment_count} fragments"
    return f"{build.build_id}  {state}  {build.built_at.astimezone(UTC):%Y-%m-%d %H:%MZ}  {size}"


def _summary_json(build: BuildSummary) -> dict[str, object]:
    return {
        "build": build.build_id,
        "state": build.state,
        "live": build.live,
        "builtAt": build.built_at.astimezone(UTC).isoformat(),
        "entities": build.entity_count,
        "fragments": build.fragment_count,
    }
