"""A client's address is what trusted proxies say, and nothing a client says (R187, C24)."""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv6Address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fonds.contract.client_address import MOST_HOPS, caller_at, client_address

PROXIES = (ip_network("10.0.0.0/8"), ip_network("2001:db8:f::/48"), ip_network("127.0.0.1"))
PROXY = "10.1.2.3"
addresses = st.ip_addresses().map(str)
headers = st.lists(
    st.text(max_size=60) | st.lists(addresses, max_size=5).map(", ".join), max_size=4
)


@pytest.mark.parametrize(
    ("peer", "lines", "found"),
    [
        ("198.51.100.1", ["203.0.113.9"], "198.51.100.1"),  # not a proxy: its word is nothing
        (PROXY, ["203.0.113.9"], "203.0.113.9"),
        (PROXY, ["192.0.2.1, 203.0.113.9"], "203.0.113.9"),  # what stands left anybody wrote
        (PROXY, ["192.0.2.1", "203.0.113.9"], "203.0.113.9"),  # two lines are one list
        (PROXY, ["203.0.113.9, 10.9.9.9, 127.0.0.1"], "203.0.113.9"),
        (PROXY, ["rubbish, 203.0.113.9"], "203.0.113.9"),
        (PROXY, ["203.0.113.9, rubbish"], PROXY),
        (PROXY, ["203.0.113.9:4711"], PROXY),
        (PROXY, ["203.0.113.9,"], PROXY),
        (PROXY, ["203.0.113.09"], PROXY),
        (PROXY, [""], PROXY),
        (PROXY, [], PROXY),
        (PROXY, ["10.7.7.7, 10.8.8.8"], PROXY),
        (PROXY, ["\t203.0.113.9 "], "203.0.113.9"),
        (PROXY, ["::ffff:203.0.113.9"], "203.0.113.9"),
        (PROXY, ["2001:DB8:0:0::1"], "2001:db8::1"),
        (PROXY, ["fe80::1%eth0"], "fe80::1"),
        ("::ffff:10.1.2.3", ["203.0.113.9"], "203.0.113.9"),
        ("2001:db8:f::1", ["203.0.113.9"], "203.0.113.9"),
        ("unix:", ["203.0.113.9"], None),
        (None, ["203.0.113.9"], None),
    ],
)
def test_the_client_is_the_first_from_the_right_that_is_no_proxy(
    peer: str | None, lines: list[str], found: str | None
) -> None:
    assert client_address(peer, lines, PROXIES) == found


@given(addresses, headers)
def test_without_a_trusted_proxy_no_header_counts(peer: str, lines: list[str]) -> None:
    """C24: a hundred requests with a hundred made-up addresses are one caller."""
    assert client_address(peer, lines, ()) == client_address(peer, [], PROXIES)


@given(headers, addresses)
def test_what_a_client_sends_changes_nothing_behind_a_proxy(lines: list[str], own: str) -> None:
    """A proxy appends who spoke to it; whatever came along stands left of that."""
    alone = client_address(PROXY, [own], PROXIES)
    if alone != PROXY:  # the client is none of the proxies
        assert client_address(PROXY, [*lines, own], PROXIES) == alone
        assert client_address(PROXY, [",".join([*lines, own])], PROXIES) == alone


@given(st.none() | st.text(max_size=20) | addresses, headers)
def test_no_header_is_an_error(peer: str | None, lines: list[str]) -> None:
    found = client_address(peer, lines, PROXIES)
    assert found is None or client_address(found, [], ()) == found, "its one normal form"


def test_a_way_without_end_is_nobodys() -> None:
    assert client_address(PROXY, ["203.0.113.9" + ",10.0.0.1" * MOST_HOPS], PROXIES) == PROXY
    shorter = "203.0.113.9" + ",10.0.0.1" * (MOST_HOPS - 1)
    assert client_address(PROXY, [shorter], PROXIES) == "203.0.113.9"


def test_trusting_everybody_makes_no_new_caller() -> None:
    """A mistake of the operator's gives nobody an allowance of his own choosing."""
    everybody = (ip_network("0.0.0.0/0"), ip_network("::/0"))
    assert client_address("198.51.100.1", ["203.0.113.9"], everybody) == "198.51.100.1"


@given(st.ip_addresses(v=6), st.integers(0, 2**64 - 1), st.integers(0, 2**80 - 1))
def test_a_host_is_one_caller_and_a_site_one_network(
    address: IPv6Address, host: int, site: int
) -> None:
    if address.ipv4_mapped is not None:
        return
    own = caller_at(str(address))
    neighbour = caller_at(str(IPv6Address(int(address) >> 64 << 64 | host)))
    assert (own.identity, own.network) == (neighbour.identity, neighbour.network)
    assert caller_at(str(IPv6Address(int(address) >> 80 << 80 | site))).network == own.network
    for text in (own.identity, own.network or ""):
        assert re.fullmatch(r"[0-9A-Za-z.:/]{1,64}", text), "what the database takes"


@given(st.ip_addresses(v=4))
def test_an_address_of_ipv4_is_one_caller_however_it_is_written(address: IPv4Address) -> None:
    plain = caller_at(str(address))
    dressed = caller_at(f"::ffff:{address}")
    assert plain.identity == dressed.identity == str(address)
    assert plain.network is dressed.network is None


def test_what_has_no_address_is_one_caller_together() -> None:
    assert caller_at(None) == caller_at("unix:") == caller_at(client_address(None, [], ()))
    assert "203" not in repr(caller_at("203.0.113.9"))
