"""How a build ended, kept beside the ingests for whoever looks after the archive (R191)."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress

from fonds.build.build_report import BuildReport
from fonds.contract.failures import Failure, StoreRefused, Unavailable
from fonds.store.pools import Pool
from fonds.store.run_log import record_run


@contextmanager
def noted_build(
    pool: Pool, archive_id: int, *, dry_run: bool
) -> Generator[Callable[[BuildReport], BuildReport]]:
    """Keeps the outcome of the report that is handed to what it gives, or of the failure that ends
    the block: `done`, `unchanged`, `waits`, `failed`. Of a dry run nothing is kept.

    A failure is what the caller hears of, also where it cannot be kept. A build that was made is
    never kept as failed: that its outcome cannot be kept is raised by itself.
    """
    made: list[BuildReport] = []

    def note(report: BuildReport) -> BuildReport:
        made.append(report)
        return report

    try:
        yield note
    except Failure as failure:
        if not dry_run:
            with suppress(Unavailable, StoreRefused):
                record_run(pool, archive_id, "build", "failed", {"why": type(failure).__name__})
        raise
    for report in () if dry_run else made:
        record_run(pool, archive_id, "build", _outcome(report), _counts(report))


def _outcome(report: BuildReport) -> str:
    if report.waiting:
        return "waits"
    return "unchanged" if report.unchanged else "done"


def _counts(report: BuildReport) -> dict[str, object]:
    return {
        "build": report.build_id,
        "entities": report.entities,
        "fragments": report.fragments,
        "changes": len(report.changes),
        "waiting": len(report.waiting),
    }
