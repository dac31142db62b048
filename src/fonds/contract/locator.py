"""Where a fragment sits in its entity, how the place is shown and keyed (R004, R034, R035)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from fonds.contract.failures import MisauthoredInput
from fonds.contract.sealed import sealed

_SECONDS = re.compile(r"(0|[1-9][0-9]*)(\.[0-9]*[1-9])?")
_MAX_SECONDS_LENGTH = 24  # a float still tells two of them apart; int() refuses 4,300 digits
_KEY_PREFIX = {
    "page": "p",
    "chapter": "ch",
    "section": "s",
    "paragraph": "para",
    "chunk": "c",
    "part": "part",
}
_EN_DASH = "\u2013"


@sealed
@dataclass(frozen=True, slots=True)
class Locator:
    """One step of a place. `scheme` is open; `end` is inclusive and only for ranges.

    A `timecode` is decimal seconds, `.` as separator, no unit, an integer when whole.
    """

    scheme: str
    value: str
    end: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.scheme, str) or not self.scheme.strip():  # pyright: ignore[reportUnnecessaryIsInstance]
            raise MisauthoredInput("locator.scheme: a non-empty string is needed")
        if not isinstance(self.value, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise MisauthoredInput("locator.value: a string is needed")
        if self.scheme != "whole" and not self.value.strip():
            raise MisauthoredInput("locator.value: a non-empty string is needed")
        if self.end is not None and not (isinstance(self.end, str) and self.end.strip()):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise MisauthoredInput("locator.end: a non-empty string is needed")
        if self.scheme == "timecode":
            self._check_seconds()
        if not _keyed(self):
            raise MisauthoredInput("locator.value: at least one letter or digit is needed")

    def _check_seconds(self) -> None:
        for name, content in (("value", self.value), ("end", self.end)):
            if content is None:
                continue
            if len(content) > _MAX_SECONDS_LENGTH or not _SECONDS.fullmatch(content):
                raise MisauthoredInput(f"locator.{name}: decimal seconds such as 750 or 750.5")
        if self.end is not None and float(self.end) < float(self.value):
            raise MisauthoredInput("locator.end: before its start")


Place = tuple[Locator, ...]
"""A compound locator, ordered coarse to fine."""


def place_of(steps: Iterable[tuple[str, str, str | None]]) -> Place:
    """A place from (scheme, value, end) as an author wrote them, coarse to fine.

    Raises MisauthoredInput naming the step and its part, such as `locator[0].value` (R004).
    """
    return checked_place(tuple(_step(position, *step) for position, step in enumerate(steps)))


def _step(position: int, scheme: str, value: str, end: str | None) -> Locator:
    try:
        return Locator(scheme, value, end)
    except MisauthoredInput as refusal:
        field, _, reason = str(refusal).partition(": ")
        part = field.removeprefix("locator.")
        raise MisauthoredInput(f"locator[{position}].{part}: {reason}") from None


def checked_place(place: Place) -> Place:
    """The place itself; raises MisauthoredInput when it has no step."""
    if not place:
        raise MisauthoredInput("locator: at least one is needed")
    return place


def locator_label(place: Place) -> str:
    """The place as a reader sees it, such as "ch. 12, §3" (R034)."""
    return ", ".join(_shown(step) for step in checked_place(place))


def locator_key(place: Place) -> str:
    """The place as part of a readable fragment id, such as "ch12.s3" (R035)."""
    return ".".join(_keyed(step) for step in checked_place(place))


def slugified(text: str) -> str:
    """NFKC, lower case, each run of other than letters and digits one hyphen, trimmed."""
    folded = unicodedata.normalize("NFKC", text).lower()
    kept = "".join(
        c if c.isalnum() or unicodedata.category(c).startswith("M") else " " for c in folded
    )
    return "-".join(kept.split())


def _shown(step: Locator) -> str:
    ranged = step.end is not None and step.end != step.value
    match step.scheme:
        case "whole":
            return "whole record"
        case "note" | "heading":
            return step.value
        case "timecode":
            return _range(_clock(step.value), _clock(step.end or step.value), ranged=ranged)
        case "page":
            return ("pp. " if ranged else "p. ") + _range(step.value, step.end, ranged=ranged)
        case "chapter":
            return "ch. " + _range(step.value, step.end, ranged=ranged)
        case "section":
            return "§" + _range(step.value, step.end, ranged=ranged)
        case "paragraph":
            return "¶" + _range(step.value, step.end, ranged=ranged)
        case "chunk":
            return "part " + _range(step.value, step.end, ranged=ranged)
        case _:
            return f"{step.scheme} " + _range(step.value, step.end, ranged=ranged)


def _range(first: str, last: str | None, *, ranged: bool) -> str:
    return f"{first}{_EN_DASH}{last}" if ranged else first


def _clock(seconds: str) -> str:
    whole = int(seconds.partition(".")[0])
    hours, rest = divmod(whole, 3600)
    minutes, left = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"


def _keyed(step: Locator) -> str:
    tail = f"-{step.end}" if step.end is not None and step.end != step.value else ""
    match step.scheme:
        case "whole":
            return "whole"
        case "timecode":
            return f"t{step.value}{tail}"
        case "note" | "heading":
            return slugified(step.value)
        case "page" | "chapter" | "section" | "paragraph" | "chunk" | "part":
            if step.scheme == "section" and step.value == "front":
                return "sfront"
            return f"{_KEY_PREFIX[step.scheme]}{step.value}{tail}"
        case _:
            return slugified(f"{step.scheme}-{step.value}{tail}")
