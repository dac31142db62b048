"""The canaries of an archive, as its builds watch for them."""

from __future__ import annotations

from fonds.archive_file import ArchiveConfig
from fonds.build.build_served import Sweep


def sweep_of(config: ArchiveConfig) -> Sweep:
    """The sweep over what a build would serve; finds nothing when the archive names no suite."""
    raise NotImplementedError
