"""What becomes of a stored projection: pure decisions over its words, its text and its entity's
policy (R050, R082, R084).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from fonds.boundary.lint import entity_text, gist_lint_against
from fonds.boundary.resolution import is_servable_gist
from fonds.boundary.runs import PrivateRuns
from fonds.contract.build_store import StoredEntity, StoredFragment
from fonds.contract.curator_store import HeldGist
from fonds.contract.embed_string import content_hash
from fonds.contract.entity import LintWindow, Policy
from fonds.contract.failures import PublicSafeLintError
from fonds.contract.linted_gist import LintedGist
from fonds.contract.projection import (
    FailedProjection,
    GistReview,
    PassedProjection,
    ProjectionBase,
    SemanticProjection,
)

Outcome: TypeAlias = Literal["draft", "kept", "failed", "stale", "carried"]


@dataclass(frozen=True, slots=True)
class Reconciled:
    """What a run decides about one fragment. `projection` is what stands afterwards, unless it is
    to be drafted; `rule` is what its words break.
    """

    outcome: Outcome
    projection: SemanticProjection | None = None
    rule: str = ""


class GistJudge:
    """The gist lint over one entity, its texts prepared once; at the entity's window or another."""

    def __init__(self, stored: StoredEntity, window: LintWindow | None = None) -> None:
        self._window = window or stored.entity.policy.lint
        fragments = [part.fragment for part in stored.fragments]
        self._whole = (
            PrivateRuns(entity_text(fragments), self._window) if len(fragments) > 1 else None
        )

    def rule_broken(self, part: StoredFragment, words: str) -> str:
        """What the words break, by unit and position; empty when they pass (R069)."""
        verdict = self.verdict(part, words)
        return verdict if isinstance(verdict, str) else ""

    def verdict(self, part: StoredFragment, words: str) -> LintedGist | str:
        """The proof that the words pass, or what they break."""
        try:
            return gist_lint_against(
                words,
                fragment=PrivateRuns(part.fragment.text, self._window),
                entity=self._whole,
                window=self._window,
                path=part.fragment_id,
            )
        except PublicSafeLintError as found:
            return found.rule


def words_of(projection: SemanticProjection) -> str:
    """The gist, or the draft that failed. Empty where the words were erased with their text."""
    return projection.gist if isinstance(projection, PassedProjection) else projection.draft


def judged(base: ProjectionBase, words: str, rule: str) -> SemanticProjection:
    """The arm that a verdict gives: words that break a rule stay as the author's draft."""
    return FailedProjection(base, words) if rule else PassedProjection(base, words)


def edited(part: StoredFragment, words: str, rule: str, review: GistReview) -> SemanticProjection:
    """The author's words, stamped with the text as it stands; a veto stays (R084)."""
    base = ProjectionBase(
        fragment_id=part.fragment_id,
        source="edited",
        review=review,
        content_hash=content_hash(part.fragment.text),
        vetoed=part.projection is not None and part.projection.base.vetoed,
    )
    return judged(base, words, rule)


def reviewed(part: StoredFragment, projection: SemanticProjection, rule: str) -> SemanticProjection:
    """Reviewed against the text as it stands, which ends `stale` (A17); what fails is not."""
    if rule:
        base = replace(projection.base, review="unreviewed")
    else:
        base = replace(
            projection.base,
            review="reviewed",
            content_hash=content_hash(part.fragment.text),
            stale=False,
        )
    return judged(base, words_of(projection), rule)


def with_veto(projection: SemanticProjection, *, vetoed: bool) -> SemanticProjection:
    """The same words, vetoed or not."""
    return replace(projection, base=replace(projection.base, vetoed=vetoed))


def standing_of(held: HeldGist) -> str:
    """`servable`, or the one reason why nothing of it is served (R083)."""
    projection = held.projection
    if held.exposure != "semantic":
        return "not asked"
    if is_servable_gist(projection, Policy(require_review=held.require_review)):
        return "servable"
    if projection is None:
        return "no gist"
    if isinstance(projection, FailedProjection):
        return "lint failed"
    if projection.base.vetoed:
        return "vetoed"
    return "stale" if projection.base.stale else "waits for review"


def gists_in(stored: StoredEntity) -> Iterator[tuple[StoredFragment, SemanticProjection]]:
    """The fragments of an entity that hold words."""
    for part in stored.fragments:
        if part.projection is not None and words_of(part.projection):
            yield part, part.projection


def reconciled(
    part: StoredFragment,
    *,
    model: str,
    prompt_version: str,
    redraft: bool,
    rule_broken: Callable[[str], str],
) -> Reconciled:
    """The row of the lifecycle table that a fragment is in (R082). Asks nobody and stores nothing.

    What the author wrote is never drafted over. What is not asked for is left as it is.
    """
    projection = part.projection
    if part.fragment.disclosure.exposure != "semantic":
        return Reconciled("carried", projection)
    if projection is None or not words_of(projection):
        return Reconciled("draft")
    if projection.base.source == "edited":
        return _reconciled_edit(part, projection, rule_broken)
    drafted_by = (projection.base.model, projection.base.prompt_version)
    if redraft or _has_moved(part, projection.base) or drafted_by != (model, prompt_version):
        return Reconciled("draft")
    if isinstance(projection, FailedProjection):
        return Reconciled("kept", projection)
    # The window may have been tightened since.
    return Reconciled("draft" if rule_broken(projection.gist) else "kept", projection)


def _reconciled_edit(
    part: StoredFragment, projection: SemanticProjection, rule_broken: Callable[[str], str]
) -> Reconciled:
    words = words_of(projection)
    base = replace(projection.base, stale=_has_moved(part, projection.base))
    rule = rule_broken(words)
    outcome: Outcome = "failed" if rule else "stale" if base.stale else "kept"
    return Reconciled(outcome, judged(base, words, rule), rule)


def _has_moved(part: StoredFragment, base: ProjectionBase) -> bool:
    return base.stale or base.content_hash != content_hash(part.fragment.text)
