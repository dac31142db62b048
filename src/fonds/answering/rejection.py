"""Why a written answer is thrown away; `ask` alone turns it into a refusal (A2)."""

from __future__ import annotations

from typing import Literal, TypeAlias

from fonds.contract.failures import Failure

RejectionReason: TypeAlias = Literal[
    "unparseable_response",
    "model_reported_no_answer",
    "missing_citation",
    "fabricated_citation",
    "unsupported_claim",
]


class AnswerRejected(Failure):
    """A reply that may not be shown. `detail` names rule and position, never a word of it."""

    def __init__(self, reason: RejectionReason, detail: str = "") -> None:
        self.reason: RejectionReason = reason
        self.detail = detail
        super().__init__(f"{reason}: {detail}" if detail else reason)
