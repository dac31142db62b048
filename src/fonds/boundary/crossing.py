"""The one way out: a scored hit becomes what its policy lets a caller or a model see (R120-R122).

Nothing else builds an EvidenceHit. The guarantee holds along this path: casts, hand-built rows and
serialising a ScoredHit are outside it (R123).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import assert_never

from fonds.contract.disclosure import EXPOSURES, PrivateDisclosure, PublicDisclosure
from fonds.contract.evidence_hit import (
    EvidenceHit,
    HitEntity,
    LocatorHit,
    Provenance,
    SemanticHit,
    TextHit,
)
from fonds.contract.failures import LeakRefused
from fonds.contract.released_score import released_score
from fonds.contract.scored_hit import ScoredHit
from fonds.contract.sealed import sealed
from fonds.contract.served_fragment import ServedEntity, ServedFragment, ServedGist


def project(hit: ScoredHit) -> EvidenceHit:
    """Reduce a hit to what the policy of its fragment lets it carry.

    Raises LeakRefused, naming the fragment's id alone, for private text, a semantic fragment
    without its gist, a withheld fragment, and any value that contradicts its own type.
    """
    fragment = hit.fragment
    _check_layer(hit)
    provenance = _provenance(hit)
    match fragment.disclosure.exposure:
        case "text":
            # Types erase: a row read from a hand-edited table can still claim this cell.
            if type(fragment.disclosure) is not PublicDisclosure:
                raise LeakRefused(f"{fragment.fragment_id} is private and asked to travel as text")
            return TextHit(provenance, fragment.text, fragment.summary)
        case "semantic":
            gist = fragment.gist
            if type(gist) is not ServedGist:
                raise LeakRefused(f"{fragment.fragment_id} is semantic and holds no servable gist")
            return SemanticHit(provenance, gist.gist, gist.source, gist.review)
        case "locator":
            return LocatorHit(provenance)
        case "none":
            raise LeakRefused(f"{fragment.fragment_id} is withheld and was retrieved")
        case unreachable:
            assert_never(unreachable)


def projected_unasked(entity: ServedEntity, fragment: ServedFragment) -> EvidenceHit:
    """What a caller would receive of a fragment, shown to its author before anybody asks: the score
    is 0. Raises what `project` raises.
    """
    return project(ScoredHit(fragment, entity, 0.0, 0.0, {}))


@sealed
@dataclass(frozen=True, slots=True)
class HitsByRaw:
    """Hits of either layer, each in the order it came."""

    public: tuple[EvidenceHit, ...]
    private: tuple[EvidenceHit, ...]


def split_by_raw(hits: Iterable[EvidenceHit]) -> HitsByRaw:
    """The two layers apart (R103)."""
    listed = tuple(hits)
    return HitsByRaw(
        public=tuple(hit for hit in listed if hit.provenance.raw == "public"),
        private=tuple(hit for hit in listed if hit.provenance.raw == "private"),
    )


def _check_layer(hit: ScoredHit) -> None:
    fragment, entity = hit.fragment, hit.entity
    if type(fragment.disclosure) not in (PublicDisclosure, PrivateDisclosure):
        raise LeakRefused(f"{fragment.fragment_id} has no legal disclosure")
    # Asked here as well, since assert_never would repeat the offending value.
    if fragment.disclosure.exposure not in EXPOSURES:
        raise LeakRefused(f"{fragment.fragment_id} has no legal disclosure")
    if entity.entity_id != fragment.entity_id or entity.raw != fragment.disclosure.raw:
        raise LeakRefused(f"{fragment.fragment_id} disagrees with its entity")


def _provenance(hit: ScoredHit) -> Provenance:
    fragment, entity, raw = hit.fragment, hit.entity, hit.fragment.disclosure.raw
    return Provenance(
        fragment_id=fragment.fragment_id,
        entity=_hit_entity(entity),
        raw=raw,
        place=fragment.place,
        locator_label=fragment.label,
        score=released_score(raw, hit.score),
        date=entity.date if fragment.date is None else fragment.date,
        attribution=fragment.attribution,
        breakdown=dict(hit.breakdown) if raw == "public" else None,
    )


def _hit_entity(entity: ServedEntity) -> HitEntity:
    return HitEntity(
        id=entity.entity_id,
        type=entity.type,
        title=entity.title,
        url=entity.url,
        attribution=entity.attribution,
        date=entity.date,
        version=entity.version,
        identifiers=entity.identifiers,
        parent=entity.parent,
        themes=entity.themes,
    )
