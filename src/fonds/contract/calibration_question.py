"""A question with a known answer to "may this be answered?", as a calibration asks it (R168)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

from fonds.contract.calibration import QuestionKind
from fonds.contract.normalised_text import normalised_text
from fonds.contract.sealed import sealed


@sealed
@dataclass(frozen=True, slots=True)
class CalibrationQuestion:
    """The operator's own words: kept in the private schema, shown in no output, log or report.

    `name` is how it may be spoken of. `key` is the same for questions that differ in case,
    punctuation or spacing alone; splits and overlaps go by it.
    """

    name: str
    question: str = field(repr=False)
    kind: QuestionKind

    @property
    def key(self) -> str:
        return question_key(self.question)


def question_key(question: str) -> str:
    """32 hex digits over the normalised question; stable across processes and releases."""
    normalised = normalised_text(question) or question
    return hashlib.sha256(normalised.encode()).hexdigest()[:32]
