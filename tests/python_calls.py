"""How many functions written in Python a piece of work calls: the same however busy the machine."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType


def python_calls(work: Callable[[], object]) -> int:
    """Of the work and all it leads to on this thread."""
    called = [0]

    def count(frame: FrameType, event: str, argument: object) -> None:
        called[0] += event == "call"

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
    return called[0]
