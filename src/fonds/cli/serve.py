"""`fonds serve`: the HTTP service over many archives, or over one file's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, TypeAlias

import typer

from fonds.archive_config import ArchiveConfig
from fonds.cli.options import ArchiveOption
from fonds.cli.output import show_line
from fonds.contract.failures import Misconfigured
from fonds.settings import Settings, read_settings
from fonds.wiring.hosting import hosting
from fonds.wiring.hosting_figures import measure_hosting
from fonds.wiring.observing_process import observed_process

HostOption: TypeAlias = Annotated[
    str | None,
    typer.Option("--host", help="Address to listen on.", show_default="FONDS_SERVE_HOST"),
]
PortOption: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--port",
        min=0,
        max=65535,
        help="Port; 0 takes a free one.",
        show_default="FONDS_SERVE_PORT",
    ),
]


def serve_command(
    *, archive: ArchiveOption = None, host: HostOption = None, port: PortOption = None
) -> None:
    """Answer over HTTP until told to end: search, ask, and health."""
    try:
        from fonds.api.app import create_app
        from fonds.api.server import address_of, bound_socket, serve
    except ImportError:
        raise Misconfigured("serving needs more packages: pip install 'fonds[serve]'") from None
    settings = read_settings()
    with (
        observed_process("serve", settings) as process,
        hosting(settings, archive, process.observer) as made,
        bound_socket(host or settings.serve_host, _port(port, settings)) as bound,
    ):
        measure_hosting(process, made, archive)
        shown, taken = address_of(bound)

        def listening() -> None:
            process.ready(taken)
            archives = made.archives.current()
            told = {"listening": f"{shown}:{taken}", "archives": len(archives)}
            show_line(told | _page(archives, settings))

        serve(create_app(made, settings), bound, settings, listening)
        process.ending()


def _page(archives: Mapping[str, ArchiveConfig], settings: Settings) -> dict[str, str]:
    """Where the page of the one archive is, which its name alone does not tell."""
    pages = [
        f"{settings.serve_root_path}/{slug}/"
        for slug, config in archives.items()
        if config.allowances.anonymous
    ]
    return {"page": pages[0]} if len(archives) == len(pages) == 1 else {}


def _port(asked: int | None, settings: Settings) -> int:
    """The port of the command line, which may be 0, else the setting's."""
    return settings.serve_port if asked is None else asked
