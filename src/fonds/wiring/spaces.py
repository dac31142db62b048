"""Embedders shared by every archive of a host that asks for the same space (R044)."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass, field

from fonds.archive_config import ArchiveConfig, EmbeddingChoice
from fonds.contract.failures import Failure
from fonds.contract.ports import Embedder
from fonds.settings import Settings
from fonds.wiring.choosing import chosen_embedder
from fonds.wiring.elsewhere import OF_THIS_MACHINE

FIRST_WORD = "ready"


@dataclass(slots=True)
class Spaces:
    """One embedder a space, however archives spell it, made when it is first asked for; safe to
    share between threads.
    """

    settings: Settings
    _embedders: dict[EmbeddingChoice, Embedder] = field(
        default_factory=dict[EmbeddingChoice, Embedder], repr=False
    )
    _loaded: dict[EmbeddingChoice, bool] = field(default_factory=dict[EmbeddingChoice, bool])
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def of(self, config: ArchiveConfig) -> Embedder:
        """The embedder of the archive's space; raises Misconfigured for one there is not."""
        with self._lock:
            known = self._embedders.get(config.embedding)
            if known is None:
                made = chosen_embedder(self.settings, config)
                alike = (one for one in self._embedders.values() if one.space == made.space)
                known = self._embedders[config.embedding] = next(alike, made)
            return known

    def keep(self, configs: Iterable[ArchiveConfig]) -> None:
        """Gives up the embedders that none of these archives asks for."""
        wanted = {config.embedding for config in configs}
        with self._lock:
            self._embedders = {one: self._embedders[one] for one in self._embedders.keys() & wanted}
            self._loaded = {one: self._loaded[one] for one in self._loaded.keys() & wanted}

    def is_loaded(self, config: ArchiveConfig) -> bool:
        """Whether the archive's space can be asked; a model of this machine is loaded for that, a
        provider elsewhere is not called.
        """
        wanted = config.embedding
        if wanted not in self._loaded:
            try:
                embedder = self.of(config)
                if embedder.space.provider in OF_THIS_MACHINE:
                    embedder.embed_query(FIRST_WORD)
            except Failure:
                return False  # asked anew next time: an outage ends
            with self._lock:
                self._loaded[wanted] = True
        return True
