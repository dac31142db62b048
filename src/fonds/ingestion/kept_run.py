"""Which runs of ingest are kept on record (R191)."""

from __future__ import annotations

from fonds.contract.ports import PrivateStore
from fonds.ingestion.report import IngestReport


def keep_run(store: PrivateStore, report: IngestReport) -> None:
    """A run that changed nothing leaves no row, unless the last one on record failed: what was put
    right by taking a file away would be held against the archive for good.
    """
    if not report.changed_nothing or store.last_outcome("ingest") == "failed":
        store.record_run("ingest", report.outcome, report.as_json())
