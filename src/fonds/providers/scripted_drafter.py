"""Drafters that do as they are told, for tests and evaluation (R080, R082)."""

from __future__ import annotations

from collections.abc import Sequence

from fonds.contract.draft_reply import DraftReply, DraftTask


class ScriptedDrafter:
    """Gives its replies in order and keeps what it was asked; asked once more than it has, it
    fails.
    """

    def __init__(self, replies: Sequence[DraftReply], model: str = "scripted") -> None:
        self._replies = list(replies)
        self._model = model
        self.tasks: list[DraftTask] = []

    @property
    def model(self) -> str:
        return self._model

    def draft(self, task: DraftTask) -> DraftReply:
        """The next reply. Raises AssertionError where the script is at its end."""
        self.tasks.append(task)
        if len(self.tasks) > len(self._replies):
            raise AssertionError(f"the drafter was asked {len(self.tasks)} times")
        return self._replies[len(self.tasks) - 1]
