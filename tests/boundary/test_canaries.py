"""Watched private words are found wherever a build would serve them (R182)."""

from __future__ import annotations

from typing import get_args

import pytest

from fonds.boundary.canaries import CanaryIssue, canary_sweep
from fonds.contract.failures import MisauthoredInput
from fonds.contract.swept_string import SweptKind, SweptString


def a_gist(text: str, page: int = 1, entity_id: str = "book:a") -> SweptString:
    return SweptString(f"{entity_id}#p{page}", entity_id, "gist", text)


@pytest.mark.parametrize(
    ("canary", "text"),
    [
        ("Ottoline", "A walk with Ottoline by the sea."),
        ("ottoline", "OTTOLINE’s walk"),
        ("blue key", "On the blue—key, and after"),
        ("1947", "What was sold in 1947."),
        ("café", "the cafe\u0301 on the quay"),
        ("café", "the cafe on the quay"),
        ("blue key", "the bl\u00adue key"),
        ("柿の木", "庭の柿の木について"),
        ("柿の木", "庭の、柿 の「木」について"),
        ("姉", "ある姉の話"),
        ("ลูกพลับ", "เรื่องลูกพลับสีส้ม"),
        ("Ottoline", "庭のOttolineの話"),
    ],
)
def test_a_canary_is_found_in_a_gist(canary: str, text: str) -> None:
    """R182, R060, R107."""
    assert canary_sweep([canary], [a_gist(text)]) == (CanaryIssue(0, "book:a#p1", "gist"),)


@pytest.mark.parametrize(
    ("canary", "text"),
    [
        ("now", "the snow on the quay"),
        ("1947", "What was sold in 19470."),
        ("blue key", "a key that is blue"),
        ("柿の木", "柿と木について"),
        ("Ottoline", ""),
    ],
)
def test_another_word_is_no_canary(canary: str, text: str) -> None:
    """R182, R107."""
    assert canary_sweep([canary], [a_gist(text)]) == ()


@pytest.mark.parametrize("kind", get_args(SweptKind))
def test_every_kind_of_served_string_is_swept(kind: SweptKind) -> None:
    """R182."""
    string = SweptString("note:a", "note:a", kind, "The blue key")

    assert canary_sweep(["x y", "blue key"], [string]) == (CanaryIssue(1, "note:a", kind),)


def test_two_gists_that_give_a_phrase_together_are_a_composition() -> None:
    """R182: the example; neither gist alone holds it."""
    gists = [a_gist("On the day, the blue", 1), a_gist("key is lost", 2)]

    assert canary_sweep(["blue key"], gists) == (
        CanaryIssue(0, "book:a", "gist", composition=True),
    )
    assert canary_sweep(["blue key"], gists[:1]) == ()


def test_a_phrase_without_spaces_cannot_straddle_two_gists() -> None:
    """R182: joined by nothing as well."""
    gists = [a_gist("庭にある柿", 1), a_gist("の木の世話", 2)]

    assert canary_sweep(["柿の木"], gists) == (CanaryIssue(0, "book:a", "gist", composition=True),)


def test_a_word_cut_in_two_is_a_composition() -> None:
    """R182: joined by nothing."""
    gists = [a_gist("About Otto", 1), a_gist("line and her sister", 2)]

    assert canary_sweep(["Ottoline"], gists) == (
        CanaryIssue(0, "book:a", "gist", composition=True),
    )


def test_gists_are_joined_by_id_in_whatever_order_they_come() -> None:
    """R182."""
    gists = [a_gist("key is lost", 2), a_gist("the blue", 1)]

    assert len(canary_sweep(["blue key"], gists)) == 1


def test_gists_of_two_entities_and_strings_that_are_no_gists_do_not_compose() -> None:
    """R182: per entity."""
    apart = [a_gist("the blue", 1), a_gist("key is lost", 1, "book:b")]
    other = [a_gist("the blue", 1), SweptString("book:a#p2", "book:a", "label", "key is lost")]

    assert canary_sweep(["blue key"], apart) == ()
    assert canary_sweep(["blue key"], other) == ()


def test_what_one_gist_holds_is_reported_there_and_not_as_a_composition() -> None:
    """R182."""
    gists = [a_gist("the blue key", 1), a_gist("is lost", 2)]

    assert canary_sweep(["blue key"], gists) == (CanaryIssue(0, "book:a#p1", "gist"),)


def test_every_canary_is_tried_on_every_string_of_a_stream() -> None:
    """R182."""
    strings = (a_gist(f"key {number}", number) for number in range(3))

    assert canary_sweep(["key 2", "key", "absent"], strings) == (
        CanaryIssue(1, "book:a#p0", "gist"),
        CanaryIssue(1, "book:a#p1", "gist"),
        CanaryIssue(0, "book:a#p2", "gist"),
        CanaryIssue(1, "book:a#p2", "gist"),
    )


def test_nothing_to_watch_or_nothing_served_gives_no_issue() -> None:
    """R182."""
    assert canary_sweep([], [a_gist("the blue key")]) == ()
    assert canary_sweep(["blue key"], []) == ()


@pytest.mark.parametrize("canary", ["", "  ", "—…!", "\u0301"])
def test_a_canary_that_could_never_be_found_is_refused_by_position(canary: str) -> None:
    """R182: a watch that sees nothing must not look like one that found nothing."""
    with pytest.raises(MisauthoredInput, match=r"^canaries\[1\]: at least one letter or digit"):
        canary_sweep(["blue key", canary], [])


def test_an_issue_holds_neither_the_canary_nor_the_string() -> None:
    """R182, R013."""
    (issue,) = canary_sweep(["zebrawood"], [a_gist("A zebrawood box.")])

    assert "zebrawood" not in repr(issue)
    assert "zebrawood" not in repr(a_gist("A zebrawood box."))


def test_an_address_is_read_as_it_is_meant() -> None:
    """R182: a word of any script may stand in an address as figures."""
    address = "https://example.org/%E6%9F%BF%E3%81%AE%E6%9C%A8"
    strings = [SweptString("book:a", "book:a", kind, address) for kind in ("url", "label")]

    assert canary_sweep(["柿の木"], strings) == (CanaryIssue(0, "book:a", "url"),)
