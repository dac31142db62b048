"""How recent a date is, and when a question asks for it (R110)."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fonds.contract.date_interval import date_interval
from fonds.retrieval.recency import TRIGGERS, asks_for_recent, recency_factor

DAY = date(2025, 12, 1)


@pytest.mark.parametrize(
    ("written", "boost"),
    [("2025", 0.072), ("2024-06-01", 0.03309), ("2023", 0.0), ("2025-06-04", 0.10)],
)
def test_examples_of_recency(written: str, boost: float) -> None:
    """R110, as of 2025-12-01: 334, 548, more than 730 and 180 days."""
    factor = recency_factor(date_interval(written).start, DAY)
    assert 0.10 * factor == pytest.approx(boost, abs=5e-6)


def test_undated_is_not_recent_and_the_future_is() -> None:
    """R110: undated 0; a date to come is as recent as today."""
    assert recency_factor(None, DAY) == 0.0
    assert recency_factor(date(2031, 1, 1), DAY) == 1.0


@given(days=st.integers(-500, 1500))
def test_recency_never_rises_with_age(days: int) -> None:
    """R110: from 1 down to 0, never outside."""
    one = recency_factor(DAY - timedelta(days), DAY)
    older = recency_factor(DAY - timedelta(days + 1), DAY)
    assert 0.0 <= older <= one <= 1.0
    assert (one == 1.0) == (days <= 180)
    assert (one == 0.0) == (days >= 730)


@pytest.mark.parametrize("trigger", TRIGGERS)
def test_each_trigger_asks_for_recent(trigger: str) -> None:
    """R110: as whole words of the question."""
    assert asks_for_recent("auto", f"what is {trigger} going on")
    assert not asks_for_recent("none", f"what is {trigger} going on")


def test_a_word_around_a_trigger_asks_for_nothing() -> None:
    """R107, R110: "snow" holds "now" and does not ask for it."""
    assert not asks_for_recent("auto", "snow at the stillwater currents presently")
    assert asks_for_recent("prefer-recent", "snow")
