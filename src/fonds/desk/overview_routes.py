"""Where an author comes in: how the archive stands, and what to do next."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from starlette.responses import RedirectResponse

from fonds.desk.desk import Desk, SentForm
from fonds.desk.runs import ASKED_AGAIN
from fonds.wiring.standing import own_standing


def overview_routes(desk: Desk) -> APIRouter:
    """The first page, the run that is under way, and the archive file read again."""
    router = APIRouter()

    @router.get("/", response_model=None)
    def overview(request: Request) -> Response:
        return desk.page(request, "overview.html", stands=own_standing(desk.house))

    @router.get(ASKED_AGAIN, response_model=None)
    def under_way(request: Request) -> Response:
        """The run alone, for a page that asks again while one is at work."""
        return desk.page(request, "run.html")

    @router.post("/reread", response_model=None)
    def read_again(_: SentForm) -> Response:
        desk.read_file_again()
        return RedirectResponse("/", 303)

    return router
