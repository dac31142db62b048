"""What takes longer than a reply: one run at a time, its progress, and how it ended."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal, TypeAlias

from fonds.contract.failures import Busy, Failure
from fonds.ingestion.report import DraftingStopped, EmbeddingStopped
from fonds.observing.last_resort import defect_of, shown_defect

RunName: TypeAlias = Literal["ingest", "gist import", "preview", "build", "evaluation", "drafting"]
RunState: TypeAlias = Literal["at work", "done", "failed"]
PLACES: Final[Mapping[RunName, str]] = {
    "ingest": "/intake",
    "gist import": "/intake",
    "preview": "/travel/next",
    "build": "/travel/builds",
    "evaluation": "/evaluation",
    "drafting": "/gists",
}
"""The page that shows what came of a run."""

ASKED_AGAIN: Final = "/run"
"""Where a page asks again how the run stands while it is at work."""

Tell: TypeAlias = Callable[[str], None]
"""Given a step's name or a count; never a word of a text."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run as it stands. `outcome` is what it returned, or the report of an ingest that was
    stopped by its provider; `line` says why it failed.
    """

    number: int
    name: RunName
    state: RunState = "at work"
    step: str = ""
    line: str = field(default="", repr=False)
    outcome: object = field(default=None, repr=False)

    @property
    def place(self) -> str:
        """The page that shows what came of it."""
        return PLACES[self.name]


class Runs:
    """At most one at work. The last of each name is kept until the process ends."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._current: Run | None = None
        self._last: dict[RunName, Run] = {}
        self._looked_at = 0
        self._thread: threading.Thread | None = None

    @property
    def current(self) -> Run | None:
        """The run under way or, when none is, the last one."""
        return self._current

    def told_at(self, path: str) -> Run | None:
        """The run a page at `path` tells of: one at work on every page, one that ended until its
        own page was opened, and there as long as it is the last and failed. A page that asks again
        is told of the end in any case.
        """
        run = self._current
        if run is None or run.state == "at work" or path == ASKED_AGAIN:
            return run
        there = path == run.place
        known = run.number <= self._looked_at
        if there:
            self._looked_at = run.number
        return None if known and not (there and run.state == "failed") else run

    def last(self, name: RunName) -> Run | None:
        """The last run of a name that ended."""
        return self._last.get(name)

    def begin(self, name: RunName, work: Callable[[Tell], object]) -> Run:
        """Begins `work` on a thread of its own; raises Busy while another is at work."""
        with self._lock:
            if self._current is not None and self._current.state == "at work":
                raise Busy(f"a run is at work ({self._current.name}): wait for its end")
            number = 1 if self._current is None else self._current.number + 1
            run = Run(number, name)
            thread = threading.Thread(
                target=self._worked, args=(work,), name="fonds-run", daemon=True
            )
            before, self._current = self._current, run
            try:
                thread.start()
            except RuntimeError:  # the machine has no thread left
                self._current = before
                raise Busy("no thread is free for a run: try again later") from None
            self._thread = thread
        return run

    def wait(self) -> None:
        """Returns once nothing is at work."""
        if self._thread is not None:
            self._thread.join()

    def _worked(self, work: Callable[[Tell], object]) -> None:
        try:
            self._now(state="done", outcome=work(lambda step: self._now(step=step)))
        except (EmbeddingStopped, DraftingStopped) as stopped:
            self._now(state="failed", line=str(stopped), outcome=stopped.report)
        except Failure as failure:
            self._now(state="failed", line=str(failure))
        except Exception as defect:  # the last resort: it may hold anything, so little is told
            shown_defect(defect_of(defect, "thread"))
            self._now(state="failed", line="a defect of ours: its place is in the log")

    def _now(self, **changes: object) -> None:
        with self._lock:
            assert self._current is not None  # noqa: S101 - begun before its thread is
            run = self._current = replace(self._current, **changes)
            if run.state != "at work":
                self._last[run.name] = run
