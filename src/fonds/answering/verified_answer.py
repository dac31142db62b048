"""From a reply nobody believes yet to an answer that may be shown (R145-R148, R152)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from fonds.answering.claim_check import check_claims
from fonds.answering.grounding import check_grounding
from fonds.answering.mode import derived_mode
from fonds.answering.rejection import AnswerRejected
from fonds.answering.related_material import related_material
from fonds.answering.repair import repaired_sentences, union_of_citations
from fonds.answering.reply_shape import check_shape
from fonds.contract.sealed import sealed
from fonds.contract.writer_reply import Written, WrittenSentence

if TYPE_CHECKING:
    from fonds.answering.evidence import GatheredEvidence
    from fonds.contract.citation import Citation


@sealed
@dataclass(frozen=True, slots=True)
class VerifiedAnswer:
    """Every sentence checked, every citation an exact pair of the evidence."""

    mode: Literal["supported", "partial", "related-material"]
    answer: str = field(repr=False)
    citations: tuple[Citation, ...]


def verified_answer(written: Written, gathered: GatheredEvidence) -> VerifiedAnswer:
    """Shape, repair, mode, grounding, claims, in that order; raises AnswerRejected."""
    check_shape(written)
    sentences = _cited_sentences(repaired_sentences(written.sentences, gathered.evidence))
    citations = union_of_citations(sentences)
    mode = derived_mode(citations)
    if mode == "not-found":
        raise AnswerRejected("missing_citation", "no citation at all")
    check_grounding(mode, citations, gathered.evidence)
    if mode == "related-material":
        return VerifiedAnswer(mode, related_material(citations, gathered.descriptions), citations)
    said = tuple(sentence for sentence in sentences if sentence.text.strip())
    _check_said(said)
    check_claims(said, gathered.evidence)
    return VerifiedAnswer(mode, " ".join(s.text.strip() for s in said), citations)


def _cited_sentences(sentences: tuple[WrittenSentence, ...]) -> tuple[WrittenSentence, ...]:
    """Beside prose, a blank sentence may point to a hint; no record can carry it."""
    if not any(sentence.text.strip() for sentence in sentences):
        return sentences
    return tuple(
        sentence
        if sentence.text.strip()
        else WrittenSentence("", tuple(c for c in sentence.citations if c.kind == "hint"))
        for sentence in sentences
    )


def _check_said(said: tuple[WrittenSentence, ...]) -> None:
    """Prose that repair moved out of related-material is required again (R148)."""
    if not said:
        raise AnswerRejected("unparseable_response", "no prose for a record")
    for position, sentence in enumerate(said, 1):
        if not sentence.citations:
            raise AnswerRejected("missing_citation", f"sentence {position}")
