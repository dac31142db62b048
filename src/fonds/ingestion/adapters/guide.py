"""A long public document -> one fragment a heading, embedded with its heading trail (R033)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from fonds.contract.entity import Entity
from fonds.contract.failures import MisauthoredInput
from fonds.contract.fragment import Fragment
from fonds.contract.locator import Locator, Place, locator_key, slugified
from fonds.ingestion.plain_text import Block, joined_blocks

GUIDE_CHARS = 6000  # a section longer than this is cut between blocks; a table or list never is

MAX_HEADING_CHARS = 1000  # every section below a heading repeats it in its trail


@dataclass(frozen=True, slots=True)
class _Section:
    trail: tuple[str, ...] = field(repr=False)
    steps: Place
    blocks: tuple[Block, ...] = field(repr=False)


def guide_fragments(entity: Entity, blocks: Sequence[Block]) -> list[Fragment]:
    """Fragments in the order of the document; a heading without text of its own makes none.

    The place is the shortest end of the trail that no other section of the file shares. Trails
    that differ in signs alone, as C and C++ do, share one and are counted in it. Text before the
    first heading is `section:front`.
    """
    sections = list(_sections(blocks))
    read_alike: dict[str, list[_Section]] = {}
    for section in sections:
        read_alike.setdefault(locator_key(section.steps), []).append(section)
    ends = Counter(
        locator_key(end) for alike in read_alike.values() for end in _ends(alike[0].steps)
    )
    counts = {key: _counts(alike) for key, alike in read_alike.items()}
    return [
        Fragment(entity.entity_id, place, entity.disclosure, text, trail=section.trail)
        for section in sections
        for place, text in _parts(
            (*_place(section.steps, ends), *counts[locator_key(section.steps)][section.trail]),
            section.blocks,
        )
    ]


def _counts(alike: Sequence[_Section]) -> dict[tuple[str, ...], Place]:
    """What tells apart trails that read alike: nothing for the first, a number for the others."""
    trails = dict.fromkeys(section.trail for section in alike)
    return {
        trail: (Locator("section", str(number)),) if number > 1 else ()
        for number, trail in enumerate(trails, start=1)
    }


def _sections(blocks: Iterable[Block]) -> Iterator[_Section]:
    trail: list[tuple[int, str, Locator]] = []
    inside: list[Block] = []
    ordinal = 0
    for block in blocks:
        if block.kind != "heading" or not block.top:
            inside.append(block)
            continue
        if inside:
            yield _section(trail, inside)
        inside = []
        ordinal += 1
        if len(block.text) > MAX_HEADING_CHARS:
            raise MisauthoredInput(
                f"body: heading {ordinal} is longer than {MAX_HEADING_CHARS} characters: shorten it"
            )
        trail = [step for step in trail if step[0] < block.level]
        trail.append((block.level, block.text, _step(block.text, ordinal)))
    if inside:
        yield _section(trail, inside)


def _section(trail: Sequence[tuple[int, str, Locator]], inside: Sequence[Block]) -> _Section:
    steps = tuple(step for _, _, step in trail) or (Locator("section", "front"),)
    return _Section(tuple(text for _, text, _ in trail), steps, tuple(inside))


def _step(heading: str, ordinal: int) -> Locator:
    """A heading of signs alone has no slug: it is counted instead."""
    return Locator("heading", heading) if slugified(heading) else Locator("section", str(ordinal))


def _place(steps: Place, ends: Counter[str]) -> Place:
    return next((end for end in _ends(steps) if ends[locator_key(end)] == 1), steps)


def _ends(steps: Place) -> Iterator[Place]:
    """From the last step alone to all of them."""
    return (steps[start:] for start in range(len(steps) - 1, -1, -1))


def _parts(place: Place, blocks: Sequence[Block]) -> list[tuple[Place, str]]:
    packed: list[list[Block]] = []
    held = 0
    for unit in _units(blocks):
        size = sum(len(block.text) + 2 for block in unit)
        if packed and held + size <= GUIDE_CHARS:
            packed[-1] += unit
            held += size
        else:
            packed.append(list(unit))
            held = size
    texts = [joined_blocks(part) for part in packed]
    if len(texts) == 1:
        return [(place, texts[0])]
    return [((*place, Locator("part", str(n))), text) for n, text in enumerate(texts, start=1)]


def _units(blocks: Sequence[Block]) -> Iterator[list[Block]]:
    """What is not cut: a block, or the rows and items of one table or list."""
    keyed = enumerate(blocks)
    for _, unit in groupby(keyed, key=lambda pair: (pair[1].group, pair[1].group or pair[0])):
        yield [block for _, block in unit]
