"""Dates, identifiers and people as authors write them (R003, R005, R012)."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fonds.contract.attribution import Attribution
from fonds.contract.date_interval import DateInterval, date_interval
from fonds.contract.failures import MisauthoredInput
from fonds.contract.identifier import Identifier


@pytest.mark.parametrize(
    ("written", "start", "end"),
    [
        ("2019", date(2019, 1, 1), date(2019, 12, 31)),
        ("2019-02", date(2019, 2, 1), date(2019, 2, 28)),
        ("2020-02", date(2020, 2, 1), date(2020, 2, 29)),
        ("2019-12", date(2019, 12, 1), date(2019, 12, 31)),
        ("2019-02-28", date(2019, 2, 28), date(2019, 2, 28)),
        ("1900", date(1900, 1, 1), date(1900, 12, 31)),
    ],
)
def test_a_date_covers_the_days_of_its_precision(written: str, start: date, end: date) -> None:
    """R012."""
    assert date_interval(written) == DateInterval(start, end)


@pytest.mark.parametrize(
    "written",
    [
        *("2019-02-30", "2019-13", "2019-00", "0000", "0000-01", "spring 2019", "2019-2", "19", ""),
        *("2019-02-28T00:00", "２０１９", "2019 ", "\n2019", "-2019", "2019-00-00"),
    ],
)
def test_anything_else_is_no_date_and_is_not_repeated(written: str) -> None:
    """R012."""
    with pytest.raises(MisauthoredInput, match=r"^date: ") as refusal:
        date_interval(written)
    assert not written or written not in str(refusal.value)


def test_a_refused_date_names_the_field_it_stands_in() -> None:
    """R012."""
    with pytest.raises(MisauthoredInput, match=r"^published: "):
        date_interval("soon", "published")


def test_an_interval_does_not_end_before_it_starts() -> None:
    """R012."""
    with pytest.raises(MisauthoredInput):
        DateInterval(date(2019, 1, 2), date(2019, 1, 1))


@pytest.mark.parametrize(
    ("first", "last", "met"),
    [
        (None, None, True),
        (date(2019, 6, 1), None, True),
        (None, date(2018, 12, 31), False),
        (date(2019, 12, 31), None, True),
        (date(2020, 1, 1), None, False),
        (None, date(2019, 1, 1), True),
    ],
)
def test_bounds_are_inclusive_and_none_is_open(
    first: date | None, last: date | None, met: bool
) -> None:
    """R104."""
    assert date_interval("2019").intersects(first, last) is met


@given(st.dates())
def test_every_day_lies_in_its_month_and_its_year(day: date) -> None:
    """R012."""
    iso = day.isoformat()

    assert date_interval(iso) == DateInterval(day, day)
    for shorter in (iso[:7], iso[:4]):
        covered = date_interval(shorter)
        assert covered.start <= day <= covered.end


@pytest.mark.parametrize("part", ["", "  ", None, 7])
def test_an_identifier_needs_both_its_parts(part: object) -> None:
    """R003."""
    with pytest.raises(MisauthoredInput, match=r"^identifiers\.scheme: "):
        Identifier(part, "978")  # pyright: ignore[reportArgumentType]
    with pytest.raises(MisauthoredInput, match=r"^identifiers\.value: "):
        Identifier("isbn", part)  # pyright: ignore[reportArgumentType]


def test_a_person_needs_a_name_and_a_role_that_is_not_blank() -> None:
    """R005."""
    assert Attribution("Mina Okafor").placeholder is None
    assert Attribution("Other", "speaker", placeholder="unnamed").placeholder == "unnamed"
    with pytest.raises(MisauthoredInput, match=r"^attribution\.name: "):
        Attribution(" ")
    with pytest.raises(MisauthoredInput, match=r"^attribution\.role: "):
        Attribution("Mina Okafor", "")
    with pytest.raises(MisauthoredInput, match=r"^attribution\.placeholder: "):
        Attribution("Mina Okafor", placeholder="nobody")  # pyright: ignore[reportArgumentType]
