"""Earns every verdict again from the stored text: a word in a row is not a verdict (R091)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from fonds.boundary.lint import entity_text, gist_lint_against, metadata_lint_findings
from fonds.boundary.resolution import is_servable_gist, resolve_disclosure
from fonds.boundary.runs import PrivateRuns
from fonds.contract.build_store import ServableGist, StoredEntity, StoredFragment
from fonds.contract.embed_string import content_hash
from fonds.contract.entity import LintWindow
from fonds.contract.failures import PublicSafeLintError, ValidationRefused
from fonds.contract.linted_gist import LintedGist
from fonds.contract.projection import PassedProjection

SHOWN_FINDINGS = 20  # of a failing check; the count says how many there are


@dataclass(frozen=True, slots=True)
class Downgrade:
    """A fragment that asked to be described and is only located, with the reason (R083)."""

    fragment_id: str
    reason: str


@dataclass(slots=True)
class Checked:
    """What the check found: gists proven servable, downgrades, and findings that stop the build."""

    gists: list[ServableGist] = field(default_factory=list[ServableGist])
    downgrades: list[Downgrade] = field(default_factory=list[Downgrade])
    findings: list[str] = field(default_factory=list[str])

    def raise_findings(self) -> None:
        """Raises ValidationRefused when anything was found."""
        refuse_any(self.findings, "stored value(s) may not travel, nothing published")


def refuse_any(found: Sequence[str], said: str) -> None:
    """Raises ValidationRefused with the count, what is said of it, and the first places and rules;
    never a word of a text (R069).
    """
    if found:
        shown = "; ".join(found[:SHOWN_FINDINGS])
        raise ValidationRefused(f"{len(found)} {said}: {shown}")


def check_entities(entities: Iterable[StoredEntity]) -> Checked:
    """Lints and resolves each entity in turn; holds one entity's text at a time."""
    checked = Checked()
    for stored in entities:
        checked.findings.extend(_broken_rows(stored))
        fragments = [part.fragment for part in stored.fragments]
        checked.findings.extend(
            str(found) for found in metadata_lint_findings(stored.entity, fragments)
        )
        _check_gists(stored, checked)
    return checked


def _broken_rows(stored: StoredEntity) -> Iterator[str]:
    """Rows that no ingest writes: an id that is not its place's, a text that is not its hash's, no
    fragment.
    """
    if not stored.fragments:
        yield f"{stored.entity.entity_id}: has no fragment"
    for part in stored.fragments:
        if part.fragment_id != part.fragment.fragment_id:
            yield f"{stored.entity.entity_id}: a fragment's id is not the one its locator gives"
        if part.fragment.disclosure.raw != stored.entity.disclosure.raw:
            yield f"{part.fragment.fragment_id}: raw differs from its entity's"
        if content_hash(part.fragment.text) != part.text_hash:
            yield f"{part.fragment.fragment_id}: text was changed beside its hash: run fonds ingest"


def _check_gists(stored: StoredEntity, checked: Checked) -> None:
    asking = [part for part in stored.fragments if part.fragment.disclosure.exposure == "semantic"]
    if not asking:
        return
    window = stored.entity.policy.lint
    whole = None
    if len(stored.fragments) > 1:
        whole = PrivateRuns(entity_text([part.fragment for part in stored.fragments]), window)
    for part in asking:
        resolved = resolve_disclosure(
            part.fragment.disclosure.exposure,
            stored.entity.disclosure,
            part.projection,
            stored.entity.policy,
            part.fragment_id,
        )
        if resolved.exposure != "semantic":
            checked.downgrades.append(Downgrade(part.fragment_id, _reason(part)))
        else:
            _check_gist(stored, part, whole, checked)


def _check_gist(
    stored: StoredEntity, part: StoredFragment, whole: PrivateRuns | None, checked: Checked
) -> None:
    projection = part.projection
    if not is_servable_gist(projection, stored.entity.policy):
        raise ValidationRefused(f"{part.fragment_id}: resolved to semantic without a servable gist")
    if projection.base.content_hash != content_hash(part.fragment.text):
        checked.findings.append(f"{part.fragment_id}: gist drafted against other text")
        return
    try:
        linted = _linted(part, projection.gist, whole, stored.entity.policy.lint)
    except PublicSafeLintError as found:
        checked.findings.append(str(found))
        return
    checked.gists.append(
        ServableGist(part.fragment_id, linted, projection.base.source, projection.base.review)
    )


def _linted(
    part: StoredFragment, gist: str, whole: PrivateRuns | None, window: LintWindow
) -> LintedGist:
    """The gist with its proof, or PublicSafeLintError with the narrowest text it quotes.

    The entity's text holds every fragment's whole, so that what shares no run with it shares none
    with the fragment, whose text is prepared only to say where a run stands.
    """
    path = part.fragment_id
    if whole is not None:
        with suppress(PublicSafeLintError):
            return gist_lint_against(gist, fragment=whole, entity=None, window=window, path=path)
    fragment = PrivateRuns(part.fragment.text, window)
    return gist_lint_against(gist, fragment=fragment, entity=whole, window=window, path=path)


def _reason(part: StoredFragment) -> str:
    projection = part.projection
    if projection is None:
        return "no gist"
    if not isinstance(projection, PassedProjection):
        return "lint failed"
    if projection.base.vetoed:
        return "vetoed"
    return "stale" if projection.base.stale else "waits for review"
