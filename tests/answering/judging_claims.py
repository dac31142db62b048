"""One claim put to the claim check, and the rule it breaks."""

from __future__ import annotations

from fonds.answering.claim_check import check_claims
from fonds.answering.rejection import AnswerRejected
from fonds.contract.answer_evidence import AnswerEvidence, AnswerRecord
from fonds.contract.citation import Citation
from fonds.contract.writer_reply import WrittenSentence

URL = "https://archive.example/page/"
CITED = Citation("record", "essay:page#whole", URL)


def fault(claim: str, body: str, *, title: str = "Page", date: str | None = None) -> str | None:
    record = AnswerRecord(CITED.id, "essay", "page", title, URL, body, date=date)
    return fault_of(claim, AnswerEvidence((record,)), CITED)


def fault_of(claim: str, evidence: AnswerEvidence, *cited: Citation) -> str | None:
    try:
        check_claims((WrittenSentence(claim, cited),), evidence)
    except AnswerRejected as rejected:
        return rejected.detail
    return None
