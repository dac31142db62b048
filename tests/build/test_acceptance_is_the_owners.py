"""What a build may not serve before its owner said so (R191)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fonds.build.acceptance import Acceptance, Need, digest_of, need_of
from fonds.build.build_report import (
    SHOWN_CHANGES,
    BuildReport,
    difference_lines,
    waiting_lines,
)
from fonds.contract.fragment_change import ChangeKind, FragmentChange, Shown

PUBLIC_TEXT = Shown("public", "text")
PUBLIC_GIST = Shown("public", "semantic")
PUBLIC_PLACE = Shown("public", "locator")
PRIVATE_GIST = Shown("private", "semantic")
PRIVATE_PLACE = Shown("private", "locator")


def a_change(
    was: Shown | None = None,
    becomes: Shown | None = PRIVATE_PLACE,
    fields: tuple[str, ...] = (),
    fragment_id: str = "note:a#p-4",
    content: str = "digest",
) -> FragmentChange:
    return FragmentChange(fragment_id, was, becomes, fields, content)


TABLE: tuple[tuple[Shown | None, Shown | None, tuple[str, ...], ChangeKind, Need | None], ...] = (
    (None, PUBLIC_TEXT, (), "disclosed", "public widening"),
    (None, PUBLIC_PLACE, (), "disclosed", "public widening"),
    (None, PUBLIC_GIST, (), "disclosed", "gist first served"),
    (None, PRIVATE_PLACE, (), "disclosed", "private widening"),
    (None, PRIVATE_GIST, (), "disclosed", "gist first served"),
    (PRIVATE_PLACE, PRIVATE_GIST, ("gist",), "disclosed", "gist first served"),
    (PRIVATE_PLACE, PUBLIC_TEXT, ("text",), "disclosed", "private to public"),
    (PRIVATE_GIST, PUBLIC_PLACE, ("gist",), "disclosed", "private to public"),
    (PUBLIC_PLACE, PUBLIC_TEXT, ("text",), "disclosed", "public widening"),
    (PUBLIC_GIST, PUBLIC_TEXT, ("gist", "text"), "disclosed", "public widening"),
    (PUBLIC_TEXT, PUBLIC_GIST, ("gist", "text"), "withdrawn", "gist first served"),
    (PRIVATE_GIST, PRIVATE_GIST, ("gist",), "changed", "gist first served"),
    (PRIVATE_GIST, PRIVATE_GIST, ("gistReview",), "changed", None),
    (PRIVATE_PLACE, PRIVATE_PLACE, ("title",), "changed", "private widening"),
    (PRIVATE_GIST, PRIVATE_PLACE, ("gist", "themes"), "withdrawn", "private widening"),
    (PRIVATE_PLACE, PRIVATE_PLACE, ("parent",), "changed", None),
    (PUBLIC_TEXT, PUBLIC_TEXT, ("text",), "changed", None),
    (PUBLIC_TEXT, PRIVATE_PLACE, ("text",), "withdrawn", "private widening"),
    (PRIVATE_GIST, PRIVATE_PLACE, ("gist",), "withdrawn", None),
    (PRIVATE_PLACE, None, (), "withdrawn", None),
    (PUBLIC_TEXT, None, (), "withdrawn", None),
)


@pytest.mark.parametrize(("was", "becomes", "fields", "kind", "need"), TABLE)
def test_each_change_is_of_one_kind_and_asks_for_what_it_is(
    was: Shown | None,
    becomes: Shown | None,
    fields: tuple[str, ...],
    kind: ChangeKind,
    need: Need | None,
) -> None:
    change = a_change(was, becomes, fields)
    assert (change.kind, need_of(change)) == (kind, need)


def test_the_rule_of_the_archive_says_what_goes_out_unasked() -> None:
    """R191: by default what public material adds, and nothing else."""
    public, private = a_change(None, PUBLIC_TEXT), a_change(None, PRIVATE_PLACE)
    narrowed = a_change(PUBLIC_TEXT, None)
    changes = (public, private, narrowed)
    assert Acceptance().waiting(changes) == (private,)
    assert Acceptance("public").waiting(changes) == (private,)
    assert Acceptance("ask").waiting(changes) == (public, private)
    assert Acceptance("all").waiting(changes) == ()
    assert Acceptance("ask", everything=True).waiting(changes) == ()


def test_a_digest_accepts_one_difference_and_no_other() -> None:
    """R191: what changed after it was looked at is looked at again."""
    seen = (a_change(), a_change(fragment_id="note:b#p-1"))
    digest = digest_of(seen)
    assert Acceptance(digest=digest).waiting(seen) == ()
    assert Acceptance(digest=digest).waiting(reversed(seen)) == ()
    for other in (
        seen[:1],
        (*seen, a_change(fragment_id="note:c#p-1")),
        (seen[0], replace(seen[1], content="other words")),
        (seen[0], replace(seen[1], becomes=PRIVATE_GIST)),
    ):
        assert Acceptance(digest=digest).waiting(other) == other
    assert Acceptance(digest=digest_of(())).waiting(seen) == seen


def test_lists_are_cut_and_say_what_they_leave_out() -> None:
    """The count is whole, the list is short, and nothing is cut where all was asked for."""
    many = tuple(a_change(fragment_id=f"note:{n:03}#p") for n in range(SHOWN_CHANGES + 5))
    lines = difference_lines(many)
    assert lines[0] == f"{len(many)} disclosed, 0 withdrawn, 0 changed"
    assert (len(lines), lines[-1]) == (SHOWN_CHANGES + 2, "  + and 5 more")
    assert len(difference_lines(many, most=None)) == len(many) + 1
    waiting = waiting_lines(many)
    assert waiting[0] == f"{len(many)} waiting for your acceptance:"
    assert waiting[-2] == "  ? and 5 more"
    assert waiting[-1].endswith(f"fonds build --accept {digest_of(many)} serves them")
    assert len(waiting_lines(many, most=None)) == len(many) + 2
    assert difference_lines(()) == ["no difference to the live build"]
    assert waiting_lines(()) == []


def test_a_line_says_what_a_fragment_becomes_and_was() -> None:
    changes = (
        a_change(PRIVATE_PLACE, PRIVATE_GIST, ("gist",), "note:a#1"),
        a_change(PRIVATE_GIST, None, (), "note:b#1"),
        a_change(PUBLIC_TEXT, PUBLIC_TEXT, ("text", "title"), "essay:c#whole"),
    )
    assert difference_lines(changes) == [
        "1 disclosed, 1 withdrawn, 1 changed",
        "  + note:a#1: private semantic (was private locator)",
        "  - note:b#1: not served (was private semantic)",
        "  ~ essay:c#whole: text, title",
    ]


def test_a_report_with_something_waiting_ends_with_four() -> None:
    """R191: a job that needs acceptance publishes the rest and exits 4."""
    waiting = (a_change(),)
    report = BuildReport(1, False, True, 1, 1, waiting=waiting)
    assert (report.exit_code, report.accept) == (4, digest_of(waiting))
    assert report.as_json()["waiting"] == [
        {
            "fragment": "note:a#p-4",
            "was": None,
            "becomes": "private locator",
            "fields": [],
            "needs": "private widening",
        }
    ]
    assert BuildReport(1, False, True, 1, 1).exit_code == 0
