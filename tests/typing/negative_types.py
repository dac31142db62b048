"""What must not type-check. Never executed: the type checker reads it (R001, R002).

Each ignore below is needed. The day one of these lines becomes legal, its ignore is unnecessary,
and an unnecessary ignore fails the check (`reportUnnecessaryTypeIgnoreComment`).
"""

# pyright: reportUnknownMemberType=false
# An attribute that is not there has no type; that it is not there is what the ignores say.

from __future__ import annotations

from typing import assert_never

from fonds.boundary.crossing import project
from fonds.boundary.lint import gist_lint
from fonds.boundary.strip import ResolvedFragment
from fonds.contract.disclosure import (
    Disclosure,
    Exposure,
    PrivateDisclosure,
    PublicDisclosure,
    disclosure,
)
from fonds.contract.entity import LintWindow
from fonds.contract.evidence_hit import (
    EvidenceHit,
    LocatorHit,
    Provenance,
    SemanticHit,
    TextHit,
)
from fonds.contract.fragment import Fragment
from fonds.contract.linted_gist import LintedGist
from fonds.contract.projection import FailedProjection, PassedProjection
from fonds.contract.scored_hit import ScoredHit
from fonds.contract.served_fragment import ServedFragment


def the_forbidden_cell(private: PrivateDisclosure) -> None:
    PrivateDisclosure("text")  # pyright: ignore[reportArgumentType]
    PublicDisclosure("everything")  # pyright: ignore[reportArgumentType]
    disclosure("secret", "locator")  # pyright: ignore[reportArgumentType]
    private.exposure = "none"  # pyright: ignore[reportAttributeAccessIssue]
    private.raw = "public"  # pyright: ignore[reportAttributeAccessIssue]


def a_layer_is_its_class(private: PrivateDisclosure) -> PublicDisclosure:
    return private  # pyright: ignore[reportReturnType]


class ASixthKind(PrivateDisclosure):  # pyright: ignore[reportGeneralTypeIssues]
    """The two disclosures are final."""


class AFourthVariant(LocatorHit):  # pyright: ignore[reportGeneralTypeIssues]
    """The three hits are final."""


def what_a_place_holds(hit: LocatorHit, provenance: Provenance) -> None:
    hit.text  # pyright: ignore[reportAttributeAccessIssue]
    hit.summary  # pyright: ignore[reportAttributeAccessIssue]
    hit.gist  # pyright: ignore[reportAttributeAccessIssue]
    LocatorHit(provenance, text="words")  # pyright: ignore[reportCallIssue]


def what_a_description_holds(hit: SemanticHit, provenance: Provenance) -> None:
    hit.text  # pyright: ignore[reportAttributeAccessIssue]
    hit.summary  # pyright: ignore[reportAttributeAccessIssue]
    SemanticHit(provenance, "a gist")  # pyright: ignore[reportCallIssue]


def what_any_hit_holds(hit: EvidenceHit) -> None:
    hit.text  # pyright: ignore[reportAttributeAccessIssue]
    hit.cosine  # pyright: ignore[reportAttributeAccessIssue]
    hit.provenance.cosine  # pyright: ignore[reportAttributeAccessIssue]


def serialised(hit: EvidenceHit) -> str:
    """Stands for whatever puts a hit on the wire or in a prompt."""
    return hit.provenance.fragment_id


def only_a_projected_hit_is_serialised(
    scored: ScoredHit, fragment: Fragment, served: ServedFragment
) -> None:
    serialised(project(scored))
    serialised(scored)  # pyright: ignore[reportArgumentType]
    serialised(fragment)  # pyright: ignore[reportArgumentType]
    serialised(served)  # pyright: ignore[reportArgumentType]
    project(served)  # pyright: ignore[reportArgumentType]
    project(fragment)  # pyright: ignore[reportArgumentType]


def a_string_is_no_linted_gist(fragment: Fragment, cell: Disclosure, gist: LintedGist) -> None:
    LintedGist("words")  # pyright: ignore[reportCallIssue]
    ResolvedFragment(fragment, cell, None, "words")  # pyright: ignore[reportArgumentType]
    gist.upper()  # pyright: ignore[reportAttributeAccessIssue]
    gist.text = "words"  # pyright: ignore[reportAttributeAccessIssue]
    gist_lint("words", fragment_text="", window=LintWindow(), path="")  # pyright: ignore[reportCallIssue]


def a_projection_has_one_arm(passed: PassedProjection, failed: FailedProjection) -> None:
    passed.draft  # pyright: ignore[reportAttributeAccessIssue]
    failed.gist  # pyright: ignore[reportAttributeAccessIssue]


def a_missing_hit(hit: EvidenceHit) -> str:
    match hit:
        case TextHit():
            return "text"
        case SemanticHit():
            return "semantic"
        case unreachable:
            assert_never(unreachable)  # pyright: ignore[reportArgumentType]


def a_missing_exposure(exposure: Exposure) -> str:
    match exposure:
        case "text" | "semantic" | "locator":
            return exposure
        case unreachable:
            assert_never(unreachable)  # pyright: ignore[reportArgumentType]
