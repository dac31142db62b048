"""The application of the desk: every address asks for a session first, and a form for its token."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request as PlainRequest
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from fonds.api.envelope import Envelope
from fonds.contract.failures import Failure
from fonds.desk.asking_routes import asking_routes
from fonds.desk.desk import Desk, is_part
from fonds.desk.door_routes import door_routes
from fonds.desk.evaluation_routes import evaluation_routes
from fonds.desk.gists_routes import gists_routes
from fonds.desk.intake_routes import intake_routes
from fonds.desk.overview_routes import overview_routes
from fonds.desk.refusals_routes import refusals_routes
from fonds.desk.travel_routes import travel_routes
from fonds.desk.way_in import WayIn
from fonds.observing.observer import Observer
from fonds.observing.requests import ObservedRequests
from fonds.pages.led_here import is_led_here
from fonds.pages.static_files import static_files, static_path, static_routes

BODY_BYTES: Final = 262_144  # a gist and its form; a browser sends no more
DOOR: Final = re.compile("/enter(/[^/]*)?")
STATIC: Final = frozenset(static_path(name) for name in static_files())
ELSEWHERE: Final = "Open the desk by its own address.\n"
DEFECT: Final = "A defect of ours: its place is in the log."
ROUTES: Final[tuple[Callable[[Desk], APIRouter], ...]] = (
    door_routes,
    overview_routes,
    gists_routes,
    travel_routes,
    asking_routes,
    refusals_routes,
    evaluation_routes,
    intake_routes,
)


def create_desk(desk: Desk, observer: Observer) -> ASGIApp:
    """An ASGI application over one archive; it serves nobody but whoever has the key."""
    guarded = _Guarded(desk_app(desk), desk.way_in)
    return ObservedRequests(Envelope(guarded, BODY_BYTES, observer), observer)


def desk_app(desk: Desk) -> FastAPI:
    """The routes and how their failures end, without the guard before them."""
    app = FastAPI(
        title="fonds desk", docs_url=None, redoc_url=None, openapi_url=None, redirect_slashes=False
    )
    app.state.way_in = desk.way_in
    for routes in ROUTES:
        app.include_router(routes(desk))
    app.router.routes.extend(static_routes())

    async def failed(request: Request, raised: Exception) -> Response:
        assert isinstance(raised, Failure)  # noqa: S101 - what it is registered for
        return desk.failed(request, raised)

    async def not_routed(request: Request, raised: Exception) -> Response:
        assert isinstance(raised, HTTPException)  # noqa: S101 - what it is registered for
        return desk.told(request, f"{raised.detail}.", raised.status_code)

    async def out_of_shape(request: Request, _: Exception) -> Response:
        return desk.told(request, "The address is out of shape.", 422)

    async def defect(request: Request, _: Exception) -> Response:
        return desk.told(request, DEFECT, 500)

    app.add_exception_handler(Failure, failed)
    app.add_exception_handler(HTTPException, not_routed)
    app.add_exception_handler(RequestValidationError, out_of_shape)
    app.add_exception_handler(Exception, defect)  # sent, and raised again for the log
    return app


class _Guarded:
    """Around the routes: no reply without a session, none to a browser another site sent."""

    def __init__(self, app: ASGIApp, way_in: WayIn) -> None:
        self._app = app
        self._way_in = way_in

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            refused = self._refused(PlainRequest(scope))
            if refused is not None:
                await refused(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _refused(self, request: PlainRequest) -> Response | None:
        path = str(request.scope["path"])  # what the routes are found by
        at_door = DOOR.fullmatch(path) is not None
        if at_door and request.method == "GET":
            # A link in a message leads here from elsewhere. The name has to be ours all the same.
            here = is_led_here(Headers({"host": request.headers.get("host", "")}), self._names)
        else:
            here = is_led_here(request.headers, self._names)
        if not here:
            return PlainTextResponse(ELSEWHERE, 403)
        if at_door and request.scope["state"]["head"]:
            return Response(status_code=405)  # else a preview of the link would use up its code
        if at_door or path in STATIC or self._way_in.session_of(request) is not None:
            return None
        if is_part(request):  # a page would be put into a part of the one that asks
            return Response(status_code=401, headers={"hx-redirect": "/enter"})
        return RedirectResponse("/enter", 303)

    @property
    def _names(self) -> tuple[str, ...]:
        return self._way_in.names
