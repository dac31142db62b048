"""One run of a job as a process of its own: its crash, leak and end are not the worker's."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

WATCHED: Final = "--watched"  # a job told so ends when its stdin does: with its worker
_SIGNALLED: Final = 128


@dataclass(slots=True)
class Child:
    """A job that runs. What it says on stderr, which is text-free, goes where its worker's goes."""

    _process: subprocess.Popen[bytes]

    @property
    def pid(self) -> int:
        return self._process.pid

    def exit_code(self) -> int | None:
        """None while it runs; 128 and the signal for one that a signal ended."""
        code = self._process.poll()
        if code is None:
            return None
        self._let_go()
        return code if code >= 0 else _SIGNALLED - code

    def tell_to_end(self) -> None:
        """It gives its locks back on the way out."""
        self._signal(signal.SIGTERM)

    def end(self) -> None:
        """At once, with whatever it started."""
        self._signal(signal.SIGKILL)

    def wait(self, seconds: float | None = None) -> int | None:
        """Its exit code, or None when it still runs after so long."""
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
        return self.exit_code()

    def _signal(self, number: signal.Signals) -> None:
        if self._process.poll() is None:
            # Its own session: the whole group, and nobody else.
            os.killpg(self._process.pid, number)

    def _let_go(self) -> None:
        if self._process.stdin is not None:
            self._process.stdin.close()


def start_child(module: str, arguments: Sequence[str]) -> Child:
    """Starts `python -m MODULE ARGUMENTS` in a session of its own; raises OSError when there is no
    process to be had.

    Nothing is imported from the folder it stands in: in that of a host lie other people's folders,
    each named as its keeper likes.
    """
    return Child(
        subprocess.Popen(  # noqa: S603 - an installed module and a file of ours, no shell
            [sys.executable, "-P", "-m", module, *arguments, WATCHED],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
    )
