"""Counts over days as bars: what a template draws without any other program."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from fonds.contract.refusal_page import RefusalDay

MOST_DAYS: Final = 366
WIDTH: Final = 640
HEIGHT: Final = 140
WIDEST_BAR: Final = 28.0
GAP: Final = 0.15  # of a day's room


@dataclass(frozen=True, slots=True)
class DayBar:
    """One day: where its bar stands in the drawing, and how many it counts."""

    day: date
    times: int
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class DayPlot:
    """Every day from the first to the last that counts anything, at most MOST_DAYS of them."""

    bars: tuple[DayBar, ...]
    most: int
    width: int = WIDTH
    height: int = HEIGHT


def day_plot(counted: Iterable[RefusalDay]) -> DayPlot | None:
    """None where nothing was counted; the latest days where there are more than MOST_DAYS."""
    times: Counter[date] = Counter()
    for one in counted:
        times[one.day] += one.times
    if not times:
        return None
    last = max(times)
    span = min((last - min(times)).days + 1, MOST_DAYS)
    days = [last - timedelta(days=ago) for ago in reversed(range(span))]
    most, room = max(times[day] for day in days), min(WIDTH / span, WIDEST_BAR)
    bars = (
        DayBar(
            day,
            times[day],
            x=round(place * room, 2),
            y=round(HEIGHT * (1 - times[day] / most), 2),
            width=round(room * (1 - GAP), 2),
            height=round(HEIGHT * times[day] / most, 2),
        )
        for place, day in enumerate(days)
    )
    return DayPlot(tuple(bars), most)
