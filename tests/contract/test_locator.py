"""Places, how they are shown and how they are keyed (R004, R034, R035)."""

from __future__ import annotations

import pytest

from fonds.contract.failures import MisauthoredInput
from fonds.contract.locator import (
    Locator,
    locator_key,
    locator_label,
    place_of,
    slugified,
)

EN_DASH = "\u2013"
Step = tuple[str, str, str | None]


@pytest.mark.parametrize("seconds", ["0", "750", "750.5", "0.25", "59.99", "3725.9"])
def test_a_timecode_is_decimal_seconds(seconds: str) -> None:
    """R004."""
    assert Locator("timecode", seconds).value == seconds


@pytest.mark.parametrize(
    "seconds",
    [
        "12:30",
        "750.0",
        "750.50",
        "-1",
        "1e3",
        "0x10",
        "01",
        "750.",
        ".5",
        " 7",
        "7\n",
        "٧",
        "9" * 25,
    ],
)
@pytest.mark.parametrize("part", ["value", "end"])
def test_any_other_timecode_is_refused_by_position_and_not_repeated(
    seconds: str, part: str
) -> None:
    """R004."""
    step = ("timecode", seconds, None) if part == "value" else ("timecode", "0", seconds)

    with pytest.raises(MisauthoredInput) as refusal:
        place_of([step])
    assert str(refusal.value) == f"locator[0].{part}: decimal seconds such as 750 or 750.5"


def test_a_timecode_does_not_end_before_it_starts() -> None:
    """R004."""
    with pytest.raises(MisauthoredInput, match=r"^locator\[1\]\.end: before its start$"):
        place_of([("chapter", "2", None), ("timecode", "750", "749.5")])
    assert place_of([("timecode", "750", "750")])


@pytest.mark.parametrize(
    ("step", "field"),
    [
        (("", "1", None), "scheme"),
        ((" ", "1", None), "scheme"),
        (("page", "", None), "value"),
        (("page", "\t", None), "value"),
        (("page", "1", ""), "end"),
        (("note", "!?", None), "value"),
        (("heading", "---", None), "value"),
    ],
)
def test_an_empty_part_is_refused(step: Step, field: str) -> None:
    """R004."""
    with pytest.raises(MisauthoredInput, match=rf"^locator\[0\]\.{field}: "):
        place_of([step])


def test_parts_that_are_not_strings_are_refused() -> None:
    """R091 (a): a row's JSON may hold anything."""
    with pytest.raises(MisauthoredInput, match=r"^locator\.value: "):
        Locator("page", 12)  # pyright: ignore[reportArgumentType]
    with pytest.raises(MisauthoredInput, match=r"^locator\.end: "):
        Locator("page", "12", 13)  # pyright: ignore[reportArgumentType]
    with pytest.raises(MisauthoredInput, match=r"^locator\.scheme: "):
        Locator(7, "12")  # pyright: ignore[reportArgumentType]


def test_a_place_has_at_least_one_step() -> None:
    """R004, R034."""
    with pytest.raises(MisauthoredInput, match=r"^locator: at least one"):
        place_of([])
    with pytest.raises(MisauthoredInput, match=r"^locator: at least one"):
        locator_label(())
    with pytest.raises(MisauthoredInput, match=r"^locator: at least one"):
        locator_key(())


LABELS: list[tuple[list[Step], str]] = [
    ([("whole", "", None)], "whole record"),
    ([("page", "184", None)], "p. 184"),
    ([("page", "78", "88")], f"pp. 78{EN_DASH}88"),
    ([("page", "78", "78")], "p. 78"),
    ([("chapter", "12", None)], "ch. 12"),
    ([("section", "3", None)], "§3"),
    ([("paragraph", "2", None)], "¶2"),
    ([("chunk", "4", None)], "part 4"),
    ([("timecode", "750", "845")], f"12:30{EN_DASH}14:05"),
    ([("timecode", "59.99", None)], "0:59"),
    ([("timecode", "3725.9", None)], "1:02:05"),
    ([("timecode", "3599", "3600")], f"59:59{EN_DASH}1:00:00"),
    ([("note", "blue notebook, p. 4", None)], "blue notebook, p. 4"),
    ([("heading", "Borrowing > Holds", None)], "Borrowing > Holds"),
    ([("verse", "3", None)], "verse 3"),
    ([("verse", "3", "9")], f"verse 3{EN_DASH}9"),
    ([("chapter", "12", None), ("section", "3", None)], "ch. 12, §3"),
]


@pytest.mark.parametrize(("steps", "label"), LABELS)
def test_a_place_is_shown_as_a_reader_writes_it(steps: list[Step], label: str) -> None:
    """R034."""
    assert locator_label(place_of(steps)) == label


KEYS: list[tuple[list[Step], str]] = [
    ([("whole", "", None)], "whole"),
    ([("page", "184", None)], "p184"),
    ([("page", "78", "88")], "p78-88"),
    ([("chapter", "12", None)], "ch12"),
    ([("section", "3", None)], "s3"),
    ([("section", "front", None)], "sfront"),
    ([("paragraph", "2", None)], "para2"),
    ([("chunk", "4", None)], "c4"),
    ([("timecode", "750", "845")], "t750-845"),
    ([("timecode", "750", "750")], "t750"),
    ([("note", "Notebook, p. 12", None)], "notebook-p-12"),
    ([("heading", "Holds", None)], "holds"),
    ([("Verse", "3 b", None)], "verse-3-b"),
    ([("page", "1", None), ("section", "1", None)], "p1.s1"),
    ([("part", "2", None), ("chapter", "2", None)], "part2.ch2"),
]


@pytest.mark.parametrize(("steps", "key"), KEYS)
def test_a_place_is_keyed_readably(steps: list[Step], key: str) -> None:
    """R035, R028."""
    assert locator_key(place_of(steps)) == key


def test_a_slug_keeps_letters_of_every_script() -> None:
    """R035: NFKC, lower case, other runs become one hyphen, trimmed."""
    assert slugified("  Café — Ｎｏ. ７ ") == "café-no-7"
    assert slugified("柿の木、1") == "柿の木-1"
