"""WebVTT and SubRip become cues with voices, and nothing is dropped unseen (R026)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fonds.ingestion.cues import Cue, CueTrouble, Turn, windows
from fonds.ingestion.subtitles import srt_cues, vtt_cues

VTT = """WEBVTT - tuning day
Kind: captions

NOTE nobody says this

STYLE
::cue { color: red }

opening
00:12:30.000 --> 00:12:50.000 align:start
<v.loud Mina>The <i>lower</i> strings &amp; the frame
settle first.

12:50.000 --> 14:05.250
Then <00:13:00.000><c.yellow>we wait</c>.

01:02:05.900 --> 01:02:06.000
<v Mina>Ready?</v> <v Jo Ann>Ready.
"""


def test_a_voice_tag_names_who_speaks_and_other_tags_go() -> None:
    """R026: voices, entities, cue settings; notes and styles are not spoken."""
    assert vtt_cues(VTT) == [
        Cue(750_000, 770_000, (Turn("Mina", "The lower strings & the frame settle first."),)),
        Cue(770_000, 845_250, (Turn(None, "Then we wait."),)),
        Cue(3_725_900, 3_726_000, (Turn("Mina", "Ready?"), Turn("Jo Ann", "Ready."))),
    ]


def test_a_cue_without_words_is_no_turn() -> None:
    cues = vtt_cues("WEBVTT\n\n00:01.000 --> 00:02.000\n<v Mina>\u200b</v>\n")
    assert cues == [Cue(1000, 2000, ())]
    assert list(windows(cues, 120)) == []


def test_subrip_has_a_voice_where_a_known_name_begins_a_line() -> None:
    """A colon alone names nobody: "Listen: " is no person."""
    text = (
        "1\n00:00:01,000 --> 00:00:04,000\n- Mina: Hello.\n- Listen: it hums.\n\n"
        "2\n00:00:05,500 --> 00:00:06,000\n>> Jo  Ann: Yes.\n\n3\n"
    )
    assert srt_cues(text, ["Mina", "Jo Ann"]) == [
        Cue(1000, 4000, (Turn("Mina", "Hello. - Listen: it hums."),)),
        Cue(5500, 6000, (Turn("Jo Ann", "Yes."),)),
    ]
    assert srt_cues(text)[0].turns == (Turn(None, "- Mina: Hello. - Listen: it hums."),)


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("", 1, "begins with the line WEBVTT"),
        ("WEBVTTX\n", 1, "begins with the line WEBVTT"),
        ("WEBVTT\n\n00:01.000 -> 00:02.000\nzebra\n", 3, "without a time"),
        ("WEBVTT\n\n1\n00:01.0 --> 00:02.000\nzebra\n", 4, "cannot be read"),
        ("WEBVTT\n\n00:61.000 --> 00:62.000\nzebra\n", 3, "cannot be read"),
        ("WEBVTT\n\n00:02.000 --> 00:01.000\nzebra\n", 3, "ends before it begins"),
        ("WEBVTT\n\n00:01.000 --> 00:02.000\na\n\nzebra\n", 6, "without a time"),
        (
            "WEBVTT\n\n00:01.000 --> 00:02.000\na\n00:02.000 --> 00:03.000\nzebra\n",
            5,
            "a blank line is missing",
        ),
    ],
)
def test_what_a_player_would_skip_is_refused_by_line(text: str, line: int, said: str) -> None:
    """No word of the file is in the reason (R069)."""
    with pytest.raises(CueTrouble) as trouble:
        vtt_cues(text)
    assert trouble.value.line == line
    assert said in trouble.value.reason
    assert "zebra" not in str(trouble.value)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 600_000), st.integers(0, 200_000)), max_size=30, unique=True),
    st.integers(1, 300),
)
def test_windows_hold_every_cue_once_and_whole(spans: list[tuple[int, int]], seconds: int) -> None:
    """R026: never splitting a cue; each window covers the cues it holds, and ids are apart."""
    cues = [
        Cue(start, start + length, (Turn(None, f"n{number}"),))
        for number, (start, length) in enumerate(spans)
    ]
    found = list(windows(cues, seconds))
    held = [turn.text for window in found for turn in window.turns]
    assert sorted(held) == sorted(cue.turns[0].text for cue in cues)
    assert len({window.start for window in found}) == len(found)
    by_text = {cue.turns[0].text: cue for cue in cues}
    for window in found:
        for turn in window.turns:
            cue = by_text[turn.text]
            assert window.start <= cue.start // 1000
            assert window.end >= (cue.end or 0) // 1000
            assert cue.start // 1000 - window.start < seconds


def test_an_edit_in_one_window_leaves_the_others_where_they_are() -> None:
    """A gist and a veto hang on the id: a cue that is taken out moves nothing behind it."""
    cues = [Cue(n * 30_000, n * 30_000 + 25_000, (Turn(None, str(n)),)) for n in range(12)]
    before = [(window.start, window.end) for window in windows(cues, 120)]
    after = [(window.start, window.end) for window in windows([*cues[:1], *cues[2:]], 120)]
    assert before == after == [(0, 115), (120, 235), (240, 355)]


@settings(max_examples=80, deadline=None)
@given(st.text(alphabet="<v>/. aM:-\n&;WEBT0123456789,", max_size=200))
def test_any_text_is_read_or_refused(text: str) -> None:
    for read in (vtt_cues, srt_cues):
        try:
            cues = read(text, ["M"])
            lines = [1 for cue in cues if cue.end is not None and cue.start <= cue.end]
        except CueTrouble as trouble:
            cues, lines = [], [trouble.line]
        assert len(lines) == max(len(cues), len(lines))
        assert all(1 <= line <= text.count("\n") + 1 for line in lines)
