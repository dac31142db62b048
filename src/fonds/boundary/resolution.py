"""How far a fragment may travel, given what was asked and what its gist is worth (R050, R051)."""

from __future__ import annotations

from typing import TypeGuard, get_args

from fonds.contract.disclosure import Disclosure, Exposure, disclosure
from fonds.contract.entity import Policy
from fonds.contract.failures import IllegalDisclosure
from fonds.contract.projection import PassedProjection, SemanticProjection


def is_servable_gist(
    projection: SemanticProjection | None, policy: Policy
) -> TypeGuard[PassedProjection]:
    """The one predicate for whether a gist may be served; every later check cites it (R050).

    `lint: passed` is the row's word for it: a build earns the verdict again (R091 j).
    """
    return (
        isinstance(projection, PassedProjection)
        and not projection.base.vetoed
        and not projection.base.stale
        and (projection.base.review == "reviewed" or not policy.require_review)
    )


def resolve_disclosure(
    requested: Exposure | None,
    entity_default: Disclosure,
    projection: SemanticProjection | None,
    policy: Policy,
    path: str,
) -> Disclosure:
    """The requested exposure, else the entity's; `semantic` without a servable gist is `locator`.

    Downgrades only, and never to anything but `locator`. `raw` is the entity's. Raises
    IllegalDisclosure naming `path` for text of a private entity or an unknown exposure (R051).
    """
    exposure = entity_default.exposure if requested is None else requested
    if exposure not in get_args(Exposure):
        raise IllegalDisclosure(f"{path}: exposure: one of text, semantic, locator, none")
    if exposure == "text" and entity_default.raw == "private":
        raise IllegalDisclosure(
            f"{path}: exposure: private material is described, located or withheld"
        )
    if exposure == "semantic" and not is_servable_gist(projection, policy):
        exposure = "locator"
    return disclosure(entity_default.raw, exposure)
