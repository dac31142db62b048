"""An archive's file, its server and what its choices name, put together and taken apart again."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from fonds.archive_file import read_archive_file
from fonds.settings import Settings
from fonds.wiring.choosing import chosen_embedder, chosen_writer
from fonds.wiring.house import House
from fonds.wiring.serving import RolePools, serving


@contextmanager
def opened(settings: Settings, archive: Path | None = None) -> Generator[House]:
    """The archive of a file, on the server the settings name or the embedded one.

    Raises Misconfigured for a bad file or setting, Unavailable for a server that does not start.
    """
    config = read_archive_file(archive or settings.archive)
    embedder = chosen_embedder(settings, config)
    with ExitStack() as stack:
        server = stack.enter_context(serving(settings))
        writer = chosen_writer(settings, config, embedder)
        yield House(settings, config, server, embedder, writer, RolePools(server, stack))
