"""Kept reports: one opened, its page as it was kept, two side by side (R184, R185)."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Request, Response
from markupsafe import Markup

from fonds.desk.desk import Desk
from fonds.evaluation.calibration_curve import CalibrationCurve
from fonds.evaluation.comparison import compared
from fonds.evaluation.drawing import can_plot
from fonds.evaluation.kept_reports import has_page, kept_page, kept_report
from fonds.evaluation.markup import POLICY
from fonds.evaluation.plots import calibration_plot
from fonds.wiring.evaluating import reports_folder

APART: Final = f"{POLICY}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox"
"""A kept page is a file: whatever stands in it runs nothing, asks for nothing and sends nothing."""


def report_routes(desk: Desk) -> APIRouter:
    """The addresses of what lies in the archive's reports folder."""
    router = APIRouter()

    @router.get("/evaluation/compare", response_model=None)
    def side_by_side(request: Request, before: str = "", after: str = "") -> Response:
        folder = reports_folder(desk.house.config)
        found = compared(kept_report(folder, before), kept_report(folder, after))
        return desk.page(request, "comparison.html", found=found, before=before, after=after)

    @router.get("/evaluation/reports/{name}", response_model=None)
    def report(request: Request, name: str) -> Response:
        folder = reports_folder(desk.house.config)
        found = kept_report(folder, name)
        return desk.page(
            request,
            "report.html",
            name=name,
            report=found,
            has_page=has_page(folder, name),
            plot=_curve_plot(found.calibration_curve),
        )

    @router.get("/evaluation/reports/{name}/page", response_model=None)
    def page(name: str) -> Response:
        content = kept_page(reports_folder(desk.house.config), name)
        reply = Response(content, media_type="text/html")
        reply.headers["content-security-policy"] = APART
        return reply

    return router


def _curve_plot(curve: CalibrationCurve | None) -> Markup | None:
    if curve is None or not can_plot():
        return None
    return Markup(calibration_plot(curve))  # noqa: S704 - drawn from figures
