"""The canary sweep as a build calls it (R182)."""

from __future__ import annotations

from fonds.contract.swept_string import SweptString
from fonds.evaluation.sweep import build_sweep, canary_issues

STRINGS = (
    SweptString("note:tides#p1", "note:tides", "gist", "A page about the blue"),
    SweptString("note:tides#p2", "note:tides", "gist", "key is lost"),
    SweptString("note:box", "note:box", "title", "The zebrawood box"),
)


def test_a_canary_is_named_by_position_and_place() -> None:
    """R182: canary index and fragment or entity id only."""
    assert canary_issues(("Strake", "Zebrawood", "blue key"), STRINGS) == (
        "canaries[1]: in the title of note:box",
        "canaries[2]: across the gists of note:tides",
    )


def test_a_build_gets_a_sweep_that_may_be_called_again() -> None:
    """R182: every build runs it."""
    watched = ["zebrawood"]
    sweep = build_sweep(watched)
    watched.clear()
    assert sweep(STRINGS) == sweep(STRINGS) == ("canaries[0]: in the title of note:box",)
    assert sweep(STRINGS[:2]) == ()


def test_an_id_that_holds_a_canary_is_not_repeated() -> None:
    """R182: a report that names the id would be where the word leaks."""
    strings = (
        SweptString("note:tides", "note:tides", "title", "Tolliver's bill"),
        SweptString("note:tolliver-s-bill", "note:tolliver-s-bill", "id", "note:tolliver-s-bill"),
        SweptString("note:tolliver-s-bill", "note:tolliver-s-bill", "label", "Tolliver"),
    )
    assert canary_issues(("Tolliver",), strings) == (
        "canaries[0]: in the title of note:tides",
        "canaries[0]: in the id of owner 2, whose id holds a canary",
        "canaries[0]: in the label of owner 2, whose id holds a canary",
    )


def test_an_address_is_read_as_it_would_be_spoken() -> None:
    """R182: percent signs hide no word."""
    url = "https://example.org/essays/%E6%9F%9A%E5%AD%90%E8%89%B2%E3%81%AE%E5%82%98/"
    string = SweptString("note:a", "note:a", "url", url)
    assert canary_issues(("柚子色の傘",), (string,)) == ("canaries[0]: in the url of note:a",)
