"""A request's filters in the form the database compares (R104-R106)."""

from __future__ import annotations

from fonds.contract.near_query import NearFilters
from fonds.contract.normalised_text import normalised_text
from fonds.contract.search_request import Filters


def near_filters(filters: Filters) -> NearFilters:
    """Names are normalised like the stored ones; one that normalises to nothing matches nothing.

    `none` is no served exposure and a layer is one of two, so an open dimension stays open.
    """
    return NearFilters(
        raws=None if filters.raw is None else (filters.raw,),
        types=filters.types,
        exposures=filters.exposures,
        first_day=filters.first_day,
        last_day=filters.last_day,
        include_undated=filters.undated == "include",
        creator=None if filters.creator is None else normalised_text(filters.creator),
        speaker=None if filters.speaker is None else normalised_text(filters.speaker),
    )


def drops_undated(filters: NearFilters) -> bool:
    """Whether undated fragments are left out, and so have to be counted (R104)."""
    bounded = filters.first_day is not None or filters.last_day is not None
    return bounded and not filters.include_undated
