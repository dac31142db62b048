"""Calendar dates in running text, and whether a source holds a claimed one (R152)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from fonds.answering.number_words import han_number
from fonds.contract.sealed import sealed

_MONTH_NAMES: Final = (
    "january jan januar jänner janvier enero gennaio janeiro"
    " januari января январь styczeń stycznia ocak",
    "february feb februar février febrero febbraio fevereiro"
    " februari февраля февраль luty lutego şubat",
    "march märz mars marzo março maart марта март marzec marca mart",
    "april apr avril abril aprile апреля апрель kwiecień kwietnia nisan",
    "may mai mayo maggio maio mei maj мая май maja mayıs",
    "june jun juni juin junio giugno junho июня июнь czerwiec czerwca haziran",
    "july jul juli juillet julio luglio julho июля июль lipiec lipca temmuz",
    "august aug août agosto augustus augusti августа август sierpień sierpnia ağustos",
    "september sep sept septembre septiembre settembre setembro"
    " сентября сентябрь wrzesień września eylül",
    "october oct oktober octobre octubre ottobre outubro"
    " октября октябрь październik października ekim",
    "november nov novembre noviembre novembro ноября ноябрь listopad listopada kasım",
    "december dec dezember décembre diciembre dicembre dezembro"
    " декабря декабрь grudzień grudnia aralık",
)
MONTHS: Final = {
    name: number for number, names in enumerate(_MONTH_NAMES, 1) for name in names.split()
}
_ORDINARY = "may march mars mart mai maj mei marca ocak ekim nov dec"
_CAPITALISED_ONLY: Final = frozenset(_ORDINARY.split())
"""Month names that are ordinary words elsewhere: read as months beside a figure or capitalised."""

_NAME = (
    "(?P<month>" + "|".join(sorted(map(re.escape, MONTHS), key=len, reverse=True)) + r")(?!\w)\.?"
)
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th|er|\.|º)?"
_YEAR = r"(?P<year>\d{4})(?!\d)"
_OF = r"(?:(?:of|de|del|di)\s+)?"
_HAN_FIGURE = r"(?:\d{1,4}|[〇一二三四五六七八九十百千]{1,8})"
_FORMS: Final = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        r"(?<!\d)(?P<year>\d{4})-(?P<month_figure>\d{2})(?:-(?P<day>\d{2}))?(?!\d)",
        r"(?<![\d.])(?P<day>\d{1,2})\.\s?(?P<month_figure>\d{1,2})\.\s?" + _YEAR,
        rf"(?<![\w.]){_DAY}\s+{_OF}{_NAME}(?:,?\s+{_OF}{_YEAR})?",
        rf"(?<!\w){_NAME}\s+{_DAY}(?!\d)(?:,?\s+{_YEAR})?",
        rf"(?<!\w){_NAME},?\s+{_OF}{_YEAR}",
        rf"(?P<year>{_HAN_FIGURE})年(?!間)(?:(?P<aside>\([^()]{{1,12}}\))(?={_HAN_FIGURE}月))?(?:(?P<month_figure>{_HAN_FIGURE})月(?:(?P<day>{_HAN_FIGURE})日)?)?",
        rf"(?P<month_figure>{_HAN_FIGURE})月(?P<day>{_HAN_FIGURE})日",
        rf"(?<!\w){_NAME}",
    )
)
_SLASHED: Final = re.compile(r"(?<!\d)(?P<first>\d{1,2})/(?P<second>\d{1,2})/(?P<year>\d{4})(?!\d)")
_BARE_YEAR: Final = re.compile(r"(?<![\w.,])(?P<year>1\d{3}|20\d{2})(?![\w%°]|[.,:]\d)")


@sealed
@dataclass(frozen=True, slots=True)
class DateFact:
    """A date as far as it is written, with the span it was read from."""

    year: int | None
    month: int | None
    day: int | None
    start: int
    end: int


def date_facts(text: str) -> tuple[DateFact, ...]:
    """The dates of a readable text, each character read once; slashes give both readings."""
    found: list[DateFact] = []
    taken = bytearray(len(text))
    for match in _SLASHED.finditer(text):
        first, second, year = (int(match[name]) for name in ("first", "second", "year"))
        _take(taken, match)
        found.append(DateFact(year, second, first, match.start(), match.end()))
        found.append(DateFact(year, first, second, match.start(), match.end()))
    for form in (*_FORMS, _BARE_YEAR):
        for match in form.finditer(text):
            if any(taken[match.start() : match.end()]):
                continue
            fact = _fact(match)
            if fact is not None:
                _take(taken, match)
                found.extend(_around_aside(fact, match))
    return tuple(sorted(found, key=lambda fact: fact.start))


def is_dated(claimed: DateFact, dates: tuple[DateFact, ...]) -> bool:
    """Whether one date of a source says all that `claimed` says.

    A day and month may stand apart from their year: a text names the year once.
    """
    for date in dates:
        if (claimed.month, claimed.day) == (None, None):
            if claimed.year == date.year:
                return True
        elif _agrees(claimed.month, date.month) and _agrees(claimed.day, date.day):
            if claimed.year in (None, date.year):
                return True
            if date.year is None and any(other.year == claimed.year for other in dates):
                return True
    return False


def _agrees(claimed: int | None, written: int | None) -> bool:
    return claimed is None or claimed == written


def _take(taken: bytearray, match: re.Match[str]) -> None:
    taken[match.start() : match.end()] = b"\x01" * (match.end() - match.start())


def _around_aside(fact: DateFact, match: re.Match[str]) -> tuple[DateFact, ...]:
    """The date once, or on both sides of a remark in brackets: 1897年(明治30年)9月."""
    if not match.groupdict().get("aside"):
        return (fact,)
    start, end = match.span("aside")
    return (
        DateFact(fact.year, fact.month, fact.day, fact.start, start),
        DateFact(fact.year, fact.month, fact.day, end, fact.end),
    )


def _fact(match: re.Match[str]) -> DateFact | None:
    parts = match.groupdict()
    year, day = _figure(parts.get("year")), _figure(parts.get("day"))
    month = _figure(parts.get("month_figure"))
    name = parts.get("month")
    if name is not None:
        alone = year is None and day is None
        if alone and name.lower() in _CAPITALISED_ONLY and not _is_month_here(match, name):
            return None
        if (
            alone
            and len(name) < 4
            and name.lower() not in ("may", "mai", "май", "мая", "mei", "maj")
        ):
            return None
        month = MONTHS[name.lower()]
    if (month is not None and not 1 <= month <= 12) or (day is not None and not 1 <= day <= 31):
        return None
    if year is not None and month is None and name is None and year < 100:
        return None  # a length of time, such as 3年
    return DateFact(year, month, day, match.start(), match.end())


def _is_month_here(match: re.Match[str], name: str) -> bool:
    """A capital in mid-sentence; at the start of one the word may be anything."""
    before = match.string[: match.start()].rstrip()
    return name[0].isupper() and bool(before) and before[-1] not in ".!?:"


def _figure(written: str | None) -> int | None:
    if written is None:
        return None
    return int(written) if written.isdecimal() else han_number(written)
