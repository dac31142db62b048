"""Gists: what would travel in place of a private text, and the author's say over it (R084)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from fastapi import APIRouter, Request, Response
from starlette.responses import RedirectResponse

from fonds.contract.failures import Misconfigured, QueryRefused
from fonds.contract.gist_pile import GistPile
from fonds.contract.search_request import is_clean_text
from fonds.desk.desk import Desk, SentForm
from fonds.desk.gist_page import address, asked_pile, gist_part, gists_page
from fonds.desk.runs import Tell
from fonds.ingestion.curating import MOVED, NOT_HELD
from fonds.ingestion.gist_changes import GistChanges
from fonds.pages.forms import Form
from fonds.wiring.gists import GistDesk, drafter_lacks
from fonds.wiring.house import House

CONFLICT: Final = 409
REFUSED: Final = 422


@dataclass(frozen=True, slots=True)
class _Sent:
    """What every form of this section brings: which gist, as it was shown, out of which pile."""

    fragment_id: str
    imprint: str
    pile: GistPile


def gists_routes(desk: Desk) -> APIRouter:
    """Every address of this section."""
    router = APIRouter()

    @router.get("/gists", response_model=None)
    def looked_at(request: Request) -> Response:
        return gists_page(desk, request)

    @router.post("/gists/check", response_model=None)
    def checked(request: Request, form: SentForm) -> Response:
        """The lint's word and what would travel, for words that are still being written."""
        view = GistDesk(desk.house, desk.entity).view(_sent(form).fragment_id, _words(form))
        if view is None:
            raise QueryRefused("id", NOT_HELD)
        return gist_part(desk, request, view)

    @router.post("/gists/approve", response_model=None)
    def approved(request: Request, form: SentForm) -> Response:
        sent, words = _sent(form), _words(form)
        done = GistDesk(desk.house, desk.entity).approve(
            sent.fragment_id, words, imprint=sent.imprint
        )
        return _answered(desk, request, sent, done, "approved", words)

    @router.post("/gists/veto", response_model=None)
    def vetoed(request: Request, form: SentForm) -> Response:
        return _vetoed(desk, request, form, vetoed=True)

    @router.post("/gists/unveto", response_model=None)
    def unvetoed(request: Request, form: SentForm) -> Response:
        return _vetoed(desk, request, form, vetoed=False)

    @router.post("/gists/draft", response_model=None)
    def drafted(form: SentForm) -> Response:
        return _drafted(desk, form)

    return router


def _vetoed(desk: Desk, request: Request, form: Form, *, vetoed: bool) -> Response:
    sent, words = _sent(form), _words(form)
    done = GistDesk(desk.house).veto((sent.fragment_id,), vetoed=vetoed, imprint=sent.imprint)
    return _answered(desk, request, sent, done, "vetoed" if vetoed else "unvetoed", words)


def _drafted(desk: Desk, form: Form) -> Response:
    """One gist anew, or all that lack one where none is named; raises Misconfigured, Busy."""
    named = form.first("id") != ""
    pile = asked_pile(form.first("pile"))
    one = {"at": _sent(form).fragment_id} if named else {}
    lacks = drafter_lacks(desk.house)
    if lacks:
        raise Misconfigured(f"no drafter: {lacks}")

    def work(house: House) -> Callable[[Tell], object]:
        return lambda tell: GistDesk(house).draft(
            tuple(one.values()),
            redraft=named,
            progress=lambda step, done, total: tell(f"{done} of {total}"),
        )

    desk.begin("drafting", work)
    return _to(pile=pile, did="drafting", **one)


def _answered(
    desk: Desk, request: Request, sent: _Sent, done: GistChanges, did: str, words: str
) -> Response:
    """The next of the pile where it was done; else the same gist with the reason, and what was
    typed.
    """
    if not done.refused:
        return _to(pile=sent.pile, after=sent.fragment_id, did=did)
    _, reason = done.refused[0]
    status = CONFLICT if reason == MOVED else REFUSED
    at = (sent.pile, sent.fragment_id)
    return gists_page(desk, request, at=at, line=reason, typed=words, status=status)


def _sent(form: Form) -> _Sent:
    return _Sent(_id(form.one("id")), form.first("imprint"), asked_pile(form.first("pile")))


def _id(given: str) -> str:
    if not is_clean_text(given):
        raise QueryRefused("id", NOT_HELD)
    return given


def _words(form: Form) -> str:
    """As they were typed: a form ends lines as mail does, and an editor leaves an empty one."""
    words = form.first("words").replace("\r\n", "\n").rstrip("\n")
    if not is_clean_text(words):
        raise QueryRefused("words", "no NUL and no lone surrogate")
    return words


def _to(**query: str) -> Response:
    return RedirectResponse(address(**query), 303)
