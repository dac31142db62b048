"""A caller's trace, taken in its W3C shape and no other: hexadecimal digits spell no question."""

from __future__ import annotations

import re
from typing import Final

_SHAPE: Final = re.compile(r"00-(?P<trace>[0-9a-f]{32})-(?P<span>[0-9a-f]{16})-0[01]")


def traceparent(header: str | None) -> str | None:
    """The header when it is a version 00 traceparent with ids that are not all zero, else None.

    `tracestate` and `baggage` hold words of the caller's own, and are never read.
    """
    found = None if header is None else _SHAPE.fullmatch(header)
    if found is None or not found["trace"].strip("0") or not found["span"].strip("0"):
        return None
    return header
