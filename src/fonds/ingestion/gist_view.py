"""One gist as its author looks at it: the text it is of, its words under the lint, and what would
leave (R084, R191).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from fonds.boundary.crossing import projected_unasked
from fonds.boundary.lint import entity_text
from fonds.boundary.resolution import resolve_disclosure
from fonds.boundary.runs import PrivateRuns
from fonds.boundary.shared_stretches import Stretch, shared_stretches
from fonds.boundary.strip import ResolvedFragment, strip
from fonds.contract.build_store import StoredEntity, StoredFragment
from fonds.contract.curator_store import HeldGist
from fonds.contract.disclosure import Exposure, Raw
from fonds.contract.embed_string import content_hash
from fonds.contract.entity import LintWindow
from fonds.contract.evidence_hit import EvidenceHit
from fonds.contract.imprint import imprint
from fonds.contract.linted_gist import LintedGist
from fonds.contract.projection import ProjectionBase, SemanticProjection
from fonds.ingestion.projections import GistJudge, edited, judged, reviewed, standing_of, words_of


@dataclass(frozen=True, slots=True)
class GistView:
    """Private material, for its author alone.

    `rule` is what the words break, by unit and position; empty where they pass or there are none.
    `hit` is what a caller receives of the fragment once its words are approved and a build serves
    them, None for what is withheld; `reason` says why that is less than the fragment asks for, and
    `waits` why less would be served before: both empty where nothing is in the way.
    """

    fragment_id: str
    entity_id: str
    title: str = field(repr=False)
    label: str = field(repr=False)
    raw: Raw
    asks: Exposure
    review_needed: bool
    longest: int
    base: ProjectionBase | None
    rule: str
    hit: EvidenceHit | None
    reason: str
    waits: str
    imprint: str
    stored_words: str = field(repr=False)
    words: str = field(repr=False)
    marked_words: tuple[Stretch, ...] = field(repr=False)
    passage: tuple[Stretch, ...] = field(repr=False)


def gist_view(
    stored: StoredEntity,
    part: StoredFragment,
    judge: GistJudge,
    *,
    words: str | None = None,
    parent_served: bool = True,
) -> GistView:
    """The gist of a fragment as stored or with the author's words in its place; nothing is stored.
    `judge` is that of the entity, of which the texts alone are looked at.
    """
    stored_words = "" if part.projection is None else words_of(part.projection)
    shown = stored_words if words is None else words
    verdict = judge.verdict(part, shown) if shown.strip() else ""
    rule = verdict if isinstance(verdict, str) else ""
    approved = _approved(part, shown, rule)
    hit, reason = _leaving(stored, part, approved, verdict, parent_served=parent_served)
    waits = "" if shown != stored_words else _why_less(stored, part, rule)
    marked, passage = _marked(stored, part, shown, rule)
    entity, fragment = stored.entity, part.fragment
    return GistView(
        fragment_id=part.fragment_id,
        entity_id=entity.entity_id,
        title=entity.title,
        label=fragment.label,
        raw=fragment.disclosure.raw,
        asks=fragment.disclosure.exposure,
        review_needed=entity.policy.require_review,
        longest=entity.policy.lint.gist_max_chars,
        base=None if part.projection is None else part.projection.base,
        rule=rule,
        hit=hit,
        reason=reason,
        waits="" if waits == reason else waits,
        imprint=imprint(part.text_hash, fragment.disclosure.exposure, part.projection),
        stored_words=stored_words,
        words=shown,
        marked_words=marked,
        passage=passage,
    )


def _approved(part: StoredFragment, words: str, rule: str) -> SemanticProjection | None:
    """What stands there once the author says yes to these words."""
    if not words.strip():
        return None
    if part.projection is not None and words == words_of(part.projection):
        return reviewed(part, part.projection, rule)
    return edited(part, words, rule, "reviewed")


def _leaving(
    stored: StoredEntity,
    part: StoredFragment,
    held: SemanticProjection | None,
    verdict: LintedGist | str,
    *,
    parent_served: bool,
) -> tuple[EvidenceHit | None, str]:
    """The hit by the functions a build and a search use, in their order."""
    fragment, entity = part.fragment, stored.entity
    resolved = resolve_disclosure(
        fragment.disclosure.exposure, entity.disclosure, held, entity.policy, part.fragment_id
    )
    linted = verdict if isinstance(verdict, LintedGist) else None
    stripped = strip(entity, [ResolvedFragment(fragment, resolved, held, linted)])
    if stripped is None:
        return None, "withheld by its exposure"
    served = stripped.entity if parent_served else replace(stripped.entity, parent=None)
    hit = projected_unasked(served, stripped.fragments[0])
    if fragment.disclosure.exposure == hit.exposure:
        return hit, ""
    return hit, _standing(stored, part, held)


def _why_less(stored: StoredEntity, part: StoredFragment, rule: str) -> str:
    """Of what is stored, as the next build finds it: it reads words and text again."""
    held = part.projection
    if held is not None and words_of(held):
        moved = held.base.content_hash != content_hash(part.fragment.text)
        base = replace(held.base, stale=held.base.stale or moved)
        held = replace(held, base=base) if held.lint == "failed" else judged(base, held.gist, rule)
    standing = _standing(stored, part, held)
    return "" if standing in ("servable", "not asked") else standing


def _standing(stored: StoredEntity, part: StoredFragment, held: SemanticProjection | None) -> str:
    if held is not None and not words_of(held):
        held = None
    exposure = part.fragment.disclosure.exposure
    review = stored.entity.policy.require_review
    return standing_of(HeldGist(part.fragment_id, exposure, review, held))


def _marked(
    stored: StoredEntity, part: StoredFragment, words: str, rule: str
) -> tuple[tuple[Stretch, ...], tuple[Stretch, ...]]:
    """What is repeated, on both sides; of another fragment of the entity in the words alone."""
    text, window = part.fragment.text, stored.entity.policy.lint
    if "quotes" not in rule:
        return (Stretch(words),), (Stretch(text),)
    marked, passage = shared_stretches(words, text, window)
    if not any(one.shared for one in marked):
        marked, _ = shared_stretches(words, _repeated(stored, words, window), window)
    return marked, passage


def _repeated(stored: StoredEntity, words: str, window: LintWindow) -> str:
    """The texts of an entity that the words repeat; all of it for what stands in no text alone.

    A text at a time: of a long book, all its words at once are a hundred times what it holds.
    """
    fragments = [one.fragment for one in stored.fragments]
    found = [one for one in fragments if PrivateRuns(one.text, window).shared_run(words)]
    return entity_text(found or fragments)
