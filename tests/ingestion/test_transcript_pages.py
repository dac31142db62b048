"""Two shapes of Markdown in which people write down what was said (R026)."""

from __future__ import annotations

import pytest

from fonds.ingestion.cues import Cue, CueTrouble, Turn
from fonds.ingestion.spoken_pages import page_cues

TURNS = """## Opening

Mina: 00:00:05

Good *evening*.
Thank you all.

## The frame

**Jo Ann:** 00:02:00

It settles at 12:30 every day.

**Speaker 0** [1:02:05]

Yes.
"""

MARKED = """**Mina:** Good evening. \\[laughter\\]

**Jo Ann:** Hello.

\\[02:00\\] And hello again.

**Mina:** It hums \\[unintelligible 00:02:10.04\\] at night. \\[01:02:05.16\\] Still **loud:** it.
"""


def test_a_time_behind_each_speaker_begins_what_they_say() -> None:
    """A heading before a speaker stands over what they say; the last turn has no end."""
    assert page_cues(TURNS) == [
        Cue(5_000, 120_000, (Turn("Mina", "Opening\n\nGood evening. Thank you all."),)),
        Cue(
            120_000,
            3_725_000,
            (Turn("Jo Ann", "The frame\n\nIt settles at 12:30 every day."),),
        ),
        Cue(3_725_000, None, (Turn("Speaker 0", "Yes."),)),
    ]


def test_times_in_brackets_divide_what_many_say() -> None:
    """The one who spoke goes on behind a time; brackets with words in them are words."""
    assert page_cues(MARKED) == [
        Cue(0, 120_000, (Turn("Mina", "Good evening. [laughter]"), Turn("Jo Ann", "Hello."))),
        Cue(
            120_000,
            3_725_000,
            (
                Turn("Jo Ann", "And hello again."),
                Turn("Mina", "It hums [unintelligible 00:02:10.04] at night."),
            ),
        ),
        Cue(3_725_000, None, (Turn("Mina", "Still loud: it."),)),
    ]


def test_words_before_the_first_speaker_are_kept_as_nobodys() -> None:
    cues = page_cues("Recorded in a barn.\n\nMina: 00:05\nHello.\n")
    assert cues[0] == Cue(0, 5000, (Turn(None, "Recorded in a barn."),))


def test_voices_that_overlap_by_a_second_are_read() -> None:
    cues = page_cues("A: 00:14:22\nYes\n\nB: 00:14:18\nNo\n")
    assert [(cue.start, cue.end) for cue in cues] == [(862_000, 862_000), (862_000, None)]


@pytest.mark.parametrize(
    ("body", "line", "said"),
    [
        ("A: 00:14:22\nzebra\n\nB: 00:04:18\nzebra\n", 4, "earlier"),
        ("**A:** zebra \\[04:18\\] zebra\nzebra \\[00:18\\]\n", 2, "earlier"),
        ("**A:** zebra\n\nand so on at 12:30\n", 1, "no time is found"),
    ],
)
def test_a_page_that_cannot_be_timed_is_refused_by_line(body: str, line: int, said: str) -> None:
    with pytest.raises(CueTrouble) as trouble:
        page_cues(body)
    assert trouble.value.line == line
    assert said in trouble.value.reason
    assert "zebra" not in str(trouble.value)


def test_a_page_without_words_has_no_cue() -> None:
    assert page_cues("\n<!-- later -->\n") == []


def test_long_lines_of_spaces_and_stars_cost_nothing_much() -> None:
    """A hostile page of 2 MB is read in time that grows with its length."""
    page = ("*" * 139 + "\n") * 5000 + (" " * 138 + "1\n") * 5000 + "A: 00:01\nwords\n"
    assert page_cues(page)[-1].turns == (Turn("A", "words"),)
