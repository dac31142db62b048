"""Which archives a worker holds, by files read again at every look; a bad one stops no other."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fonds.archive_config import ArchiveConfig
from fonds.contract.failures import Misconfigured
from fonds.settings import Settings
from fonds.wiring.archives import config_of, hosted_archives


@dataclass(frozen=True, slots=True)
class Held:
    """Archives by their files. `unusable` pairs a name with the one line that says why."""

    usable: tuple[ArchiveConfig, ...]
    unusable: tuple[tuple[str, str], ...]


def held_files(settings: Settings, archive: Path | None) -> Held:
    """The archive of `archive`, else those of FONDS_ARCHIVES, else the one of FONDS_ARCHIVE; never
    raises.
    """
    try:
        if archive is None and settings.archives is not None:
            found = hosted_archives(settings.archives)
        else:
            return Held((config_of(settings, archive or settings.archive),), ())
    except Misconfigured as trouble:
        return Held((), (((archive or settings.archives or settings.archive).name, str(trouble)),))
    return Held(
        tuple(one.config for one in found if one.config is not None),
        tuple((one.name, one.reason) for one in found if one.reason is not None),
    )
