"""The one way out (R120-R123)."""

from __future__ import annotations

import pytest

from fonds.boundary.crossing import project, split_by_raw
from fonds.contract.attribution import Attribution
from fonds.contract.disclosure import Exposure
from fonds.contract.evidence_hit import HitEntity, LocatorHit, Provenance, SemanticHit, TextHit
from fonds.contract.identifier import Identifier
from fonds.contract.locator import Locator
from fonds.contract.scored_hit import ScoredHit
from fonds.contract.served_fragment import ServedEntity, ServedFragment, ServedGist
from tests.factories import (
    GIST,
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


def a_song() -> tuple[ServedFragment, ServedEntity]:
    """Every field of a public fragment and its entity is filled."""
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
    return fragment, entity


def test_public_text_leaves_with_its_score_and_breakdown() -> None:
    """R120, R121, R122: the whole hit."""
    fragment, entity = a_song()
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
