"""A gold case of a question that was asked: shown as it would stand in the suite, then kept."""

from __future__ import annotations

from typing import Final, cast, get_args

from fastapi import APIRouter, Request, Response
from starlette.responses import RedirectResponse

from fonds.contract.citation import AnswerMode
from fonds.contract.failures import Failure, QueryRefused
from fonds.desk.desk import Desk, SentForm
from fonds.evaluation.gold import GoldCase
from fonds.evaluation.new_case import NewCase, spelled_case
from fonds.pages.forms import Form
from fonds.wiring.gold_cases import free_id, keep, laid, mark_of

MOST_SOURCES: Final = 50


def new_case_routes(desk: Desk) -> APIRouter:
    """The two steps: nothing is written before the second."""
    router = APIRouter()

    @router.post("/ask/case", response_model=None)
    def look(request: Request, form: SentForm) -> Response:
        case_id = form.first("id").strip() or free_id(desk.house, form.one("q"))
        case = _case(form, case_id)
        new: NewCase | None = None
        line = ""
        try:
            new = laid(desk.house, case)
        except Failure as failure:
            line = str(failure)
        return desk.page(
            request,
            "new_case.html",
            status=422 if line else 200,
            case=case,
            new=new,
            text=spelled_case(case),
            line=line,
            suite="" if desk.house.config.gold is None else desk.house.config.gold.name,
        )

    @router.post("/ask/case/keep", response_model=None)
    def kept(form: SentForm) -> Response:
        case = _case(form, form.one("id"))
        keep(desk.house, case, form.one("before"))
        return RedirectResponse(f"/ask?kept={mark_of(case.case_id)}", 303)

    return router


def _case(form: Form, case_id: str) -> GoldCase:
    mode = form.one("mode")
    if mode not in get_args(AnswerMode):
        raise QueryRefused("mode", "a mode an answer has")
    sources = form.all("source")
    if len(sources) > MOST_SOURCES:
        raise QueryRefused("source", f"at most {MOST_SOURCES}")
    return GoldCase(
        case_id,
        form.one("q"),
        cast("AnswerMode", mode),
        expect_sources=sources,
        note=form.first("note").strip() or None,
    )
