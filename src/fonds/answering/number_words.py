"""Numbers written as words; languages without a table fall back to content words (R152)."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from fonds.words.stop_words import Language

_UNITS: Final[dict[str, str]] = {
    "en": (
        "zero - two three four five six seven eight nine ten eleven twelve thirteen fourteen"
        " fifteen sixteen seventeen eighteen nineteen"
    ),
    "de": (
        "null - zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn"
        " fünfzehn sechzehn siebzehn achtzehn neunzehn"
    ),
    "fr": (
        "zéro - deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze"
        " seize dix-sept dix-huit dix-neuf"
    ),
    "es": (
        "cero - dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince"
        " dieciséis diecisiete dieciocho diecinueve"
    ),
}
_TENS: Final[dict[str, str]] = {
    "en": "twenty thirty forty fifty sixty seventy eighty ninety",
    "de": "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig",
    "fr": "vingt trente quarante cinquante soixante soixante-dix quatre-vingt quatre-vingt-dix",
    "es": "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
}
_BIG_NUMBERS: Final[dict[str, str]] = {
    "en": "hundred:2 dozen:12 thousand:3 million:6 billion:9 trillion:12",
    "de": "hundert:2 tausend:3 million:6 millionen:6 milliarde:9 milliarden:9 billion:12"
    " billionen:12",
    "fr": "cent:2 cents:2 mille:3 million:6 millions:6 milliard:9 milliards:9",
    "es": "cien:2 ciento:2 mil:3 millón:6 millones:6 billón:12 billones:12",
    "it": "mila:3 mille:3 milione:6 milioni:6 miliardo:9 miliardi:9",
    "pt": "mil:3 milhão:6 milhões:6 bilhão:9 bilhões:9",
    "nl": "duizend:3 miljoen:6 miljard:9",
    "sv": "tusen:3 miljon:6 miljoner:6 miljard:9 miljarder:9",
    "da": "tusind:3 million:6 millioner:6 milliard:9 milliarder:9",
    "pl": "tysiąc:3 tysiące:3 tysięcy:3 milion:6 miliony:6 milionów:6 miliard:9 miliardy:9"
    " miliardów:9",
    "ru": "тысяча:3 тысячи:3 тысяч:3 миллион:6 миллиона:6 миллионов:6 миллиард:9 миллиарда:9"
    " миллиардов:9",
    "tr": "bin:3 milyon:6 milyar:9",
}
"""A word and the zeros it stands for; a dozen is the one that is no power of ten."""


def _scales(words: str) -> dict[str, int]:
    pairs = (word.split(":") for word in words.split())
    return {name: 12 if name == "dozen" else 10 ** int(zeros) for name, zeros in pairs}


SCALES: Final = {language: _scales(words) for language, words in _BIG_NUMBERS.items()}
_ORDINALS: Final[dict[str, str]] = {
    "en": "third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth",
    "de": "dritte vierte fünfte sechste siebte achte neunte zehnte elfte zwölfte",
    "fr": (
        "troisième quatrième cinquième sixième septième huitième neuvième dixième onzième douzième"
    ),
    "es": "tercero cuarto quinto sexto séptimo octavo noveno décimo undécimo duodécimo",
}
_HAN_DIGITS: Final = {character: value for value, character in enumerate("〇一二三四五六七八九")}
_HAN_TENS: Final = {"十": 10, "百": 100, "千": 1_000}
_HAN_MYRIADS: Final = {
    "万": 10_000,
    "萬": 10_000,
    "億": 100_000_000,
    "亿": 100_000_000,
    "兆": 1_000_000_000_000,
}
_LONGEST_NUMERAL: Final = 40
"""A longer run of numerals is a pattern, and no number that a reader could tell from another."""
_MIXED_PART: Final = re.compile(r"(\d[\d,]*(?:\.\d+)?)?([兆億亿万萬千百十]*)")
ONES: Final = {"en": "one", "de": "ein", "fr": "un", "es": "uno"}


def _small_numbers(language: str) -> dict[str, int]:
    small = {word: n for n, word in enumerate(_UNITS[language].split()) if word != "-"}
    tens = {word: 10 * n for n, word in enumerate(_TENS[language].split(), 2)}
    small |= tens
    if language == "de":
        digits = {w: n for w, n in small.items() if 2 <= n <= 9} | {"ein": 1}
        small |= {f"{d}und{t}": m + n for d, n in digits.items() for t, m in tens.items()}
    return small


SMALL_NUMBERS: Final = {language: _small_numbers(language) for language in _UNITS}
ORDINALS: Final = {
    language: {word: n for n, word in enumerate(words.split(), 3)}
    for language, words in _ORDINALS.items()
}


def numbers_in_words(
    words: tuple[str, ...], language: Language | None
) -> list[tuple[int, int, int]]:
    """(first word, past last word, value) of each cardinal among lower-case `words`.

    A bare "one" is a pronoun as often as a number and counts in compounds only.
    """
    if language not in SMALL_NUMBERS:
        return []
    found: list[tuple[int, int, int]] = []
    position = 0
    while position < len(words):
        end, value = _cardinal(words, position, language)
        if end > position:
            found.append((position, end, value))
        position = max(end, position + 1)
    return found


def _cardinal(words: tuple[str, ...], start: int, language: Language) -> tuple[int, int]:
    small, scales = SMALL_NUMBERS[language], SCALES[language]
    total = current = 0
    end = start
    last_small = 0
    while end < len(words):
        word = words[end]
        if word in small and (last_small == 0 or (last_small >= 20 and small[word] < 10)):
            current += small[word]
            last_small = small[word]
        elif word == ONES[language] and _counts(words, end, scales, after_tens=last_small >= 20):
            current, last_small = current + 1, 1
        elif word in scales and scales[word] < 1_000:
            current, last_small = max(current, 1) * scales[word], 0
        elif word in scales:
            total, current, last_small = total + max(current, 1) * scales[word], 0, 0
        else:
            break
        end += 1
    return end, total + current


def _counts(words: tuple[str, ...], at: int, scales: dict[str, int], *, after_tens: bool) -> bool:
    return after_tens or (at + 1 < len(words) and words[at + 1] in scales)


def han_number(run: str) -> int | None:
    """The value of a numeral written in Han characters, such as 三百二十; None for another run."""
    if len(run) > _LONGEST_NUMERAL:
        return None
    digits = [_HAN_DIGITS.get(character) for character in run]
    if digits and None not in digits:
        return int("".join(str(digit) for digit in digits))
    total = section = digit = 0
    for character in run:
        if character in _HAN_DIGITS:
            digit = _HAN_DIGITS[character]
        elif character in _HAN_TENS:
            section, digit = section + max(digit, 1) * _HAN_TENS[character], 0
        elif character in _HAN_MYRIADS:
            total, section, digit = (
                total + max(section + digit, 1) * _HAN_MYRIADS[character],
                0,
                0,
            )
        else:
            return None
    return total + section + digit if run else None


def mixed_number(run: str) -> str | None:
    """The value of digits and Han numerals in turn, such as 3万5000 or 1.5億; None for another."""
    if len(run) > _LONGEST_NUMERAL:
        return None
    total = section = Fraction(0)
    for digits, marks in _MIXED_PART.findall(run):
        current = Fraction(digits.replace(",", "")) if digits else Fraction(0)
        for mark in marks:
            if mark in _HAN_TENS:
                section, current = section + (current or 1) * _HAN_TENS[mark], Fraction(0)
            else:
                total, section = total + (section + current) * _HAN_MYRIADS[mark], Fraction(0)
                current = Fraction(0)
        section += current
    return written_number(total + section)


def written_number(value: Fraction) -> str:
    """Digits with a decimal point where one is needed, without trailing zeros."""
    if value.denominator == 1:
        return str(value.numerator)
    return f"{float(value):.6f}".rstrip("0").rstrip(".")
