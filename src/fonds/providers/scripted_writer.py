"""Writers that do as they are told, for tests and evaluation: every row of the failure table can be
scripted (R162).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from fonds.contract.writer_reply import WriterReply, WriterTask


class ScriptedWriter:
    """Gives its replies in order and keeps what it was asked; asked once more than it has, it
    fails.
    """

    def __init__(self, replies: Sequence[WriterReply], name: str = "scripted") -> None:
        self._replies = list(replies)
        self._name = name
        self.tasks: list[WriterTask] = []

    @property
    def name(self) -> str:
        return self._name

    def write(self, task: WriterTask) -> WriterReply:
        """The next reply. Raises AssertionError where the script is at its end."""
        self.tasks.append(task)
        if len(self.tasks) > len(self._replies):
            raise AssertionError(f"the writer was asked {len(self.tasks)} times")
        return self._replies[len(self.tasks) - 1]


class NeverCalledWriter:
    """Proves that a path decides without a model: any call is an AssertionError (R144)."""

    @property
    def name(self) -> str:
        return "never called"

    def write(self, task: WriterTask) -> NoReturn:
        raise AssertionError("the writer was called")


class BrokenWriter:
    """A defect of ours in the writer's own code: raises TypeError, which no layer may contain
    (R161).
    """

    @property
    def name(self) -> str:
        return "broken"

    def write(self, task: WriterTask) -> NoReturn:
        raise TypeError("the writer's own code is broken")
