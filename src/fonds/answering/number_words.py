"""Numbers written as words; languages without a table fall back to content words (R152)."""

from __future__ import annotations

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
_SCALES: Final[dict[str, dict[str, int]]] = {
    "en": {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "dozen": 12},
    "de": {"hundert": 100, "tausend": 1_000, "million": 1_000_000, "millionen": 1_000_000},
    "fr": {"cent": 100, "cents": 100, "mille": 1_000, "million": 1_000_000, "millions": 1_000_000},
    "es": {"cien": 100, "ciento": 100, "mil": 1_000, "millón": 1_000_000, "millones": 1_000_000},
}
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
_HAN_MYRIADS: Final = {"万": 10_000, "萬": 10_000, "億": 100_000_000, "亿": 100_000_000}
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
    small, scales = SMALL_NUMBERS[language], _SCALES[language]
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
