"""What leaves cannot hold more than its policy (R002, R121, R122)."""

from __future__ import annotations

import copy
import pickle
from dataclasses import fields, replace
from typing import get_args

import pytest

from fonds.contract.evidence_hit import EvidenceHit, LocatorHit, SemanticHit, TextHit
from fonds.contract.failures import LeakRefused
from tests.factories import a_locator_hit, a_provenance, a_semantic_hit, a_text_hit


def test_a_hit_is_one_of_three_classes() -> None:
    """R002: no fourth variant."""
    assert get_args(EvidenceHit) == (TextHit, SemanticHit, LocatorHit)


@pytest.mark.parametrize(
    ("hit", "names"),
    [
        (a_text_hit(), {"provenance", "text", "summary"}),
        (a_semantic_hit(), {"provenance", "gist", "gist_source", "gist_review"}),
        (a_locator_hit(), {"provenance"}),
    ],
)
def test_a_variant_has_these_fields_and_room_for_no_other(
    hit: EvidenceHit, names: set[str]
) -> None:
    """R002."""
    assert {field.name for field in fields(hit)} == names
    assert not hasattr(hit, "__dict__")
    for name in {"text", "summary", "gist", "draft"} - names:
        assert not hasattr(hit, name)
        with pytest.raises((AttributeError, TypeError)):
            setattr(hit, name, "zebra")
    with pytest.raises(TypeError):
        type(hit)(hit.provenance, **{"draft": "zebra"})  # pyright: ignore[reportArgumentType]


def test_a_place_cannot_be_given_text() -> None:
    """R002."""
    with pytest.raises(TypeError):
        LocatorHit(a_provenance(), text="x")  # pyright: ignore[reportCallIssue]


def test_the_exposure_of_a_hit_is_its_class() -> None:
    """R002."""
    assert (a_text_hit().exposure, a_semantic_hit().exposure, a_locator_hit().exposure) == (
        "text",
        "semantic",
        "locator",
    )


def test_a_text_hit_of_private_material_is_refused_by_id() -> None:
    """R002."""
    with pytest.raises(LeakRefused) as refusal:
        TextHit(a_provenance(raw="private"), "zebra")
    assert str(refusal.value) == "book:low-tide#whole is private and asked to travel as text"


def test_a_text_hit_does_not_become_private_by_replacement() -> None:
    """R002."""
    with pytest.raises(LeakRefused):
        replace(a_text_hit(), provenance=a_provenance(raw="private"))


@pytest.mark.parametrize("raw", ["Private", "", "secret"])
def test_an_unknown_layer_is_refused(raw: str) -> None:
    """R002: a misspelt layer is not taken for a public one."""
    with pytest.raises(LeakRefused, match="neither public nor private"):
        a_provenance(raw=raw)  # pyright: ignore[reportArgumentType]


def test_private_provenance_holds_no_breakdown_and_no_exact_score() -> None:
    """R122."""
    with pytest.raises(LeakRefused, match="carries a breakdown"):
        a_provenance(breakdown={"cosine": 0.5})
    with pytest.raises(LeakRefused, match="carries an exact score"):
        replace(a_provenance(), score=0.612)
    assert replace(a_provenance(), score=0.6).score == 0.6
    assert a_provenance(raw="public", score=0.612, breakdown={"cosine": 0.612}).score == 0.612


def test_a_hit_survives_copies_and_pickles_but_not_an_edited_one() -> None:
    """R013."""
    hit = a_text_hit()

    assert copy.copy(hit) == copy.deepcopy(hit) == hit
    dumped = pickle.dumps(hit, protocol=0)
    assert pickle.loads(dumped) == hit  # noqa: S301
    with pytest.raises(LeakRefused):
        pickle.loads(dumped.replace(b"Vpublic\n", b"Vprivate\n"))  # noqa: S301


@pytest.mark.parametrize("hit", [a_text_hit(text="zebra"), a_semantic_hit(gist="zebra")])
def test_the_words_of_a_hit_are_not_in_its_repr(hit: EvidenceHit) -> None:
    """R013."""
    assert "zebra" not in repr(hit)
    assert "zebra" not in str(hit)
