"""Mends citations that were copied with a slip, and never invents one (R146)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fonds.contract.citation import Citation
from fonds.contract.sealed import sealed
from fonds.contract.writer_reply import WrittenSentence

if TYPE_CHECKING:
    from fonds.contract.answer_evidence import AnswerEvidence
    from fonds.contract.citation import CitationKind


@sealed
@dataclass(frozen=True, slots=True)
class _Pairs:
    """The citations one kind of evidence allows."""

    by_id: dict[str, Citation]
    by_url: dict[str, tuple[Citation, ...]]


def repaired_sentences(
    sentences: tuple[WrittenSentence, ...], evidence: AnswerEvidence
) -> tuple[WrittenSentence, ...]:
    """The same sentences with each citation an exact pair of `evidence` where that can be told.

    Id first, then url; of the other kind when that is where it belongs; else unchanged.
    """
    allowed = _allowed(evidence)
    return tuple(_repaired(sentence, allowed) for sentence in sentences)


def union_of_citations(sentences: tuple[WrittenSentence, ...]) -> tuple[Citation, ...]:
    """All citations once, in the order they are first made (R142)."""
    return tuple(dict.fromkeys(c for sentence in sentences for c in sentence.citations))


def _repaired(sentence: WrittenSentence, allowed: dict[CitationKind, _Pairs]) -> WrittenSentence:
    mended = dict.fromkeys(_mended(citation, allowed) for citation in sentence.citations)
    return WrittenSentence(sentence.text, tuple(mended))


def _allowed(evidence: AnswerEvidence) -> dict[CitationKind, _Pairs]:
    records = [Citation("record", record.record_id, record.url) for record in evidence.records]
    hints = [Citation("hint", hint.hint_id, hint.url) for hint in evidence.hints]
    return {"record": _pairs(records), "hint": _pairs(hints)}


def _pairs(citations: list[Citation]) -> _Pairs:
    by_url: dict[str, tuple[Citation, ...]] = {}
    for citation in citations:
        by_url[citation.url] = (*by_url.get(citation.url, ()), citation)
    return _Pairs({citation.id: citation for citation in citations}, by_url)


def _mended(citation: Citation, allowed: dict[CitationKind, _Pairs]) -> Citation:
    written_id, url = citation.id.strip(), citation.url.strip()
    other: CitationKind = "hint" if citation.kind == "record" else "record"
    kinds: tuple[CitationKind, CitationKind] = (citation.kind, other)
    for kind in kinds:
        if written_id in allowed[kind].by_id:
            return allowed[kind].by_id[written_id]
    for kind in kinds:
        found = allowed[kind].by_url.get(url, ())
        if found:
            # A page that several fragments share names none of them.
            return (
                found[0] if len(found) == 1 and _may_stand_for(written_id, found[0]) else citation
            )
    return citation


def _may_stand_for(written_id: str, found: Citation) -> bool:
    """Whether a url may replace this unknown id.

    It may not where the id is exact about something else: another fragment of the same entity, or
    the same id in other letter case. Both name a fragment outside this evidence (R147).
    """
    if written_id.casefold() == found.id.casefold():
        return False
    entity, _, fragment = written_id.rpartition("#")
    return not (fragment and entity and entity == found.id.rpartition("#")[0])
