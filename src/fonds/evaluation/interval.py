"""How far a counted rate may lie from the true one (R170)."""

from __future__ import annotations

from math import sqrt
from typing import Final

NINETY_FIVE: Final = 1.959963984540054
"""Deviations of a normal distribution that hold 95% of it."""


def rate_interval(count: int, of: int) -> tuple[float, float]:
    """Wilson's interval at 95%; the whole range when nothing was counted."""
    if of == 0:
        return 0.0, 1.0
    share, spread = count / of, NINETY_FIVE**2 / of
    centre = share + spread / 2
    reach = NINETY_FIVE * sqrt(share * (1 - share) / of + spread / (4 * of))
    low, high = (centre - reach) / (1 + spread), (centre + reach) / (1 + spread)
    return (0.0 if count == 0 else low), (1.0 if count == of else high)
