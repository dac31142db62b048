"""The service under load: several archives, question vectors given, one process and its database.

    python -m eval.benchmarks.load [--archives 4] [--fragments 5000] [--rounds 200]
        [--requests 10000] [--clients 8] [--faults]

Prints JSON. One caller asks in turn the bare statement (`bare`), an endpoint that does nothing
(`empty`), a search nobody asked before (`search`) and one that is kept (`kept`); then `clients`
callers ask at once, each question another, while the memory of the process is read. `--faults`
takes things away from two workers under load and counts the promises that were broken.
"""

from __future__ import annotations

import argparse
import json
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count
from statistics import median, quantiles
from time import perf_counter

from pgvector import HalfVector

from eval.benchmarks.load_bed import Bed, load_bed
from eval.benchmarks.load_calls import Call, Caller, Worker, worker
from eval.benchmarks.load_faults import under_faults
from eval.benchmarks.served_bench import ASKED_RANKS, word

QUESTIONS = 500  # vectors; a question's words name one, and its number makes it another question
MEMORY_SAMPLES = 10
BLOCK = 20  # calls of a kind whose processor time is taken together
GOALS = {"searchToBare": 4.0, "cpuToEmpty": 10.0}
_WORDS = " ".join(word(rank) for rank in ASKED_RANKS)
_BARE = """
    WITH near AS MATERIALIZED (
        SELECT fragment_id, entity_id FROM served.embedding
         WHERE archive_id = %(archive)s AND build_id = 1
         ORDER BY embedding <=> %(vector)s LIMIT 10)
    SELECT f.fragment_id, f.text, f.label, e.title, e.url
      FROM near JOIN served.fragment f USING (fragment_id, entity_id)
      JOIN served.entity e USING (archive_id, build_id, entity_id)
     WHERE f.archive_id = %(archive)s AND f.build_id = 1
    """


def main() -> None:
    """Measures and prints one JSON object; exits with 1 when a promise was broken under faults."""
    asked = _arguments()
    with load_bed(asked.archives, asked.fragments, QUESTIONS, asked.clients) as bed:
        with worker(bed) as served:
            report: dict[str, object] = {"oneCaller": one_caller(bed, served, asked.rounds)}
            report["atOnce"] = at_once(bed, served, asked.clients, asked.requests)
        broken: dict[str, int] = {}
        if asked.faults:
            faults = under_faults(bed, asked.clients, asked.pause, question)
            report["faults"], broken = faults, faults["broken"]
    json.dump(report, sys.stdout, indent=2)
    sys.stdout.write("\n")
    sys.exit(1 if broken else 0)


@dataclass(frozen=True, slots=True)
class _Asked:
    archives: int
    fragments: int
    rounds: int
    requests: int
    clients: int
    faults: bool
    pause: float


def _arguments() -> _Asked:
    parser = argparse.ArgumentParser(prog="python -m eval.benchmarks.load")
    parser.add_argument("--archives", type=int, default=4)
    parser.add_argument("--fragments", type=int, default=5_000)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--faults", action="store_true")
    parser.add_argument("--pause", type=float, default=3.0, help="seconds between two faults")
    return _Asked(**vars(parser.parse_args()))


def question(number: int) -> str:
    """A question nobody asked before, of words the texts hold; its vector is one of the given."""
    return f"{_WORDS} {number}"


def one_caller(bed: Bed, served: Worker, rounds: int) -> dict[str, object]:
    """Latency in turn, in milliseconds, and processor time of the service in blocks."""
    archive = bed.archives[0]
    caller = Caller(served.port, archive.slug, archive.keys[0])
    contenders = _contenders(bed, caller)
    for contender in contenders.values():
        contender()
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, contender in contenders.items():
            began = perf_counter()
            contender()
            times[name].append(perf_counter() - began)
    of_service = {name: one for name, one in contenders.items() if name != "bare"}
    spent = _cpu_ms(served, of_service, rounds)
    caller.close()
    middle = {name: median(taken) for name, taken in times.items()}
    return {
        "milliseconds": {name: _spread(taken) for name, taken in times.items()},
        "cpuMilliseconds": spent,
        "searchToBare": round(middle["search"] / middle["bare"], 2),
        "keptToBare": round(middle["kept"] / middle["bare"], 2),
        "cpuToEmpty": round(spent["search"] / spent["empty"], 2) if spent["empty"] else None,
        "goals": GOALS,
    }


def _contenders(bed: Bed, caller: Caller) -> dict[str, Callable[[], None]]:
    numbers, archive_id = count(1), bed.archives[0].archive_id
    vectors = [HalfVector(one) for one in bed.questions]

    def bare() -> None:
        values = {"archive": archive_id, "vector": vectors[next(numbers) % QUESTIONS]}
        bed.admin.execute(_BARE, values).fetchall()

    def search() -> None:
        _answered(caller.search(question(next(numbers))))

    def kept() -> None:
        _answered(caller.search(question(0)))

    return {"bare": bare, "empty": caller.alive, "search": search, "kept": kept}


def at_once(bed: Bed, served: Worker, clients: int, requests: int) -> dict[str, object]:
    """Throughput and latency of so many callers over all archives, and memory on the way."""
    numbers, lock = count(10_000_000), threading.Lock()
    each = requests // MEMORY_SAMPLES // clients
    calls: list[Call] = []
    resident = [served.resident_bytes]

    def ask(client: int) -> list[Call]:
        archive = bed.archives[client % len(bed.archives)]
        caller = Caller(served.port, archive.slug, archive.keys[client])
        made: list[Call] = []
        for _ in range(each):
            with lock:
                number = next(numbers)
            made.append(_answered(caller.search(question(number))))
        caller.close()
        return made

    began = perf_counter()
    with ThreadPoolExecutor(clients) as threads:
        for _ in range(MEMORY_SAMPLES):
            for made in threads.map(ask, range(clients)):
                calls += made
            resident.append(served.resident_bytes)
    seconds = perf_counter() - began
    wrong = sum(any(not title.startswith(f"{c.slug} ") for title in c.titles) for c in calls)
    half = resident[len(resident) // 2]
    return {
        "clients": clients,
        "requests": len(calls),
        "aSecond": round(len(calls) / seconds, 1),
        "milliseconds": _spread([call.seconds for call in calls]),
        "ofAnotherArchive": wrong,
        "residentMB": [round(size / 1e6, 1) for size in resident],
        "secondHalfGrowth": round(resident[-1] / half - 1, 4),
    }


def _answered(call: Call) -> Call:
    if call.status != 200 or not call.titles:
        raise RuntimeError(f"a search without fault came to {call.status}")
    return call


def _cpu_ms(
    served: Worker, contenders: Mapping[str, Callable[[], None]], rounds: int
) -> dict[str, float]:
    """A call's, in blocks that take turns: what else the machine does falls on all alike."""
    blocks, each = max(1, rounds // BLOCK), min(rounds, BLOCK)
    spent = dict.fromkeys(contenders, 0.0)
    for _ in range(blocks):
        for name, contender in contenders.items():
            before = served.cpu_seconds
            for _ in range(each):
                contender()
            spent[name] += served.cpu_seconds - before
    return {name: round(seconds / (blocks * each) * 1000, 3) for name, seconds in spent.items()}


def _spread(seconds: Sequence[float]) -> dict[str, float]:
    percentiles = quantiles(seconds, n=100)
    return {
        "p50": round(median(seconds) * 1000, 2),
        "p99": round(percentiles[98] * 1000, 2),
    }


if __name__ == "__main__":
    main()
