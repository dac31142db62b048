"""Negations of a sentence with their neighbours, and whether two texts agree on them (R152)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from fonds.contract.sealed import sealed
from fonds.words.scripts import KANA, pieces
from fonds.words.units import Unit

if TYPE_CHECKING:
    from fonds.answering.claim_source import ClaimSource
    from fonds.words.stop_words import Language

_NEGATORS: Final[dict[str, frozenset[str]]] = {
    language: frozenset(words.split())
    for language, words in {
        "en": "not no never none nobody nothing nowhere neither nor without cannot hardly",
        "de": "nicht kein keine keinen keinem keiner keines nie niemals nichts niemand ohne weder",
        "fr": "pas ne n jamais aucun aucune rien sans ni personne guère",
        "es": "no nunca jamás ningún ninguna ninguno nada nadie sin tampoco ni",
        "it": "non mai nessun nessuno nessuna niente nulla senza né",
        "pt": "não nunca nenhum nenhuma nada ninguém sem nem jamais",
        "nl": "niet geen nooit zonder niemand niets noch",
        "sv": "inte ej aldrig ingen inget inga utan varken",
        "da": "ikke ikkje aldrig aldri ingen intet ingenting uden uten hverken",
        "pl": "nie nigdy nikt nic bez żaden żadna żadne",
        "ru": "не нет ни никогда без никто ничего нельзя",
        "tr": "değil yok asla hiç",
        "id": "tidak bukan tak tanpa belum jangan",
        "vi": "không chưa chẳng đừng",
        "ar": "لا لم لن ليس ليست غير بدون دون",
        "he": "לא אין בלי אינו אינה",
        "hi": "नहीं न मत बिना ना",
        "el": "δεν μην όχι ποτέ χωρίς",
    }.items()
}
_COMMONEST = (
    "not no never without nicht kein keine nie pas jamais nunca sin non não niet geen inte ikke не"
    " tidak bukan không لا لم ليس לא नहीं δεν"
)
_ANY_NEGATOR: Final = frozenset(_COMMONEST.split())
_MARKERS: Final = {
    "ja": re.compile(
        r"(?<!少)(?:なかっ|なけれ|ない(?![しば])|なく(?!な)|ません|(?<=[かがさたなまらわせれべ])ず(?!つ)|(?<=[ら-ろか-こが-ごま-も])ぬ"
        r"|無|未|不|非)"
    ),
    "zh": re.compile("[不没沒無无未非别別莫勿]"),
    "ko": re.compile("않|없|아니|못|(?<!\\w)안(?!\\w)"),
    "th": re.compile("ไม่|มิได้|ไร้|ห้าม"),
    "km": re.compile("មិន|គ្មាន"),
    "lo": re.compile("ບໍ່"),
    "my": re.compile("မ[က-အ]|ဘူး"),
}
_SCRIPT_OF_MARKERS: Final = (
    ("ko", re.compile("[\uac00-\ud7a3]")),
    ("th", re.compile("[\u0e00-\u0e7f]")),
    ("lo", re.compile("[\u0e80-\u0eff]")),
    ("km", re.compile("[\u1780-\u17ff]")),
    ("my", re.compile("[\u1000-\u109f]")),
)
SHARED_NEIGHBOURS: Final = 0.6
"""Share of the words around a negation that a sentence has to repeat to be about the same thing."""


@sealed
@dataclass(frozen=True, slots=True)
class Negation:
    """The content words next to a negating word: one before and two after, or two before."""

    around: frozenset[str]


def negations(
    text: str, units: tuple[Unit, ...], language: Language | None
) -> tuple[Negation, ...]:
    """The negations of a readable sentence whose content units are `units`, in order."""
    found = [*_negating_words(text, language), *_negating_marks(text)]
    return tuple(Negation(_around(units, start, end)) for start, end in sorted(found))


def agrees_on_negation(
    keys: frozenset[str], claimed: tuple[Negation, ...], source: ClaimSource
) -> bool:
    """Whether a claim negates what its source negates and nothing else.

    A negation is added when no sentence of the source negates any of its neighbours. It is dropped
    when the claim plainly repeats its neighbours, and no plain sentence of the source has them.
    """
    for negation in claimed:
        if not any(_meets(negation, other) for s in source.sentences for other in s.negations):
            return False
    plain = [sentence.keys for sentence in source.sentences if not sentence.negations]
    for sentence in source.sentences:
        for negation in sentence.negations:
            repeated = negation.around & keys
            if len(repeated) < SHARED_NEIGHBOURS * max(1, len(negation.around)):
                continue
            if any(_meets(negation, own) for own in claimed):
                continue
            if not any(repeated <= words for words in plain):
                return False
    return True


def _meets(one: Negation, other: Negation) -> bool:
    return bool(one.around & other.around) or not (one.around and other.around)


def _negating_words(text: str, language: Language | None) -> list[tuple[int, int]]:
    listed = _NEGATORS.get(language or "", _ANY_NEGATOR)
    spans: list[tuple[int, int]] = []
    for word in pieces(text):
        lower = word.surface.lower().replace("’", "'")
        elided = lower.partition("'")[0]
        if lower in listed or lower.endswith("n't") or (elided == "n" and "n" in listed):
            spans.append((word.start, word.end))
    return spans


def _negating_marks(text: str) -> list[tuple[int, int]]:
    scripts = [name for name, script in _SCRIPT_OF_MARKERS if script.search(text)]
    if KANA.search(text):
        scripts.append("ja")
    elif re.search("[\u4e00-\u9fff]", text):
        scripts.append("zh")
    return [match.span() for name in scripts for match in _MARKERS[name].finditer(text)]


def _around(units: tuple[Unit, ...], start: int, end: int) -> frozenset[str]:
    before = [unit.key for unit in units if unit.end <= start]
    after = [unit.key for unit in units if unit.start >= end]
    chosen = [*before[-1:], *after[:2]] if after else before[-2:]
    return frozenset(chosen)
