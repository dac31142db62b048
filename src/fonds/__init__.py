"""An answer engine for a body of work its author owns: it cites, points, or declines.

The names below are the public ones. They are loaded when first asked for, so that importing a type
of the contract does not load the engine.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fonds.answering.ask import ask
    from fonds.answering.refusal import Answered, Refused
    from fonds.boundary.crossing import project
    from fonds.contract.attribution import Attribution
    from fonds.contract.disclosure import PrivateDisclosure, PublicDisclosure
    from fonds.contract.entity import Entity
    from fonds.contract.evidence_hit import EvidenceHit, LocatorHit, SemanticHit, TextHit
    from fonds.contract.failures import Failure
    from fonds.contract.fragment import Fragment
    from fonds.contract.identifier import Identifier
    from fonds.contract.locator import Locator
    from fonds.contract.search_request import Filters, SearchRequest
    from fonds.contract.search_response import SearchResponse
    from fonds.retrieval.search import search
    from fonds.wiring.consuming import ingest_pairs
    from fonds.wiring.opening import opened

_HOMES = {
    "ask": "fonds.answering.ask",
    "Answered": "fonds.answering.refusal",
    "Refused": "fonds.answering.refusal",
    "project": "fonds.boundary.crossing",
    "Attribution": "fonds.contract.attribution",
    "PrivateDisclosure": "fonds.contract.disclosure",
    "PublicDisclosure": "fonds.contract.disclosure",
    "Entity": "fonds.contract.entity",
    "EvidenceHit": "fonds.contract.evidence_hit",
    "LocatorHit": "fonds.contract.evidence_hit",
    "SemanticHit": "fonds.contract.evidence_hit",
    "TextHit": "fonds.contract.evidence_hit",
    "Failure": "fonds.contract.failures",
    "Fragment": "fonds.contract.fragment",
    "Identifier": "fonds.contract.identifier",
    "Locator": "fonds.contract.locator",
    "Filters": "fonds.contract.search_request",
    "SearchRequest": "fonds.contract.search_request",
    "SearchResponse": "fonds.contract.search_response",
    "search": "fonds.retrieval.search",
    "ingest_pairs": "fonds.wiring.consuming",
    "opened": "fonds.wiring.opening",
}

__all__ = [
    "Answered",
    "Attribution",
    "Entity",
    "EvidenceHit",
    "Failure",
    "Filters",
    "Fragment",
    "Identifier",
    "Locator",
    "LocatorHit",
    "PrivateDisclosure",
    "PublicDisclosure",
    "Refused",
    "SearchRequest",
    "SearchResponse",
    "SemanticHit",
    "TextHit",
    "ask",
    "ingest_pairs",
    "opened",
    "project",
    "search",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"fonds has no public name {name}")
    return getattr(import_module(_HOMES[name]), name)
