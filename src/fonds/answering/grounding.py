"""Whether every citation is an exact pair of this request's evidence (R147)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fonds.answering.mode import derived_mode
from fonds.answering.rejection import AnswerRejected

if TYPE_CHECKING:
    from fonds.contract.answer_evidence import AnswerEvidence
    from fonds.contract.citation import AnswerMode, Citation


def check_grounding(
    mode: AnswerMode, citations: tuple[Citation, ...], evidence: AnswerEvidence
) -> None:
    """Raises AnswerRejected("fabricated_citation") for a pair that was not shown.

    A real fragment outside this evidence is refused like an invented one. `mode` has to be the one
    the citations give; another is a defect of the caller and raises ValueError.
    """
    pairs = {("record", record.record_id, record.url) for record in evidence.records}
    pairs |= {("hint", hint.hint_id, hint.url) for hint in evidence.hints}
    for position, citation in enumerate(citations, 1):
        if (citation.kind, citation.id, citation.url) not in pairs:
            raise AnswerRejected("fabricated_citation", f"citation {position}")
    if mode != derived_mode(citations):
        raise ValueError("the mode does not follow from the citations")
