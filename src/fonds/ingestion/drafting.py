"""Has a drafter describe what asks to be described: draft, lint, store (R080-R083)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal, TypeAlias

from fonds.contract.build_store import StoredEntity, StoredFragment
from fonds.contract.curator_store import DraftStore, HeldGist
from fonds.contract.draft_reply import Drafted
from fonds.contract.embed_string import content_hash
from fonds.contract.ports import Drafter
from fonds.contract.projection import ProjectionBase, SemanticProjection
from fonds.contract.writer_reply import NotWritten
from fonds.ingestion.curating import NOT_HELD
from fonds.ingestion.draft_task import PROMPT_VERSION, Refused, draft_task
from fonds.ingestion.projections import GistJudge, judged, reconciled, standing_of

# One passage that a model never gets done must not keep the others waiting, and each absence may
# take minutes to show.
PATIENCE = 3

Progress: TypeAlias = Callable[[str, int, int], None]
Counted: TypeAlias = Literal["drafted", "kept", "failed", "stale", "carried"]


@dataclass(slots=True)
class DraftReport:
    """What a run did: counts, ids and reasons, no words (R083).

    `skipped` have no draft because the drafter was not there, for the reason `stopped` gives.
    """

    drafted: int = 0
    kept: int = 0
    failed: int = 0
    stale: int = 0
    carried: int = 0
    skipped: int = 0
    not_servable: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    not_found: list[str] = field(default_factory=list[str])
    edits_failed: int = 0
    undrafted: int = 0
    stopped: str | None = None

    def count(self, outcome: Counted) -> None:
        setattr(self, outcome, getattr(self, outcome) + 1)

    def as_lines(self) -> list[str]:
        """The counts, and what is not servable and why."""
        lines = [
            f"{self.drafted} drafted, {self.kept} kept, {self.failed} failed,"
            f" {self.stale} stale, {self.carried} carried, {self.skipped} skipped",
            *self.not_found,
        ]
        if self.not_servable:
            lines.append("not servable:")
            lines += [f"  {fragment_id}: {reason}" for fragment_id, reason in self.not_servable]
        return lines

    def as_json(self) -> dict[str, object]:
        return {
            "drafted": self.drafted,
            "kept": self.kept,
            "failed": self.failed,
            "stale": self.stale,
            "carried": self.carried,
            "skipped": self.skipped,
            "notServable": [{"fragment": f, "reason": r} for f, r in self.not_servable],
            "notFound": self.not_found,
            "stopped": self.stopped,
        }


@dataclass(frozen=True, slots=True)
class DraftTerms:
    """Names a gist may use, by entity id; and whether what is current is drafted anew."""

    allowed_names: Mapping[str, Sequence[str]] = field(
        repr=False, default_factory=dict[str, Sequence[str]]
    )
    redraft: bool = False


def draft_gists(
    store: DraftStore,
    drafter: Drafter,
    terms: DraftTerms,
    *,
    fragment_ids: Sequence[str] | None = None,
    progress: Progress = lambda step, done, total: None,
) -> DraftReport:
    """Drafts what lacks a gist, or whose text, model or prompt moved; stores each at once.

    Only fragments that ask to be described are read by the drafter (R080). A drafter that is not
    there for PATIENCE fragments in a row ends the run; what was stored stays. Raises Misconfigured
    for a missing key.
    """
    run = _Run(store, drafter, terms)
    held = store.held_gists(fragment_ids)
    wanted = {one.fragment_id: one for one in held}
    for place, one in enumerate(fragment_ids or (), start=1):
        if one not in wanted:
            run.report.not_found.append(f"id {place}: {NOT_HELD}, or it asks for no gist")
    seen = 0
    for stored in _entities(store, wanted):
        judge = GistJudge(stored)
        for part in stored.fragments:
            if part.fragment_id in wanted:
                seen += 1
                if run.has_given_up:
                    run.report.skipped += 1
                else:
                    run.take(stored, part, judge)
                progress("draft", seen, len(wanted))
        if run.has_given_up:
            run.report.skipped += len(wanted) - seen
            break
    return run.report


def _entities(store: DraftStore, wanted: Mapping[str, HeldGist]) -> Iterator[StoredEntity]:
    """Each entity once, in a transaction that has ended before a model is asked."""
    read: set[str] = set()
    for fragment_id in wanted:
        if fragment_id not in read:
            for stored in tuple(store.entities_of((fragment_id,))):
                read |= {part.fragment_id for part in stored.fragments}
                yield stored


class _Run:
    """One run: what it may ask of whom, and the report it fills."""

    def __init__(self, store: DraftStore, drafter: Drafter, terms: DraftTerms) -> None:
        self.report = DraftReport()
        self._store = store
        self._drafter = drafter
        self._terms = terms
        self._absent = 0

    @property
    def has_given_up(self) -> bool:
        return self._absent >= PATIENCE

    def take(self, stored: StoredEntity, part: StoredFragment, judge: GistJudge) -> None:
        """Reconcile one fragment, have it drafted where that is due, and store what came of it."""
        found = reconciled(
            part,
            model=self._drafter.model,
            prompt_version=PROMPT_VERSION,
            redraft=self._terms.redraft,
            rule_broken=lambda words: judge.rule_broken(part, words),
        )
        if found.outcome == "draft":
            self._draft(stored, part, judge)
            return
        if found.projection is not None and found.projection != part.projection:
            self._store.write_projections((found.projection,))
        self.report.count(found.outcome)
        self.report.edits_failed += found.outcome == "failed"
        self._note(stored, part, found.projection, found.rule)

    def _draft(self, stored: StoredEntity, part: StoredFragment, judge: GistJudge) -> None:
        reply, rule = self._asked(stored, part, judge)
        if isinstance(reply, NotWritten):
            self._note_undrafted(part, reply)
            return
        self._absent = 0
        projection = judged(self._base(part), reply.gist, rule)
        if not self._store.write_drafted(projection):
            self.report.count("kept")  # the author wrote meanwhile, or the same words came back
            return
        self.report.count("failed" if rule else "drafted")
        self._note(stored, part, projection, rule)

    def _asked(
        self, stored: StoredEntity, part: StoredFragment, judge: GistJudge
    ) -> tuple[Drafted | NotWritten, str]:
        """The draft, and what it breaks; asked once more with the reason when it breaks a rule."""
        names = self._terms.allowed_names.get(stored.entity.entity_id, ())
        first = self._drafter.draft(draft_task(stored.entity, part, allowed_names=names))
        if isinstance(first, NotWritten):
            return first, ""
        rule = judge.rule_broken(part, first.gist)
        if not rule:
            return first, ""
        again = draft_task(
            stored.entity, part, allowed_names=names, refused=Refused(first.gist, rule)
        )
        second = self._drafter.draft(again)
        if isinstance(second, NotWritten):
            gone = second.reason == "model_unavailable"
            return (second, "") if gone else (first, rule)
        return second, judge.rule_broken(part, second.gist)

    def _base(self, part: StoredFragment) -> ProjectionBase:
        return ProjectionBase(
            fragment_id=part.fragment_id,
            source="generated",
            review="unreviewed",
            content_hash=content_hash(part.fragment.text),
            vetoed=part.projection is not None and part.projection.base.vetoed,
            model=self._drafter.model,
            prompt_version=PROMPT_VERSION,
            generated_at=datetime.now(UTC).isoformat(timespec="seconds"),
        )

    def _note_undrafted(self, part: StoredFragment, reply: NotWritten) -> None:
        reason = f"{reply.reason} ({reply.detail})" if reply.detail else reply.reason
        if reply.reason == "model_unavailable":
            self._absent += 1
            self.report.stopped = reason
            self.report.skipped += 1
            self.report.not_servable.append((part.fragment_id, reason))
            return
        self._absent = 0
        self.report.count("failed")
        self.report.undrafted += 1
        self.report.not_servable.append((part.fragment_id, reason))

    def _note(
        self,
        stored: StoredEntity,
        part: StoredFragment,
        projection: SemanticProjection | None,
        rule: str,
    ) -> None:
        exposure = part.fragment.disclosure.exposure
        require = stored.entity.policy.require_review
        standing = standing_of(HeldGist(part.fragment_id, exposure, require, projection))
        if exposure == "semantic" and standing != "servable":
            reason = f"{standing}: {rule}" if rule else standing
            self.report.not_servable.append((part.fragment_id, reason))
