"""The archives of a host as their files say now: read again when one has changed, come or gone."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from fonds.archive_config import ArchiveConfig
from fonds.contract.archive_slug import is_archive_slug
from fonds.contract.failures import Misconfigured
from fonds.observing.events import ArchiveUnusable
from fonds.observing.observer import SILENT, Observer
from fonds.settings import Settings
from fonds.wiring.archives import archive_names, config_of, hosted_archive
from fonds.wiring.hosted_file import FILE_NAME

LOOKED_AFTER_SECONDS = 2.0

Signature: TypeAlias = tuple[int, ...] | None
ReadArchives: TypeAlias = Callable[[], Mapping[str, ArchiveConfig]]
"""Usable archives by slug, as they are now; one that cannot be used is left out, never raised."""


@dataclass(slots=True)
class CurrentArchives:
    """Usable archives by slug. Safe to share between threads: one looks, the others go on with
    what is known.
    """

    read: ReadArchives
    clock: Callable[[], float] = time.monotonic
    _known: Mapping[str, ArchiveConfig] = field(default_factory=dict[str, ArchiveConfig])
    _looked_at: float | None = None
    _looking: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def current(self) -> Mapping[str, ArchiveConfig]:
        """What was read at most LOOKED_AFTER_SECONDS before the request that asks."""
        first = self._looked_at is None
        if (first or self._is_old()) and self._looking.acquire(blocking=first):
            try:
                if self._is_old():
                    self._known = self.read()
                    self._looked_at = self.clock()
            finally:
                self._looking.release()
        return self._known

    def known(self) -> Mapping[str, ArchiveConfig]:
        """What was read last, without a look: for whoever must not wait for a disk."""
        return self._known

    def _is_old(self) -> bool:
        looked = self._looked_at
        return looked is None or self.clock() - looked >= LOOKED_AFTER_SECONDS


def folder_of_archives(root: Path, observer: Observer = SILENT) -> ReadArchives:
    """The archives of a host's folder; each file is read again when it has changed.

    `observer` is told once of each that cannot be used, which is read again at every look. A folder
    that cannot be listed for now takes no archive away. Raises Misconfigured where it cannot be
    listed to begin with.
    """
    archive_names(root)
    known: dict[str, tuple[Signature, ArchiveConfig | None]] = {}

    def read() -> Mapping[str, ArchiveConfig]:
        try:
            names = archive_names(root)
        except Misconfigured:
            names = sorted(known)
        for name in known.keys() - set(names):
            del known[name]
        for name in names:
            signature = file_signature(root / name / FILE_NAME)
            before, config = known.get(name, (None, None))
            # What made a file unusable may be mended elsewhere: a link, a right, a full machine.
            if config is None or before != signature:
                found = hosted_archive(root, name)
                told = name in known and before == signature
                known[name] = (signature, found.config)
                if found.config is None and not told:
                    shown = name if is_archive_slug(name) else None
                    observer.note(ArchiveUnusable(shown, "misconfigured"))
        return {name: config for name, (_, config) in known.items() if config is not None}

    return read


def one_archive(settings: Settings, file: Path) -> ReadArchives:
    """The archive of one file, for a service that answers for no other; below FONDS_ARCHIVES it is
    read as a hosted one. Raises Misconfigured where it cannot be used to begin with.
    """
    known = [config_of(settings, file)]
    seen = [file_signature(known[0].file)]

    def read() -> Mapping[str, ArchiveConfig]:
        signature = file_signature(known[0].file)
        if signature != seen[0]:
            try:
                known[0] = config_of(settings, file)
            except Misconfigured:
                return {}
            seen[0] = signature
        return {known[0].slug: known[0]}

    return read


def file_signature(file: Path) -> Signature:
    """What changes when a file does, or a link to it or where that leads; None where there is
    none.
    """
    try:
        found = (file.lstat(), file.stat())
    except OSError:
        return None
    return tuple(
        figure
        for one in found
        for figure in (one.st_mtime_ns, one.st_ctime_ns, one.st_size, one.st_ino)
    )
