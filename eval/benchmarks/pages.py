"""What a reader's page costs the service: one of an open archive, and what is told of the archive.

    python -m eval.benchmarks.pages [--fragments 5000] [--rounds 300]

Prints JSON. One caller asks in turn an endpoint that does nothing (`empty`), the page with its
field (`page`), what the archive holds as a page (`about`), and what the API tells of it (`told`);
figures are milliseconds on one connection that is kept, and processor time of the service alone.
`firstAbout` is the one that counts what the build holds: it is kept until that changes.
"""

from __future__ import annotations

import argparse
import http.client
import json
import sys
from collections.abc import Callable
from functools import partial
from statistics import median, quantiles
from time import perf_counter

from eval.benchmarks.load_bed import load_bed
from eval.benchmarks.load_calls import CEILING_SECONDS, Worker, worker

GOALS = {"pageMilliseconds": 10.0}


def main() -> None:
    """Measures and prints one JSON object."""
    parser = argparse.ArgumentParser(prog="python -m eval.benchmarks.pages")
    parser.add_argument("--fragments", type=int, default=5_000)
    parser.add_argument("--rounds", type=int, default=300)
    asked = parser.parse_args()
    with load_bed(1, asked.fragments, 1, 1) as bed, worker(bed) as served:
        report = measured(served, bed.archives[0].slug, asked.rounds)
    json.dump({"fragments": asked.fragments, **report}, sys.stdout, indent=2)
    sys.stdout.write("\n")


def measured(served: Worker, slug: str, rounds: int) -> dict[str, object]:
    """Each contender once a round, in turn; then each in a block, for its processor time."""
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=CEILING_SECONDS)
    addresses = {
        "empty": "/livez",
        "page": f"/{slug}/",
        "about": f"/{slug}/about",
        "told": f"/v1/archives/{slug}",
    }
    contenders = {name: partial(_got, connection, path) for name, path in addresses.items()}
    contenders["page"]()
    first = _seconds(contenders["about"])
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, contender in contenders.items():
            times[name].append(_seconds(contender))
    spent: dict[str, float] = {}
    for name, contender in contenders.items():
        before = served.cpu_seconds
        for _ in range(rounds):
            contender()
        spent[name] = round((served.cpu_seconds - before) / rounds * 1000, 2)
    connection.close()
    middle = {name: median(taken) for name, taken in times.items()}
    return {
        "milliseconds": {
            name: {"p50": round(middle[name] * 1000, 2), "p99": round(_worst(taken) * 1000, 2)}
            for name, taken in times.items()
        },
        "cpuMilliseconds": spent,
        "firstAbout": round(first * 1000, 2),
        "pageToEmpty": round(middle["page"] / middle["empty"], 2),
        "aboutToTold": round(middle["about"] / middle["told"], 2),
        "goals": GOALS,
    }


def _got(connection: http.client.HTTPConnection, path: str) -> None:
    connection.request("GET", path)
    reply = connection.getresponse()
    reply.read()
    if reply.status != 200:
        raise RuntimeError(f"the service answered {reply.status}")


def _seconds(contender: Callable[[], None]) -> float:
    began = perf_counter()
    contender()
    return perf_counter() - began


def _worst(taken: list[float]) -> float:
    return quantiles(taken, n=100)[98]


if __name__ == "__main__":
    main()
