"""Refusals over time, by their reasons (R164)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from itertools import groupby
from typing import Final, get_args
from urllib.parse import urlencode

from fastapi import APIRouter, Request, Response

from fonds.answering.refusal import LAYER_OF
from fonds.contract.failures import MisauthoredInput, QueryRefused
from fonds.contract.refusal_page import RefusalDay, RefusalWish
from fonds.contract.refusal_reason import RefusalReason
from fonds.desk.day_plot import day_plot
from fonds.desk.desk import Desk
from fonds.wiring.refusals import refusal_store

A_PAGE: Final = 50
SPANS: Final = (("7", "7 days"), ("30", "30 days"), ("365", "a year"), ("all", "all of it"))
LARGEST_ID: Final = 2**63 - 1


def refusals_routes(desk: Desk) -> APIRouter:
    """Every address of this section."""
    router = APIRouter()

    @router.get("/refusals", response_model=None)
    def listed(request: Request, reason: str = "", days: str = "30", before: str = "") -> Response:
        wish = _wish(reason, days, before)
        store = refusal_store(desk.house)
        page, counted = store.page(wish), store.days(wish.reason, wish.days)
        narrowed = {"reason": reason, "days": days}
        return desk.page(
            request,
            "refusals.html",
            page=page,
            plot=day_plot(counted),
            by_day=_by_day(counted),
            reasons=get_args(RefusalReason),
            layers=LAYER_OF,
            spans=SPANS,
            asked=narrowed,
            older=urlencode(narrowed | {"before": page.older}),
            is_first=wish.before is None,
            keeps=desk.house.config.question_days,
        )

    @router.get("/refusals/{refusal_id}", response_model=None)
    def one(request: Request, refusal_id: str) -> Response:
        found = refusal_store(desk.house).one(_id("refusal", refusal_id))
        if found is None:
            raise MisauthoredInput("no refusal of this archive has that id")
        return desk.page(request, "refusal.html", one=found, layers=LAYER_OF)

    return router


def _wish(reason: str, days: str, before: str) -> RefusalWish:
    """Raises QueryRefused for what no form of this page sends."""
    if reason and reason not in get_args(RefusalReason):
        raise QueryRefused("reason", "a reason of a refusal")
    if days not in dict(SPANS):
        raise QueryRefused("days", ", ".join(name for name, _ in SPANS))
    return RefusalWish(
        A_PAGE,
        reason or None,
        None if days == "all" else int(days),
        _id("before", before) if before else None,
    )


def _id(name: str, written: str) -> int:
    if not (written.isascii() and written.isdecimal()) or int(written[:20]) > LARGEST_ID:
        raise QueryRefused(name, "the number of a refusal")
    return int(written[:20])


def _by_day(counted: Iterable[RefusalDay]) -> list[tuple[date, list[RefusalDay]]]:
    """The youngest day first."""
    grouped = [(day, list(found)) for day, found in groupby(counted, lambda one: one.day)]
    return grouped[::-1]
