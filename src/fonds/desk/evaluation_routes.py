"""The suite, the score table and the gate (R184)."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from starlette.responses import RedirectResponse

from fonds.contract.failures import NothingServed, QueryRefused
from fonds.desk.desk import Desk, SentForm
from fonds.desk.evaluation_runs import RUNS
from fonds.desk.report_routes import report_routes
from fonds.evaluation.gate_report import gate_lines
from fonds.evaluation.kept_reports import kept_reports
from fonds.wiring.evaluating import reports_folder
from fonds.wiring.gates import GateDesk
from fonds.wiring.house import House


def evaluation_routes(desk: Desk) -> APIRouter:
    """Every address of this section."""
    router = APIRouter()

    @router.get("/evaluation", response_model=None)
    def standing(request: Request) -> Response:
        last = desk.runs.last("evaluation")
        return desk.page(
            request,
            "evaluation.html",
            outcome=None if last is None else last.outcome,
            gate=_gate(desk.house),
            reports=kept_reports(reports_folder(desk.house.config)),
            suite=desk.house.config.gold is not None,
        )

    @router.post("/evaluation/run", response_model=None)
    def begin(form: SentForm) -> Response:
        wanted = form.one("run")
        if wanted not in RUNS:
            raise QueryRefused("run", ", ".join(RUNS))
        desk.begin("evaluation", RUNS[wanted])
        return RedirectResponse("/evaluation", 303)

    router.include_router(report_routes(desk))
    return router


def _gate(house: House) -> tuple[str, ...]:
    """How the gate of the live build stands, in lines."""
    try:
        return tuple(line.strip() for line in gate_lines(*GateDesk(house).shown()))
    except NothingServed:
        return ("No build is live: nothing can be asked yet.",)
