"""The suite of an archive and its canaries, as its builds and its evaluations read them (R180,
R182).
"""

from __future__ import annotations

from dataclasses import replace

from fonds.archive_config import ArchiveConfig
from fonds.build.build_served import Sweep
from fonds.contract.failures import Misconfigured
from fonds.evaluation.canary_file import read_canaries
from fonds.evaluation.gold import GoldSuite, read_gold
from fonds.evaluation.sweep import build_sweep


def suite_of(config: ArchiveConfig) -> GoldSuite | None:
    """The cases of `[evaluation] gold` with the canaries of that file or of their own; None without
    a suite. Raises Misconfigured where canaries stand in both.
    """
    if config.gold is None:
        return None
    suite = read_gold(config.gold, author=config.author)
    if config.canaries is None:
        return suite
    if suite.canaries:
        raise Misconfigured(
            f"canaries stand in {config.gold.name} and in {config.canaries.name}: keep the second"
        )
    return replace(suite, canaries=read_canaries(config.canaries))


def sweep_of(config: ArchiveConfig) -> Sweep:
    """The sweep over what a build would serve; finds nothing when the archive names no canary."""
    suite = suite_of(config)
    if suite is not None:
        return build_sweep(suite.canaries)
    if config.canaries is not None:
        return build_sweep(read_canaries(config.canaries))
    return lambda strings: ()
