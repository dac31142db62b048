"""A question to retrieval is in shape or refused (R103-R105, R130)."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from fonds.contract.failures import QueryRefused
from fonds.contract.search_request import Filters, SearchRequest


def test_neither_limit_means_eight_of_each_layer() -> None:
    """R103."""
    request = SearchRequest("kites")

    assert (request.cap("public"), request.cap("private")) == (8, 8)


def test_a_cap_on_one_layer_leaves_the_other() -> None:
    """R103."""
    request = SearchRequest("kites", limit_per_raw=(("private", 1),))

    assert (request.cap("public"), request.cap("private")) == (8, 1)


def test_one_limit_caps_both() -> None:
    """R103."""
    assert SearchRequest("kites", limit=5).cap("private") == 5


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        ({"query": " "}, "q"),
        ({"query": "k" * 513}, "q"),
        ({"query": "?! …"}, "q"),
        ({"query": "k " * 201}, "q"),
        ({"query": "a\x00b"}, "q"),
        ({"query": "a\ud800b"}, "q"),
        ({"query": "k", "limit": 0}, "limit"),
        ({"query": "k", "limit": 51}, "limit"),
        ({"query": "k", "limit": 5, "limit_per_raw": (("public", 1),)}, "limit"),
        ({"query": "k", "limit_per_raw": (("public", 0),)}, "limit"),
        ({"query": "k", "limit_per_raw": (("secret", 1),)}, "limit"),
        ({"query": "k", "recency": "sometimes"}, "recency"),
    ],
)
def test_a_request_out_of_shape_is_refused_by_field(request_: dict[str, Any], field: str) -> None:
    """R103, R130."""
    with pytest.raises(QueryRefused) as refusal:
        SearchRequest(**request_)
    assert refusal.value.field == field


@pytest.mark.parametrize(
    ("filters", "field"),
    [
        ({"types": ()}, "filters.type"),
        ({"types": ("",)}, "filters.type"),
        ({"types": tuple(str(n) for n in range(21))}, "filters.type"),
        ({"exposures": ()}, "filters.exposure"),
        ({"exposures": ("none",)}, "filters.exposure"),
        ({"exposures": ("text", "all")}, "filters.exposure"),
        ({"raw": "secret"}, "filters.raw"),
        ({"undated": "maybe"}, "filters.undated"),
        ({"creator": " "}, "filters.creator"),
        ({"speaker": "s" * 121}, "filters.speaker"),
        ({"date_from": "soon"}, "filters.dateFrom"),
        ({"date_to": "2019-02-30"}, "filters.dateTo"),
        ({"date_from": "2020", "date_to": "2019"}, "filters.dateTo"),
    ],
)
def test_a_filter_out_of_shape_is_refused_by_field(filters: dict[str, Any], field: str) -> None:
    """R104, R105, R130."""
    with pytest.raises(QueryRefused) as refusal:
        Filters(**filters)
    assert refusal.value.field == field


def test_a_bound_covers_its_precision() -> None:
    """R104."""
    filters = Filters(date_from="2019", date_to="2019")

    assert (filters.first_day, filters.last_day) == (date(2019, 1, 1), date(2019, 12, 31))
    assert (Filters().first_day, Filters().last_day) == (None, None)
