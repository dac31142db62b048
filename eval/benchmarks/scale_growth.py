"""How each cost of one archive grows with it: ingest, build, search, ask, disk, memory."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import count
from math import log
from pathlib import Path
from statistics import linear_regression, median
from typing import Any

from eval.benchmarks.load import MEMORY_SAMPLES, at_once, question
from eval.benchmarks.load_calls import worker
from eval.benchmarks.scale_bed import Site
from eval.benchmarks.scale_costs import Meter, Spent, meter, private_mb, spilled, table_bytes
from fonds.contract.search_request import SearchRequest

CHANGED = 100  # one guide in so many is written anew
GROUPS = {
    "privateText": ("private.entity", "private.fragment", "private.source"),
    "privateVectors": ("private.embedding",),
    "servedText": ("served.entity", "served.fragment"),
    "servedVectors": ("served.embedding",),
    "servedWords": ("served.word_list", "served.posting"),
    "servedPhrases": ("served.phrase", "served.name"),
}


@dataclass
class Growing:
    """One archive as it is filled and asked; what was measured of it by name."""

    site: Site
    seconds: dict[str, float] = field(default_factory=dict[str, float])
    memory: dict[str, float] = field(default_factory=dict[str, float])
    disk: dict[str, float] = field(default_factory=dict[str, float])
    load: dict[str, dict[str, object]] = field(default_factory=dict[str, dict[str, object]])
    spills: dict[str, float] = field(default_factory=dict[str, float])
    asked: defaultdict[str, list[Spent]] = field(
        default_factory=lambda: defaultdict[str, list[Spent]](list)
    )

    def fill(self) -> None:
        """The first ingest, one without a change, the first build, one after 1%, the end of
        a kept build, and a build that finds nothing changed.
        """
        house = self.site.house
        ingesting, building = (meter(house.pool(role)) for role in ("fonds_ingest", "fonds_build"))
        if not self.site.has_files:
            self.site.serve()
            self._weigh()
            return
        self._took("ingest", ingesting, lambda: house.ingest(progress=_silent).rows.total)
        self._took("unchangedIngest", ingesting, lambda: house.ingest(progress=_silent).rows.total)
        self._took("build", building, lambda: house.build(yes=True).fragments)
        self._weigh()
        _change(self.site.house.config.file.parent / "guides")
        self._took("changedIngest", ingesting, lambda: house.ingest(progress=_silent).rows.total)
        self._took("changedBuild", building, lambda: house.build(yes=True).fragments)
        self._took("prune", building, self._pruned)
        self._took("unchangedBuild", building, lambda: house.build(yes=True).fragments)
        self.spills["megabytes"] = spilled(self.site.admin)[1] / 1e6

    def ask_once(self, number: int) -> None:
        """A search and a question to be answered, each nobody asked before."""
        reading = meter(self.site.house.pool("fonds_reader"))
        request = SearchRequest(question(number), limit=10)
        with reading.spending() as spent:
            self.site.house.search(request)
        self.asked["search"].append(spent)
        with reading.spending() as spent:
            self.site.house.ask_unrecorded(request)
        self.asked["ask"].append(spent)
        self.memory["readerBackendMB"] = round(private_mb(reading.pid), 1)

    def be_loaded(self, callers: Sequence[int], requests: int) -> None:
        """Requests a second over HTTP, by so many callers at once."""
        bed = self.site.bed(max(callers))
        with worker(bed) as served:
            self.memory["serviceIdleMB"] = round(served.resident_bytes / 1e6, 1)
            for clients in callers:
                self.load[str(clients)] = at_once(
                    bed, served, clients, max(requests, MEMORY_SAMPLES * clients)
                )
            self.memory["serviceMB"] = round(served.resident_bytes / 1e6, 1)

    def report(self) -> dict[str, Any]:
        """Milliseconds, megabytes and bytes a fragment."""
        spent: dict[str, float] = {}
        for what, taken in self.asked.items():
            spent[f"{what}Ms"] = _milliseconds(one.wall for one in taken)
            spent[f"{what}ServerCpuMs"] = _milliseconds(one.server_cpu for one in taken)
            spent[f"{what}OwnCpuMs"] = _milliseconds(one.own_cpu for one in taken)
        fragments = self.site.fragments
        filled: dict[str, object] = {}
        if self.site.has_files:
            filled = {
                "ingestRowsASecond": round(fragments / self.seconds["ingest"]),
                "ingestRowsACpuSecond": round(fragments / self.seconds["ingestCpu"]),
                "spilledMB": round(self.spills["megabytes"], 1),
            }
        return filled | {
            "seconds": {name: round(value, 3) for name, value in self.seconds.items()},
            "asked": spent,
            "memory": self.memory,
            "diskBytesAFragment": self.disk,
            "load": self.load,
        }

    @property
    def costs(self) -> dict[str, float]:
        """What a curve is drawn through: processor time, which a busy machine lengthens little."""
        cpu = {
            f"{what}ServerCpu": median(one.server_cpu for one in taken)
            for what, taken in self.asked.items()
        }
        spent = {name: taken for name, taken in self.seconds.items() if name.endswith("Cpu")}
        return spent | cpu

    def _took(self, what: str, watched: Meter, work: Callable[[], int]) -> None:
        with watched.spending() as spent:
            work()
        self.seconds[what] = spent.wall
        self.seconds[f"{what}Cpu"] = spent.own_cpu + spent.server_cpu
        self.memory[f"{what}PeakMB"] = spent.own_peak_mb
        self.memory[f"{what}BackendPeakMB"] = spent.server_peak_mb

    def _pruned(self) -> int:
        """Takes away what every fourth build does: one that is kept no longer."""
        with self.site.house.building() as builds:
            return builds.prune(1)

    def _weigh(self) -> None:
        sizes = table_bytes(self.site.admin)
        fragments = self.site.fragments
        for group, tables in GROUPS.items():
            self.disk[group] = round(sum(sizes[name][0] for name in tables) / fragments)
            self.disk[f"{group}Indexes"] = round(sum(sizes[name][1] for name in tables) / fragments)
        self.disk["all"] = round(sum(map(sum, sizes.values())) / fragments)
        served = [sum(size) for name, size in sizes.items() if name.startswith("served.")]
        self.disk["ofOneBuild"] = round(sum(served) / fragments)


def exponents(grown: Sequence[Growing]) -> dict[str, float]:
    """The power of the archive's size that each cost grows with, from the sizes of 3,000 on where
    there are two of them: below, what is spent whatever the size hides it. 1 is linear.
    """
    large = [one for one in grown if one.site.fragments >= 3_000]
    drawn = large if len(large) > 1 else grown
    if len(drawn) < 2:
        return {}
    points = {
        name: [(one.site.fragments, one.costs[name]) for one in drawn if name in one.costs]
        for name in dict.fromkeys(name for one in drawn for name in one.costs)
    }
    return {name: _power(found) for name, found in points.items() if len(found) > 1}


def _power(points: Sequence[tuple[int, float]]) -> float:
    sizes, costs = zip(*points, strict=True)
    return round(linear_regression([log(n) for n in sizes], [log(n) for n in costs]).slope, 2)


def grown_together(
    sites: Sequence[Site], rounds: int, told: Callable[[str], object]
) -> list[Growing]:
    """Each is filled in turn; then all are asked in turn, so that a busy machine slows all.

    `told` hears how long each took to fill.
    """
    growing = [Growing(site) for site in sites]
    for one in growing:
        one.fill()
        told(f"{one.site.fragments} fragments: {json.dumps(one.seconds)}")
    numbers = count(1)
    for _ in range(rounds + 1):
        for one in growing:
            one.ask_once(next(numbers))
    for one in growing:  # the first reads the catalogue and plans
        for taken in one.asked.values():
            del taken[0]
    return growing


def _change(guides: Path) -> None:
    for file in sorted(guides.iterdir())[::CHANGED]:
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace("\n\nzu", "\n\nAgain zu", 1), encoding="utf-8")


def _milliseconds(seconds: Iterable[float]) -> float:
    return round(median(seconds) * 1000, 2)


def _silent(stage: str, done: int, total: int) -> None:
    pass
