"""What the author does to gists by hand: edit, review, veto, export, and try another window (R084).

Nothing here is called by a question, and no result but the exported file holds a word of a gist.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from fonds.boundary.lint import metadata_lint_findings
from fonds.contract.build_store import StoredEntity, StoredFragment
from fonds.contract.curator_store import GistStore
from fonds.contract.failures import MisauthoredInput
from fonds.contract.projection import GistReview, SemanticProjection
from fonds.contract.search_request import is_clean_text
from fonds.ingestion.gist_changes import GistChanges
from fonds.ingestion.private_file import write_private_file
from fonds.ingestion.projections import (
    GistJudge,
    edited,
    gists_in,
    reviewed,
    with_veto,
    words_of,
)

NOT_HELD = "the archive holds no such fragment"
NO_GIST = "holds no gist"
MOVED = "has changed since it was shown: look at it again"

Change = Callable[[StoredFragment, GistJudge], tuple[SemanticProjection | None, str]]


def edit_gist(
    store: GistStore,
    fragment_id: str,
    words: str,
    *,
    review: GistReview = "unreviewed",
    imprint: str | None = None,
) -> GistChanges:
    """The author's words in place of whatever stood there; failing words are kept as a draft.

    With the imprint of what was shown, nothing is written where that has changed; so for a review
    and a veto, which are of one gist then.
    """
    if not is_clean_text(words):
        raise MisauthoredInput("gist: holds NUL or a lone surrogate")
    if not words.strip():
        raise MisauthoredInput("gist: is empty")

    def change(part: StoredFragment, judge: GistJudge) -> tuple[SemanticProjection, str]:
        rule = judge.rule_broken(part, words)
        return edited(part, words, rule, review), rule

    return _changed(store, (fragment_id,), change, "gist edit", imprint)


def review_gists(
    store: GistStore, fragment_ids: Sequence[str], *, imprint: str | None = None
) -> GistChanges:
    """Reviewed against the text as it stands; a gist that no longer passes becomes a draft."""

    def change(part: StoredFragment, judge: GistJudge) -> tuple[SemanticProjection | None, str]:
        if part.projection is None or not words_of(part.projection):
            return None, NO_GIST
        rule = judge.rule_broken(part, words_of(part.projection))
        return reviewed(part, part.projection, rule), rule

    return _changed(store, fragment_ids, change, "gist review", imprint)


def veto_gists(
    store: GistStore, fragment_ids: Sequence[str], *, vetoed: bool, imprint: str | None = None
) -> GistChanges:
    """A veto withdraws what is served at once; lifting one waits for a build (R191)."""

    def change(part: StoredFragment, judge: GistJudge) -> tuple[SemanticProjection | None, str]:
        if part.projection is None:
            return None, NO_GIST
        return with_veto(part.projection, vetoed=vetoed), ""

    action = "gist veto" if vetoed else "gist unveto"
    return _changed(store, fragment_ids, change, action, imprint)


def _changed(
    store: GistStore,
    fragment_ids: Sequence[str],
    change: Change,
    action: str,
    imprint: str | None,
) -> GistChanges:
    asked, held = frozenset(fragment_ids), set[str]()
    projections: list[SemanticProjection] = []
    refused: list[tuple[str, str]] = []
    for stored in store.entities_of(tuple(asked)):
        judge = GistJudge(stored)
        for part in stored.fragments:
            if part.fragment_id in asked:
                held.add(part.fragment_id)
                projection, reason = change(part, judge)
                if projection is not None:
                    projections.append(projection)
                if reason:
                    refused.append((part.fragment_id, reason))
    # What was typed in the place of an id may be anything: its place is named.
    refused += [
        (f"id {place}", NOT_HELD)
        for place, one in enumerate(fragment_ids, start=1)
        if one not in held
    ]
    if imprint is None:
        written = store.write_noted(projections, action)
    else:
        seen = [(one, store.write_seen(one, action, imprint)) for one in projections]
        moved = [one for one, outcome in seen if outcome == "moved"]
        if moved:  # whatever was found wrong is of what nobody was shown
            return GistChanges(0, 0, tuple((one.base.fragment_id, MOVED) for one in moved))
        written = sum(outcome == "written" for _, outcome in seen)
    return GistChanges(written, len(projections) - written, tuple(refused))


def export_gists(store: GistStore, file: Path) -> int:
    """Every gist and draft of the archive to a file of version 1, sorted by id; how many.

    The file is private material: it is made readable by its owner alone, and replaced whole.
    Raises MisauthoredInput where it cannot be written.
    """
    held = [one for one in store.held_gists() if one.projection and words_of(one.projection)]
    gists = {one.fragment_id: _entry(one.projection) for one in held if one.projection}
    text = json.dumps({"version": 1, "gists": gists}, ensure_ascii=False, indent=2) + "\n"
    write_private_file(file, text)
    return len(gists)


def _entry(projection: SemanticProjection) -> dict[str, object]:
    base = projection.base
    entry: dict[str, object] = {
        "gist": words_of(projection),
        "source": base.source,
        "review": base.review,
        "vetoed": base.vetoed,
        "contentHash": base.content_hash,
    }
    more = {"model": base.model, "promptVersion": base.prompt_version}
    return entry | {name: value for name, value in more.items() if value is not None}


@dataclass(frozen=True, slots=True)
class WindowTrips:
    """What another window would catch in one entity: gists that pass as stored, and metadata."""

    entity_id: str
    gists: int
    tripped: tuple[tuple[str, str], ...]
    metadata: int

    def as_json(self) -> dict[str, object]:
        return {
            "entity": self.entity_id,
            "gists": self.gists,
            "gistTrips": [{"fragment": f, "reason": r} for f, r in self.tripped],
            "metadataTrips": self.metadata,
        }


def window_trips(store: GistStore, words: int) -> tuple[WindowTrips, ...]:
    """The lint of a build, tried at a window of so many words; nothing is changed (R084)."""
    if words < 1:
        raise MisauthoredInput("words: a positive integer is needed")
    return tuple(_trips(stored, words) for stored in store.entities_to_lint())


def _trips(stored: StoredEntity, words: int) -> WindowTrips:
    policy = stored.entity.policy
    window = replace(policy.lint, ngram_words=words)
    judge = GistJudge(stored, window)
    held = [one for one in gists_in(stored) if one[1].lint == "passed"]
    tripped = tuple(
        (part.fragment_id, rule)
        for part, projection in held
        if (rule := judge.rule_broken(part, words_of(projection)))
    )
    entity = replace(stored.entity, policy=replace(policy, lint=window))
    fragments = [part.fragment for part in stored.fragments]
    metadata = len(metadata_lint_findings(entity, fragments))
    return WindowTrips(stored.entity.entity_id, len(held), tripped, metadata)
