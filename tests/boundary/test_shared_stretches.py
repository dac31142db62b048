"""R060-R062 for the author's eyes: what the lint refuses is shown where it was written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fonds.boundary.runs import PrivateRuns
from fonds.boundary.shared_stretches import Stretch, shared_stretches
from fonds.contract.entity import LintWindow

WINDOW = LintWindow()
PASSAGE = "He said: the zebrawood box, under the ninth-century stair, was never opened."


def marked(stretches: tuple[Stretch, ...]) -> list[str]:
    return [one.text for one in stretches if one.shared]


@pytest.mark.parametrize(
    ("gist", "in_gist", "in_passage"),
    [
        (
            "Of THE  Zebrawood box under the stair.",
            "THE  Zebrawood box under the",
            "the zebrawood box, under the",
        ),
        (
            "box under the ninth century",
            "box under the ninth century",
            "box, under the ninth-century",
        ),
        (
            "the zebra\u00adwood box under the",
            "the zebra\u00adwood box under the",
            "the zebrawood box, under the",
        ),
        (
            "thé zebrawood box under the",
            "thé zebrawood box under the",
            "the zebrawood box, under the",
        ),
    ],
)
def test_a_run_is_marked_on_both_sides_as_it_was_written(
    gist: str, in_gist: str, in_passage: str
) -> None:
    """Case, punctuation, soft hyphens and accents change what is compared, not what is shown."""
    ours, theirs = shared_stretches(gist, PASSAGE, WINDOW)
    assert marked(ours) == [in_gist]
    assert marked(theirs) == [in_passage]


@pytest.mark.parametrize(
    ("gist", "passage", "in_gist"),
    [
        (
            "記録：港の起重機は正午までに樽を。",
            "港の起重機は正午までに樽を四十揚げた。",
            "港の起重機は正午までに樽を",
        ),
        ("ﾎﾟﾝﾌﾟとﾊﾞﾙﾌﾞの点検は毎朝", "ポンプとバルブの点検は毎朝六時", "ﾎﾟﾝﾌﾟとﾊﾞﾙﾌﾞの点検は毎朝"),
    ],
)
def test_scripts_without_spaces_are_marked_by_characters(
    gist: str, passage: str, in_gist: str
) -> None:
    assert marked(shared_stretches(gist, passage, WINDOW)[0]) == [in_gist]


def test_every_shared_run_is_marked_and_nothing_shorter() -> None:
    words = LintWindow(ngram_words=3)
    ours, theirs = shared_stretches("a b c x b c d", "a b c d", words)
    assert marked(ours) == ["a b c", "b c d"]
    assert marked(theirs) == ["a b c d"]
    assert not any(one.shared for one in shared_stretches("a b", "a b", words)[0])


TEXTS = st.lists(
    st.sampled_from(["a", "b", "é", "e\u0301", "-", " ", "\n", "ſ", "½", "ﬁ", "\u00ad", "か", "が"])
).map("".join)


@given(TEXTS, TEXTS)
def test_the_stretches_are_the_texts(tested: str, text: str) -> None:
    for stretches, whole in zip(
        shared_stretches(tested, text, WINDOW), (tested, text), strict=True
    ):
        assert "".join(one.text for one in stretches) == whole


@given(TEXTS, TEXTS)
def test_what_the_lint_refuses_is_marked(tested: str, text: str) -> None:
    """And nothing else: where there is no shared run, nothing is marked."""
    window = LintWindow(ngram_words=2, ngram_chars=2)
    refused = PrivateRuns(text, window).shared_run(tested) is not None
    ours, theirs = shared_stretches(tested, text, window)
    assert bool(marked(ours)) == bool(marked(theirs)) == refused
