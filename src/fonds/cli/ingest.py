"""`fonds ingest`: corpus to private schema."""

from __future__ import annotations

from typing import Annotated

import typer

from fonds.cli.options import ArchiveOption, JsonOption
from fonds.cli.output import progress_bar, say, show_json
from fonds.ingestion.report import EmbeddingStopped, IngestReport, RefusedFile
from fonds.settings import read_settings
from fonds.wiring.house import opened

EXIT_FAILED = 1


def ingest_command(
    *,
    publish: Annotated[
        list[str] | None,
        typer.Option(
            "--publish", help="Entity id that was private and is to be public.", metavar="ID"
        ),
    ] = None,
    archive: ArchiveOption = None,
    as_json: JsonOption = False,
) -> int:
    """Read the corpus into the private schema; what did not change costs nothing."""
    with opened(read_settings(), archive) as house:
        try:
            with progress_bar() as progress:
                report = house.ingest(progress=progress, publish=frozenset(publish or ()))
        except EmbeddingStopped as stopped:
            _show(stopped.report, as_json=as_json)  # what was stored stays, and what was refused
            raise
    _show(report, as_json=as_json)
    return EXIT_FAILED if report.failed else 0


def _show(report: IngestReport, *, as_json: bool) -> None:
    if as_json:
        show_json(report.as_json())
    else:
        say(*ingest_lines(report))


def ingest_lines(report: IngestReport) -> list[str]:
    """What a person reads of a run: counts, then every file that needs the author's hand."""
    rows = report.rows
    lines = [
        f"{report.done} done, {report.unchanged} unchanged, {len(report.removed)} removed, "
        f"{len(report.no_text)} without text, {len(report.refused)} refused",
        f"{rows.entities} entities, {rows.fragments} fragments and {rows.vectors} vectors written",
    ]
    lines += [f"  removed: {name}" for name in report.removed]
    lines += [f"  without text: {name}" for name in report.no_text]
    lines += [f"  refused ({one.standing}): {refused_line(one)}" for one in report.refused]
    lines += [f"  not embedded: {one.fragment_id}: {one.reason}" for one in report.refused_texts]
    lines += [f"  remark: {one.file}: {one.remark}" for one in report.remarks]
    return lines


def refused_line(one: RefusedFile) -> str:
    """File, line, field and reason of a refusal."""
    place = one.file if one.line is None else f"{one.file}:{one.line}"
    return f"{place}: {one.field}: {one.reason}" if one.field else f"{place}: {one.reason}"
