"""Ask as a reader, and see what an answer or a refusal was made from."""

from __future__ import annotations

from typing import Final, get_args

from fastapi import APIRouter, Request, Response

from fonds.answering.refusal import FIXED_SENTENCE, Answered, Refused
from fonds.contract.disclosure import Raw, ServedExposure
from fonds.contract.failures import Failure, NothingServed, QueryRefused
from fonds.contract.outcomes import EXIT_REFUSED, REFUSALS, outcome_of
from fonds.contract.search_request import MAX_QUERY_CHARS, Recency, Undated
from fonds.desk.asked_request import asked_fields, asked_request, is_plain
from fonds.desk.desk import Desk, SentForm
from fonds.desk.new_case_routes import new_case_routes
from fonds.pages.forms import Form
from fonds.retrieval.policy_copy import EXPOSURE_COPY
from fonds.wiring.explaining import Explained, explained
from fonds.wiring.gold_cases import marked_case
from fonds.wiring.house import House

CHOICES: Final = {
    "undated": get_args(Undated),
    "raw": get_args(Raw),
    "recency": get_args(Recency),
    "exposure": get_args(ServedExposure),
}
NOTHING_ASKED: Final = Form(())


def asking_routes(desk: Desk) -> APIRouter:
    """Every address of this section. A question is sent in a body: no address holds one."""
    router = APIRouter()

    @router.get("/ask", response_model=None)
    def asking(request: Request, kept: str = "") -> Response:
        return _page(desk, request, NOTHING_ASKED, kept=_kept(desk.house, kept))

    @router.post("/ask", response_model=None)
    def asked(request: Request, form: SentForm) -> Response:
        try:
            wanted = asked_request(form)
        except QueryRefused as refused:
            return _page(desk, request, form, status=422, line=str(refused))
        try:
            seen = explained(desk.house, wanted)
        except NothingServed as nothing:
            return _page(desk, request, form, status=outcome_of(nothing).at_desk, unserved=True)
        case = wanted.query if is_plain(wanted) and _tells(seen) else ""
        return _page(desk, request, form, seen=seen, case=case)

    router.include_router(new_case_routes(desk))
    return router


def _page(
    desk: Desk,
    request: Request,
    form: Form,
    *,
    status: int = 200,
    seen: Explained | None = None,
    line: str = "",
    kept: str = "",
    case: str = "",
    unserved: bool = False,
) -> Response:
    return desk.page(
        request,
        "ask.html",
        status=status,
        asked=asked_fields(form),
        choices=CHOICES,
        most_chars=MAX_QUERY_CHARS,
        seen=seen,
        refused=seen is not None and isinstance(seen.given, Refused),
        fixed=FIXED_SENTENCE,
        copy=EXPOSURE_COPY,
        line=line,
        kept=kept,
        case=case,
        unserved=unserved,
        sources=_sources(seen),
    )


def _tells(seen: Explained) -> bool:
    """Whether the archive decided it: a provider that was away says nothing of the question."""
    if isinstance(seen.given, Answered):
        return True
    return REFUSALS[seen.given.reason].exit_code == EXIT_REFUSED


def _sources(seen: Explained | None) -> list[str]:
    """What a case of this outcome expects to be found: what was cited, each once."""
    cited = () if seen is None else seen.given.citations
    return list(dict.fromkeys(one.id for one in cited))


def _kept(house: House, mark: str) -> str:
    """The id of a case that was kept; the address holds no word of it."""
    try:
        return marked_case(house, mark) if mark else ""
    except Failure:
        return ""
