"""A search as it goes out: contract `archive-search/1`, additive only (R131-R134).

Everything here is typed on EvidenceHit: what a scored hit or a fragment holds cannot be named.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NotRequired, assert_never

from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict  # pydantic needs this one before Python 3.12

from fonds.contract.attribution import Attribution
from fonds.contract.evidence_hit import (
    EvidenceHit,
    HitEntity,
    LocatorHit,
    SemanticHit,
    TextHit,
)
from fonds.contract.identifier import Identifier
from fonds.contract.locator import Locator
from fonds.contract.released_score import released_score
from fonds.contract.search_response import CONTRACT, SearchResponse
from fonds.retrieval.policy_copy import EXPOSURE_COPY, POLICY_NOTE

_CLOSED = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)


@with_config(_CLOSED)
class WireIdentifier(TypedDict):
    scheme: str
    value: str


@with_config(_CLOSED)
class WireAttribution(TypedDict):
    name: str
    role: NotRequired[str]
    identifiers: NotRequired[list[WireIdentifier]]
    placeholder: NotRequired[Literal["unnamed", "unverified"]]


@with_config(_CLOSED)
class WireLocator(TypedDict):
    scheme: str
    value: str
    end: NotRequired[str]


@with_config(_CLOSED)
class WireEntity(TypedDict):
    id: str
    type: str
    title: str
    attribution: list[WireAttribution]
    date: NotRequired[str]
    version: NotRequired[str]
    url: str
    identifiers: list[WireIdentifier]
    parent: NotRequired[str]
    themes: NotRequired[list[str]]


@with_config(_CLOSED)
class WireHit(TypedDict):
    """`exposure` says which of text and gist a hit can have; a locator has neither."""

    fragmentId: str
    exposure: Literal["text", "semantic", "locator"]
    raw: Literal["public", "private"]
    entity: WireEntity
    locator: list[WireLocator]
    locatorLabel: str
    date: NotRequired[str]
    attribution: NotRequired[list[WireAttribution]]
    text: NotRequired[str]
    summary: NotRequired[str]
    gist: NotRequired[str]
    gistSource: NotRequired[Literal["generated", "edited"]]
    gistReview: NotRequired[Literal["unreviewed", "reviewed"]]
    score: float
    breakdown: NotRequired[dict[str, float]]


@with_config(_CLOSED)
class WireIndex(TypedDict):
    builtAt: str
    entityCount: int
    fragmentCount: int


@with_config(_CLOSED)
class WireExposures(TypedDict):
    text: str
    semantic: str
    locator: str


@with_config(_CLOSED)
class WirePolicy(TypedDict):
    exposure: WireExposures
    note: str


@with_config(_CLOSED)
class WireResponse(TypedDict):
    contract: Literal["archive-search/1"]
    query: str
    hits: list[WireHit]
    matched: int
    excludedUndated: int
    index: WireIndex
    policy: WirePolicy


def search_response_json(response: SearchResponse) -> WireResponse:
    """The response as JSON values. Absent optionals are left out, never null (R121)."""
    return {
        "contract": CONTRACT,
        "query": response.query,
        "hits": [hit_json(hit) for hit in response.hits],
        "matched": response.matched,
        "excludedUndated": response.excluded_undated,
        "index": {
            "builtAt": response.index.built_at.isoformat(),
            "entityCount": response.index.entity_count,
            "fragmentCount": response.index.fragment_count,
        },
        "policy": {
            "exposure": {
                "text": EXPOSURE_COPY["text"],
                "semantic": EXPOSURE_COPY["semantic"],
                "locator": EXPOSURE_COPY["locator"],
            },
            "note": POLICY_NOTE,
        },
    }


def hit_json(hit: EvidenceHit) -> WireHit:
    """One hit as JSON values; only its own variant's fields are written."""
    wire = _placed(hit)
    match hit:
        case TextHit():
            wire["text"] = hit.text
            wire["summary"] = hit.summary
        case SemanticHit():
            wire["gist"] = hit.gist
            wire["gistSource"] = hit.gist_source
            wire["gistReview"] = hit.gist_review
        case LocatorHit():
            pass
        case unreachable:
            assert_never(unreachable)
    return wire


def _placed(hit: EvidenceHit) -> WireHit:
    """What every variant has: where it stands, and its score as far as that may be told."""
    provenance = hit.provenance
    wire: WireHit = {
        "fragmentId": provenance.fragment_id,
        "exposure": hit.exposure,
        "raw": provenance.raw,
        "entity": _entity_json(provenance.entity),
        "locator": [_locator_json(step) for step in provenance.place],
        "locatorLabel": provenance.locator_label,
        "score": released_score(provenance.raw, provenance.score),
    }
    if provenance.date is not None:
        wire["date"] = provenance.date
    if provenance.attribution:
        wire["attribution"] = _attribution_json(provenance.attribution)
    if provenance.raw == "public" and provenance.breakdown is not None:
        wire["breakdown"] = dict(provenance.breakdown)
    return wire


def _entity_json(entity: HitEntity) -> WireEntity:
    wire: WireEntity = {
        "id": entity.id,
        "type": entity.type,
        "title": entity.title,
        "attribution": _attribution_json(entity.attribution),
        "url": entity.url,
        "identifiers": _identifiers_json(entity.identifiers),
    }
    if entity.date is not None:
        wire["date"] = entity.date
    if entity.version is not None:
        wire["version"] = entity.version
    if entity.parent is not None:
        wire["parent"] = entity.parent
    if entity.themes:
        wire["themes"] = list(entity.themes)
    return wire


def _locator_json(step: Locator) -> WireLocator:
    wire: WireLocator = {"scheme": step.scheme, "value": step.value}
    if step.end is not None:
        wire["end"] = step.end
    return wire


def _attribution_json(attribution: Sequence[Attribution]) -> list[WireAttribution]:
    return [_person_json(person) for person in attribution]


def _person_json(person: Attribution) -> WireAttribution:
    wire: WireAttribution = {"name": person.name}
    if person.role is not None:
        wire["role"] = person.role
    if person.identifiers:
        wire["identifiers"] = _identifiers_json(person.identifiers)
    if person.placeholder is not None:
        wire["placeholder"] = person.placeholder
    return wire


def _identifiers_json(identifiers: Sequence[Identifier]) -> list[WireIdentifier]:
    return [{"scheme": item.scheme, "value": item.value} for item in identifiers]
