"""Callables that answer as a test says, made of the real values."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

from fonds.answering.refusal import Answered, CitedSource, RefusalReason, RefusalRecord, Refused
from fonds.contract.citation import AnswerMode, CitationKind
from fonds.contract.disclosure import Raw
from fonds.contract.embedding_space import EmbeddingSpace
from fonds.contract.evidence_hit import EvidenceHit
from fonds.contract.near_query import LiveBuild
from fonds.contract.search_request import SearchRequest
from fonds.evaluation.gold import GoldCase
from fonds.evaluation.report import CaseResult, EvalReport, RunTerms
from fonds.evaluation.suite import Engine
from fonds.retrieval.search import Searched
from tests.factories import a_locator_hit, a_provenance, a_text_hit

NOON = datetime(2031, 5, 4, 12, 0, tzinfo=UTC)
SPACE = EmbeddingSpace("hashing", "hash-256", 256, default_floor=0.2)
TERMS = RunTerms("example", 7, SPACE, 0.2, 0.5, "extractive", "answer.v1")
BUILD = LiveBuild(7, SPACE, 0.2, 0.5, NOON, 2, 3, 1, (1, 2), (), 0)


def a_case(
    case_id: str = "kites",
    *,
    query: str = "How is a kite let out?",
    mode: AnswerMode = "partial",
    expect: tuple[str, ...] = (),
    forbid: tuple[str, ...] = (),
    no_records: bool = False,
    expect_patterns: tuple[str, ...] = (),
    forbid_patterns: tuple[str, ...] = (),
    requires_model: bool = False,
) -> GoldCase:
    return GoldCase(
        case_id,
        query,
        mode,
        expect,
        forbid,
        no_records,
        expect_patterns,
        forbid_patterns,
        requires_model=requires_model,
    )


def public_hit(entity_id: str = "essay:kites", *, score: float = 0.6) -> EvidenceHit:
    return a_text_hit(provenance=a_provenance(entity_id=entity_id, raw="public", score=score))


def private_hit(entity_id: str = "note:tides", *, score: float = 0.5) -> EvidenceHit:
    return a_locator_hit(provenance=a_provenance(entity_id=entity_id, score=score))


def found(*hits: EvidenceHit, best: float | None = None, raw: Raw = "public") -> Searched:
    top = max((hit.provenance.score for hit in hits), default=None) if best is None else best
    return Searched(
        query="asked",
        hits=hits,
        matched=len(hits),
        excluded_undated=0,
        build=BUILD,
        best_score=top,
        best_raw=None if top is None else raw,
        best_cosine=top,
    )


def cited(fragment_id: str, kind: CitationKind = "record") -> CitedSource:
    return CitedSource(kind, fragment_id, "https://example.org/x/", "A title", "whole record")


def answered(
    mode: Literal["supported", "partial", "related-material"] = "partial",
    *citations: CitedSource,
    text: str = "Slowly.",
    build: str = "7",
) -> Answered:
    return Answered(
        mode, text, citations or (cited("essay:kites#whole"),), "answer.v1", "extractive", build
    )


def refused(reason: RefusalReason = "below_score_floor", *, build: str | None = "7") -> Refused:
    return Refused(reason, RefusalRecord(), "answer.v1", "extractive", build)


@dataclass
class Asking:
    """An engine that gives one reply to every search and one to every question, and keeps count.

    An exception given as a reply is raised.
    """

    hits: Searched | BaseException = field(default_factory=found)
    reply: Answered | Refused | BaseException | None = None
    searches: list[str] = field(default_factory=list[str])
    questions: list[str] = field(default_factory=list[str])

    def search(self, request: SearchRequest) -> Searched:
        self.searches.append(request.query)
        if isinstance(self.hits, BaseException):
            raise self.hits
        return self.hits

    def ask(self, request: SearchRequest) -> Answered | Refused:
        self.questions.append(request.query)
        assert self.reply is not None
        if isinstance(self.reply, BaseException):
            raise self.reply
        return self.reply

    @property
    def engine(self) -> Engine:
        return Engine(self.search, None if self.reply is None else self.ask)


def a_report(*results: CaseResult, full: bool = True, **changes: object) -> EvalReport:
    values: dict[str, object] = {
        "ran_at": NOON,
        "full": full,
        "selected_total": len(results),
        "results": results,
        "terms": TERMS,
        "canaries": 2,
    }
    return EvalReport(**(values | changes))  # pyright: ignore[reportArgumentType]


PASSED = CaseResult("kites", "How is a kite let out?", "partial", (), "partial")
FAILED = CaseResult(
    "tides",
    "Who counts the tides?",
    "not-found",
    ("mode: not-found expected, partial given",),
    "partial",
)
SKIPPED = CaseResult("moon", "Why does the moon pull?", "partial", skipped="needs-model")
