"""How the archives of a host stand, as gauges: usable or not, and how old a build each serves."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from fonds.contract.failures import NothingServed
from fonds.observing.measures import Figure
from fonds.settings import Settings
from fonds.store.archives import open_archive
from fonds.store.served_store import PostgresServedStore
from fonds.wiring.archives import archive_names
from fonds.wiring.hosting import Hosting
from fonds.wiring.observing_process import ObservedProcess

READ_AGAIN_SECONDS: Final = 60.0  # a transaction an archive; an age is of hours and days


@dataclass(slots=True)
class HostingFigures:
    """A source of gauges. `known` is how many archives the host means to serve.

    Which build each serves is read once a minute at most, whoever scrapes how often.
    """

    hosting: Hosting
    known: Callable[[], int]
    clock: Callable[[], float] = time.monotonic
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    _built: dict[int, datetime] = field(default_factory=dict[int, datetime])
    _read_at: float | None = None

    def __call__(self) -> list[Figure]:
        """Raises what the database raises; what was read before stays for the next time."""
        slugs = tuple(self.hosting.archives.current())
        if self._read_at is None or self.clock() - self._read_at >= READ_AGAIN_SECONDS:
            self._built = self._built_at(slugs)
            self._read_at = self.clock()
        unusable = max(0, self.known() - len(slugs))
        now = self.now()
        return [
            ("fonds_archives", {"state": "usable"}, len(slugs)),
            ("fonds_archives", {"state": "unusable"}, unusable),
            *(
                ("fonds_build_age_seconds", {"archive": number}, (now - built).total_seconds())
                for number, built in self._built.items()
            ),
        ]

    def _built_at(self, slugs: tuple[str, ...]) -> dict[int, datetime]:
        pool = self.hosting.pools.of("fonds_reader")
        found: dict[int, datetime] = {}
        for slug in slugs:
            try:
                number = open_archive(pool, slug)
                with PostgresServedStore(pool, number).reading() as reader:
                    found[number] = reader.build.built_at
            except NothingServed:
                continue  # not registered, or nothing built yet: there is no age
        return found


def measure_hosting(process: ObservedProcess, hosting: Hosting, archive: Path | None) -> None:
    """Lets a host's pools and archives be measured; `archive` is the one file it serves, if any."""
    process.read_pools(hosting.pools)
    process.read_from(HostingFigures(hosting, lambda: known_archives(hosting.settings, archive)))


def known_archives(settings: Settings, archive: Path | None) -> int:
    """How many archives a host is given: the folders of FONDS_ARCHIVES, or one file."""
    if archive is not None or settings.archives is None:
        return 1
    return len(archive_names(settings.archives))
