"""Turns hits into what a writer may see: quotable records, and hints that only point (R140)."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, assert_never

from fonds.contract.answer_evidence import (
    AnswerEvidence,
    AnswerHint,
    AnswerRecord,
    HintDescription,
)
from fonds.contract.entity import slug_of
from fonds.contract.evidence_hit import EvidenceHit, LocatorHit, Provenance, SemanticHit, TextHit
from fonds.contract.sealed import sealed

MAX_BODY_CHARS: Final = 6_000  # R141
CUT_MARK: Final = "\n[... cut here: the passage continues ...]"


@sealed
@dataclass(frozen=True, slots=True)
class GatheredEvidence:
    """One request's evidence, with what travels beside it and is never handed to a writer.

    `descriptions` is keyed by hint id, `labels` by fragment id.
    """

    evidence: AnswerEvidence
    descriptions: Mapping[str, HintDescription] = field(repr=False)
    labels: Mapping[str, str] = field(repr=False)


def gathered_evidence(hits: tuple[EvidenceHit, ...]) -> GatheredEvidence:
    """Records and hints of `hits` in their order; a fragment that comes twice counts once."""
    records: dict[str, AnswerRecord] = {}
    hints: dict[str, AnswerHint] = {}
    descriptions: dict[str, HintDescription] = {}
    labels: dict[str, str] = {}
    for hit in hits:
        at = hit.provenance
        labels.setdefault(at.fragment_id, at.locator_label)
        match hit:
            case TextHit():
                records.setdefault(at.fragment_id, _record(hit))
            case SemanticHit():
                hints.setdefault(at.fragment_id, _hint(at))
                descriptions.setdefault(at.fragment_id, _description(at, hit.gist))
            case LocatorHit():
                hints.setdefault(at.fragment_id, _hint(at))
                descriptions.setdefault(at.fragment_id, _description(at, None))
            case unreachable:
                assert_never(unreachable)
    evidence = AnswerEvidence(tuple(records.values()), tuple(hints.values()))
    return GatheredEvidence(evidence, descriptions, labels)


def shown_body(text: str) -> str:
    """The passage as a writer sees it: at most MAX_BODY_CHARS, a cut being visible."""
    if len(text) <= MAX_BODY_CHARS:
        return text
    end = MAX_BODY_CHARS
    while end > 0 and unicodedata.category(text[end]).startswith("M"):
        end -= 1  # a letter keeps its marks
    return text[:end].rstrip() + CUT_MARK


def _record(hit: TextHit) -> AnswerRecord:
    at = hit.provenance
    return AnswerRecord(
        record_id=at.fragment_id,
        type=at.entity.type,
        slug=slug_of(at.entity.id),
        title=at.entity.title,
        url=at.entity.url,
        body=shown_body(hit.text),
        summary=hit.summary,
        themes=at.entity.themes,
        date=at.date or at.entity.date,
        score=at.score,
    )


def _hint(at: Provenance) -> AnswerHint:
    return AnswerHint(at.fragment_id, at.entity.title, at.locator_label, at.entity.url, at.score)


def _description(at: Provenance, gist: str | None) -> HintDescription:
    creators = tuple(maker.name for maker in at.entity.attribution if maker.placeholder is None)
    return HintDescription(
        at.entity.title, at.locator_label, creators, at.entity.version, gist, at.raw
    )
