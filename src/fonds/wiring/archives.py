"""The archives of a host: every folder of FONDS_ARCHIVES, usable or not (R192)."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from fonds.archive_config import ArchiveConfig
from fonds.archive_file import read_archive_file
from fonds.contract.archive_slug import is_archive_slug
from fonds.contract.failures import Misconfigured
from fonds.settings import Settings
from fonds.wiring.hosted_file import FILE_NAME, hosted_file


@dataclass(frozen=True, slots=True)
class HostedArchive:
    """One folder of the host: its file as read, or one line that says why it is not usable."""

    name: str  # the folder's name: the slug, where it can be one
    config: ArchiveConfig | None
    reason: str | None

    @property
    def is_usable(self) -> bool:
        return self.config is not None


def hosted_archives(root: Path) -> tuple[HostedArchive, ...]:
    """Every folder below `root` in the order of names; files and hidden names are none.

    One that cannot be used has its reason, and the others are not touched by it. Raises
    Misconfigured when `root` itself cannot be listed: no archive must seem to be gone.
    """
    return tuple(hosted_archive(root, name) for name in archive_names(root))


def archive_names(root: Path) -> list[str]:
    """The names `hosted_archives` looks at; raises Misconfigured as it does."""
    try:
        with os.scandir(root) as entries:
            return sorted(
                entry.name
                for entry in entries
                if not entry.name.startswith(".") and _may_be_one(entry)
            )
    except OSError:
        raise Misconfigured("FONDS_ARCHIVES: a folder that can be listed is needed") from None


def hosted_archive(root: Path, name: str) -> HostedArchive:
    """The one folder of that name; it never raises."""
    try:
        return HostedArchive(name, _of_slug(root, name), None)
    except Misconfigured as refused:
        return HostedArchive(name, None, str(refused))


def hosted_config(settings: Settings, slug: str) -> ArchiveConfig:
    """The file of one hosted archive by its slug; raises Misconfigured with the reason."""
    if settings.archives is None:
        raise Misconfigured("FONDS_ARCHIVES is not set: no archive is hosted here")
    return _of_slug(settings.archives, slug)


def config_of(settings: Settings, path: Path) -> ArchiveConfig:
    """What a command or a job opens: a file below FONDS_ARCHIVES is read as a hosted one, any other
    as its owner's own, and a slug as its folder there. Raises Misconfigured.
    """
    path = named_folder(settings, path)
    if settings.archives is None or not _is_below(path, settings.archives):
        return read_archive_file(path)
    folder = path if path.is_dir() else path.parent
    if os.path.realpath(folder.parent) != os.path.realpath(settings.archives) or (
        path != folder and path.name != FILE_NAME
    ):
        raise Misconfigured(f"below FONDS_ARCHIVES an archive is a folder with {FILE_NAME} in it")
    return hosted_file(Path(os.path.abspath(folder)))


def named_folder(settings: Settings, path: Path) -> Path:
    """Where a hosted archive is that is named by its slug alone; any other path as it is."""
    is_slug = len(path.parts) == 1 and is_archive_slug(path.name)
    if settings.archives is None or not is_slug or path.exists():
        return path
    return settings.archives / path


def _of_slug(root: Path, slug: str) -> ArchiveConfig:
    """What is no slug may be a path, and leads to no file."""
    if not is_archive_slug(slug):
        raise Misconfigured("a folder's name is its archive's slug: a-z, 0-9 and hyphens")
    return hosted_file(root / slug)


def _is_below(path: Path, root: Path) -> bool:
    """As it is written, or as it resolves."""
    written = Path(os.path.abspath(path)).is_relative_to(os.path.abspath(root))
    return written or Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root))


def _may_be_one(entry: os.DirEntry[str]) -> bool:
    """A link to a folder is listed, and refused by name; one that leads nowhere, likewise."""
    return entry.is_symlink() or entry.is_dir(follow_symlinks=False)
