"""The reports an archive keeps, as files somebody may have changed: each read strictly, or named
with what is wrong (R184).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from fonds.contract.failures import Failure, QueryRefused
from fonds.contract.sealed import sealed
from fonds.evaluation.report import EvalReport
from fonds.evaluation.report_file import kept_bytes, read_report

MOST_REPORTS: Final = 30
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,119}\.json")


@sealed
@dataclass(frozen=True, slots=True)
class KeptReport:
    """One file of the folder: the report in it, or the line that says why there is none."""

    name: str
    report: EvalReport | None = field(repr=False)
    line: str = ""


def kept_reports(folder: Path) -> tuple[KeptReport, ...]:
    """The last MOST_REPORTS by name, which begins with the time of the run; the youngest first."""
    names = sorted(_names(folder), reverse=True)[:MOST_REPORTS]
    return tuple(_kept(folder, name) for name in names)


def kept_report(folder: Path, name: str) -> EvalReport:
    """The report of a name `kept_reports` may list; raises QueryRefused for another one, and what
    `read_report` raises.
    """
    return read_report(folder / _known(folder, name))


def has_page(folder: Path, name: str) -> bool:
    """Whether a page lies beside the report of that name."""
    return _is_plain(_page_of(folder, name))


def kept_page(folder: Path, name: str) -> str:
    """The page beside a report, as it is; raises QueryRefused without one, and what `kept_bytes`
    raises.
    """
    file = _page_of(folder, _known(folder, name))
    if not _is_plain(file):
        raise QueryRefused("report", "one that was kept with its page")
    return kept_bytes(file).decode("utf-8", "replace")


def _kept(folder: Path, name: str) -> KeptReport:
    try:
        return KeptReport(name, read_report(folder / name))
    except Failure as failure:
        return KeptReport(name, None, str(failure))


def _page_of(folder: Path, name: str) -> Path:
    return (folder / name).with_suffix(".html")


def _known(folder: Path, name: str) -> str:
    if name not in _names(folder):
        raise QueryRefused("report", "one of the archive's reports folder")
    return name


def _names(folder: Path) -> set[str]:
    try:
        found = list(folder.iterdir())
    except OSError:
        return set()
    return {file.name for file in found if _NAME.fullmatch(file.name) and _is_plain(file)}


def _is_plain(file: Path) -> bool:
    """No link, no folder, no pipe: what is listed is what lies there."""
    return file.is_file() and not file.is_symlink()
