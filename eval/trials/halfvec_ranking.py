"""How rankings by vectors of half precision differ from those by the vectors that were made.

`overlap` is the part of the ten nearest they share, on average and at worst; `sameFirst` how often
the nearest is the same; `difference` the largest of a cosine. Where the right passages are known,
`hit` says for how many questions one of them is among the ten, by what was made and by half
precision, and `hitsDiffer` for how many one way finds what the other does not; `atFloor` and
`floorDiffers` say the same of a nearest passage at the floor of the space.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from fonds.contract.ports import Vector

NEAREST = 10
Figures: TypeAlias = dict[str, object]
Matrix: TypeAlias = NDArray[np.float32]
Gold: TypeAlias = Sequence[set[int]]
"""Places of the passages that answer each question."""


def ranked(
    passages: Sequence[Vector],
    questions: Sequence[Vector],
    *,
    gold: Gold | None = None,
    floor: float = 0.0,
) -> Figures:
    """Every question over every passage, exact both ways."""
    if len(passages) <= NEAREST or not questions:
        return {"passages": len(passages), "questions": len(questions)}
    made = units(questions) @ units(passages).T
    halved = units(_rounded(questions)) @ units(_rounded(passages)).T
    pairs = [(_nearest(one), _nearest(other)) for one, other in zip(made, halved, strict=True)]
    shared = [len({*one} & {*other}) / NEAREST for one, other in pairs]
    figures: Figures = {
        "passages": len(passages),
        "questions": len(questions),
        "overlap": round(sum(shared) / len(shared), 4),
        "leastOverlap": min(shared),
        "sameFirst": round(sum(one[0] == other[0] for one, other in pairs) / len(pairs), 4),
        "difference": float(f"{np.abs(made - halved).max():.1e}"),
    }
    return figures if gold is None else figures | _found(pairs, gold) | _floor(made, halved, floor)


def units(vectors: Sequence[Vector] | Matrix) -> Matrix:
    """Each of length one."""
    given: Matrix = np.asarray(vectors, np.float32)
    return given / np.linalg.norm(given, axis=1, keepdims=True)


def _found(pairs: Sequence[tuple[list[int], list[int]]], gold: Gold) -> Figures:
    hits = [
        (not right.isdisjoint(one), not right.isdisjoint(other))
        for (one, other), right in zip(pairs, gold, strict=True)
    ]
    return {
        "hit": [sum(one for one, _ in hits), sum(other for _, other in hits)],
        "hitsDiffer": sum(one != other for one, other in hits),
    }


def _floor(made: Matrix, halved: Matrix, floor: float) -> Figures:
    one, other = (cosines.max(axis=1) >= floor for cosines in (made, halved))
    return {
        "atFloor": [int(one.sum()), int(other.sum())],
        "floorDiffers": int((one != other).sum()),
    }


def _nearest(cosines: Matrix) -> list[int]:
    """Places of the ten nearest, the nearest first."""
    return cast("list[int]", np.argsort(-cosines, kind="stable")[:NEAREST].tolist())


def _rounded(vectors: Sequence[Vector]) -> Matrix:
    return np.asarray(vectors, np.float16).astype(np.float32)
