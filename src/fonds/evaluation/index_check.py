"""Whether an index finds what comparing every row finds: recall, and verdicts (R114)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from fonds.contract.near_index import LEAST_RECALL
from fonds.contract.sealed import sealed
from fonds.contract.search_request import SearchRequest
from fonds.evaluation.gold import GoldCase
from fonds.evaluation.judging import retrieval_issues
from fonds.retrieval.search import Searched

HITS = 8  # of public material a question, as many as a search shows unless asked otherwise
Search: TypeAlias = Callable[[SearchRequest], Searched]


@sealed
@dataclass(frozen=True, slots=True)
class IndexCheck:
    """`by_index` of the questions were answered by the index, the others by every row. `recall` is
    over those: hits of public material that an exact search shows and the index found; None where
    it answered none. `changed` names gold cases whose verdict differs.
    """

    questions: int
    by_index: int
    recall: float | None
    cases: int
    changed: tuple[str, ...]

    @property
    def admitted(self) -> bool:
        return self.recall is not None and self.recall >= LEAST_RECALL and not self.changed


@sealed
@dataclass(frozen=True, slots=True)
class Seen:
    """What one question showed, and what the suite says of it."""

    hits: frozenset[str]
    by_index: bool
    issues: tuple[str, ...] = ()


def seen(
    questions: Sequence[SearchRequest], cases: Sequence[GoldCase], search: Search
) -> tuple[tuple[Seen, ...], tuple[Seen, ...]]:
    """What a search shows of each question, and of each case of the suite."""

    def of(request: SearchRequest, case: GoldCase | None = None) -> Seen:
        found = search(request)
        public = (hit for hit in found.hits if hit.provenance.raw == "public")
        issues = () if case is None else retrieval_issues(case, found.hits)
        ids = frozenset(hit.provenance.fragment_id for hit in public)
        return Seen(ids, found.by_index, issues)

    asked = tuple(of(request) for request in questions)
    return asked, tuple(of(case.request, case) for case in cases)


def index_check(
    cases: Sequence[GoldCase],
    exact: tuple[Sequence[Seen], Sequence[Seen]],
    indexed: tuple[Sequence[Seen], Sequence[Seen]],
) -> IndexCheck:
    """The same questions and cases, searched both ways."""
    pairs = [
        (one.hits, other.hits)
        for ours, theirs in zip(exact, indexed, strict=True)
        for one, other in zip(ours, theirs, strict=True)
        if other.by_index
    ]
    sought = sum(len(one) for one, _ in pairs)
    found = sum(len(one & other) for one, other in pairs)
    return IndexCheck(
        questions=sum(len(half) for half in exact),
        by_index=len(pairs),
        recall=found / sought if sought else None,
        cases=len(cases),
        changed=tuple(
            case.case_id
            for case, one, other in zip(cases, exact[1], indexed[1], strict=True)
            if one.issues != other.issues
        ),
    )


def check_lines(check: IndexCheck) -> list[str]:
    """What a person reads of a check: counts, and cases by id."""
    asked = f"{check.by_index} of {check.questions} questions answered by the index"
    lines = [f"{asked}, the others by every row"]
    if check.recall is not None:
        lines.append(f"recall@{HITS} {check.recall:.4f}, {LEAST_RECALL} is asked for")
    lines.append(f"{len(check.changed)} of {check.cases} verdicts of the suite differ")
    return [*lines, *(f"  {case}: another verdict" for case in check.changed)]


def check_json(check: IndexCheck) -> Mapping[str, object]:
    """The same for a program."""
    return {
        "questions": check.questions,
        "byIndex": check.by_index,
        "recall": check.recall,
        "k": HITS,
        "cases": check.cases,
        "changed": list(check.changed),
        "admitted": check.admitted,
    }
