"""What a host does: archives added, listed and removed, keys minted and revoked (R192)."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from fonds.archive_config import ArchiveConfig
from fonds.contract.api_key import ApiKey, key_digest, minted_key
from fonds.contract.archive_slug import is_archive_slug
from fonds.contract.archive_standing import ArchiveStanding, PastRemoval
from fonds.contract.failures import MisauthoredInput, Misconfigured, NothingServed
from fonds.contract.kept_key import KeptKey
from fonds.contract.key_scope import KeyScope
from fonds.settings import Settings
from fonds.store.archive_register import past_removals, remove_archive, standing_archives
from fonds.store.archives import open_archive
from fonds.store.key_store import PostgresKeyStore, found_key
from fonds.store.pools import Pool
from fonds.store.scope import Login
from fonds.wiring.archives import HostedArchive, config_of, hosted_archives, named_folder
from fonds.wiring.hosted_file import FILE_NAME, hosted_file
from fonds.wiring.registering import registered
from fonds.wiring.serving import RolePools, serving

# What a removal cannot reach, told to whoever removes.
BEYOND_REACH: Final = (
    "backups, and archived write-ahead logs, made before",
    "what the embedding provider, and a drafter where one is used, keeps of what they were sent",
    "logs and metrics of the service and the database: ids, counts and times",
    "memory of a service that runs: replies are asked for no more, and go when it ends",
    "the author's own files and folder",
)


@dataclass(frozen=True, slots=True)
class ListedArchive:
    """One slug as the database and the folder of hosted archives know it; either may lack it."""

    slug: str
    standing: ArchiveStanding | None
    file: HostedArchive | None


@dataclass(frozen=True, slots=True)
class HostingDesk:
    """Everything as fonds_host, which reads no content and no digest of a key."""

    settings: Settings
    _login: Login = field(repr=False)
    _pool: Pool = field(repr=False)

    def add(self, path: Path) -> tuple[int, ArchiveConfig]:
        """Registers an archive, or renews its names and terms, after its file was found usable.

        With FONDS_ARCHIVES set, the folder stands in it, and its name is enough. Raises
        Misconfigured, or Busy while the archive is being removed.
        """
        root = self.settings.archives
        path = named_folder(self.settings, path)
        folder = path.parent if path.name == FILE_NAME else path
        if root is not None and folder.absolute().parent.resolve() != root.resolve():
            raise Misconfigured(
                f"{path.name}: an archive is added from the folder FONDS_ARCHIVES names: put it"
                " there"
            )
        config = hosted_file(folder.absolute())
        return registered(self._pool, config), config

    def archives(self) -> tuple[ListedArchive, ...]:
        """Every archive the database knows and every folder the host has, by slug."""
        root = self.settings.archives
        files = {} if root is None else {one.name: one for one in hosted_archives(root)}
        known = {one.slug: one for one in standing_archives(self._pool)}
        if root is not None:
            for slug in known.keys() - files.keys():
                files[slug] = HostedArchive(slug, None, f"{slug}: no folder in FONDS_ARCHIVES")
        return tuple(
            ListedArchive(slug, known.get(slug), files.get(slug))
            for slug in sorted(known.keys() | files.keys())
        )

    def removals(self) -> tuple[PastRemoval, ...]:
        """What was removed from this database, by the number it had."""
        return past_removals(self._pool)

    def remove(self, slug: str, *, on_portion: Callable[[int], None] = lambda gone: None) -> int:
        """Erases an archive and all that refers to it; returns how many rows went.

        Raises NothingServed for a slug nobody registered, and what `remove_archive` raises.
        """
        known = {one.slug: one.archive_id for one in standing_archives(self._pool)}
        if slug not in known:
            raise NothingServed("no archive of that name in this database: fonds archive list")
        return remove_archive(self._login, self._pool, known[slug], on_portion=on_portion)

    def mint(
        self, slug: str, scopes: Sequence[KeyScope], label: str, days: int | None
    ) -> tuple[ApiKey, KeptKey]:
        """A key of the archive. Its text is in what is returned and nowhere else."""
        key = minted_key()
        return key, self._keys(slug).mint(key.digest, scopes, label, days)

    def keys(self, slug: str) -> tuple[KeptKey, ...]:
        """Every key the archive ever had, oldest first."""
        return self._keys(slug).listed()

    def find(self, text: str) -> tuple[str, int]:
        """The archive and the id of a key that was found somewhere.

        Raises MisauthoredInput when nobody minted it here.
        """
        found = found_key(self._pool, key_digest(text))
        if found is None:
            raise MisauthoredInput("no archive of this database has that key: it is read whole")
        return found

    def revoke(self, slug: str, key_id: int) -> bool:
        """Whether it was valid until now; raises MisauthoredInput when the archive has no such
        key.
        """
        done = self._keys(slug).revoke(key_id)
        if done == "unknown":
            raise MisauthoredInput("no key of this archive has that id: fonds key list")
        return done == "revoked"

    def _keys(self, slug: str) -> PostgresKeyStore:
        if not is_archive_slug(slug):
            raise MisauthoredInput("an archive's name is a-z, 0-9 and hyphens: fonds archive list")
        return PostgresKeyStore(self._pool, open_archive(self._pool, slug))


def named_slug(settings: Settings, slug: str | None, archive: Path | None) -> str:
    """The archive a host means: named by its slug, or by the file of the one archive there is.

    Where many are hosted no file says which is meant: its author would decide whose key is made.
    """
    if slug is not None:
        return slug
    if settings.archives is not None:
        raise Misconfigured("FONDS_ARCHIVES is set: name the archive by its slug")
    return config_of(settings, archive or settings.archive).slug


@contextmanager
def hosting_desk(settings: Settings) -> Generator[HostingDesk]:
    """The desk, on the server the settings name or the embedded one."""
    with ExitStack() as stack:
        server = stack.enter_context(serving(settings))
        pools = RolePools(server, stack)
        yield HostingDesk(settings, server.login_of("fonds_host"), pools.of("fonds_host"))
