"""One question through the layers: retrieve, floors and gate, write, verify (R160-R171)."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias, assert_never

from fonds.answering.evidence import GatheredEvidence, gathered_evidence
from fonds.answering.floors import FloorVerdict, weigh_floors
from fonds.answering.gate import GateFigures, GateTerms, GateVerdict, weigh_gate
from fonds.answering.prompt import PROMPT_VERSION, AboutArchive, writer_task
from fonds.answering.pruning import CORROBORATOR_MARGIN, pruned_hits
from fonds.answering.refusal import (
    Answered,
    CitedSource,
    RefusalReason,
    RefusalRecord,
    Refused,
)
from fonds.answering.rejection import AnswerRejected
from fonds.answering.search_outcome import SearchOutcome
from fonds.answering.verified_answer import VerifiedAnswer, verified_answer
from fonds.contract.failures import (
    ProviderMisbehaved,
    ProviderUnavailable,
    StoreRefused,
    Unavailable,
)
from fonds.contract.sealed import sealed
from fonds.contract.search_request import SearchRequest
from fonds.contract.writer_reply import NotWritten, Written

if TYPE_CHECKING:
    from fonds.contract.citation import Citation
    from fonds.contract.ports import AnswerWriter, RefusalLog

__all__ = ["AskSettings", "Search", "SearchOutcome", "ask"]

_LOG = logging.getLogger(__name__)
Search: TypeAlias = Callable[[SearchRequest], SearchOutcome]
_NO_FIGURES = RefusalRecord()


@sealed
@dataclass(frozen=True, slots=True)
class AskSettings:
    """Whose archive answers, and the owner's knobs; margin (R167) and pruning (R151) are off, and
    so is the gate without terms (R171).
    """

    about: AboutArchive
    min_margin: float | None = None
    hint_floor: float | None = None
    gate: GateTerms | None = None
    prune: bool = False
    corroborator_margin: float = CORROBORATOR_MARGIN


@sealed
@dataclass(frozen=True, slots=True)
class _Asking:
    """What every refusal of one question names."""

    writer_name: str
    log: RefusalLog | None = field(repr=False)
    build: str | None = None
    gate: GateFigures | None = None

    def refused(self, reason: RefusalReason, record: RefusalRecord, detail: str = "") -> Refused:
        kept = RefusalRecord(
            record.best_score,
            record.best_raw,
            record.coverage,
            record.score_floor,
            record.coverage_floor,
            record.failed,
            detail,
            self.gate,
        )
        refusal = Refused(reason, kept, PROMPT_VERSION, self.writer_name, self.build)
        if self.log is not None:
            _note(self.log, refusal)
        return refusal


def ask(
    question: SearchRequest,
    *,
    search: Search,
    writer: AnswerWriter,
    settings: AskSettings,
    log: RefusalLog | None = None,
    search_exactly: Search | None = None,
) -> Answered | Refused:
    """A cited answer, or a refusal with reason and figures; expected trouble is never raised.

    A writer is called only with evidence that passed both floors and the gate. An unreachable or
    misbehaving provider, an unusable reply and a failed check are refusals. A defect, a missing
    build and an unreachable database are raised (R161). `log` keeps each refusal; a log that is
    out of order does not cost the caller the refusal. What an index found too little in is searched
    exactly before it is refused (R114).
    """
    unbuilt = _Asking(writer.name, log)
    try:
        weighed = _weighed(question, search(question), settings)
        if weighed.reason is not None and weighed.outcome.by_index and search_exactly is not None:
            weighed = _weighed(question, search_exactly(question), settings)
    except (ProviderUnavailable, ProviderMisbehaved) as failure:
        return unbuilt.refused("embedder_unavailable", _NO_FIGURES, type(failure).__name__)
    verdict, gated = weighed.verdict, weighed.gated
    shown = None if settings.gate is None or gated is None else gated.figures
    asking = _Asking(writer.name, log, weighed.outcome.build_id, shown)
    if weighed.reason is not None or gated is None:
        return asking.refused(weighed.reason or "no_relevant_context", verdict.record)
    return _answered(question.query, verdict, gated, asking, writer, settings)


@sealed
@dataclass(frozen=True, slots=True)
class _Weighed:
    """What floors and gate say of one search; `gated` is None where the floors refuse."""

    outcome: SearchOutcome
    verdict: FloorVerdict
    gated: GateVerdict | None

    @property
    def reason(self) -> RefusalReason | None:
        return self.verdict.reason if self.gated is None else self.gated.reason


def _weighed(question: SearchRequest, outcome: SearchOutcome, settings: AskSettings) -> _Weighed:
    author = settings.about.author
    verdict = weigh_floors(
        question.query,
        outcome,
        author=author,
        min_margin=settings.min_margin,
        hint_floor=settings.hint_floor,
    )
    if verdict.reason is not None:
        return _Weighed(outcome, verdict, None)
    gated = weigh_gate(question.query, outcome, verdict.passing, settings.gate, author=author)
    return _Weighed(outcome, verdict, gated)


def _answered(
    question: str,
    verdict: FloorVerdict,
    gated: GateVerdict,
    asking: _Asking,
    writer: AnswerWriter,
    settings: AskSettings,
) -> Answered | Refused:
    shown = gated.passing
    if settings.prune:
        shown = pruned_hits(shown, settings.corroborator_margin)
    gathered = gathered_evidence(gated.passing)
    task = writer_task(question, gathered_evidence(shown).evidence, settings.about)
    try:
        reply = writer.write(task)
    except ProviderUnavailable as failure:
        return asking.refused("model_unavailable", verdict.record, type(failure).__name__)
    except ProviderMisbehaved as failure:
        return asking.refused("unparseable_response", verdict.record, type(failure).__name__)
    match reply:
        case NotWritten():
            return asking.refused(reply.reason, verdict.record, reply.detail)
        case Written():
            return _verified(reply, gathered, verdict, asking)
        case unreachable:
            assert_never(unreachable)


def _verified(
    written: Written, gathered: GatheredEvidence, verdict: FloorVerdict, asking: _Asking
) -> Answered | Refused:
    try:
        verified = verified_answer(written, gathered)
    except AnswerRejected as rejected:
        return asking.refused(rejected.reason, verdict.record, rejected.detail)
    return Answered(
        mode=verified.mode,
        answer=verified.answer,
        citations=_sources(verified, gathered),
        prompt_version=PROMPT_VERSION,
        writer=asking.writer_name,
        build=asking.build or "",
        gate=asking.gate,
    )


def _sources(verified: VerifiedAnswer, gathered: GatheredEvidence) -> tuple[CitedSource, ...]:
    titles = {record.record_id: record.title for record in gathered.evidence.records}
    titles |= {hint.hint_id: hint.label for hint in gathered.evidence.hints}

    def source(citation: Citation) -> CitedSource:
        label = gathered.labels[citation.id]
        return CitedSource(citation.kind, citation.id, citation.url, titles[citation.id], label)

    return tuple(source(citation) for citation in verified.citations)


def _note(log: RefusalLog, refusal: Refused) -> None:
    try:
        log.note_refusal(refusal.reason, refusal.recorded)
    except (Unavailable, StoreRefused) as failure:
        _LOG.warning("refusal not recorded: reason=%s, %s", refusal.reason, type(failure).__name__)
