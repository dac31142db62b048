"""What a build lets out of an entity (R052, R092)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fonds.boundary.lint import gist_lint
from fonds.boundary.strip import ResolvedFragment, Stripped, strip, without_unserved_parents
from fonds.contract.attribution import Attribution
from fonds.contract.disclosure import Disclosure, Exposure, Raw, disclosure
from fonds.contract.entity import Entity, LintWindow, Policy
from fonds.contract.failures import LeakRefused
from fonds.contract.identifier import Identifier
from fonds.contract.linted_gist import LintedGist
from fonds.contract.projection import PassedProjection
from fonds.contract.served_fragment import ServedEntity, ServedFragment, ServedGist
from tests.factories import (
    GIST,
    PRIVATE_TEXT,
    PRIVATE_WORDS,
    a_fragment,
    a_projection,
    a_projection_base,
    an_entity,
    chapter,
)


def linted(gist: str = GIST) -> LintedGist:
    return gist_lint(
        gist, fragment_text=PRIVATE_TEXT, entity_text=None, window=LintWindow(), path="a#b"
    )


def projected(number: int = 1, gist: str = GIST) -> PassedProjection:
    return a_projection(base=a_projection_base(fragment_id=f"book:low-tide#ch{number}"), gist=gist)


def a_part(
    number: int = 1,
    *,
    raw: Raw = "private",
    asked: Exposure = "semantic",
    resolved: Disclosure | None = None,
) -> ResolvedFragment:
    fragment = a_fragment(raw=raw, exposure=asked, place=chapter(number))
    cell = resolved or fragment.disclosure
    if cell.exposure == "semantic":
        return ResolvedFragment(fragment, cell, projected(number), linted())
    return ResolvedFragment(fragment, cell)


def served(*parts: ResolvedFragment, entity: Entity | None = None) -> Stripped:
    stripped = strip(entity or an_entity(), parts)
    assert stripped is not None
    return stripped


def test_an_entity_keeps_everything_but_its_policy() -> None:
    """R092."""
    entity = an_entity(
        title="Low Tide",
        attribution=(Attribution("R. Adeyemi", "author"),),
        date="2024",
        version="manuscript",
        identifiers=(Identifier("isbn", "978"),),
        parent="series:tides",
        themes=("sea",),
        policy=Policy(require_review=True, public_title=True),
    )

    assert served(a_part(asked="locator"), entity=entity).entity == ServedEntity(
        entity_id="book:low-tide",
        type="book",
        title="Low Tide",
        url="https://example.org/low-tide/",
        raw="private",
        attribution=(Attribution("R. Adeyemi", "author"),),
        date="2024",
        version="manuscript",
        identifiers=(Identifier("isbn", "978"),),
        parent="series:tides",
        themes=("sea",),
    )


def test_a_text_fragment_travels_whole_but_for_its_review() -> None:
    """R092, R033: text, summary and trail travel together."""
    entity = an_entity(entity_id="guide:a", raw="public", exposure="text")
    fragment = a_fragment(
        entity_id="guide:a",
        raw="public",
        exposure="text",
        text="Three weeks.",
        summary="How long.",
        trail=("Borrowing",),
        themes=("lending",),
        date="2020",
        attribution=(Attribution("Mina Okafor", "speaker"),),
        source_review="reviewed",
    )

    assert served(ResolvedFragment(fragment, fragment.disclosure), entity=entity).fragments == (
        ServedFragment(
            fragment_id="guide:a#whole",
            entity_id="guide:a",
            place=fragment.place,
            disclosure=fragment.disclosure,
            text="Three weeks.",
            summary="How long.",
            attribution=(Attribution("Mina Okafor", "speaker"),),
            date="2020",
            themes=("lending",),
            trail=("Borrowing",),
        ),
    )


@pytest.mark.parametrize("resolved", ["semantic", "locator"])
def test_public_words_stay_inside_unless_the_exposure_is_text(resolved: Exposure) -> None:
    """R092: public semantic and locator too, trail included."""
    entity = an_entity(raw="public", exposure="text")
    fragment = a_fragment(
        raw="public",
        exposure="text",
        place=chapter(1),
        summary="A zebrawood box.",
        trail=("The zebrawood box",),
    )
    gist = (projected(), linted()) if resolved == "semantic" else (None, None)

    shown = served(
        ResolvedFragment(fragment, disclosure("public", resolved), *gist), entity=entity
    ).fragments[0]

    assert (shown.text, shown.summary, shown.trail) == ("", "", ())
    assert (shown.gist is not None) == (resolved == "semantic")


def test_a_semantic_fragment_carries_its_gist_and_where_it_came_from() -> None:
    """R092."""
    base = a_projection_base(fragment_id="book:low-tide#ch1", source="edited", review="reviewed")
    part = replace(a_part(), projection=a_projection(base=base))

    shown = served(part).fragments[0]

    assert shown.gist == ServedGist(GIST, "edited", "reviewed")
    assert (shown.text, shown.summary) == ("", "")


def test_a_projection_is_dropped_unless_it_is_served() -> None:
    """R092."""
    part = replace(
        a_part(asked="semantic", resolved=disclosure("private", "locator")),
        projection=projected(),
        linted=linted(),
    )

    assert served(part).fragments[0].gist is None


def test_withheld_fragments_and_emptied_entities_are_dropped() -> None:
    """R052, R092."""
    withheld = a_part(1, asked="none")

    assert [f.fragment_id for f in served(withheld, a_part(2, asked="locator")).fragments] == [
        "book:low-tide#ch2"
    ]
    assert strip(an_entity(), [withheld]) is None
    assert strip(an_entity(), []) is None


def test_fragments_stand_in_code_point_order_of_their_ids() -> None:
    """R100, A14."""
    parts = [a_part(number, asked="locator") for number in (2, 10, 1)]

    assert [f.fragment_id for f in served(*parts).fragments] == [
        "book:low-tide#ch1",
        "book:low-tide#ch10",
        "book:low-tide#ch2",
    ]


REFUSED: list[tuple[str, ResolvedFragment]] = [
    ("no servable gist", replace(a_part(), projection=None)),
    ("no servable gist", replace(a_part(), projection=projected(2))),
    (
        "no servable gist",
        replace(
            a_part(),
            projection=a_projection(
                base=a_projection_base(fragment_id="book:low-tide#ch1", stale=True)
            ),
        ),
    ),
    ("its gist is not linted", replace(a_part(), linted=None)),
    ("its gist is not linted", replace(a_part(), linted=GIST)),
    ("its gist is not linted", replace(a_part(), linted=linted("Another description."))),
    ("another entity", replace(a_part(), fragment=a_fragment(entity_id="book:other"))),
    ("another layer", a_part(raw="public", asked="locator")),
    ("another layer", a_part(asked="locator", resolved=disclosure("public", "locator"))),
    ("more than it asked for", a_part(asked="none", resolved=disclosure("private", "locator"))),
    ("more than it asked for", a_part(asked="locator", resolved=disclosure("private", "semantic"))),
]


@pytest.mark.parametrize(("reason", "part"), REFUSED)
def test_a_fragment_that_may_not_travel_so_stops_the_build(
    reason: str, part: ResolvedFragment
) -> None:
    """R092: by id, and without a word of it (R013)."""
    with pytest.raises(LeakRefused, match=reason) as refusal:
        strip(an_entity(), [a_part(7, asked="locator"), part])
    assert str(refusal.value).startswith(part.fragment.fragment_id)
    assert not any(word in str(refusal.value) for word in PRIVATE_WORDS)


def test_review_is_asked_again_at_the_strip() -> None:
    """R050: the one predicate, with the entity's policy."""
    entity = an_entity(policy=Policy(require_review=True))

    with pytest.raises(LeakRefused, match="no servable gist"):
        strip(entity, [a_part()])


def test_nothing_private_is_left_in_what_is_served() -> None:
    """R092, R013: no field of a served value holds a word of the private text."""
    stripped = served(a_part(1), a_part(2, asked="locator"), a_part(3, asked="none"))

    # A repr would hide it: every slot is looked at.
    shown = repr(
        [
            [getattr(one, name) for name in type(one).__slots__]
            for one in (stripped.entity, *stripped.fragments)
        ]
    )
    assert "book:low-tide#ch1" in shown
    assert not any(word in shown for word in PRIVATE_WORDS)


def test_a_parent_that_is_not_served_does_not_travel() -> None:
    """R026."""
    child = served(a_part(asked="locator"), entity=an_entity(parent="episode:a"))
    parent = Stripped(replace(child.entity, entity_id="episode:a", parent=None), child.fragments)

    assert without_unserved_parents([child, parent]) == (child, parent)
    assert [one.entity.parent for one in without_unserved_parents([child])] == [None]
    assert without_unserved_parents([parent]) == (parent,)
