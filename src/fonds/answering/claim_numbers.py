"""Numbers with their units in running text, and whether a source holds a claimed one (R152)."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Final, TypeAlias

from fonds.answering.number_words import (
    ORDINALS,
    SCALES,
    han_number,
    mixed_number,
    numbers_in_words,
    written_number,
)
from fonds.contract.sealed import sealed
from fonds.words.folding import folded
from fonds.words.scripts import HAN, Piece, pieces
from fonds.words.stop_words import Language, stop_words_of

_Found: TypeAlias = tuple[int, int, frozenset[str]]

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fonds.answering.claim_dates import DateFact

_GROUPED = r"\d{1,3}(?:[,.'’ \u202f]\d{3})+(?!\d)(?:[.,]\d+)?"
_FIGURE: Final = re.compile(rf"(?<![\d.,]){_GROUPED}|\d+(?:[.,:/]\d+)*")
# Bounded, for it is tried at each figure of a text.
_MIXED: Final = re.compile(
    r"\d[\d,]{0,40}(?:\.\d{1,40})?[兆億亿万萬千百十][\d,.兆億亿万萬千百十]*(?<![,.])"
)
_LONGEST_SCALED: Final = 30
_LONGEST_UNIT: Final = 64
_CLAUSE_REST: Final = re.compile(r"[^,;:.!?()、。，；：！？]{0,400}")
_HAN_FIGURE: Final = re.compile(r"(?<![\d兆億亿万萬千百十])[〇一二三四五六七八九十百千万萬億亿兆]+")
_HAN_MONTHS: Final = re.compile(r"[かヵカケヶ箇個](?=[月国所村町年])")
_COUNTERS: Final = frozenset(
    "人匹本冊枚個回歳円時分秒世紀番度階台頭羽軒艘隻通曲章巻部点通杯日月年週間位名件種基席只条张張艘座家次块塊元米里斤公"
)
_REACH: Final = 3
"""Words after a number among which its unit is looked for: "12 long wooden boats"."""

_UNIT_NAMES: Final = {
    name: unit
    for unit, names in {
        "%": "% percent prozent pourcent パーセント процент процентов",
        "$": "$ dollar dollars ドル",
        "£": "£ pound pounds pfund livres ポンド",
        "€": "€ euro euros ユーロ",
        "¥": "¥ yen 円 元",
        "km": "km kilometre kilometres kilometer kilometers kilómetros kilomètres キロメートル",
        "m": "m metre metres meter meters mètres metros メートル 米",
        "cm": "cm centimetre centimetres centimeter centimeters zentimeter センチ センチメートル",
        "mm": "mm millimetre millimetres millimeter millimeters ミリ ミリメートル",
        "ft": "ft foot feet pied pieds pie pies フィート",
        "in": "inch inches zoll インチ",
        "mile": "mile miles mi meile meilen マイル",
        "acre": "acre acres エーカー",
        "ha": "ha hectare hectares hektar hectáreas ヘクタール",
        "kg": "kg kilogram kilograms kilogramm kilo kilos キログラム キロ",
        "g": "g gram grams gramm grammes グラム",
        "t": "ton tons tonne tonnes tonnen toneladas トン",
        "l": "litre litres liter liters litros リットル",
        "century": "century centuries jahrhundert siècle siècles siglo siglos 世",
        "year": "year years jahr jahre jahren an ans année années año años 年",
        "month": "month months monat monate monaten mois mes meses",
        "week": "week weeks woche wochen semaine semaines semana semanas 週",
        "day": "day days tag tage tagen jour jours día días 日",
        "hour": "hour hours h stunde stunden heure heures hora horas 時",
        "minute": "minute minutes min minuten minuto minutos 分",
    }.items()
    for name in names.split()
}
_MEASURES: Final = frozenset(_UNIT_NAMES.values())
_LOOK_AHEAD: Final = 12  # words after a number that are looked at in all, small words included
_LINKS: Final = frozenset(("of", "the", "these", "those", "von", "den", "der", "des", "de", "las"))
_TAILS = "st nd rd th er e º ª te ter ère ème"
_ORDINAL_TAILS: Final = frozenset(_TAILS.split())


@sealed
@dataclass(frozen=True, slots=True)
class NumberFact:
    """A number in every way it can be read, and the words that may be its unit; a known measure
    belongs to its span.
    """

    readings: frozenset[str] = field(repr=False)
    unit: frozenset[str] = field(repr=False)
    start: int
    end: int


def number_facts(
    text: str, language: Language | None, dates: Iterable[DateFact]
) -> tuple[NumberFact, ...]:
    """Numbers of a readable text that are no part of one of its `dates`."""
    taken = bytearray(len(text))
    for date in dates:
        taken[date.start : date.end] = b"\x01" * (date.end - date.start)
    words = pieces(text)
    ends = [word.end for word in words]
    scales = SCALES.get(language or "en", {})
    figures: list[_Found] = []
    for figure in _figures(text):
        first = bisect_right(ends, figure[1])
        figures.append(_scaled(figure, words[first : first + 1], scales))
    found = [*figures, *_han_figures(text), *_worded(words, language)]
    stops = stop_words_of(language)
    facts: list[NumberFact] = []
    reached = 0
    for start, end, readings in sorted(found, key=lambda one: (one[0], -one[1])):
        if start >= reached and not any(taken[start:end]):
            reached = end
            first = bisect_right(ends, end)
            following = words[first : first + _LOOK_AHEAD]
            unit = _unit(text, following, (start, end), stops)
            facts.append(NumberFact(readings, unit, start, _end_with_measure(following, end)))
    return tuple(facts)


def _end_with_measure(following: tuple[Piece, ...], end: int) -> int:
    """Past the measure that follows a number, if one does: "12 km" is one figure."""
    for word in following[:1]:
        if end <= word.start <= end + 1 and word.surface.lower() in _UNIT_NAMES:
            return word.end
    return end


def is_counted(claimed: NumberFact, numbers: Iterable[NumberFact]) -> bool:
    """Whether one of `numbers` has a reading and, where both name one, a unit in common."""
    return any(
        claimed.readings & number.readings
        and (not claimed.unit or not number.unit or claimed.unit & number.unit)
        for number in numbers
    )


def _figures(text: str) -> list[_Found]:
    mixed = [
        (m.start(), m.end(), frozenset({value}))
        for m in _MIXED.finditer(text)
        if (value := mixed_number(_ascii_digits(m.group()))) is not None
    ]
    plain = [(m.start(), m.end(), _readings(m.group())) for m in _FIGURE.finditer(text)]
    return [*mixed, *plain]


def _scaled(figure: _Found, following: tuple[Piece, ...], scales: dict[str, int]) -> _Found:
    """ "13.1 million" is one number."""
    start, end, readings = figure
    for word in following:
        scale = scales.get(word.surface.lower())
        if scale is not None and word.start <= end + 1:
            larger = {_times(r, scale) for r in readings if re.fullmatch(r"\d+(?:\.\d+)?", r)}
            return start, word.end, frozenset(larger) or readings
    return figure


def _times(reading: str, scale: int) -> str:
    return written_number(Fraction(reading) * scale) if len(reading) < _LONGEST_SCALED else reading


def _ascii_digits(written: str) -> str:
    return "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in written)


def _readings(written: str) -> frozenset[str]:
    digits = _ascii_digits(written)
    parts = re.split(r"[,.'’ \u202f]", digits)
    if len(parts) == 1:
        return frozenset({_trimmed(digits)})
    grouped = all(len(part) == 3 for part in parts[1:]) and len(parts[0]) <= 3
    readings: set[str] = set()
    if grouped:
        readings.add(_trimmed("".join(parts)))
    if len(parts) == 2 and digits[len(parts[0])] in ".,":
        readings.add(f"{_trimmed(parts[0])}.{parts[1].rstrip('0')}".rstrip("."))
    if not grouped and len(parts) > 2:
        whole_groups = all(len(part) == 3 for part in parts[1:-1])
        readings.add("".join(parts[:-1]) + "." + parts[-1] if whole_groups else ".".join(parts))
    return frozenset(readings or {digits})


def _trimmed(digits: str) -> str:
    return digits.lstrip("0") or "0"


def _han_figures(text: str) -> list[_Found]:
    """Numerals in Han characters: two or more of them, or one before a counter."""
    found: list[_Found] = []
    for match in _HAN_FIGURE.finditer(text):
        value = han_number(match.group())
        counted = text[match.end() : match.end() + 1] in _COUNTERS and match.end() < len(text)
        if value is not None and (counted or len(match.group()) > 1):
            found.append((match.start(), match.end(), frozenset({str(value)})))
    return found


def _worded(words: tuple[Piece, ...], language: Language | None) -> list[_Found]:
    lower = tuple(word.surface.lower() for word in words)
    found = [
        (words[first].start, words[past - 1].end, frozenset({str(value)}))
        for first, past, value in numbers_in_words(lower, language)
    ]
    ordinals = ORDINALS.get(language or "", {})
    for word in words:
        value = ordinals.get(word.surface.lower())
        if value is not None:
            found.append((word.start, word.end, frozenset({str(value)})))
    return found


def _unit(
    text: str, following: tuple[Piece, ...], span: tuple[int, int], stops: frozenset[str]
) -> frozenset[str]:
    start, end = span
    before = text[max(0, start - 2) : start].rstrip()[-1:]
    after = text[end : end + 2].lstrip()[:1]
    if before in ("$", "£", "€", "¥"):
        return frozenset({before})
    if after in ("%", "€", "$", "£", "¥"):
        return frozenset({after})
    months = _HAN_MONTHS.match(text, end)
    if months:
        return frozenset({"か" + text[months.end()]})
    clause = _CLAUSE_REST.match(text, end)
    limit = clause.end() if clause else end
    near = [word for word in following if word.start < limit]
    return frozenset(_unit_names(near, end, stops))


def _unit_names(following: list[Piece], end: int, stops: frozenset[str]) -> list[str]:
    """The measure among the next words, else up to _REACH of them; small words end them."""
    names: list[str] = []
    for word in following:
        lower = word.surface[:_LONGEST_UNIT].lower()
        if lower in _LINKS or lower.isdecimal():
            continue
        if lower in stops or len(names) == _REACH:
            break
        name = _unit_name(word, end)
        if name in _MEASURES:
            return [name]
        if name:
            names.append(name)
    return names


def _unit_name(word: Piece, number_end: int) -> str:
    within = max(0, number_end - word.start)
    surface = word.surface[within : within + _LONGEST_UNIT].lower()
    attached = word.start <= number_end
    if attached and surface in _ORDINAL_TAILS:
        return ""
    match word.script:
        case "spaced":
            return _UNIT_NAMES.get(surface) or ("" if surface.isdecimal() else folded(surface))
        case "han" if attached and re.match(f"[{HAN}]", surface):
            return _UNIT_NAMES.get(surface[:1], surface[:1])
        case "katakana" if attached:
            return _UNIT_NAMES.get(surface, surface)
        case _:
            return ""
