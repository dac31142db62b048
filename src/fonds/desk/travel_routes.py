"""What may travel: the next build beside the live one, and the builds that are kept (R191)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Final
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request, Response
from starlette.responses import RedirectResponse

from fonds.build.build_report import BuildReport
from fonds.build.preview import SeenDifference
from fonds.contract.build_store import BuildSummary
from fonds.contract.failures import NothingServed, QueryRefused
from fonds.desk.desk import Desk, SentForm
from fonds.desk.runs import Run, Tell
from fonds.wiring.house import House
from fonds.wiring.taking_back import AuthorDesk
from fonds.wiring.travel import ANOTHER_LIVE, TravelDesk

ENTITIES: Final = 50  # a page
FRAGMENTS: Final = 100
CHANGES: Final = 50
MOST_HELD: Final = 500
LONGEST_WORDS: Final = 200
TIGHT: Final = ("none", "locator")
AS_FILE: Final = "as-file"

After = Annotated[str, Query(max_length=2_000)]
Words = Annotated[str, Query(max_length=LONGEST_WORDS)]
From = Annotated[int, Query(ge=0, le=100_000)]


@dataclass(frozen=True, slots=True)
class Built:
    """What a build of this desk did. `refused` where the difference that was accepted is not what
    waits by now: of it nothing went out.
    """

    report: BuildReport
    accepted: str | None

    @property
    def refused(self) -> bool:
        return self.accepted is not None and bool(self.report.waiting)


def travel_routes(desk: Desk) -> APIRouter:
    """What each fragment shows, what the next build changes, and the builds."""
    router = APIRouter()
    _looking_routes(router, desk)
    _holding_routes(router, desk)
    _next_routes(router, desk)
    _build_routes(router, desk)
    return router


def _looking_routes(router: APIRouter, desk: Desk) -> None:
    @router.get("/travel", response_model=None)
    def entities(request: Request, after: After = "", words: Words = "") -> Response:
        try:
            found, more = TravelDesk(desk.house).entities(after, words.strip(), ENTITIES)
        except NothingServed:
            found, more = (), False
        return desk.page(
            request, "travel.html", entities=found, more=more, after=after, words=words.strip()
        )

    @router.get("/travel/entity", response_model=None)
    def entity(request: Request, id: After, after: After = "") -> Response:
        seen = TravelDesk(desk.house).entity(id, after, FRAGMENTS)
        return desk.page(request, "travel_entity.html", seen=seen, after=after)


def _holding_routes(router: APIRouter, desk: Desk) -> None:
    @router.get("/travel/held", response_model=None)
    def held(request: Request) -> Response:
        """What the author holds to less than its file asks, stored or not."""
        try:
            found = AuthorDesk(desk.house).tightenings()
        except NothingServed:
            found = ()
        return desk.page(request, "travel_held.html", held=found[:MOST_HELD], count=len(found))

    @router.post("/travel/expose", response_model=None)
    def expose(request: Request, form: SentForm) -> Response:
        """Holds one fragment to less at once, or leaves it to its file again."""
        fragment, asked = form.one("fragment"), form.one("exposure")
        author = AuthorDesk(desk.house)
        if asked == AS_FILE:
            done = author.lift((fragment,))
        elif asked in TIGHT:
            done = author.tighten((fragment,), asked)
        else:
            raise QueryRefused("exposure", "one of none, locator, as-file")
        for _, reason in done.refused:
            raise QueryRefused("fragment", reason)
        if form.first("from") == "held":
            return RedirectResponse("/travel/held", 303)
        back = {"id": fragment.partition("#")[0], "after": form.first("after")}
        return RedirectResponse(f"/travel/entity?{urlencode(back)}", 303)


def _next_routes(router: APIRouter, desk: Desk) -> None:
    @router.get("/travel/next", response_model=None)
    def difference(request: Request, waiting: From = 0, unasked: From = 0) -> Response:
        looked = desk.runs.last("preview")
        seen = looked.outcome if looked and isinstance(looked.outcome, SeenDifference) else None
        return desk.page(
            request,
            "travel_next.html",
            seen=seen,
            looked=looked,
            is_old=_is_old(desk, looked),
            at_work=_is_at_work(desk),
            waiting_from=waiting,
            unasked_from=unasked,
            size=CHANGES,
        )

    @router.post("/travel/next", response_model=None)
    def look(_: SentForm) -> Response:
        desk.begin("preview", lambda house: TravelDesk(house).difference)
        return RedirectResponse("/travel/next", 303)


def _build_routes(router: APIRouter, desk: Desk) -> None:
    @router.get("/travel/builds", response_model=None)
    def builds(request: Request) -> Response:
        built = desk.runs.last("build")
        return desk.page(
            request,
            "travel_builds.html",
            built=built.outcome if built and isinstance(built.outcome, Built) else None,
            ended=built,
            builds=kept_builds(desk.house),
            at_work=_is_at_work(desk),
        )

    @router.post("/travel/build", response_model=None)
    def build(form: SentForm) -> Response:
        """Without a digest nothing that waits is accepted, with one exactly what it stands for."""
        accept = form.first("accept") or None

        def work(house: House) -> Callable[[Tell], object]:
            return lambda tell: Built(house.build(accept=accept, progress=tell), accept)

        desk.begin("build", work)
        return RedirectResponse("/travel/builds", 303)

    @router.get("/travel/rollback", response_model=None)
    def asked_to_go_back(request: Request) -> Response:
        return desk.page(request, "travel_rollback.html", two=_two_builds(desk.house))

    @router.post("/travel/rollback", response_model=None)
    def go_back(form: SentForm) -> Response:
        """Only from the build that was shown as live."""
        shown, two = form.one("live"), _two_builds(desk.house)
        if two is None or shown != str(two[0].build_id):
            raise QueryRefused("live", ANOTHER_LIVE)
        TravelDesk(desk.house).go_back(two[0].build_id)
        return RedirectResponse("/travel/builds", 303)


def kept_builds(house: House) -> tuple[BuildSummary, ...]:
    """The builds of the archive, none before the first."""
    try:
        return house.builds()
    except NothingServed:
        return ()


def _two_builds(house: House) -> tuple[BuildSummary, BuildSummary] | None:
    """The live build and the one a rollback would go back to; None without such a one."""
    kept = kept_builds(house)
    for live in (one for one in kept if one.live):
        for one in kept:
            if one.state == "retired" and one.build_id < live.build_id:
                return live, one
    return None


def _is_at_work(desk: Desk) -> bool:
    run = desk.runs.current
    return run is not None and run.state == "at work"


def _is_old(desk: Desk, looked: Run | None) -> bool:
    """Whether something was read in or built here since it was looked."""
    later = (desk.runs.last("ingest"), desk.runs.last("build"), desk.runs.last("gist import"))
    return looked is not None and any(
        one is not None and one.number > looked.number for one in later
    )
