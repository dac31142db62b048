"""What a build costs: whole, after a change of one fragment in a hundred, and after none.

    python -m eval.benchmarks.build [--fragments 1000 10000] [--rounds 3]

Prints JSON. Each archive holds public essays of four fragments and one private book whose text
grows with it (1 MB in 300 fragments at 10,000), two thirds of it described. A round builds each
archive three times, one archive after the other: under other rules and with other text everywhere,
so that nothing is as it was (`full`); after one essay in a hundred got other text (`changed`); and
after nothing (`unchanged`).
Figures are medians of the rounds; `linearity` is the largest archive's time a fragment over the
smallest's, and `secondLint` the database's own lint, asked for alone.
"""

from __future__ import annotations

import argparse
import json
import random
import secrets
import sys
import tempfile
from collections import defaultdict
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from statistics import median
from time import perf_counter

from fonds.build.acceptance import Acceptance
from fonds.build.build_report import BuildReport
from fonds.build.build_served import build_served
from fonds.contract.attribution import Attribution
from fonds.contract.build_store import BuildTerms
from fonds.contract.disclosure import disclosure
from fonds.contract.embed_string import content_hash, embed_string
from fonds.contract.embedding_space import EmbeddingSpace
from fonds.contract.entity import Entity, Policy
from fonds.contract.fragment import Fragment
from fonds.contract.locator import Locator
from fonds.contract.ports import Vector, VectorRow
from fonds.contract.projection import PassedProjection, ProjectionBase
from fonds.contract.stored_source import ReadSource
from fonds.store.archives import register_archive
from fonds.store.build_store import PostgresBuildStore
from fonds.store.curator_store import PostgresCuratorStore
from fonds.store.databases import create_database
from fonds.store.embedded import running
from fonds.store.migrating import migrate
from fonds.store.pools import Pool, open_pool, transaction
from fonds.store.private_store import PostgresPrivateStore
from fonds.store.statements import statements

SPACE = EmbeddingSpace("bench", "given", 384)
ROLES = ("fonds_ingest", "fonds_curator", "fonds_build")
PER_ESSAY = 4
PRIVATE_SHARE = 0.03  # of the fragments: 300 beside 10,000
BATCH = 100  # sources a transaction
STEPS = ("start", "check", "materialise", "verify", "switch")
GOALS = {"fullSecondsAt10000": 20.0, "changedToFull": 0.5}
RANDOM = random.Random(20250101)  # noqa: S311 - made-up text, the same every time
SYLLABLES = [consonant + vowel for consonant in "bdfgklmnprstv" for vowel in "aeiou"]
WORDS = ["".join(RANDOM.choices(SYLLABLES, k=RANDOM.randint(1, 4))) for _ in range(6000)]
THEMES = [f"{RANDOM.choice(WORDS)} {RANDOM.choice(WORDS)}" for _ in range(60)]
PEOPLE = [Attribution(f"{RANDOM.choice(WORDS)} {RANDOM.choice(WORDS)}") for _ in range(150)]


