"""The one way out (R120-R123)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from types import SimpleNamespace
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fonds.boundary.crossing import project, split_by_raw
from fonds.contract.attribution import Attribution
from fonds.contract.disclosure import Disclosure, Exposure, PrivateDisclosure, PublicDisclosure
from fonds.contract.evidence_hit import HitEntity, LocatorHit, Provenance, SemanticHit, TextHit
from fonds.contract.failures import LeakRefused
from fonds.contract.identifier import Identifier
from fonds.contract.locator import Locator
from fonds.contract.scored_hit import ScoredHit
from fonds.contract.served_fragment import ServedEntity, ServedFragment, ServedGist
from tests.factories import (
    GIST,
    PRIVATE_TEXT,
    PRIVATE_WORDS,
    PUBLIC_TEXT,
    a_locator_hit,
    a_provenance,
    a_scored_hit,
    a_semantic_hit,
    a_served_entity,
    a_served_fragment,
    a_text_hit,
    chapter,
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


def test_public_text_leaves_with_its_score_and_breakdown() -> None:
    """R120, R121, R122: the whole hit."""
    entity = a_served_entity(
        entity_id="song:harbour-notes",
        raw="public",
        title="Harbour Notes",
        url="https://example.org/songs/harbour-notes/",
        attribution=(Attribution("Mina Okafor", "writer"),),
        date="2021",
        version="demo",
        identifiers=(Identifier("isrc", "XX0000000001"),),
        parent="album:tides",
        themes=("sea",),
    )
    fragment = a_served_fragment(
        entity_id="song:harbour-notes",
        raw="public",
        exposure="text",
        summary="A harbour at night.",
        trail=("Verse",),
        attribution=(Attribution("Other", "speaker", placeholder="unnamed"),),
    )
    hit = a_scored_hit(
        fragment=fragment,
        entity=entity,
        cosine=0.53,
        score=0.83,
        breakdown={"cosine": 0.53, "exactMatch": 0.3},
    )

    assert project(hit) == TextHit(
        Provenance(
            fragment_id="song:harbour-notes#whole",
            entity=HitEntity(
                id="song:harbour-notes",
                type="song",
                title="Harbour Notes",
                url="https://example.org/songs/harbour-notes/",
                attribution=(Attribution("Mina Okafor", "writer"),),
                date="2021",
                version="demo",
                identifiers=(Identifier("isrc", "XX0000000001"),),
                parent="album:tides",
                themes=("sea",),
            ),
            raw="public",
            place=(Locator("whole", ""),),
            locator_label="whole record",
            score=0.83,
            date="2021",
            attribution=(Attribution("Other", "speaker", placeholder="unnamed"),),
            breakdown={"cosine": 0.53, "exactMatch": 0.3},
        ),
        PUBLIC_TEXT,
        "A harbour at night.",
    )


def test_a_described_passage_leaves_with_its_gist_and_a_coarse_score() -> None:
    """R120, R122, R134."""
    fragment = a_served_fragment(
        place=chapter(4), exposure="semantic", gist=ServedGist(GIST, "edited", "reviewed")
    )

    assert project(a_scored_hit(fragment=fragment, cosine=0.612)) == SemanticHit(
        a_provenance(place=chapter(4), score=0.6), GIST, "edited", "reviewed"
    )


def test_a_located_passage_leaves_as_a_place() -> None:
    """R120, R134."""
    fragment = a_served_fragment(place=(Locator("timecode", "750", "845"),))
    hit = project(a_scored_hit(fragment=fragment, cosine=0.875))

    assert hit == LocatorHit(a_provenance(place=(Locator("timecode", "750", "845"),), score=0.9))
    assert hit.provenance.locator_label == "12:30\u201314:05"


@pytest.mark.parametrize("exposure", ["semantic", "locator"])
def test_coarseness_goes_by_layer_and_not_by_exposure(exposure: Exposure) -> None:
    """R122: public semantic keeps its precision and its breakdown."""
    public = project(
        a_scored_hit(fragment=a_served_fragment(raw="public", exposure=exposure), cosine=0.612)
    )
    private = project(
        a_scored_hit(fragment=a_served_fragment(raw="private", exposure=exposure), cosine=0.612)
    )

    assert (public.provenance.score, public.provenance.breakdown) == (0.612, {"cosine": 0.612})
    assert (private.provenance.score, private.provenance.breakdown) == (0.6, None)


def test_the_date_of_a_hit_is_its_fragment_s_else_its_entity_s() -> None:
    """R121, R104."""

    def date_of(fragment: str | None, entity: str | None) -> str | None:
        served = a_served_fragment(date=fragment)
        hit = a_scored_hit(fragment=served, entity=a_served_entity(date=entity))
        return project(hit).provenance.date

    assert date_of("2020-05", "2019") == "2020-05"
    assert date_of(None, "2019") == "2019"
    assert date_of(None, None) is None


def test_a_hit_does_not_share_its_breakdown_with_what_left() -> None:
    """R010."""
    breakdown = {"cosine": 0.5}
    fragment = a_served_fragment(raw="public", exposure="text")
    left = project(a_scored_hit(fragment=fragment, breakdown=breakdown))
    breakdown["cosine"] = 0.9

    assert left.provenance.breakdown == {"cosine": 0.5}


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


def test_hits_are_split_by_layer_in_their_order() -> None:
    """R103."""
    text, described, placed = a_text_hit(), a_semantic_hit(), a_locator_hit()
    public_place = a_locator_hit(provenance=a_provenance(raw="public"))

    split = split_by_raw(iter([described, text, public_place, placed]))

    assert split.public == (text, public_place)
    assert split.private == (described, placed)
    assert split_by_raw([]) == split_by_raw(())


def test_what_is_served_and_what_leaves_are_different_types() -> None:
    """R002: nothing that leaves is a served row."""
    left = project(a_scored_hit())

    assert not isinstance(left, (ServedFragment, ServedEntity, ScoredHit))
    assert not isinstance(left.provenance.entity, ServedEntity)
