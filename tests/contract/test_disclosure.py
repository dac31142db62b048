"""The forbidden cell cannot be built (R001, R013)."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, replace
from itertools import product
from typing import get_args

import pytest

from fonds.contract.disclosure import (
    STRICTNESS,
    Disclosure,
    Exposure,
    PrivateDisclosure,
    PrivateExposure,
    PublicDisclosure,
    Raw,
    ServedExposure,
    disclosure,
)
from fonds.contract.failures import Failure, IllegalDisclosure

LEGAL: list[tuple[Raw, Exposure]] = [
    ("public", "text"),
    ("public", "semantic"),
    ("public", "locator"),
    ("public", "none"),
    ("private", "semantic"),
    ("private", "locator"),
    ("private", "none"),
]


@pytest.mark.parametrize(("raw", "exposure"), LEGAL)
def test_seven_cells_are_legal_and_survive_every_kind_of_copy(raw: Raw, exposure: Exposure) -> None:
    """R001."""
    cell = disclosure(raw, exposure)

    assert (cell.raw, cell.exposure) == (raw, exposure)
    copies: list[Disclosure] = [
        replace(cell),
        copy.copy(cell),
        copy.deepcopy(cell),
        pickle.loads(pickle.dumps(cell)),  # noqa: S301
    ]
    assert copies == [cell] * 4


def test_private_text_is_the_only_pair_of_words_that_is_no_cell() -> None:
    """R001."""
    pairs = set(product(get_args(Raw), get_args(Exposure)))

    assert pairs - set(LEGAL) == {("private", "text")}


def test_the_constructor_refuses_private_text_naming_the_field() -> None:
    """R001."""
    with pytest.raises(IllegalDisclosure, match=r"^exposure: ") as refusal:
        PrivateDisclosure("text")  # pyright: ignore[reportArgumentType]
    assert "text" not in str(refusal.value)


def test_two_words_of_a_row_cannot_make_private_text() -> None:
    """R001."""
    with pytest.raises(IllegalDisclosure, match=r"^exposure: "):
        disclosure("private", "text")


def test_replacing_a_field_cannot_make_private_text() -> None:
    """R001."""
    with pytest.raises(IllegalDisclosure):
        replace(PrivateDisclosure("locator"), exposure="text")


def test_an_edited_pickle_cannot_make_private_text() -> None:
    """R013."""
    edited = pickle.dumps(PrivateDisclosure("none")).replace(b"none", b"text")

    with pytest.raises(IllegalDisclosure):
        pickle.loads(edited)  # noqa: S301


class _SkipsTheConstructor:
    """Pickles as a private disclosure whose state is set without its constructor."""

    def __reduce__(self) -> tuple[object, ...]:
        return object.__new__, (PrivateDisclosure,), {"exposure": "text"}


def test_a_pickle_that_skips_the_constructor_is_refused() -> None:
    """R013."""
    made_by_hand = pickle.dumps(_SkipsTheConstructor())

    with pytest.raises(TypeError, match="rebuilt by its constructor"):
        pickle.loads(made_by_hand)  # noqa: S301


def test_a_cell_does_not_change() -> None:
    """R001."""
    cell = PrivateDisclosure("locator")

    with pytest.raises(FrozenInstanceError):
        cell.exposure = "semantic"  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises((AttributeError, TypeError)):
        setattr(cell, "raw", "public")  # noqa: B010


@pytest.mark.parametrize(
    ("raw", "exposure"),
    [("public", "zebra"), ("private", "zebra"), ("zebra", "locator"), ("", ""), ("Public", "text")],
)
def test_an_unknown_word_is_refused_and_not_repeated(raw: str, exposure: str) -> None:
    """R001, R013."""
    with pytest.raises(Failure) as refusal:
        disclosure(raw, exposure)  # pyright: ignore[reportArgumentType]
    assert "zebra" not in str(refusal.value)


def test_the_layer_of_a_cell_is_its_class() -> None:
    """R001."""
    assert PublicDisclosure("text").raw == "public"
    assert PrivateDisclosure("none").raw == "private"
    assert PublicDisclosure("locator") != PrivateDisclosure("locator")


def test_served_exposures_are_the_four_but_for_none() -> None:
    """R001."""
    assert set(get_args(Exposure)) - set(get_args(ServedExposure)) == {"none"}
    assert set(get_args(Exposure)) - set(get_args(PrivateExposure)) == {"text"}
    assert sorted(STRICTNESS, key=lambda word: STRICTNESS[word]) == list(get_args(Exposure))