def main() -> None:
    """Measures each size and prints one JSON object."""
    parser = argparse.ArgumentParser(prog="python -m eval.benchmarks.build")
    parser.add_argument("--fragments", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    with _pools() as pools:
        archives = [_Archive(pools, size) for size in asked.fragments]
        for archive in archives:
            archive.fill()
        for number in range(asked.rounds + 1):
            for archive in archives:
                archive.measure(number)
    json.dump(_report(archives), sys.stdout, indent=2)
    sys.stdout.write("\n")


@contextmanager
def _pools() -> Generator[dict[str, Pool]]:
    with (
        tempfile.TemporaryDirectory(prefix="fonds-bench-") as folder,
        running(Path(folder) / "home") as server,
    ):
        name = f"fonds_bench_{secrets.token_hex(4)}"
        create_database(server.admin_url(), name)
        migrate(server.url("fonds_migrator", name), server.keys)
        pools = {role: open_pool(server.login(role, name)) for role in ROLES}
        try:
            yield pools
        finally:
            for pool in pools.values():
                pool.close()


@dataclass
class _Archive:
    pools: dict[str, Pool]
    fragments: int
    rules: int = 0
    built_of_nothing: int = 0
    times: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        self.archive_id = register_archive(
            self.pools["fonds_ingest"],
            slug=f"bench-{self.fragments}",
            name="Bench",
            author="Person A",
            base_url="https://example.org",
        )
        self.private = PostgresPrivateStore(self.pools["fonds_ingest"], self.archive_id)
        self.builds = PostgresBuildStore(self.pools["fonds_build"], self.archive_id)

    def fill(self) -> None:
        self._write(_essay(number) for number in range(self.fragments // PER_ESSAY))
        book = _book(round(self.fragments * PRIVATE_SHARE))
        self._write([book])
        curator = PostgresCuratorStore(self.pools["fonds_curator"], self.archive_id)
        curator.write_projections([_projection(f) for f in book.pairs[0][1] if _is_described(f)])

    def measure(self, number: int) -> None:
        """One round; the first is not kept: it writes into empty tables."""
        self.rules += 1
        self._write(_essay(i, f"anew {number}") for i in range(self.fragments // PER_ESSAY))
        self._build("full")
        self._write(
            _essay(i, f"again {number}") for i in range(0, self.fragments // PER_ESSAY, 100)
        )
        self._build("changed")
        self.built_of_nothing += not self._build("unchanged").unchanged
        self._second_lint()
        if number == 0:
            self.times.clear()

    def _write(self, sources: Iterable[ReadSource]) -> None:
        waiting = list(sources)
        for start in range(0, len(waiting), BATCH):
            batch = waiting[start : start + BATCH]
            self.private.write_sources(batch)
            self.private.write_vectors(SPACE, [row for source in batch for row in _vectors(source)])

    def _build(self, what: str) -> BuildReport:
        reached = [("start", perf_counter())]
        terms = BuildTerms(SPACE, 0.2, 0.5, self.rules)
        report = build_served(
            self.builds,
            terms,
            lambda strings: () if all(strings) else ("an empty string",),
            acceptance=Acceptance("all"),
            progress=lambda step: reached.append((step, perf_counter())),
        )
        reached.append(("end", perf_counter()))
        self.times[what].append(reached[-1][1] - reached[0][1])
        for (step, begun), (_, ended) in pairwise(reached):
            self.times[f"{what} {step}"].append(ended - begun)
        return report

    def _second_lint(self) -> None:
        live = next(build.build_id for build in self.builds.builds() if build.live)
        with transaction(self.pools["fonds_build"], self.archive_id) as connection:
            connection.execute(statements("build")["plan_for_many"])
            begun = perf_counter()
            connection.execute(statements("build")["second_lint"], {"build_id": live}).fetchall()
        self.times["secondLint"].append(perf_counter() - begun)

    def report(self) -> dict[str, object]:
        spent = {what: median(taken) for what, taken in self.times.items()}
        full = spent["full"]
        return {
            "fullSeconds": round(full, 2),
            "fullSteps": {step: round(spent[f"full {step}"], 2) for step in STEPS},
            "changedSeconds": round(spent["changed"], 2),
            "changedSteps": {step: round(spent[f"changed {step}"], 2) for step in STEPS},
            "changedToFull": round(spent["changed"] / full, 3),
            "unchangedSeconds": round(spent["unchanged"], 3),
            "unchangedToFull": round(spent["unchanged"] / full, 3),
            "lintToFull": round(spent["full check"] / full, 3),
            "secondLintToFull": round(spent["secondLint"] / full, 3),
        }

    @property
    def seconds_a_fragment(self) -> float:
        return median(self.times["full"]) / self.fragments


def _report(archives: list[_Archive]) -> dict[str, object]:
    by_size = sorted(archives, key=lambda archive: archive.fragments)
    return {
        **{str(archive.fragments): archive.report() for archive in by_size},
        "linearity": round(by_size[-1].seconds_a_fragment / by_size[0].seconds_a_fragment, 2),
        "buildsOfNothing": sum(archive.built_of_nothing for archive in archives),
        "goals": GOALS,
    }


def _essay(number: int, mark: str = "") -> ReadSource:
    made = random.Random(f"{number} {mark}")  # noqa: S311
    entity = Entity(
        f"essay:{number:06}",
        "essay",
        f"Essay {WORDS[number % len(WORDS)]} {number}",
        f"https://example.org/essays/{number:06}/",
        disclosure("public", "text"),
        attribution=(made.choice(PEOPLE),),
        date="2019",
        themes=tuple(made.sample(THEMES, 3)),
    )
    fragments = tuple(
        Fragment(
            entity.entity_id,
            (Locator("chapter", str(chapter)),),
            entity.disclosure,
            " ".join(made.choices(WORDS, k=240)),
            attribution=(made.choice(PEOPLE),) if chapter % 2 else (),
            themes=tuple(made.sample(THEMES, 2)) if chapter == 0 else (),
        )
        for chapter in range(PER_ESSAY)
    )
    return ReadSource(f"e/{number:06}.md", "public", str(number), mark, ((entity, fragments),))


def _book(pages: int) -> ReadSource:
    made = random.Random(pages)  # noqa: S311
    entity = Entity(
        "book:ledger",
        "book",
        "Ledger",
        "https://example.org/books/ledger/",
        disclosure("private", "semantic"),
        attribution=(made.choice(PEOPLE),),
        policy=Policy(public_title=True),
    )
    fragments = tuple(
        Fragment(
            entity.entity_id,
            (Locator("page", str(page)),),
            disclosure("private", "semantic" if page % 3 else "locator"),
            " ".join(made.choices(WORDS, k=560)),
        )
        for page in range(1, pages + 1)
    )
    return ReadSource("b/ledger.txt", "private", "0", "", ((entity, fragments),))


def _is_described(fragment: Fragment) -> bool:
    return fragment.disclosure.exposure == "semantic"


def _projection(fragment: Fragment) -> PassedProjection:
    words = random.Random(fragment.fragment_id).choices(WORDS, k=24)  # noqa: S311
    base = ProjectionBase(
        fragment.fragment_id,
        "generated",
        "reviewed",
        content_hash(fragment.text),
        vetoed=False,
        stale=False,
        model="bench",
        prompt_version="gist.v1",
    )
    return PassedProjection(base, f"What this page keeps: {' '.join(words)}.")


def _vectors(source: ReadSource) -> Generator[VectorRow]:
    for entity, fragments in source.pairs:
        for position, fragment in enumerate(fragments):
            yield VectorRow(
                fragment.fragment_id,
                content_hash(embed_string(entity, fragment)),
                _VECTORS[position % len(_VECTORS)],
            )


_VECTORS: list[Vector] = [
    tuple(RANDOM.uniform(-1, 1) for _ in range(SPACE.dimensions)) for _ in range(16)
]


if __name__ == "__main__":
    main()
