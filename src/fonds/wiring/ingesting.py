"""An ingest with all its steps: files, vectors, and gists where a drafter is configured (R080)."""

from __future__ import annotations

from fonds.contract.failures import Failure, ProviderUnavailable
from fonds.ingestion.draft_task import PROMPT_VERSION
from fonds.ingestion.drafting import Progress
from fonds.ingestion.report import DraftingStopped, EmbeddingStopped, IngestReport
from fonds.store.archives import job_lock, open_archive
from fonds.store.private_store import PostgresPrivateStore
from fonds.wiring.gists import GistDesk, configured_drafter
from fonds.wiring.house import House


def ingest_and_draft(
    house: House,
    *,
    progress: Progress,
    publish: frozenset[str] = frozenset(),
    draft: bool = True,
) -> IngestReport:
    """Corpus to private schema; then gists are drafted where the archive names a model, a key is
    there, and anything moved or waits. A run that finds everything as it was asks nobody.

    Raises what `House.ingest` raises, and DraftingStopped with the report when the files are
    ingested and the drafter gave up.
    """
    drafter = configured_drafter(house)
    try:
        report = house.ingest(progress=progress, publish=publish)
    except EmbeddingStopped as stopped:
        stopped.report.gists_waiting = _waiting(house, drafter)
        raise
    report.gists_waiting = _waiting(house, drafter)
    if draft and drafter is not None and (report.gists_waiting or not report.changed_nothing):
        trouble = _drafted(house, report, progress)
        report.gists_waiting = _waiting(house, drafter)
        if trouble is not None:
            raise DraftingStopped(report, trouble) from None
    return report


def _drafted(house: House, report: IngestReport, progress: Progress) -> Failure | None:
    """Have gists drafted, into the report; what ended the run early, if anything did."""
    try:
        curator = house.curator_store()
        # One run at a time: another would ask for the same drafts.
        with job_lock(house.server.login_of("fonds_ingest"), curator.archive_id, "ingest"):
            report.gists = GistDesk(house).draft((), redraft=False, progress=progress)
    except Failure as trouble:
        return trouble
    if report.gists.stopped is not None:
        return ProviderUnavailable(f"the drafter is not there: {report.gists.stopped}")
    return None


def _waiting(house: House, drafter: str | None) -> int:
    """How many fragments a drafter would be asked about; asked as ingest, which reads no gist."""
    pool = house.pool("fonds_ingest")
    store = PostgresPrivateStore(pool, open_archive(pool, house.config.slug))
    return store.waiting_for_drafts(drafter, PROMPT_VERSION)
