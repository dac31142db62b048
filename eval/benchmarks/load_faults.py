"""Two workers under load while a build is switched, a fragment vetoed, the database restarted and a
worker killed.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from time import monotonic
from typing import TypedDict

from eval.benchmarks.load_bed import Bed, LoadedArchive
from eval.benchmarks.load_calls import Call, Caller, Worker, ended, started
from eval.benchmarks.load_verdict import Away, Faults, problems
from eval.benchmarks.served_bench import go_live, serve
from fonds.store.embedded_account import possible_accounts
from fonds.store.embedded_cluster import Cluster, bring_up, stop
from fonds.store.embedded_places import binaries_folder
from fonds.store.pools import transaction

BUILDS = (1, 2)
WORKERS = 2
_BACKOFF_SECONDS = 0.02  # after a call that came to nothing, so that an outage is no busy loop


class FaultReport(TypedDict):
    """`broken` counts calls by the promise they broke; empty is what is hoped for."""

    calls: int
    unreached: int
    unavailable: int
    databaseAwaySeconds: float
    workerAwaySeconds: float
    broken: dict[str, int]


def under_faults(
    bed: Bed, clients: int, pause: float, question: Callable[[int], str]
) -> FaultReport:
    """Faults one after the other, `pause` seconds apart, the callers asking all the while."""
    changed = bed.archives[0]
    serve(
        bed.build,
        changed.archive_id,
        bed.vectors,
        build_id=BUILDS[1],
        title=changed.title(BUILDS[1]),
        live=False,
    )
    with ExitStack() as stack:
        workers = [started(bed) for _ in range(WORKERS)]
        stack.callback(lambda: [ended(one) for one in workers])
        load = _Load(bed, workers, question)
        stack.enter_context(load.running(clients))
        faults = _done_to(bed, changed, workers, load, pause, question)
    counted = problems(load.calls, faults)
    return {
        "calls": len(load.calls),
        "unreached": sum(call.status == 0 for call in load.calls),
        "unavailable": sum(call.status >= 500 for call in load.calls),
        "databaseAwaySeconds": round(faults.database.until - faults.database.since, 2),
        "workerAwaySeconds": round(faults.killed[1].until - faults.killed[1].since, 2),
        "broken": counted,
    }


def _done_to(
    bed: Bed,
    changed: LoadedArchive,
    workers: list[Worker],
    load: _Load,
    pause: float,
    question: Callable[[int], str],
) -> Faults:
    time.sleep(pause)
    go_live(bed.build, changed.archive_id, BUILDS[1])
    switched = monotonic()
    time.sleep(pause)
    vetoed_id = _first_hit(workers[0], changed, question(0))
    with transaction(bed.ingest, changed.archive_id) as connection:
        connection.execute("SELECT api.narrow_fragment(%s, 'none')", (vetoed_id,))
    vetoed = monotonic()
    time.sleep(pause)
    database = _restarted(bed)
    time.sleep(pause)
    since = monotonic()
    workers[1].process.kill()
    workers[1].process.wait()
    time.sleep(pause)
    workers[1] = started(bed)
    load.moved(1, workers[1])
    killed = Away(since, monotonic())
    time.sleep(pause)
    return Faults(changed.slug, BUILDS, switched, vetoed, vetoed_id, database, {1: killed})


def _first_hit(served: Worker, archive: LoadedArchive, question: str) -> str:
    caller = Caller(served.port, archive.slug, archive.keys[-1])
    found = caller.search(question)
    caller.close()
    return found.fragment_ids[0]


def _restarted(bed: Bed) -> Away:
    """Stopped fast, as a host's restart does it, and up again when this returns."""
    home, binaries = bed.server.home, binaries_folder()
    if binaries is None:
        raise RuntimeError("the embedded server is not installed")
    cluster = Cluster(home, binaries, possible_accounts(home)[0])
    since = monotonic()
    stop(cluster)
    bring_up(cluster)
    return Away(since, monotonic())


class _Load:
    """Callers that ask until they are told to stop: half of them what was asked before."""

    def __init__(self, bed: Bed, workers: list[Worker], question: Callable[[int], str]) -> None:
        self.calls: list[Call] = []
        self._bed = bed
        self._ports = [one.port for one in workers]
        self._question = question
        self._stop = threading.Event()

    def moved(self, number: int, to: Worker) -> None:
        """A worker came back at another port."""
        self._ports[number] = to.port

    def running(self, clients: int) -> ExitStack:
        """The callers at work until the stack is left."""
        threads = [threading.Thread(target=self._ask, args=(one,)) for one in range(clients)]
        for thread in threads:
            thread.start()
        stack = ExitStack()
        for thread in threads:
            stack.callback(thread.join)
        stack.callback(self._stop.set)
        return stack

    def _ask(self, client: int) -> None:
        archive = self._bed.archives[client % len(self._bed.archives)]
        number = client // len(self._bed.archives) % WORKERS
        port, asked = self._ports[number], 20_000_000 + client * 1_000_000
        caller = Caller(port, archive.slug, archive.keys[client], number)
        while not self._stop.is_set():
            if self._ports[number] != port:
                caller.close()
                port = self._ports[number]
                caller = Caller(port, archive.slug, archive.keys[client], number)
            asked += 1
            call = caller.search(self._question(0 if asked % 2 else asked))
            self.calls.append(call)
            if call.status != 200:
                self._stop.wait(_BACKOFF_SECONDS)
        caller.close()
