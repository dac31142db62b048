"""Legal values of the contract with defaults. A test names only what its sentence is about.

`PRIVATE_TEXT` holds words that stand nowhere else (`PRIVATE_WORDS`): a test that must show that
nothing leaked greps for them.
"""

from __future__ import annotations

from collections.abc import Mapping

from fonds.contract.attribution import Attribution
from fonds.contract.disclosure import Exposure, Raw, disclosure
from fonds.contract.embed_string import content_hash
from fonds.contract.entity import Entity, Policy
from fonds.contract.evidence_hit import (
    HitEntity,
    LocatorHit,
    Provenance,
    SemanticHit,
    TextHit,
)
from fonds.contract.fragment import Fragment, SourceReview
from fonds.contract.identifier import Identifier
from fonds.contract.locator import Locator, Place, locator_key, locator_label
from fonds.contract.projection import (
    FailedProjection,
    GistReview,
    GistSource,
    PassedProjection,
    ProjectionBase,
)
from fonds.contract.released_score import released_score
from fonds.contract.scored_hit import ScoredHit
from fonds.contract.served_fragment import ServedEntity, ServedFragment, ServedGist

PRIVATE_TEXT = (
    "The zebrawood box under the ninth stair holds every quillfeather bill we never paid."
)
PRIVATE_WORDS = ("zebrawood", "quillfeather")
PUBLIC_TEXT = "Let the line out slowly and the kite will find its own wind."
GIST = "An inventory of a household's hidden papers."
WHOLE: Place = (Locator("whole", ""),)


def chapter(number: int) -> Place:
    return (Locator("chapter", str(number)),)


def an_entity(
    *,
    entity_id: str = "book:low-tide",
    raw: Raw = "private",
    exposure: Exposure = "locator",
    title: str = "Low Tide",
    url: str = "https://example.org/low-tide/",
    attribution: tuple[Attribution, ...] = (),
    date: str | None = None,
    version: str | None = None,
    identifiers: tuple[Identifier, ...] = (),
    parent: str | None = None,
    themes: tuple[str, ...] = (),
    policy: Policy | None = None,
) -> Entity:
    return Entity(
        entity_id=entity_id,
        type=entity_id.partition(":")[0],
        title=title,
        url=url,
        disclosure=disclosure(raw, exposure),
        attribution=attribution,
        date=date,
        version=version,
        identifiers=identifiers,
        parent=parent,
        themes=themes,
        policy=policy or Policy(),
    )


def a_fragment(
    *,
    entity_id: str = "book:low-tide",
    raw: Raw = "private",
    exposure: Exposure = "locator",
    place: Place = WHOLE,
    text: str = PRIVATE_TEXT,
    attribution: tuple[Attribution, ...] = (),
    date: str | None = None,
    summary: str | None = None,
    themes: tuple[str, ...] = (),
    trail: tuple[str, ...] = (),
    source_review: SourceReview | None = None,
) -> Fragment:
    return Fragment(
        entity_id=entity_id,
        place=place,
        disclosure=disclosure(raw, exposure),
        text=text,
        attribution=attribution,
        date=date,
        summary=summary,
        themes=themes,
        trail=trail,
        source_review=source_review,
    )


def a_projection_base(
    *,
    fragment_id: str = "book:low-tide#whole",
    source: GistSource = "generated",
    review: GistReview = "unreviewed",
    text: str = PRIVATE_TEXT,
    vetoed: bool = False,
    stale: bool = False,
) -> ProjectionBase:
    return ProjectionBase(
        fragment_id, source, review, content_hash(text), vetoed, stale, "a-model", "gist.v1"
    )


def a_projection(*, base: ProjectionBase | None = None, gist: str = GIST) -> PassedProjection:
    return PassedProjection(base or a_projection_base(), gist)


def a_failed_projection(
    *, base: ProjectionBase | None = None, draft: str = PRIVATE_TEXT
) -> FailedProjection:
    return FailedProjection(base or a_projection_base(), draft)


