"""A worker's sleep, which signals end: a child that ended, and a word to end (SIGTERM, SIGINT)."""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Final

ENDING: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


@dataclass(slots=True)
class Waking:
    """Whether the process was told to end, and a sleep that its signals interrupt."""

    _woken: int
    told_to_end: bool = False

    def sleep(self, seconds: float) -> None:
        """Until a signal comes, also one that came before; at most so long."""
        ready, _, _ = select.select([self._woken], [], [], seconds)
        if ready:
            os.read(self._woken, 4096)


@contextmanager
def waking() -> Generator[Waking]:
    """For the main thread of a process; puts back what it found. A signal is a byte in a pipe: it
    is not lost between the look and the sleep.
    """
    read, write = os.pipe()
    os.set_blocking(write, False)
    state = Waking(read)

    def told(number: int, frame: FrameType | None) -> None:
        state.told_to_end = state.told_to_end or number != signal.SIGCHLD

    before = {number: signal.signal(number, told) for number in (*ENDING, signal.SIGCHLD)}
    waker = signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    try:
        yield state
    finally:
        signal.set_wakeup_fd(waker)
        for number, handler in before.items():
            signal.signal(number, handler)
        os.close(read)
        os.close(write)
