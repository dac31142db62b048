"""Ways in which a right answer is made wrong, one change at a time, the same on every run.

What is found here is found by other means than the claim check finds it: a change is made where a
reader would call it a lie, whether or not the check has a word for it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Final, TypeAlias

Mutation: TypeAlias = Callable[[str], Iterator[str]]

_MONTH_NAMES = (
    "January February March April May June July August September October November December"
)
_MONTHS: Final[tuple[str, ...]] = tuple(_MONTH_NAMES.split())
_MONTH = "|".join(_MONTHS)
_DAY_NAMES = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday"
_CALENDAR: Final = frozenset((*_MONTHS, *_DAY_NAMES.split(), "I"))
_YEAR: Final = re.compile(r"(?<![\d,.$£€-])(1\d{3}|20[0-2]\d)(?![\d,%]|\.\d)")
_FIGURE: Final = re.compile(
    r"(?<![\d.,:/-])\d{1,3}(?:,\d{3})+(?![\d,])|(?<![\d.,:/-])\d+(?![\d,:/])"
)
_NUMBER_NAMES = "two three four five six seven eight nine ten eleven twelve"
NUMBER_WORDS: Final[tuple[str, ...]] = tuple(_NUMBER_NAMES.split())
_NUMBER_WORD: Final = re.compile(rf"\b(?:{'|'.join(NUMBER_WORDS)})\b")
_HAN_FIGURE: Final = re.compile(r"[二三四五六七八九](?=[人回年本名度冊つ])")
_HAN_DIGITS: Final = "二三四五六七八九"

_UNITS: Final = (
    ("miles", "kilometres"),
    ("kilometres", "miles"),
    ("kilometers", "miles"),
    ("km", "mi"),
    ("metres", "feet"),
    ("meters", "feet"),
    ("feet", "metres"),
    ("million", "billion"),
    ("billion", "million"),
    ("thousand", "million"),
    ("percent", "million"),
    ("%", " tonnes"),
    ("years", "months"),
    ("days", "weeks"),
    ("months", "years"),
    ("hours", "minutes"),
    ("minutes", "hours"),
    ("weeks", "years"),
    ("people", "villages"),
    ("メートル", "キロ"),
    ("km", "m"),
    ("キロ", "メートル"),
    ("円", "ドル"),
    ("人", "頭"),
    ("歳", "か月"),
    ("年間", "日間"),
    ("回", "人"),
    ("万", "億"),
    ("億", "万"),
)
_CURRENCIES: Final = (("$", "£"), ("£", "$"), ("€", "$"))

_FOREIGN_NAMES = "Blythe Osgrove Tarnley Haldane Quennell Roxwell Vennor Ibbotson"
NAMES: Final = tuple(_FOREIGN_NAMES.split())
_KATAKANA_NAMES: Final = ("ベルデン", "ロクサム", "トレヴィン", "ハルゾン")
_HAN_NAMES: Final = ("黒沼静江", "徳永稔", "岩垂修吾", "柏倉文")
_NAME: Final = re.compile(r"(?<![.!?:\"“”'`] )(?<=[a-z,;)] )[A-Z][a-z]{2,}(?: [A-Z][a-z]{2,})*")
_KATAKANA: Final = re.compile("[ァ-ヴー]{3,}")
_HAN_NAME: Final = re.compile("(?<![\u4e00-\u9fff々])[\u4e00-\u9fff]{2,4}(?=[はが])")
_ALIKE: Final = re.compile(
    r"[\s,、・とや]*(?:\b(?:and|or|to|with|both|as well as)\b)?[\s,、・とや]*"
)

_NEGATED: Final = (
    (re.compile(r"\b(?:do|does|did) not (?=\w)(?!only)"), ""),
    (re.compile(r" not(?= )(?! only)(?! just)"), ""),
    (re.compile(r"(?<=[a-z])n['’]t\b"), ""),
    (re.compile(r"\bcannot\b"), "can"),
    (re.compile(r"\bnever "), ""),
    (re.compile(r"\bNo (?=[a-z])"), "A "),
    (re.compile(r"(?<= )no (?=[a-z]+ )(?!longer|one)"), "a "),
    (re.compile(r"\bwithout\b"), "with"),
    (re.compile("ではなかった"), "であった"),
    (re.compile("ではない"), "である"),
    (re.compile("されなかった"), "された"),
    (re.compile("しなかった"), "した"),
    (re.compile("していない"), "している"),
    (re.compile("されていない"), "されている"),
    (re.compile("できない"), "できる"),
    (re.compile("できなかった"), "できた"),
    (re.compile("なかった"), "あった"),
    (re.compile("れない(?=[。、])"), "れる"),
)
_PLAIN: Final = (
    (re.compile(r"\b(was|is|were|are|had|has|have|can|could|would|will|did)\b(?! n)"), r"\1 not"),
    (re.compile("であった(?=。)"), "ではなかった"),
    (re.compile("である(?=。)"), "ではない"),
    (re.compile("された(?=[。、])"), "されなかった"),
    (re.compile("した(?=[。、])"), "しなかった"),
    (re.compile("している(?=[。、])"), "していない"),
    (re.compile("されている(?=[。、])"), "されていない"),
    (re.compile("なった(?=[。、])"), "ならなかった"),
)
_CHOICES: Final = 2
"""At most so many changes of one class to one answer."""


def chosen(*parts: str) -> int:
    """A number that follows from the parts alone."""
    return int.from_bytes(hashlib.sha256("\0".join(parts).encode()).digest()[:4], "big")


def numbers(text: str) -> Iterator[str]:
    """A figure that is no year or day, or a number word, becomes another."""
    dates = [m.span() for m in (*_YEAR.finditer(text), *_days(text))]
    found = [
        m
        for m in _FIGURE.finditer(text)
        if not any(start < m.end() and m.start() < end for start, end in dates)
    ]
    for match in _some(text, found):
        figure = match.group().replace(",", "")
        other = str(int(figure) + 1 + chosen(text, figure) % 7)
        if chosen(figure, text) % 2:
            other = figure + "0"
        yield _with(text, match, f"{int(other):,}" if "," in match.group() else other)
    for match in _some(text, list(_NUMBER_WORD.finditer(text))):
        at = NUMBER_WORDS.index(match.group()) + 1 + chosen(text) % 9
        yield _with(text, match, NUMBER_WORDS[at % len(NUMBER_WORDS)])
    for match in _some(text, list(_HAN_FIGURE.finditer(text))):
        at = _HAN_DIGITS.index(match.group()) + 1 + chosen(text) % 6
        yield _with(text, match, _HAN_DIGITS[at % len(_HAN_DIGITS)])


def units(text: str) -> Iterator[str]:
    """What a number counts or measures becomes something else."""
    number = rf"(?:\d|{'|'.join(NUMBER_WORDS)})"
    for unit, other in _UNITS:
        end = "" if not unit.isascii() or unit == "%" else r"\b"
        for match in re.finditer(rf"(?<=\d)[ -]?{re.escape(unit)}{end}", text):
            yield _with(text, match, match.group().replace(unit, other))
        if unit.isascii() and unit.isalpha():
            for match in re.finditer(rf"\b{number}[ -]{unit}\b", text):
                if not match.group()[0].isdigit():
                    yield _with(text, match, match.group().replace(unit, other))
    for sign, other in _CURRENCIES:
        for match in re.finditer(rf"{re.escape(sign)}(?=\d)", text):
            yield _with(text, match, other)


def dates(text: str) -> Iterator[str]:
    """A year, a month or a day becomes another."""
    for match in _some(text, list(_YEAR.finditer(text))):
        year = int(match.group())
        yield _with(text, match, str(year - 1 - chosen(text, match.group()) % 12))
    for match in _some(
        text, list(re.finditer(rf"\b(?:{_MONTH})\b(?= \d)|(?<=\d )(?:{_MONTH})\b", text))
    ):
        at = _MONTHS.index(match.group()) + 1 + chosen(text) % 10
        yield _with(text, match, _MONTHS[at % 12])
    for match in _some(text, _days(text)):
        yield _with(text, match, str(1 + (int(match.group()) + chosen(text) % 20) % 28))


def names(text: str) -> Iterator[str]:
    """A word of a name becomes one that no passage holds."""
    for match in _some(text, _names(text)):
        words = match.group().split(" ")
        at = chosen(text, match.group()) % len(words)
        words[at] = NAMES[chosen(match.group()) % len(NAMES)]
        yield _with(text, match, " ".join(words))
    for pattern, bank in ((_KATAKANA, _KATAKANA_NAMES), (_HAN_NAME, _HAN_NAMES)):
        for match in _some(text, list(pattern.finditer(text))):
            yield _with(text, match, bank[chosen(match.group()) % len(bank)])


def dropped_negations(text: str) -> Iterator[str]:
    """What was denied is said."""
    for pattern, plain in _NEGATED:
        found = pattern.search(text)
        if found is not None:
            yield _with(text, found, plain)


def added_negations(text: str) -> Iterator[str]:
    """What was said is denied."""
    for pattern, negated in _PLAIN:
        found = pattern.search(text)
        if found is not None and not re.match(r" (?:not|never|no)\b", text[found.end() :]):
            yield _with(text, found, found.expand(negated))


def swapped_names(text: str) -> Iterator[str]:
    """Two names change places where they do not stand in a list or beside each other."""
    for found in (_names(text), list(_KATAKANA.finditer(text))):
        for one, other in pairwise(found):
            between = text[one.end() : other.start()]
            alike = _ALIKE.fullmatch(between) or "." in between
            if not alike and one.group() not in other.group() and other.group() not in one.group():
                yield (
                    text[: one.start()]
                    + other.group()
                    + between
                    + one.group()
                    + text[other.end() :]
                )
                break


MUTATIONS: Final[dict[str, Mutation]] = {
    "number": numbers,
    "unit": units,
    "date": dates,
    "name": names,
    "negation dropped": dropped_negations,
    "negation added": added_negations,
    "names swapped": swapped_names,
}


def spliced(first: str, second: str) -> str | None:
    """The beginning of one sentence and the end of the other; None where there is no middle."""
    heads, tails = _halves(first), _halves(second)
    if heads is None or tails is None:
        return None
    return heads[0] + ("" if re.search("[ぁ-ん]", first) else " ") + tails[1]


def _halves(text: str) -> tuple[str, str] | None:
    if re.search("[ぁ-ん]", text):
        cuts = [m.end() for m in re.finditer("[はがをに、]", text[:-4])]
        if not cuts:
            return None
        cut = min(cuts, key=lambda end: abs(end - len(text) // 2))
        return text[:cut], text[cut:]
    words = text.split()
    middle = len(words) // 2
    return (" ".join(words[:middle]), " ".join(words[middle:])) if middle > 2 else None


def _names(text: str) -> list[re.Match[str]]:
    return [m for m in _NAME.finditer(text) if not _CALENDAR & set(m.group().split())]


def _days(text: str) -> list[re.Match[str]]:
    found = list(
        re.finditer(rf"(?<!\d)\d{{1,2}}(?= (?:{_MONTH})\b)|(?<!\d)\d{{1,2}}(?=[月日])", text)
    )
    for month in _MONTHS:
        found += re.finditer(rf"(?<={month} )\d{{1,2}}(?!\d)", text)
    return sorted(found, key=lambda match: match.start())


def _some(text: str, found: list[re.Match[str]]) -> list[re.Match[str]]:
    """At most _CHOICES of them, by the text alone."""
    return sorted(found, key=lambda m: chosen(text, str(m.start())))[:_CHOICES]


def _with(text: str, match: re.Match[str], other: str) -> str:
    return text[: match.start()] + other + text[match.end() :]
