"""The worker: takes what waits, runs it in child processes, and says how it ended (R191).

One thread does everything, a turn at a time: whatever happens to a job happens to its child, and
an outage of the database is waited out while the children run on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Final

from fonds.contract.failures import StoreRefused, Unavailable
from fonds.contract.job_queue import AttemptOutcome, JobQueue, TakenJob
from fonds.jobs.child import Child, start_child
from fonds.jobs.ending import MOST_ATTEMPTS, outcome_of, retry_after
from fonds.jobs.scheduling import HeldArchive, enqueue_due
from fonds.jobs.waking import Waking

_MOST_UNSAID: Final = 3  # attempts to say how children ended, once all have

Say = Callable[[Mapping[str, object]], None]


@dataclass(frozen=True, slots=True)
class WorkerTerms:
    """How a worker behaves; every time in seconds."""

    at_once: int = 2
    time_limit: float = 4 * 3600.0
    poll: float = 5.0
    beat: float = 15.0
    look: float = 30.0  # between looks at the archive files, the slots and the stalled
    # Eight beats: a pause of the process or the network is not a death.
    stalled_after: int = 120
    grace: float = 30.0  # for a child that was told to end
    outage_longest: float = 60.0
    keep_days: int = 30


@dataclass(slots=True, eq=False)
class _Running:
    taken: TakenJob
    child: Child
    slug: str
    began: float
    told: float | None = None  # when it was told to end
    why: AttemptOutcome | None = None  # what its end means then, whatever its code


@dataclass(slots=True)
class Worker:
    """Construct, then `run`; or `turn` by turn. `archives` is asked at every look.

    `say` is told how things end: slugs, names of jobs, ids, codes and seconds, no content.
    """

    queue: JobQueue
    archives: Callable[[], Sequence[HeldArchive]]
    modules: Mapping[str, str]
    say: Say
    terms: WorkerTerms = field(default_factory=WorkerTerms)
    clock: Callable[[], float] = monotonic
    _worker_id: int | None = None
    _held: dict[int, HeldArchive] = field(default_factory=dict[int, HeldArchive])
    _running: list[_Running] = field(default_factory=list[_Running])
    _beaten_since: float = 0.0
    _last_beat: float = float("-inf")
    _last_look: float = float("-inf")
    _outages: int = 0

    def run(self, signals: Waking) -> None:
        """Until it is told to end; then what runs is told to, and given back."""
        while not signals.told_to_end:
            signals.sleep(0 if self.turn() else self._pause())
        self.leave(signals.sleep)

    def turn(self) -> bool:
        """One round; whether anything began or ended. An outage is said, and waited out."""
        try:
            moved = self._turn()
        except (Unavailable, StoreRefused) as trouble:
            self._outages += 1
            self._beaten_since = float("inf")
            self.say({"worker": self._worker_id, "outage": self._outages, "why": str(trouble)})
            return False
        if self._outages:
            self.say({"worker": self._worker_id, "outage": 0})
            self._outages = 0
        return moved

    def leave(self, sleep: Callable[[float], None]) -> None:
        """Tells what runs to end, waits for it, gives its jobs back and goes; a database that is
        away finds out by the heart that stopped.
        """
        for running in self._running:
            self._tell(running, "given-back")
        unsaid = 0
        while self._running and unsaid < _MOST_UNSAID:
            try:
                moved = self._settle_ended()
            except (Unavailable, StoreRefused):
                # Those that still run are held to their time; how one ended is not said for ever.
                for running in self._running:
                    self._hold_to_time(running)
                unsaid += all(one.child.exit_code() is not None for one in self._running)
                moved = False
            if not moved and self._running:
                sleep(1.0)
        for running in self._running:
            running.child.end()
        try:
            if self._worker_id is not None:
                self.queue.unregister(self._worker_id)
        except (Unavailable, StoreRefused) as trouble:
            self.say({"worker": self._worker_id, "why": str(trouble)})
        self.say({"worker": self._worker_id, "ended": True})

    @property
    def running(self) -> tuple[TakenJob, ...]:
        """The jobs whose children run, or whose end could not be said yet."""
        return tuple(running.taken for running in self._running)

    def _turn(self) -> bool:
        now = self.clock()
        self._beat(now)
        moved = self._settle_ended()
        if now - self._last_look >= self.terms.look:
            self._look(now)
        while len(self._running) < self.terms.at_once and self._take():
            moved = True
        return moved

    def _pause(self) -> float:
        if not self._outages:
            return self.terms.poll
        return float(min(2.0**self._outages, self.terms.outage_longest))

    def _beat(self, now: float) -> None:
        if self._worker_id is not None and now - self._last_beat < self.terms.beat:
            return
        if self._worker_id is None or not self.queue.beat(self._worker_id):
            # Others gave its jobs back: what still runs of them has no say any more.
            for running in self._running:
                self._tell(running, "lost")
            self._worker_id = self.queue.register()
            self._beaten_since = now
            self.say({"worker": self._worker_id, "began": True})
        self._beaten_since = min(self._beaten_since, now)
        self._last_beat = now

    def _look(self, now: float) -> None:
        self._held = {one.archive_id: one for one in self.archives()}
        for slug, job in enqueue_due(self.queue, self._held.values(), self._refused):
            self.say({"worker": self._worker_id, "archive": slug, "job": job, "queued": True})
        # After an outage of its own it gives the others the time it would have wanted.
        if now - self._beaten_since >= self.terms.stalled_after:
            given = self.queue.give_back_stalled(
                self.terms.stalled_after,
                MOST_ATTEMPTS,
                worker_id=self._worker_id,
                running=[one.taken.job_id for one in self._running],
            )
            if given:
                self.say({"worker": self._worker_id, "stalled": given})
            self.queue.forget_old(self.terms.keep_days)
        self._last_look = now

    def _refused(self, slug: str, job: str, why: str) -> None:
        self.say({"worker": self._worker_id, "archive": slug, "job": job, "unscheduled": why})

    def _take(self) -> bool:
        assert self._worker_id is not None  # noqa: S101 - a turn begins with a beat
        taken = self.queue.take(self._worker_id, self._held.keys())
        if taken is None:
            return False
        archive = self._held[taken.archive_id]
        module = self.modules.get(taken.job)
        try:
            if module is None:
                raise FileNotFoundError
            child = start_child(module, [str(archive.file)])
        except OSError:
            # No such job here, or no process to be had: visible, and not tried again and again.
            kept = self.queue.finish(taken, "failed", None)
            self._said(taken, archive.slug, "failed", None, 0.0, kept=kept)
            return True
        self._running.append(_Running(taken, child, archive.slug, self.clock()))
        self.say(_line(taken, archive.slug) | {"pid": child.pid})
        return True

    def _settle_ended(self) -> bool:
        """Says how children ended. One whose end cannot be said is kept for the next turn."""
        moved = False
        for running in tuple(self._running):
            self._hold_to_time(running)
            code = running.child.exit_code()
            if code is None:
                continue
            self._settle(running, code)
            self._running.remove(running)
            moved = True
        return moved

    def _hold_to_time(self, running: _Running) -> None:
        now = self.clock()
        if running.told is None and now - running.began > self.terms.time_limit:
            self._tell(running, "timed-out")
        elif running.told is not None and now - running.told > self.terms.grace:
            running.child.end()

    def _tell(self, running: _Running, why: AttemptOutcome) -> None:
        if running.told is None:
            running.told, running.why = self.clock(), why
            running.child.tell_to_end()

    def _settle(self, running: _Running, code: int) -> None:
        # A child that was told to end and had done all it had to do, has.
        outcome = outcome_of(code) if running.why is None or code == 0 else running.why
        taken = running.taken
        wait = 0 if outcome == "given-back" else retry_after(outcome, taken.attempts)
        if wait is None:
            kept = self.queue.finish(taken, outcome, code)
        else:
            kept = self.queue.retry(taken, outcome, code, wait)
        self._said(taken, running.slug, outcome, code, self.clock() - running.began, kept=kept)

    def _said(
        self,
        taken: TakenJob,
        slug: str,
        outcome: AttemptOutcome,
        code: int | None,
        seconds: float,
        *,
        kept: bool = True,
    ) -> None:
        line = _line(taken, slug)
        line |= {"outcome": outcome, "exitCode": code, "seconds": round(seconds, 1)}
        self.say(line if kept else line | {"kept": False})


def _line(taken: TakenJob, slug: str) -> dict[str, object]:
    return {
        "worker": taken.worker_id,
        "archive": slug,
        "archiveId": taken.archive_id,
        "job": taken.job,
        "attempt": taken.attempts + 1,
    }
