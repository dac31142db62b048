"""The addresses of an archive: search, ask, and what there is to know of it (R186, R190)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Annotated, TypeAlias

from fastapi import APIRouter, Path, Request, Response

from fonds.answering.refusal import Answered, Refused
from fonds.api.asking import Reception, Work
from fonds.api.declared import ANSWERED, ASKED, FOUND, SEARCHED, STANDS, TELLING, TOLD
from fonds.api.problems import Problem
from fonds.api.wire_about import about_json, standing_json
from fonds.api.wire_answer import answer_json
from fonds.contract.outcomes import REFUSALS, RETRY_SECONDS
from fonds.retrieval.wire_request import parsed_ask, parsed_search
from fonds.retrieval.wire_response import search_response_json
from fonds.wiring.visit import Visit

Slug: TypeAlias = Annotated[str, Path(description="The archive's slug.")]


def archive_routes(reception: Reception) -> APIRouter:
    """Every address below an archive. Each answers by `reception`, on a thread."""
    router = APIRouter(prefix="/v1/archives/{archive}", tags=["archive"])

    async def search(request: Request, archive: Slug) -> Response:
        """Find passages: public ones verbatim, private ones by place or description. Nothing is
        generated.
        """
        return await reception.answer(request, archive, ("search",), _searching)

    async def ask(request: Request, archive: Slug) -> Response:
        """Answer from what the author published and cite it, point at private material, or
        decline.
        """
        return await reception.answer(request, archive, ("ask",), _asking)

    async def about(request: Request, archive: Slug) -> Response:
        """Whose archive this is, and how much it serves."""
        return await reception.answer(
            request, archive, ("search", "ask", "admin"), lambda _: _telling
        )

    async def standing(request: Request, archive: Slug) -> Response:
        """How the archive stands, for a key of the scope `admin`: its build, the last run of each
        job, refusals by reason, limits. No text.
        """
        return await reception.answer(request, archive, ("admin",), lambda _: _standing)

    added = partial(router.add_api_route, response_model=None)
    added("/search", search, methods=["POST"], responses=FOUND, openapi_extra=SEARCHED)
    added("/ask", ask, methods=["POST"], responses=ANSWERED, openapi_extra=ASKED)
    added("", about, responses=TOLD, openapi_extra=TELLING)
    added("/standing", standing, responses=STANDS, openapi_extra=TELLING)
    return router


def _searching(body: bytes) -> Work:
    request = parsed_search(body)
    return lambda visit: dict(search_response_json(visit.search(request)))


def _asking(body: bytes) -> Work:
    request = parsed_ask(body)
    return lambda visit: answered(visit.ask(request), shows_figures=visit.shows_figures)


def _telling(visit: Visit) -> Mapping[str, object]:
    return dict(about_json(visit.about()))


def _standing(visit: Visit) -> Mapping[str, object]:
    return dict(standing_json(visit.standing()))


def answered(given: Answered | Refused, *, shows_figures: bool) -> Mapping[str, object] | Problem:
    """A reply, but where a provider was not there: then a problem with its reason (R196)."""
    if isinstance(given, Refused) and REFUSALS[given.reason].status == 503:
        more = {"reason": given.reason}
        return Problem("provider-unavailable", 503, retry_after=RETRY_SECONDS, more=more)
    return dict(answer_json(given, shows_figures=shows_figures))
