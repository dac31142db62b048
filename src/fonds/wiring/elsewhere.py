"""Which archives ask a provider outside this machine."""

from __future__ import annotations

from typing import Final

from fonds.archive_config import ArchiveConfig
from fonds.settings import Settings
from fonds.wiring.choosing import writer_provider

OF_THIS_MACHINE: Final = frozenset({"local", "hashing", "extractive"})
"""Embedders and the writer that wait for nobody."""


def asks_elsewhere(settings: Settings, config: ArchiveConfig, *, writes: bool) -> bool:
    """Whether a question may have to wait for a provider, to be embedded or, where it `writes`, to
    be answered.
    """
    asked = {config.embedding.provider}
    if writes:
        asked.add(writer_provider(settings, config))
    return not asked <= OF_THIS_MACHINE
