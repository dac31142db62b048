"""What a build lets out of an entity (R092): the specification its SQL is compared with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from fonds.boundary.resolution import is_servable_gist
from fonds.contract.disclosure import STRICTNESS, Disclosure
from fonds.contract.entity import Entity, Policy
from fonds.contract.failures import LeakRefused
from fonds.contract.fragment import Fragment
from fonds.contract.linted_gist import LintedGist
from fonds.contract.projection import SemanticProjection
from fonds.contract.sealed import sealed
from fonds.contract.served_fragment import ServedEntity, ServedFragment, ServedGist


@dataclass(frozen=True, slots=True)
class ResolvedFragment:
    """A fragment with the disclosure it resolved to.

    `linted` is the proof that this build's lint passed the gist of `projection`.
    """

    fragment: Fragment
    disclosure: Disclosure
    projection: SemanticProjection | None = None
    linted: LintedGist | None = None


@sealed
@dataclass(frozen=True, slots=True)
class Stripped:
    """An entity as it is served, with at least one fragment."""

    entity: ServedEntity
    fragments: tuple[ServedFragment, ...]


def strip(entity: Entity, resolved: Iterable[ResolvedFragment]) -> Stripped | None:
    """The served form, fragments by id in code point order; None when nothing remains.

    Withheld fragments are dropped; text, summary and trail travel with `text` alone, a gist with
    `semantic` alone; policy, hashes and the source's review never. Raises LeakRefused, naming the
    fragment's id, when a fragment is of another entity or layer, is looser than it asked to be,
    or is semantic without a gist that is servable and linted in this process.
    """
    served = [
        _stripped(entity.policy, part)
        for part in resolved
        if _checked(entity, part).disclosure.exposure != "none"
    ]
    if not served:
        return None
    ordered = sorted(served, key=lambda fragment: fragment.fragment_id)
    return Stripped(_served_entity(entity), tuple(ordered))


def without_unserved_parents(served: Sequence[Stripped]) -> tuple[Stripped, ...]:
    """The same, each parent that is not itself served left out (R026)."""
    known = {one.entity.entity_id for one in served}
    return tuple(
        one
        if one.entity.parent is None or one.entity.parent in known
        else Stripped(replace(one.entity, parent=None), one.fragments)
        for one in served
    )


def _checked(entity: Entity, part: ResolvedFragment) -> ResolvedFragment:
    fragment = part.fragment
    if fragment.entity_id != entity.entity_id:
        raise LeakRefused(f"{fragment.fragment_id} is of another entity")
    if not part.disclosure.raw == fragment.disclosure.raw == entity.disclosure.raw:
        raise LeakRefused(f"{fragment.fragment_id} is of another layer than its entity")
    if STRICTNESS[part.disclosure.exposure] < STRICTNESS[fragment.disclosure.exposure]:
        raise LeakRefused(f"{fragment.fragment_id} resolved to more than it asked for")
    return part


def _stripped(policy: Policy, part: ResolvedFragment) -> ServedFragment:
    fragment = part.fragment
    exposure = part.disclosure.exposure
    as_text = exposure == "text"
    return ServedFragment(
        fragment_id=fragment.fragment_id,
        entity_id=fragment.entity_id,
        place=fragment.place,
        disclosure=part.disclosure,
        text=fragment.text if as_text else "",
        summary=(fragment.summary or "") if as_text else "",
        gist=_served_gist(policy, part) if exposure == "semantic" else None,
        attribution=fragment.attribution,
        date=fragment.date,
        themes=fragment.themes,
        trail=fragment.trail if as_text else (),
    )


def _served_gist(policy: Policy, part: ResolvedFragment) -> ServedGist:
    fragment_id, projection, linted = part.fragment.fragment_id, part.projection, part.linted
    if not is_servable_gist(projection, policy) or projection.base.fragment_id != fragment_id:
        raise LeakRefused(f"{fragment_id} is semantic and holds no servable gist")
    # Types erase: a caller may hand in the row's own string for the proof.
    if type(linted) is not LintedGist or linted.text != projection.gist:
        raise LeakRefused(f"{fragment_id} is semantic and its gist is not linted")
    return ServedGist(linted.text, projection.base.source, projection.base.review)


def _served_entity(entity: Entity) -> ServedEntity:
    return ServedEntity(
        entity_id=entity.entity_id,
        type=entity.type,
        title=entity.title,
        url=entity.url,
        raw=entity.disclosure.raw,
        attribution=entity.attribution,
        date=entity.date,
        version=entity.version,
        identifiers=entity.identifiers,
        parent=entity.parent,
        themes=entity.themes,
    )
