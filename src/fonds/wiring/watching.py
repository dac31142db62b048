"""The canaries of an archive, as its builds watch for them."""

from __future__ import annotations

from fonds.archive_file import ArchiveConfig
from fonds.build.build_served import Sweep
from fonds.evaluation.gold import read_gold
from fonds.evaluation.sweep import build_sweep


def sweep_of(config: ArchiveConfig) -> Sweep:
    """The sweep over what a build would serve; finds nothing when the archive names no suite."""
    if config.gold is None:
        return lambda strings: ()
    return build_sweep(read_gold(config.gold, author=config.author).canaries)
