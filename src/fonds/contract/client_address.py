"""Which address asks, and which caller that is for the limits (R187, C24). Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Final, TypeAlias

from fonds.contract.caller import Caller

Network: TypeAlias = IPv4Network | IPv6Network
_Address: TypeAlias = IPv4Address | IPv6Address

NO_ADDRESS: Final = "unknown"  # what has none is one caller together
MOST_HOPS: Final = 32  # of proxies that are trusted; a longer way is nobody's
HOST_BITS: Final = 64  # what one machine may choose freely of an IPv6 address
NETWORK_BITS: Final = 48  # what one house or office is given


def client_address(
    peer: str | None, forwarded_for: Iterable[str], trusted: Sequence[Network]
) -> str | None:
    """The address a request comes from, in its one normal form; None where the peer has none.

    `forwarded_for` holds the X-Forwarded-For lines as they came. They are read only when `peer` is
    a trusted proxy, from the right, each trusted proxy vouching for what stands left of it: the
    first address that is not trusted is the client's. What anybody wrote further left is not
    looked at. Where an entry on the way is no bare address, or all are trusted, it is the peer.
    """
    socket = _parsed(peer or "")
    if socket is None:
        return None
    if not _is_trusted(socket, trusted):
        return str(socket)
    hops = ",".join(forwarded_for).rsplit(",", MOST_HOPS)[-MOST_HOPS:]
    for hop in reversed(hops):
        address = _parsed(hop.strip(" \t"))
        if address is None:
            break
        if not _is_trusted(address, trusted):
            return str(address)
    return str(socket)


def caller_at(address: str | None) -> Caller:
    """The caller an address stands for: itself, or its /64 where it is IPv6, in the net of its /48.

    What has no address is one caller together. `address` comes from `client_address`.
    """
    found = _parsed(address or "")
    match found:
        case None:
            return Caller("address", NO_ADDRESS)
        case IPv4Address():
            return Caller("address", str(found))
        case IPv6Address():
            return Caller("address", _net(found, HOST_BITS), _net(found, NETWORK_BITS))


def _parsed(text: str) -> _Address | None:
    """An address without its zone; one of IPv4 that comes dressed as IPv6 is what it is."""
    try:
        address = ip_address(text)
    except ValueError:
        return None
    if isinstance(address, IPv4Address):
        return address
    return address.ipv4_mapped or IPv6Address(int(address))


def _net(address: IPv6Address, bits: int) -> str:
    return str(IPv6Network((int(address), bits), strict=False))


def _is_trusted(address: _Address, trusted: Sequence[Network]) -> bool:
    return any(address in network for network in trusted)
