"""Whether two names or figures of a claim stand in each other's place (R152).

Every word of such a claim occurs in its source, and next to the right words: only the exchange
brings the claim and the source together. So both readings are laid beside the source, and the claim
is unsupported when the exchanged one fits plainly better.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from fonds.contract.sealed import sealed
from fonds.words.folding import name_key
from fonds.words.scripts import Piece, pieces
from fonds.words.stop_words import stop_words_of

if TYPE_CHECKING:
    from fonds.words.stop_words import Language

_REACH: Final = 4
"""Words on either side of a name that are laid beside the source."""
PLAINLY: Final = 4
"""So many more neighbours have to agree in the exchanged reading, of at most four times _REACH."""
LOOSE: Final = 2
"""Where more agree as the claim stands, it follows its source, and twice as many have to agree
otherwise."""
_MOST_RUNS: Final = 12
_LONGEST_NAME: Final = 4
_MOST_PLACES: Final = 64
_LISTING_WORDS = (
    "and or with both as well versus und oder mit sowie et ou avec y o con e com en och eller og"
    " i oraz lub и или と や および 及び または 又は ・ 和 与 或"
)
_BREAK: Final = re.compile(r"[:;()（）—–=→]")
_LISTING: Final = frozenset(_LISTING_WORDS.split())
_Kind: TypeAlias = Literal["name", "figure", "katakana", "han"]


@sealed
@dataclass(frozen=True, slots=True)
class WordOrder:
    """The words of a source one after another, and where each stands."""

    words: tuple[str, ...] = field(repr=False)
    places: dict[str, tuple[int, ...]] = field(repr=False)


@sealed
@dataclass(frozen=True, slots=True)
class _Item:
    """A name or figure of the claim: words `first` to before `past`."""

    kind: _Kind
    first: int
    past: int


def word_order(text: str) -> WordOrder:
    """The order of a readable text; a word that is everywhere keeps its first places."""
    words = tuple(_key(piece) for piece in pieces(text))
    places: dict[str, list[int]] = {}
    for at, word in enumerate(words):
        here = places.setdefault(word, [])
        if len(here) < _MOST_PLACES:
            here.append(at)
    return WordOrder(words, {word: tuple(here) for word, here in places.items()})


def is_exchanged(claim: str, source: WordOrder, language: Language | None) -> bool:
    """Whether two names, or two figures, of a readable claim changed places."""
    found = pieces(claim)
    words = [_key(piece) for piece in found]
    runs = _items(claim, found, language)[:_MOST_RUNS]
    items = [(run, part) for run in runs for part in _parts(run)]
    for (run, one), (other_run, other) in combinations(items, 2):
        if run == other_run or run.kind != other_run.kind or _share(words, one, other):
            continue
        if _is_listed(claim, found, runs, (one, other)):
            continue
        stands = sum(_fit(words, (one, other), source))
        fits = sum(_fit(*_exchanged(words, one, other), source))
        if fits - stands >= (PLAINLY if stands <= LOOSE else 2 * PLAINLY):
            return True
    return False


def _parts(run: _Item) -> list[_Item]:
    """A name of several words, and each word of it."""
    words = [_Item(run.kind, at, at + 1) for at in range(run.first, run.past)]
    return [run, *words] if 1 < len(words) <= _LONGEST_NAME else [run]


def _items(claim: str, found: tuple[Piece, ...], language: Language | None) -> list[_Item]:
    stops = stop_words_of(language)
    items: list[_Item] = []
    for at, piece in enumerate(found):
        kind = _kind(piece, stops)
        if kind is None:
            continue
        before = items[-1] if items else None
        goes_on = before is not None and before.kind == kind == "name" and before.past == at
        if before is not None and goes_on and claim[found[at - 1].end : piece.start] == " ":
            items[-1] = _Item("name", before.first, at + 1)
        else:
            items.append(_Item(kind, at, at + 1))
    return items


def _kind(piece: Piece, stops: frozenset[str]) -> _Kind | None:
    if any(character.isdecimal() for character in piece.surface):
        return "figure"
    match piece.script:
        case "spaced":
            is_name = piece.surface[0].isupper() and piece.surface.lower() not in stops
            return "name" if is_name else None
        case "katakana" | "han":
            return piece.script if len(piece.surface) > 1 else None
        case _:
            return None


def _share(words: list[str], one: _Item, other: _Item) -> bool:
    return not set(words[one.first : one.past]).isdisjoint(words[other.first : other.past])


def _is_listed(
    claim: str, found: tuple[Piece, ...], runs: list[_Item], pair: tuple[_Item, _Item]
) -> bool:
    """Whether nothing but a list stands between: there, order says nothing."""
    one, other = pair
    within = {at for run in runs for at in range(run.first, run.past)}
    if not all(
        at in within or found[at].surface.lower() in _LISTING for at in range(one.past, other.first)
    ):
        return False
    between = claim[found[one.past - 1].end : found[other.first].start]
    return _BREAK.search(between) is None


def _exchanged(words: list[str], one: _Item, other: _Item) -> tuple[list[str], tuple[_Item, _Item]]:
    first, second = words[one.first : one.past], words[other.first : other.past]
    between = words[one.past : other.first]
    changed = [*words[: one.first], *second, *between, *first, *words[other.past :]]
    start = one.first + len(second) + len(between)
    return changed, (
        _Item(one.kind, one.first, one.first + len(second)),
        _Item(one.kind, start, start + len(first)),
    )


def _fit(words: list[str], items: tuple[_Item, _Item], source: WordOrder) -> tuple[int, int]:
    one, other = items
    return _neighbours(words, one, source), _neighbours(words, other, source)


def _neighbours(words: list[str], item: _Item, source: WordOrder) -> int:
    """How many words on its two sides an item shares with its best place in the source."""
    name = words[item.first : item.past]
    before = words[max(0, item.first - _REACH) : item.first][::-1]
    after = words[item.past : item.past + _REACH]
    best = 0
    for place in source.places.get(name[0], ()):
        end = place + len(name)
        if list(source.words[place:end]) == name:
            left = source.words[max(0, place - _REACH) : place][::-1]
            right = source.words[end : end + _REACH]
            best = max(best, _alike(before, left) + _alike(after, right))
    return best


def _alike(claimed: list[str], written: tuple[str, ...]) -> int:
    count = 0
    for one, other in zip(claimed, written, strict=False):
        if one != other:
            break
        count += 1
    return count


def _key(piece: Piece) -> str:
    return name_key(piece.surface) if piece.script == "spaced" else piece.surface
