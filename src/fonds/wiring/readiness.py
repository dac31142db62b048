"""Whether a host can answer at all: database, revision, role proof, spaces (R186)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from fonds.contract.failures import Failure
from fonds.store.revision import is_at_head
from fonds.store.role_proof import prove_reader
from fonds.wiring.hosting import Hosting

PROVED_AGAIN_SECONDS = 60.0  # a proof asks the catalogue once a premise


@dataclass(frozen=True, slots=True)
class Ready:
    """What holds at the moment. An archive that cannot answer alone makes no host unready."""

    database: bool
    revision: bool
    role_proof: bool
    spaces: bool

    @property
    def holds(self) -> bool:
        return self.database and self.revision and self.role_proof and self.spaces


@dataclass(slots=True)
class Readiness:
    """Asked as often as anybody likes; the costly proof is made once a minute."""

    hosting: Hosting
    clock: Callable[[], float] = time.monotonic
    _proved_at: float | None = None
    _proving: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def look(self) -> Ready:
        try:
            at_head = is_at_head(self.hosting.pools.of("fonds_reader"))
        except Failure:
            return Ready(database=False, revision=False, role_proof=False, spaces=False)
        return Ready(
            database=True,
            revision=at_head,
            role_proof=self._is_proved(),
            spaces=self._has_spaces(),
        )

    def _is_proved(self) -> bool:
        with self._proving:
            proved = self._proved_at
            if proved is not None and self.clock() - proved < PROVED_AGAIN_SECONDS:
                return True
            try:
                prove_reader(self.hosting.pools.of("fonds_reader"))
            except Failure:
                self._proved_at = None
                return False
            self._proved_at = self.clock()
            return True

    def _has_spaces(self) -> bool:
        """One space that cannot be loaded is its archives' trouble; none at all is the host's."""
        configs = {one.embedding: one for one in self.hosting.archives.current().values()}
        loaded = [self.hosting.spaces.is_loaded(config) for config in configs.values()]
        return any(loaded) or not loaded
