"""From folder to private schema: the corpus read, and what was refused by file and line (R042)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from fastapi import APIRouter, Request, Response
from starlette.responses import RedirectResponse

from fonds.contract.failures import QueryRefused
from fonds.desk.desk import Desk, SentForm
from fonds.desk.runs import Run, RunName, Tell
from fonds.ingestion.report import IngestReport
from fonds.pages.rendering import moment
from fonds.wiring.gists import configured_drafter
from fonds.wiring.house import House
from fonds.wiring.ingesting import ingest_and_draft
from fonds.wiring.standing import last_ingest

MOST_NAMED: Final = 200  # of a kind; `fonds ingest --report` names them all
MOST_PUBLISHED: Final = 100
COUNTED: Final = ("done", "unchanged", "removed", "noText", "refused", "drafts", "leftOut")


@dataclass(frozen=True, slots=True)
class ShownIngest:
    """A run of ingest as its page shows it: `lists` are bounded, `counts` are not."""

    when: str
    counts: Mapping[str, int]
    lists: Mapping[str, list[Any]] = field(repr=False)
    waiting: int
    gists_waiting: int


def intake_routes(desk: Desk) -> APIRouter:
    """Reading the folders in, publishing what was private, and the author's gists from a file."""
    router = APIRouter()
    _reading_routes(router, desk)
    _changing_routes(router, desk)
    return router


def _reading_routes(router: APIRouter, desk: Desk) -> None:
    @router.get("/intake", response_model=None)
    def intake(request: Request) -> Response:
        house = desk.house
        return desk.page(
            request,
            "intake.html",
            config=house.config,
            drafter=configured_drafter(house),
            ended=desk.runs.last("ingest"),
            ingest=_last_ingest(desk, house),
            imported=desk.runs.last("gist import"),
            at_work=_at_work(desk, "ingest", "gist import"),
            most=MOST_NAMED,
        )

    @router.post("/intake", response_model=None)
    def read_in(form: SentForm) -> Response:
        draft, publish = form.first("draft") == "yes", frozenset(form.all("publish"))

        def work(house: House) -> Callable[[Tell], object]:
            return lambda tell: ingest_and_draft(
                house,
                progress=lambda step, done, total: tell(f"{step}: {done} of {total}"),
                publish=publish,
                draft=draft,
            )

        desk.begin("ingest", work)
        return RedirectResponse("/intake", 303)


def _changing_routes(router: APIRouter, desk: Desk) -> None:
    @router.post("/intake/publish", response_model=None)
    def asked_to_publish(request: Request, form: SentForm) -> Response:
        """Shows what is about to be published; nothing happens before that is confirmed."""
        asked = tuple(dict.fromkeys(form.first("ids").split()))
        if not 0 < len(asked) <= MOST_PUBLISHED:
            raise QueryRefused("ids", f"1 to {MOST_PUBLISHED} entity ids, one a line")
        return desk.page(request, "publish.html", ids=asked, drafter=configured_drafter(desk.house))

    @router.post("/intake/gists", response_model=None)
    def import_gists(_: SentForm) -> Response:
        desk.begin("gist import", lambda house: lambda tell: house.import_gists())
        return RedirectResponse("/intake", 303)


def _at_work(desk: Desk, *names: RunName) -> bool:
    run = desk.runs.current
    return run is not None and run.state == "at work" and run.name in names


def _last_ingest(desk: Desk, house: House) -> ShownIngest | None:
    """The last run of this desk or, before its first, of the run log."""
    ended: Run | None = desk.runs.last("ingest")
    if ended is not None:
        if isinstance(ended.outcome, IngestReport):
            return _shown(ended.outcome.as_json(), "Read in since this desk was started")
        return None
    kept = last_ingest(house)
    return None if kept is None else _shown(kept.report, moment(kept.finished_at))


def _shown(report: Mapping[str, Any], when: str) -> ShownIngest:
    """From a report in the form the run log keeps it; one of an older release may lack a part."""
    found = {key: report.get(key, 0) for key in COUNTED}
    lists = {
        key: list(report.get(key) or [])[:MOST_NAMED]
        for key in ("refused", "refusedTexts", "removed", "noText", "remarks")
    }
    return ShownIngest(
        when,
        {key: one if isinstance(one, int) else len(one) for key, one in found.items()},
        lists,
        report.get("waiting", 0),
        report.get("gistsWaiting", 0),
    )
