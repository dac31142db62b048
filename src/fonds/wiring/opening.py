"""An archive's file, its server and what its choices name, put together and taken apart again."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from fonds.observing.observer import SILENT, Observer
from fonds.settings import Settings
from fonds.wiring.archives import config_of
from fonds.wiring.choosing import chosen_embedder, chosen_writer
from fonds.wiring.house import House
from fonds.wiring.observed_house import ObservedHouse
from fonds.wiring.observed_ports import ObservedWriter, observed_embedder
from fonds.wiring.serving import RolePools, serving


@contextmanager
def opened(
    settings: Settings, archive: Path | None = None, observer: Observer = SILENT
) -> Generator[House]:
    """The archive of a file, on the server the settings name or the embedded one.

    Raises Misconfigured for a bad file or setting, Unavailable for a server that does not start.
    """
    config = config_of(settings, archive or settings.archive)
    embedder = observed_embedder(chosen_embedder(settings, config), observer)
    with ExitStack() as stack:
        server = stack.enter_context(serving(settings))
        writer = ObservedWriter(chosen_writer(settings, config, embedder), observer)
        pools = RolePools(server, stack)
        yield ObservedHouse(settings, config, server, embedder, writer, pools, observer=observer)
