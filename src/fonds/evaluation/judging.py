"""What a gold case says of hits and of an answer: issues by place, never by text (R181, R185)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias, assert_never

from fonds.answering.refusal import Answered, RefusalReason, Refused
from fonds.contract.evidence_hit import EvidenceHit
from fonds.evaluation.gold import GoldCase
from fonds.evaluation.patterns import matches

Matcher: TypeAlias = Callable[[Sequence[str], str], Sequence[bool | None]]


def retrieval_issues(case: GoldCase, hits: Iterable[EvidenceHit]) -> tuple[str, ...]:
    """Expected sources that are not among the hits, and forbidden ones that are.

    A source is an entity or a fragment. What is withheld is never a hit.
    """
    found: set[str] = set()
    for hit in hits:
        found |= {hit.provenance.fragment_id, hit.provenance.entity.id}
    lacking = (
        f"expectSources[{at}]: not retrieved"
        for at, source in enumerate(case.expect_sources)
        if source not in found
    )
    present = (
        f"forbidSources[{at}]: retrieved"
        for at, source in enumerate(case.forbid_sources)
        if source in found
    )
    return (*lacking, *present)


def answer_issues(
    case: GoldCase, given: Answered | Refused, *, matcher: Matcher = matches
) -> tuple[str, ...]:
    """Everything in which an answer or a refusal is not what the case expects."""
    issues = [*_mode_issues(case, given), *_citation_issues(case, given)]
    if isinstance(given, Refused) and not is_honest(given.reason):
        issues.append(f"reason: {given.reason} is a trouble, not a finding")
    return (*issues, *_pattern_issues(case, given.answer, matcher))


def is_honest(reason: RefusalReason) -> bool:
    """Whether a refusal says something of the archive (R185).

    A provider that failed or declined, a reply that broke the contract and a gate without a usable
    calibration say nothing of it: no case passes by them.
    """
    match reason:
        case (
            "no_relevant_context"
            | "below_score_floor"
            | "below_coverage_floor"
            | "below_calibrated_threshold"
            | "model_reported_no_answer"
        ):
            return True
        case (
            "fabricated_citation"
            | "missing_citation"
            | "unsupported_claim"
            | "unparseable_response"
            | "model_declined"
            | "model_unavailable"
            | "embedder_unavailable"
            | "calibration_infinite"
            | "calibration_missing"
            | "calibration_stale"
        ):
            return False
        case unreachable:
            assert_never(unreachable)


def _mode_issues(case: GoldCase, given: Answered | Refused) -> Iterable[str]:
    if given.mode != case.expect_mode:
        yield f"mode: {case.expect_mode} expected, {given.mode} given"


def _citation_issues(case: GoldCase, given: Answered | Refused) -> Iterable[str]:
    kinds = {citation.kind for citation in given.citations}
    if given.mode == "partial" and "hint" in kinds:
        yield "citations: a hint in a partial answer"
    if given.mode == "related-material" and "record" in kinds:
        yield "citations: a record in an answer of related material"
    if case.forbid_record_citations and "record" in kinds:
        yield "forbidRecordCitations: a record is cited"
    cited = {citation.id for citation in given.citations}
    cited |= {one.rpartition("#")[0] for one in cited}
    for at, source in enumerate(case.forbid_sources):
        if source in cited:
            yield f"forbidSources[{at}]: cited"


def _pattern_issues(case: GoldCase, answer: str, matcher: Matcher) -> Iterable[str]:
    asked = (*case.expect_patterns, *case.forbid_patterns)
    if not asked or not answer:
        # Nothing was said: the mode speaks for what was expected.
        return
    verdicts = matcher(asked, answer)
    expected = len(case.expect_patterns)
    for at, found in enumerate(verdicts[:expected]):
        if not found:
            yield f"expectAnswerPatterns[{at}]: {'no match' if found is False else _UNDECIDED}"
    for at, found in enumerate(verdicts[expected:]):
        if found is not False:
            yield f"forbidAnswerPatterns[{at}]: {'a match' if found else _UNDECIDED}"


_UNDECIDED = "not decided in time"
