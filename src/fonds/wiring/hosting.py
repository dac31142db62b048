"""Many archives over one set of pools: lets callers in, each to the archive it may ask (R192)."""

from __future__ import annotations

import threading
from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from fonds.archive_config import ArchiveConfig
from fonds.contract.admitted import Admitted
from fonds.contract.caller import Caller
from fonds.contract.client_address import caller_at
from fonds.contract.failures import Misconfigured
from fonds.contract.key_scope import KeyScope
from fonds.contract.service_ports import Door, Limiter
from fonds.observing.observer import SILENT, Observer
from fonds.settings import Settings
from fonds.store.door import PostgresDoor
from fonds.store.limiter import PostgresLimiter
from fonds.store.pools import open_pool
from fonds.wiring.choosing import chosen_writer
from fonds.wiring.current_archives import (
    CurrentArchives,
    ReadArchives,
    folder_of_archives,
    one_archive,
)
from fonds.wiring.elsewhere import asks_elsewhere
from fonds.wiring.house import House
from fonds.wiring.known_holdings import KnownHoldings
from fonds.wiring.observed_house import ObservedHouse
from fonds.wiring.observed_ports import (
    ObservedDoor,
    ObservedLimiter,
    ObservedWriter,
    observed_embedder,
)
from fonds.wiring.reply_cache import ReplyCache, terms_of
from fonds.wiring.serving import RolePools, serving
from fonds.wiring.spaces import Spaces
from fonds.wiring.visit import Visit


@dataclass(frozen=True, slots=True)
class _Opened:
    """An archive as its file says, with the digest of that file's terms and what is known of it."""

    house: House
    terms: bytes = field(repr=False)
    known: KnownHoldings = field(default_factory=KnownHoldings, repr=False)


@dataclass(slots=True)
class Hosting:
    """Everything a service does, as the reader role. Safe to share between threads."""

    settings: Settings
    pools: RolePools
    door: Door
    limiter: Limiter
    archives: CurrentArchives
    spaces: Spaces
    cache: ReplyCache = field(default_factory=ReplyCache, repr=False)
    observer: Observer = field(default=SILENT, repr=False)
    _opened: dict[int, _Opened] = field(default_factory=dict[int, _Opened], repr=False)
    _opening: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _current: Mapping[str, ArchiveConfig] | None = field(default=None, repr=False)

    def admit(self, slug: str, key: str | None, scope: KeyScope, address: str | None) -> Visit:
        """A caller let in for one request; `address` comes from `client_address`.

        Raises NotAdmitted; Misconfigured where the caller may ask and the archive's file cannot be
        used; Unavailable.
        """
        admitted = self.door.admit(slug, key, scope)
        current = self.archives.current()
        if current is not self._current:
            self._keep(current)
        config = current.get(slug)
        if config is None:
            raise Misconfigured("the archive's file is not there or cannot be used")
        opened = self._of(admitted.archive_id, config)
        return Visit(
            house=opened.house,
            archive_id=admitted.archive_id,
            caller=caller_of(admitted, address),
            limiter=self.limiter,
            cache=self.cache,
            terms=opened.terms,
            observer=self.observer,
            shows_figures=self.settings.serve_refusal_figures,
            known=opened.known,
        )

    def asks_elsewhere(self, slug: str, *, writes: bool) -> bool:
        """Whether a question to an archive may have to wait for a provider outside this machine, by
        its file as it was read last; never waits itself.
        """
        config = self.archives.known().get(slug)
        return config is not None and asks_elsewhere(self.settings, config, writes=writes)

    def _of(self, archive_id: int, config: ArchiveConfig) -> _Opened:
        """The archive as its file says now, opened once and kept until the file says otherwise."""
        known = self._opened.get(archive_id)
        if known is not None and known.house.config is config:
            return known
        with self._opening:
            opened = _Opened(self._house(archive_id, config), terms_of(config))
            self._opened = self._opened | {archive_id: opened}
            return opened

    def _keep(self, current: Mapping[str, ArchiveConfig]) -> None:
        """Gives up what is held of an archive whose file is gone, or says something else by now."""
        with self._opening:
            self._current = current
            kept: dict[int, _Opened] = {}
            for archive_id, one in self._opened.items():
                config = one.house.config
                if current.get(config.slug) is config:
                    kept[archive_id] = one
                elif config.slug not in current:
                    self.cache.forget(archive_id)
            self._opened = kept
            self.spaces.keep(current.values())

    def _house(self, archive_id: int, config: ArchiveConfig) -> House:
        embedder = self.spaces.of(config)
        writer = chosen_writer(self.settings, config, embedder)
        return ObservedHouse(
            self.settings,
            config,
            self.pools.server,
            observed_embedder(embedder, self.observer),
            ObservedWriter(writer, self.observer),
            self.pools,
            archive_id,
            observer=self.observer,
        )


@contextmanager
def hosting(
    settings: Settings, archive: Path | None = None, observer: Observer = SILENT
) -> Generator[Hosting]:
    """The archives of the host's folder, or of one file alone, on the server the settings name.

    Raises Misconfigured for a bad setting or the one file, Unavailable for no server,
    WrongRevision, and ValidationRefused where the serving role could do more than serve.
    """
    archives = CurrentArchives(_read_archives(settings, archive, observer))
    archives.current()
    with ExitStack() as stack:
        server = stack.enter_context(serving(settings))
        size, longest = settings.serve_threads + 1, settings.read_seconds
        pools = RolePools(server, stack, size=size, read_seconds=longest)
        reader = pools.of("fonds_reader")
        login, name = server.login_of("fonds_reader"), "fonds_limiter"
        counting = pools.keep(name, open_pool(login, size=settings.serve_threads, name=name))
        yield Hosting(
            settings,
            pools,
            ObservedDoor(PostgresDoor(reader), observer),
            ObservedLimiter(PostgresLimiter(counting), observer),
            archives,
            Spaces(settings),
            observer=observer,
        )


def _read_archives(settings: Settings, archive: Path | None, observer: Observer) -> ReadArchives:
    if archive is None and settings.archives is not None:
        return folder_of_archives(settings.archives, observer)
    return one_archive(settings, archive or settings.archive)


def caller_of(admitted: Admitted, address: str | None) -> Caller:
    """Who asks, as limits count: by key, else by client address and the net it belongs to."""
    if admitted.key_id is not None:
        return Caller("key", str(admitted.key_id))
    return caller_at(address)
