"""Negations of a sentence with their neighbours, and whether two texts agree on them (R152)."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from fonds.contract.sealed import sealed
from fonds.words.scripts import KANA, pieces
from fonds.words.units import Unit, meaningful_units

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
        r"(?<!少)(?:(?<!ばなら)なかっ|なけれ(?!ばなら)|(?<!ばなら)(?<!もしれ)ない(?![しば])|なく(?!な)|ません|(?<=[かがさたなまらわせれべ])ず(?!つ)|(?<=[ら-ろか-こが-ごま-も])ぬ"
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
_SLACK: Final = 3
"""Words of its own that a claim may put between those that stand around a negation."""
_CLAUSE_END: Final = re.compile("[,;:–—،؛、，；：]")
_TRAILING: Final = frozenset(("ja", "ko"))
"""Languages whose negation follows the verb."""


@sealed
@dataclass(frozen=True, slots=True)
class Negation:
    """The content words next to a negating word, and those a little farther.

    One before and two after, or two before; after a verb, as in Japanese, three before.
    """

    around: frozenset[str] = field(repr=False)
    wide: frozenset[str] = field(repr=False)


def negations(
    text: str, units: tuple[Unit, ...], language: Language | None
) -> tuple[Negation, ...]:
    """The negations of a readable sentence whose content units are `units`, in order."""
    words = [(*span, False) for span in _negating_words(text, language)]
    found = sorted([*words, *_negating_marks(text)])
    return tuple(_negation(units, start, end, trails=trails) for start, end, trails in found)


def denied_words(text: str) -> frozenset[str]:
    """The content words of a readable sentence that a negation of it is about: the two that follow,
    the two before where none follows, the three before in a language whose negation trails; of the
    same clause alone.
    """
    units = meaningful_units(text)
    breaks = [0, *(match.end() for match in _CLAUSE_END.finditer(text)), len(text)]
    spans = [(*span, False) for span in _negating_words(text, None)]
    found: set[str] = set()
    for start, end, trails in (*spans, *_negating_marks(text)):
        first = max(at for at in breaks if at <= start)
        last = min(at for at in breaks if at >= end)
        before = [unit.key for unit in units if first <= unit.start and unit.end <= start]
        after = [unit.key for unit in units if end <= unit.start and unit.end <= last]
        found.update(before[-3:] if trails else after[:2] or before[-2:])
    return frozenset(found)


def agrees_on_negation(
    units: tuple[Unit, ...], claimed: tuple[Negation, ...], source: ClaimSource
) -> bool:
    """Whether a claim of these units negates what its source negates and nothing else.

    Each negation of the claim has one of the source to itself, about the same words. One is dropped
    when the claim repeats its neighbours close together, and no plain sentence of the source that
    is as near to the claim has them.
    """
    denied = [negation for s in source.sentences for negation in s.negations]
    for negation in claimed:
        match = next((at for at, other in enumerate(denied) if _meets(negation, other)), None)
        if match is None:
            return False
        del denied[match]
    keys = frozenset(unit.key for unit in units)
    for sentence in source.sentences:
        for negation in sentence.negations:
            repeated = negation.around & keys
            if len(repeated) < SHARED_NEIGHBOURS * max(1, len(negation.around)):
                continue
            if not _stand_together(repeated, units):
                continue
            if any(_meets(own, negation) for own in claimed):
                continue
            if not _is_said_plainly(repeated, keys, sentence.keys, source):
                return False
    return True


def _is_said_plainly(
    words: frozenset[str], claim: frozenset[str], denying: frozenset[str], source: ClaimSource
) -> bool:
    """Whether a sentence without negation has the words and is as near to the claim."""
    near = len(claim & denying)
    return any(
        words <= sentence.keys and len(claim & sentence.keys) >= near
        for sentence in source.sentences
        if not sentence.negations
    )


def _stand_together(words: frozenset[str], units: tuple[Unit, ...]) -> bool:
    """Whether a stretch of the claim little longer than `words` holds them all."""
    stretch = len(words) + _SLACK
    keys = [unit.key for unit in units]
    return any(
        words <= frozenset(keys[at : at + stretch]) for at in range(max(1, len(keys) - stretch + 1))
    )


def _meets(claimed: Negation, other: Negation) -> bool:
    if not (claimed.around and other.around):
        return True
    return len(claimed.around & other.wide) >= min(2, len(claimed.around))


def _negating_words(text: str, language: Language | None) -> list[tuple[int, int]]:
    listed = _NEGATORS.get(language or "", _ANY_NEGATOR)
    spans: list[tuple[int, int]] = []
    for word in pieces(text):
        lower = word.surface.lower().replace("’", "'")
        elided = lower.partition("'")[0]
        if lower in listed or lower.endswith("n't") or (elided == "n" and "n" in listed):
            spans.append((word.start, word.end))
    return spans


def _negating_marks(text: str) -> list[tuple[int, int, bool]]:
    scripts = [name for name, script in _SCRIPT_OF_MARKERS if script.search(text)]
    if KANA.search(text):
        scripts.append("ja")
    elif re.search("[\u4e00-\u9fff]", text):
        scripts.append("zh")
    return [
        (*match.span(), name in _TRAILING)
        for name in scripts
        for match in _MARKERS[name].finditer(text)
    ]


def _negation(units: tuple[Unit, ...], start: int, end: int, *, trails: bool) -> Negation:
    # Units stand in their order: only those beside it are looked at, in a text of negations too.
    upto = bisect_right(units, start, key=attrgetter("end"))
    since = bisect_left(units, end, key=attrgetter("start"))
    before = [unit.key for unit in units[max(0, upto - 6) : upto]]
    after = [unit.key for unit in units[since : since + 4]]
    if trails:
        return Negation(frozenset(before[-3:]), frozenset((*before[-6:], *after[:2])))
    near = (*before[-1:], *after[:2]) if after else before[-2:]
    return Negation(frozenset(near), frozenset((*before[-3:], *after[:4])))
