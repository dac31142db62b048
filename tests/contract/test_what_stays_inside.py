"""Scored hits and linted gists stay in the process that made them (R009, R010)."""

from __future__ import annotations

import copy
import json
import pickle

import pytest

from fonds.boundary.lint import gist_lint
from fonds.contract.entity import LintWindow
from fonds.contract.linted_gist import LintedGist
from tests.factories import GIST, PRIVATE_TEXT, a_scored_hit, a_served_fragment


def linted() -> LintedGist:
    return gist_lint(
        GIST, fragment_text=PRIVATE_TEXT, entity_text=None, window=LintWindow(), path="a#b"
    )


def test_a_scored_hit_is_neither_pickled_copied_nor_serialised() -> None:
    """R010."""
    hit = a_scored_hit()

    for refused in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="project it"):
            refused(hit)
    with pytest.raises(TypeError, match="not JSON serializable"):
        json.dumps(hit)


def test_a_scored_hit_shows_its_fragment_s_id_and_nothing_else() -> None:
    """R010."""
    hit = a_scored_hit(fragment=a_served_fragment(exposure="semantic"), cosine=0.612)

    assert repr(hit) == str(hit) == f"{hit}" == "ScoredHit(book:low-tide#whole)"


def test_only_the_lint_builds_a_linted_gist() -> None:
    """R009."""
    assert linted().text == GIST
    with pytest.raises(TypeError, match="comes from the gist lint"):
        LintedGist(GIST, object())
    with pytest.raises(TypeError):
        LintedGist(GIST)  # pyright: ignore[reportCallIssue]
    with pytest.raises(TypeError, match="comes from the gist lint"):
        LintedGist(GIST, token=None)


def test_a_linted_gist_has_no_other_kind() -> None:
    """R009: a subclass would choose its own text."""
    with pytest.raises(TypeError, match="no other kinds"):
        type("Forged", (LintedGist,), {"text": PRIVATE_TEXT})


def test_a_linted_gist_is_no_string_and_does_not_change() -> None:
    """R009."""
    gist = linted()

    assert not isinstance(gist, str)
    for name in ("text", "_text", "other"):
        with pytest.raises(AttributeError):
            setattr(gist, name, PRIVATE_TEXT)
    assert gist.text == GIST


def test_a_linted_gist_is_not_carried_elsewhere() -> None:
    """R009: it erases at JSON and at the database; the lint has to run again."""
    for refused in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="run the lint again"):
            refused(linted())
    with pytest.raises(TypeError, match="not JSON serializable"):
        json.dumps(linted())


def test_a_linted_gist_does_not_show_its_words() -> None:
    """R013."""
    assert repr(linted()) == str(linted()) == "LintedGist(...)"
