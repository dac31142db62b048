"""Calendar dates at the precision the author wrote them (R012)."""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import date

from fonds.contract.failures import MisauthoredInput
from fonds.contract.sealed import sealed

_SHAPE = re.compile(r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?")


@sealed
@dataclass(frozen=True, slots=True)
class DateInterval:
    """The inclusive days that `YYYY`, `YYYY-MM` or `YYYY-MM-DD` covers."""

    start: date
    end: date

    def __post_init__(self) -> None:
        if self.end < self.start:
            raise MisauthoredInput("date: ends before it starts")

    def intersects(self, first: date | None, last: date | None) -> bool:
        """Whether any day lies between the two bounds, both inclusive, None being open."""
        return (first is None or self.end >= first) and (last is None or self.start <= last)


def date_interval(written: str, field: str = "date") -> DateInterval:
    """Read a date of one of the three precisions; a day has to exist.

    Raises MisauthoredInput naming `field`, never the value.
    """
    match = _SHAPE.fullmatch(written) if written.isascii() else None
    if match is None:
        raise MisauthoredInput(f"{field}: write YYYY, YYYY-MM or YYYY-MM-DD")
    year, month, day = (int(part) if part else None for part in match.groups())
    try:
        return _covered_days(year or 0, month, day)
    except ValueError:
        raise MisauthoredInput(f"{field}: there is no such day") from None


def _covered_days(year: int, month: int | None, day: int | None) -> DateInterval:
    if month is None:
        return DateInterval(date(year, 1, 1), date(year, 12, 31))
    if not 1 <= month <= 12 or year < 1:
        raise ValueError
    if day is None:
        return DateInterval(date(year, month, 1), date(year, month, monthrange(year, month)[1]))
    return DateInterval(date(year, month, day), date(year, month, day))
