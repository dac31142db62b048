"""Which cases a run asks: all, some by id, or those a report says have failed (R183)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fonds.contract.failures import QueryRefused
from fonds.contract.sealed import sealed
from fonds.evaluation.gold import GoldCase, GoldSuite
from fonds.evaluation.report import EvalReport

UNWARNED = 3  # questions of the answers tier that need no second thought


@sealed
@dataclass(frozen=True, slots=True)
class Selection:
    """Cases in the order of the suite. `chosen`: by a wish of the caller, so it is no accident."""

    cases: tuple[GoldCase, ...]
    chosen: bool = False
    note: str | None = None

    def warning(self, *, full: bool) -> str | None:
        """What to say before a run of the answers tier over everything."""
        if not full or self.chosen or len(self.cases) <= UNWARNED:
            return None
        return (
            f"asking the writer {len(self.cases)} questions: "
            "--ids or --from-report latest asks fewer"
        )


def selected_cases(
    suite: GoldSuite, *, ids: Sequence[str] | None = None, failed_in: EvalReport | None = None
) -> Selection:
    """Raises QueryRefused for an id that is no case, by its position, and for both wishes at once.

    A report in which nothing failed selects nothing, and the note says so.
    """
    if ids is not None and failed_in is not None:
        raise QueryRefused("ids", "either ids or from-report")
    if ids is not None:
        return Selection(_by_id(suite, ids, "ids"), chosen=True)
    if failed_in is not None:
        failed = failed_in.failed_ids
        note = None if failed else "nothing failed in that report"
        return Selection(_by_id(suite, failed, "from-report"), chosen=True, note=note)
    return Selection(suite.cases)


def _by_id(suite: GoldSuite, ids: Sequence[str], name: str) -> tuple[GoldCase, ...]:
    known = {case.case_id for case in suite.cases}
    for position, one in enumerate(ids):
        if one not in known:
            raise QueryRefused(f"{name}[{position}]", "the id of a gold case")
    wanted = frozenset(ids)
    return tuple(case for case in suite.cases if case.case_id in wanted)
