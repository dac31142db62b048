"""Embedders shared by every archive of a host that asks for the same space (R044)."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from fonds.archive_config import ArchiveConfig, EmbeddingChoice
from fonds.contract.failures import Failure
from fonds.contract.ports import Embedder
from fonds.settings import Settings
from fonds.wiring.choosing import chosen_embedder

FIRST_WORD = "ready"


@dataclass(slots=True)
class Spaces:
    """One embedder a choice, made when it is first asked for; safe to share between threads."""

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
                known = self._embedders[config.embedding] = chosen_embedder(self.settings, config)
            return known

    def is_loaded(self, config: ArchiveConfig) -> bool:
        """Whether the archive's space can be asked; a model of this machine is loaded for that, a
        provider elsewhere is not called.
        """
        wanted = config.embedding
        if wanted not in self._loaded:
            try:
                embedder = self.of(config)
                if embedder.space.provider != "openai":
                    embedder.embed_query(FIRST_WORD)
            except Failure:
                return False  # asked anew next time: an outage ends
            self._loaded[wanted] = True
        return True
