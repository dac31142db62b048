"""An optional pass before writing: one fragment an entity, one corroborator (R151)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from fonds.contract.evidence_hit import EvidenceHit

CORROBORATOR_MARGIN: Final = 0.1
"""How far the best entity has to lead before its second fragment is kept. Hand-set."""


def pruned_hits(
    hits: tuple[EvidenceHit, ...], margin: float = CORROBORATOR_MARGIN
) -> tuple[EvidenceHit, ...]:
    """The first hit of each entity, plus the winner's second when it leads by `margin`.

    Decides only what a writer is shown: grounding goes on accepting all of `hits`.
    """
    leaders: dict[str, EvidenceHit] = {}
    for hit in hits:
        leaders.setdefault(hit.provenance.entity.id, hit)
    kept = {hit.provenance.fragment_id for hit in leaders.values()}
    ranked = tuple(leaders.values())
    if ranked and _leads(ranked, margin):
        kept |= _second_of(ranked[0], hits)
    return tuple(hit for hit in hits if hit.provenance.fragment_id in kept)


def _leads(ranked: tuple[EvidenceHit, ...], margin: float) -> bool:
    if len(ranked) == 1:
        return True
    return ranked[0].provenance.score - ranked[1].provenance.score >= margin


def _second_of(winner: EvidenceHit, hits: tuple[EvidenceHit, ...]) -> set[str]:
    for hit in hits:
        same_entity = hit.provenance.entity.id == winner.provenance.entity.id
        if same_entity and hit.provenance.fragment_id != winner.provenance.fragment_id:
            return {hit.provenance.fragment_id}
    return set()
