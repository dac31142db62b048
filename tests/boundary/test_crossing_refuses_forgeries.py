"""Types erase, so the crossing asks again: forged hits and hostile rows (R120-R122)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from types import SimpleNamespace
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fonds.boundary.crossing import project
from fonds.contract.disclosure import Disclosure, Exposure, PrivateDisclosure, PublicDisclosure
from fonds.contract.evidence_hit import SemanticHit
from fonds.contract.failures import LeakRefused
from fonds.contract.scored_hit import ScoredHit
from fonds.contract.served_fragment import ServedGist
from tests.factories import (
    GIST,
    PRIVATE_TEXT,
    PRIVATE_WORDS,
    a_provenance,
    a_scored_hit,
    a_served_entity,
    a_served_fragment,
)


def forged(value: object, **slots: object) -> None:
    """What a cast or a hand-edited row does: set a frozen field behind the constructor's back."""
    for name, content in slots.items():
        object.__setattr__(value, name, content)


def everything_in(value: object) -> str:
    """Every string a value holds, at any depth, whatever its repr hides."""
    if is_dataclass(value):
        return " ".join(everything_in(getattr(value, field.name)) for field in fields(value))
    if isinstance(value, Mapping):
        return " ".join(f"{key} {held}" for key, held in value.items())  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, tuple):
        return " ".join(everything_in(held) for held in value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return str(value)


def private_as_text(hit: ScoredHit) -> None:
    forged(hit.fragment.disclosure, exposure="text")
    forged(hit.fragment, text=PRIVATE_TEXT)


def withheld(hit: ScoredHit) -> None:
    forged(hit.fragment.disclosure, exposure="none")


def semantic_without_gist(hit: ScoredHit) -> None:
    forged(hit.fragment.disclosure, exposure="semantic")


def semantic_with_a_string(hit: ScoredHit) -> None:
    forged(hit.fragment.disclosure, exposure="semantic")
    forged(hit.fragment, gist=PRIVATE_TEXT)


def unknown_exposure(hit: ScoredHit) -> None:
    forged(hit.fragment.disclosure, exposure=PRIVATE_TEXT)


def public_fragment_of_a_private_entity(hit: ScoredHit) -> None:
    forged(hit.fragment, disclosure=PublicDisclosure("text"), text=PRIVATE_TEXT)


def entity_of_another_layer(hit: ScoredHit) -> None:
    forged(hit.entity, raw="public")


def fragment_of_another_entity(hit: ScoredHit) -> None:
    forged(hit.fragment, entity_id="essay:kites")


def look_alike_disclosure(hit: ScoredHit) -> None:
    forged(hit.fragment, disclosure=SimpleNamespace(raw="private", exposure="locator"))


@pytest.mark.parametrize(
    "forge",
    [
        private_as_text,
        withheld,
        semantic_without_gist,
        semantic_with_a_string,
        unknown_exposure,
        public_fragment_of_a_private_entity,
        entity_of_another_layer,
        fragment_of_another_entity,
        look_alike_disclosure,
    ],
    ids=lambda forge: forge.__name__,
)
def test_a_forged_hit_is_refused_by_id_alone(forge: object) -> None:
    """R120: types erase, so the crossing asks again."""
    hit = a_scored_hit(entity=a_served_entity(title="Sea Book"))
    assert callable(forge)
    forge(hit)

    with pytest.raises(LeakRefused) as refusal:
        project(hit)
    shown = f"{refusal.value} {refusal.value!r} {refusal.value.__cause__!r}"
    assert str(refusal.value).startswith("book:low-tide#whole ")
    assert not any(word in shown for word in (*PRIVATE_WORDS, "Sea Book"))


def test_a_subclass_of_the_public_cell_does_not_pass_for_it() -> None:
    """R001, R120."""
    made = type("Forged", (PublicDisclosure,), {"raw": "private", "__slots__": ()})
    hit = a_scored_hit()
    forged(hit.fragment, disclosure=made("text"), text=PRIVATE_TEXT)

    with pytest.raises(LeakRefused, match="no legal disclosure"):
        project(hit)


exposures = st.sampled_from([*get_args(Exposure), "TEXT", ""])
texts = st.sampled_from(["", PRIVATE_TEXT, PRIVATE_WORDS[0]])


@given(
    exposures,
    st.sampled_from([PublicDisclosure, PrivateDisclosure]),
    texts,
    texts,
    st.sampled_from([None, ServedGist(GIST, "generated", "unreviewed")]),
    st.sampled_from(["public", "private"]),
)
def test_text_of_private_material_never_leaves(
    exposure: str,
    cell: type[Disclosure],
    text: str,
    summary: str,
    gist: ServedGist | None,
    entity_raw: str,
) -> None:
    """R120: whatever a row claims, as long as its cell or its entity says private."""
    hit = a_scored_hit(cosine=0.612)
    claimed = cell("locator")
    forged(claimed, exposure=exposure)
    forged(
        hit.fragment,
        disclosure=claimed,
        text=text,
        summary=summary,
        gist=gist,
        trail=(text,),
    )
    forged(hit.entity, raw=entity_raw)
    try:
        left = project(hit)
    except LeakRefused as refusal:
        assert not any(word in str(refusal) for word in PRIVATE_WORDS)  # noqa: PT017
        return
    assert claimed.raw == entity_raw == left.provenance.raw
    assert exposure == left.exposure
    if entity_raw == "private":
        assert not any(word in everything_in(left) for word in PRIVATE_WORDS)
        assert (left.provenance.score, left.provenance.breakdown) == (0.6, None)
    elif exposure != "text":
        assert not any(word in everything_in(left) for word in PRIVATE_WORDS)


@given(st.text(min_size=1), st.sampled_from(["semantic", "locator"]), st.floats(-1, 1.5))
def test_a_private_hit_says_what_its_provenance_says_and_no_more(
    gist: str, exposure: Exposure, score: float
) -> None:
    """R120-R122."""
    fragment = a_served_fragment(exposure=exposure)
    if exposure == "semantic":
        fragment = replace(fragment, gist=ServedGist(gist, "generated", "unreviewed"))
    left = project(a_scored_hit(fragment=fragment, cosine=score))

    assert left.exposure == exposure
    assert left.provenance == a_provenance(score=score)
    if isinstance(left, SemanticHit):
        assert left.gist == gist
