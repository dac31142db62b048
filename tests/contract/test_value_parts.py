"""What a digest is made of holds every field, and most of all those a repr leaves out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fonds.contract.attribution import Attribution
from fonds.contract.search_request import Filters, SearchRequest
from fonds.contract.value_parts import value_parts
from tests.factories import a_fragment, an_entity

ENTITY = replace(an_entity(), attribution=(Attribution("Person A"),), themes=("wind",))
FRAGMENT = a_fragment()
ASKED = SearchRequest("kites", filters=Filters(types=("essay",), date_from="1974"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (ENTITY, replace(ENTITY, title="Another")),
        (ENTITY, replace(ENTITY, themes=("rain",))),
        (ENTITY, replace(ENTITY, attribution=(Attribution("Person B"),))),
        (FRAGMENT, replace(FRAGMENT, text=f"{FRAGMENT.text} And more.")),
        (FRAGMENT, replace(FRAGMENT, themes=("rain",))),
        (ASKED, replace(ASKED, query="boats")),
        (ASKED, replace(ASKED, filters=replace(ASKED.filters, types=("note",)))),
        (ASKED, replace(ASKED, filters=replace(ASKED.filters, date_from="1975"))),
        (ASKED, replace(ASKED, filters=replace(ASKED.filters, creator="Person A"))),
        ({"b": ASKED}, {"b": replace(ASKED, query="boats")}),
    ],
)
def test_values_that_differ_have_other_parts(one: object, other: object) -> None:
    """Also where they look alike."""
    assert value_parts(one) != value_parts(other)
    assert repr(value_parts(one)) != repr(value_parts(other))


def test_values_that_are_equal_have_the_same_parts() -> None:
    """Whatever the order of a mapping."""
    assert value_parts({"a": [1], "b": (2,)}) == value_parts({"b": (2,), "a": (1,)})
    assert value_parts(ENTITY) == value_parts(replace(ENTITY))


def test_the_premise_is_that_a_repr_looks_alike() -> None:
    assert repr(ENTITY) == repr(replace(ENTITY, title="Another"))
    assert repr(ASKED) == repr(replace(ASKED, query="boats"))
