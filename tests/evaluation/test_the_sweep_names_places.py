"""The canary sweep as a build calls it (R182)."""

from __future__ import annotations

from fonds.contract.swept_string import SweptString
from fonds.evaluation.sweep import build_sweep, canary_issues

STRINGS = (
    SweptString("note:tides#p1", "note:tides", "gist", "A page about the blue"),
    SweptString("note:tides#p2", "note:tides", "gist", "key is lost"),
    SweptString("note:zebrawood", "note:zebrawood", "title", "The zebrawood box"),
)


def test_a_canary_is_named_by_position_and_place() -> None:
    """R182: canary index and fragment or entity id only."""
    assert canary_issues(("Strake", "Zebrawood", "blue key"), STRINGS) == (
        "canaries[1]: in the title of note:zebrawood",
        "canaries[2]: across the gists of note:tides",
    )


def test_a_build_gets_a_sweep_that_may_be_called_again() -> None:
    """R182: every build runs it."""
    watched = ["zebrawood"]
    sweep = build_sweep(watched)
    watched.clear()
    assert sweep(STRINGS) == sweep(STRINGS) == ("canaries[0]: in the title of note:zebrawood",)
    assert sweep(STRINGS[:2]) == ()
