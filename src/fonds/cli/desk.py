"""`fonds desk`: the author's pages, at the author's machine."""

from __future__ import annotations

import secrets
from ipaddress import ip_address

from fonds.cli.options import ArchiveOption
from fonds.cli.output import show_line
from fonds.cli.serve import HostOption, PortOption
from fonds.contract.failures import Misconfigured
from fonds.settings import Settings, read_settings
from fonds.wiring.observing_process import observed_process
from fonds.wiring.opening import opened


def desk_command(
    *, archive: ArchiveOption = None, host: HostOption = None, port: PortOption = None
) -> None:
    """Open the author's desk for one archive until told to end: gists, what may travel, builds."""
    try:
        from fonds.api.server import address_of, bound_socket, serve
        from fonds.desk.app import create_desk
        from fonds.desk.desk import Desk
        from fonds.desk.way_in import WayIn
    except ImportError:
        raise Misconfigured("the desk needs more packages: pip install 'fonds[serve]'") from None
    settings = read_settings()
    address = host or settings.desk_host
    key = _key(settings, address)
    with (
        observed_process("desk", settings) as process,
        opened(settings, archive, process.observer) as house,
        bound_socket(address, settings.desk_port if port is None else port, "FONDS_DESK") as bound,
    ):
        shown, taken = address_of(bound)
        way_in = WayIn(key, tuple(settings.desk_names.split(",")))
        desk = Desk(house, way_in)

        def listening() -> None:
            process.ready(taken)
            show_line({"open": f"http://{_named(shown)}:{taken}/enter/{way_in.entry_code()}"})

        serve(create_desk(desk, process.observer), bound, settings, listening)
        process.ending()
        desk.runs.wait()


def _key(settings: Settings, address: str) -> str:
    """The setting's, or one nobody knows: the address shown at the start lets in once, and a
    machine that others reach needs a key of its own. Raises Misconfigured.
    """
    if settings.desk_key is not None:
        return settings.desk_key.get_secret_value()
    if address != "localhost" and not _is_loopback(address):
        raise Misconfigured("FONDS_DESK_KEY: a desk others can reach needs a key")
    return secrets.token_urlsafe(32)


def _named(address: str) -> str:
    """As an address in a browser names it; one that stands for all of a machine's is its own."""
    found = ip_address(address)
    if found.is_unspecified:
        return "localhost"
    return f"[{address}]" if found.version == 6 else address


def _is_loopback(address: str) -> bool:
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False
