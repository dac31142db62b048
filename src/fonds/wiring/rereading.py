"""An archive file that changes while its house is open: noticed, and read again when asked."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace

from fonds.contract.failures import Misconfigured
from fonds.observing.observer import SILENT
from fonds.wiring.archives import config_of
from fonds.wiring.choosing import chosen_embedder, chosen_writer
from fonds.wiring.current_archives import Signature, file_signature
from fonds.wiring.house import House
from fonds.wiring.observed_house import ObservedHouse
from fonds.wiring.observed_ports import ObservedWriter, observed_embedder


@dataclass(slots=True)
class FileWatch:
    """Whether an archive file says something else than its house was opened with. What it means is
    compared, not when it was written: a comment is no change. Safe to share between threads.
    """

    _seen: tuple[House, Signature] | None = field(default=None, repr=False)
    _differs: bool = False
    _looking: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def differs(self, house: House) -> bool:
        """The file as it is now; one that cannot be read says something else."""
        with self._looking:
            now = (house, file_signature(house.config.file))
            if self._seen is None or self._seen[0] is not house or self._seen[1] != now[1]:
                self._differs = not _says_the_same(house)
                self._seen = now
            return self._differs


def reread(house: House) -> House:
    """The same archive by its file as it is now, on the same server and pools.

    Raises Misconfigured for a file that cannot be used, and for one of another archive.
    """
    config = config_of(house.settings, house.config.file)
    if config.slug != house.config.slug:
        raise Misconfigured("slug: the file is of another archive now: start the desk again")
    observer = house.observer if isinstance(house, ObservedHouse) else SILENT
    embedder = house.embedder
    if config.embedding != house.config.embedding:
        embedder = observed_embedder(chosen_embedder(house.settings, config), observer)
    writer = ObservedWriter(chosen_writer(house.settings, config, embedder), observer)
    return replace(house, config=config, embedder=embedder, writer=writer, _retrieval=None)


def _says_the_same(house: House) -> bool:
    try:
        return config_of(house.settings, house.config.file) == house.config
    except Misconfigured:
        return False