def a_served_entity(
    *,
    entity_id: str = "book:low-tide",
    raw: Raw = "private",
    title: str = "Low Tide",
    url: str = "https://example.org/low-tide/",
    attribution: tuple[Attribution, ...] = (),
    date: str | None = None,
    version: str | None = None,
    identifiers: tuple[Identifier, ...] = (),
    parent: str | None = None,
    themes: tuple[str, ...] = (),
) -> ServedEntity:
    kind = entity_id.partition(":")[0]
    return ServedEntity(
        entity_id, kind, title, url, raw, attribution, date, version, identifiers, parent, themes
    )


def a_served_fragment(
    *,
    entity_id: str = "book:low-tide",
    raw: Raw = "private",
    exposure: Exposure = "locator",
    place: Place = WHOLE,
    text: str | None = None,
    summary: str = "",
    gist: ServedGist | None = None,
    attribution: tuple[Attribution, ...] = (),
    date: str | None = None,
    themes: tuple[str, ...] = (),
    trail: tuple[str, ...] = (),
) -> ServedFragment:
    """A text fragment gets `PUBLIC_TEXT`, a semantic one `GIST`, unless the test says otherwise."""
    if text is None:
        text = PUBLIC_TEXT if exposure == "text" else ""
    if gist is None and exposure == "semantic":
        gist = ServedGist(GIST, "generated", "unreviewed")
    return ServedFragment(
        fragment_id=f"{entity_id}#{locator_key(place)}",
        entity_id=entity_id,
        place=place,
        disclosure=disclosure(raw, exposure),
        text=text,
        summary=summary,
        gist=gist,
        attribution=attribution,
        date=date,
        themes=themes,
        trail=trail,
    )


def a_scored_hit(
    *,
    fragment: ServedFragment | None = None,
    entity: ServedEntity | None = None,
    cosine: float = 0.5,
    score: float | None = None,
    breakdown: Mapping[str, float] | None = None,
) -> ScoredHit:
    fragment = fragment or a_served_fragment()
    entity = entity or a_served_entity(entity_id=fragment.entity_id, raw=fragment.disclosure.raw)
    return ScoredHit(
        fragment,
        entity,
        cosine,
        cosine if score is None else score,
        breakdown or {"cosine": cosine},
    )


def a_provenance(
    *,
    entity_id: str = "book:low-tide",
    raw: Raw = "private",
    place: Place = WHOLE,
    title: str = "Low Tide",
    url: str = "https://example.org/low-tide/",
    score: float = 0.5,
    creators: tuple[Attribution, ...] = (),
    speakers: tuple[Attribution, ...] = (),
    date: str | None = None,
    version: str | None = None,
    themes: tuple[str, ...] = (),
    breakdown: Mapping[str, float] | None = None,
) -> Provenance:
    """The score of private material is released (R122); pass the exact one for public material."""
    kind = entity_id.partition(":")[0]
    return Provenance(
        fragment_id=f"{entity_id}#{locator_key(place)}",
        entity=HitEntity(
            entity_id, kind, title, url, creators, date, version=version, themes=themes
        ),
        raw=raw,
        place=place,
        locator_label=locator_label(place),
        score=released_score(raw, score),
        date=date,
        attribution=speakers,
        breakdown=breakdown,
    )


def a_text_hit(
    *, provenance: Provenance | None = None, text: str = PUBLIC_TEXT, summary: str = ""
) -> TextHit:
    return TextHit(provenance or a_provenance(entity_id="essay:kites", raw="public"), text, summary)


def a_semantic_hit(
    *,
    provenance: Provenance | None = None,
    gist: str = GIST,
    source: GistSource = "generated",
    review: GistReview = "unreviewed",
) -> SemanticHit:
    return SemanticHit(provenance or a_provenance(), gist, source, review)


def a_locator_hit(*, provenance: Provenance | None = None) -> LocatorHit:
    return LocatorHit(provenance or a_provenance())
