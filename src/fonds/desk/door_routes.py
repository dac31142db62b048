"""Coming in and leaving: by the code that was shown at the start, or by the key."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Request, Response
from starlette.responses import RedirectResponse

from fonds.desk.desk import Desk, SentForm, entering
from fonds.desk.way_in import session_cookie
from fonds.pages.forms import parsed_form
from fonds.pages.led_here import is_from_here
from fonds.pages.rendering import page

WRONG: Final = "That is not the key of this desk."
USED: Final = (
    "That address was used, is older than an hour or of an earlier start:"
    " give the key, or start again."
)
CLOSED: Final = "Too many wrong keys were given: wait {} seconds."


def door_routes(desk: Desk) -> APIRouter:
    """The addresses that are answered without a session, and the one that ends it.

    A link of elsewhere lets in as well, and then shows a link to go on by.
    """
    router = APIRouter()

    @router.get("/enter", response_model=None)
    def knock() -> Response:
        return entering("")

    @router.get("/enter/{code}", response_model=None)
    def by_code(request: Request, code: str) -> Response:
        return _let_in(request, desk.way_in.by_code(code), USED)

    @router.post("/enter", response_model=None)
    async def by_key(request: Request) -> Response:
        form = parsed_form(request.headers.get("content-type", ""), await request.body())
        seconds = desk.way_in.closed_seconds()
        if seconds > 0:
            reply = entering(CLOSED.format(seconds), status=429)
            reply.headers["retry-after"] = str(seconds)
            return reply
        return _let_in(request, desk.way_in.by_key(form.one("key").strip()), WRONG)

    @router.post("/leave", response_model=None)
    def leave(request: Request, _: SentForm) -> Response:
        desk.way_in.end(desk.way_in.session_of(request) or "")
        reply = RedirectResponse("/enter", 303)
        cookie = session_cookie(request)
        reply.delete_cookie(
            cookie.name, secure=cookie.secure, httponly=True, samesite="strict", path="/"
        )
        return reply

    return router


def _let_in(request: Request, session: str | None, why_not: str) -> Response:
    if session is None:
        return entering(why_not, status=403)
    # Led on, a browser that a page of elsewhere sent here would still be taken for one of there and
    # bring no session: somebody has to follow a link of ours.
    here = is_from_here(request.headers)
    reply = RedirectResponse("/", 303) if here else page("desk/entered.html", root="")
    cookie = session_cookie(request)
    reply.set_cookie(
        cookie.name, session, secure=cookie.secure, httponly=True, samesite="strict", path="/"
    )
    return reply
