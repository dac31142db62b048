"""`fonds mcp`: the archive as a tool of the client that starts this command."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from fonds.cli.options import ArchiveOption
from fonds.contract.failures import Misconfigured
from fonds.contract.search_request import SearchRequest
from fonds.contract.search_response import SearchResponse
from fonds.settings import Settings, read_settings
from fonds.wiring.hosting import hosting
from fonds.wiring.opening import opened

NEEDS_EXTRA = "fonds mcp needs the extra mcp: pip install 'fonds[mcp]'"
AT_THE_MACHINE = "127.0.0.1"
Search = Callable[[SearchRequest], SearchResponse]


def mcp_command(*, archive: ArchiveOption = None) -> None:
    """Serve one archive over MCP on standard input and output, until the client ends it."""
    try:
        from fonds.api.mcp_stdio import serve_stdio
    except ModuleNotFoundError:
        raise Misconfigured(NEEDS_EXTRA) from None
    settings = read_settings()
    way_in = _as_owner if settings.mcp_key is None else _with_key
    with way_in(settings, archive) as search:
        serve_stdio(search)


@contextmanager
def _as_owner(settings: Settings, archive: Path | None) -> Generator[Search]:
    """No limit counts whoever has the archive's file and its database."""
    with opened(settings, archive) as house:
        house.live_build()  # what cannot answer says so here, not to the client at each call
        yield lambda request: house.search(request).response


@contextmanager
def _with_key(settings: Settings, archive: Path | None) -> Generator[Search]:
    """As any caller with this key: let in anew for each call, so that a revoked one ends."""
    key = "" if settings.mcp_key is None else settings.mcp_key.get_secret_value()
    with hosting(settings, archive or settings.archive) as host:
        (slug,) = host.archives.current()
        host.admit(slug, key, "search", AT_THE_MACHINE).about()
        yield lambda request: host.admit(slug, key, "search", AT_THE_MACHINE).search(request)
