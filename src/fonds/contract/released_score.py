"""The score that may leave (R122). One rule, the same arithmetic as the database's."""

from __future__ import annotations

from math import floor


def released_score(raw: str, score: float) -> float:
    """Exact for public material, nearest 0.05 (halves upwards) for anything else.

    A private row is floored, sorted, cut and counted by nothing finer (R100).
    """
    if raw == "public":
        return score
    return floor(score * 20 + 0.5) / 20
