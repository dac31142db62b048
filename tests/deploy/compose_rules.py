"""What compose.yaml has to keep: who holds which secret, who speaks to whom, with what powers."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Mapping
from typing import Any, cast

import yaml

Part = Mapping[str, Any]

ROLE_URLS = tuple(
    f"fonds_{role}_url"
    for role in ("migrator", "ingest", "build", "curator", "reader", "host", "queue")
)
SCOPE_KEYS = tuple(
    f"fonds_{role}_scope_key" for role in ("ingest", "build", "curator", "reader", "host")
)
HOLDS: Mapping[str, frozenset[str]] = {
    "database": frozenset({"postgres_password"}),
    "roles": frozenset({"fonds_admin_url", *ROLE_URLS}),
    "migrate": frozenset({"fonds_migrator_url", *SCOPE_KEYS}),
    "api": frozenset({"fonds_reader_url", "fonds_reader_scope_key", "openai_api_key"}),
    "worker": frozenset(
        {"fonds_queue_url", "fonds_ingest_url", "fonds_build_url", "fonds_curator_url"}
        | {"fonds_ingest_scope_key", "fonds_build_scope_key", "fonds_curator_scope_key"}
        | {"openai_api_key"}
    ),
    "proxy": frozenset(),
    "host": frozenset({"fonds_host_url", "fonds_host_scope_key", "fonds_queue_url"}),
    "author": frozenset(
        {"fonds_ingest_url", "fonds_build_url", "fonds_curator_url", "fonds_reader_url"}
        | {"fonds_ingest_scope_key", "fonds_build_scope_key", "fonds_curator_scope_key"}
        | {"fonds_reader_scope_key", "openai_api_key"}
    ),
}
"""Each service and every secret of it: no other, and none less."""
PUBLISHED = {"proxy": ["80:80", "443:443"]}
NETWORKS: Mapping[str, frozenset[str]] = {
    "database": frozenset({"inside"}),
    "proxy": frozenset({"outside", "edge"}),
}
SERVER_SETTINGS = frozenset(
    {
        "log_parameter_max_length=0",
        "log_parameter_max_length_on_error=0",
        "log_min_error_statement=panic",
        "log_error_verbosity=terse",
        "log_min_messages=log",
        "log_statement=none",
        "log_min_duration_statement=-1",
    }
)
"""R097: what keeps rows and parameters out of the server's log."""
_SECRET_ENDINGS = ("_URL", "_PASSWORD", "_KEY", "_TOKEN")


def compose_findings(text: str) -> list[str]:
    """One line a fault, with the service it is in; none for a file that keeps everything."""
    whole = cast("Part", yaml.safe_load(text))
    services = cast("Mapping[str, Part]", whole["services"])
    found = [f"{missing}: is not there" for missing in sorted(set(HOLDS) - set(services))]
    for name, service in services.items():
        for rule in (_references, _secrets, _powers, _doors, _endurance):
            found.extend(f"{name}: {fault}" for fault in rule(name, service, whole))
    found.extend(_surroundings(whole, services))
    return found


def _references(name: str, service: Part, whole: Part) -> Iterator[str]:
    for kind in ("secrets", "networks"):
        for unknown in set(service.get(kind, ())) - set(whole[kind]):
            yield f"{kind} names {unknown}, which is not declared"
    for unknown in set(service.get("depends_on", ())) - set(whole["services"]):
        yield f"depends on {unknown}, which is not there"


def _secrets(name: str, service: Part, whole: Part) -> Iterator[str]:
    held = frozenset(service.get("secrets", ()))
    for extra in sorted(held - HOLDS.get(name, frozenset())):
        yield f"holds {extra} and has no need of it"
    for lacking in sorted(HOLDS.get(name, frozenset()) - held):
        yield f"lacks {lacking}"
    for variable in cast("Part", service.get("environment", {})):
        if variable.endswith(_SECRET_ENDINGS):
            yield f"{variable} stands in the environment: make it a secret"


def _powers(name: str, service: Part, whole: Part) -> Iterator[str]:
    if service.get("read_only") is not True:
        yield "can write to its own image"
    if service.get("cap_drop") != ["ALL"]:
        yield "keeps powers of root"
    allowed = ["NET_BIND_SERVICE"] if name == "proxy" else []
    if service.get("cap_add", []) != allowed or service.get("privileged"):
        yield "is given powers of root"
    if "no-new-privileges:true" not in service.get("security_opt", ()):
        yield "may gain powers"
    user = str(service.get("user", "root"))
    if name != "proxy" and user.split(":")[0] in {"root", "0"}:
        yield "runs as root"
    if not service.get("deploy", {}).get("resources", {}).get("limits", {}).keys() >= {
        "cpus",
        "memory",
        "pids",
    }:
        yield "has no bound on processors, memory or processes"
    if service.get("logging", {}).get("options", {}).keys() < {"max-size", "max-file"}:
        yield "logs without end"
    for volume in service.get("volumes", ()):
        if isinstance(volume, Mapping):
            yield from _mounts(cast("Part", volume))


def _mounts(volume: Part) -> Iterator[str]:
    if "docker.sock" in str(volume["source"]):
        yield "reaches the engine"
    if volume.get("read_only") is not True and volume["target"] != "/backups":
        yield f"may write to {volume['target']}"


def _doors(name: str, service: Part, whole: Part) -> Iterator[str]:
    if service.get("ports", []) != PUBLISHED.get(name, []):
        yield "publishes other ports than it should"
    networks = frozenset(service.get("networks", ()))
    if networks != NETWORKS.get(name, networks) or not networks:
        yield "is on other networks than it should be"
    if service.get("network_mode"):
        yield "leaves the networks"


def _endurance(name: str, service: Part, whole: Part) -> Iterator[str]:
    lasting = name in {"database", "api", "worker", "proxy"}
    if lasting != (service.get("restart") == "unless-stopped"):
        yield "is started again where it should not be, or is not where it should"
    if name in {"database", "api", "proxy"} and "test" not in service.get("healthcheck", {}):
        yield "is not asked whether it works"
    if name in {"api", "proxy"} and "/livez" not in str(service.get("healthcheck")):
        yield "is asked elsewhere than /livez"


def _surroundings(whole: Part, services: Mapping[str, Part]) -> Iterator[str]:
    for network in ("inside", "edge"):
        if whole["networks"][network].get("internal") is not True:
            yield f"{network}: has a way out"
    proxy = services["proxy"]["networks"]["edge"]["ipv4_address"]
    trusted = services["api"]["environment"].get("FONDS_TRUSTED_PROXIES")
    subnet = whole["networks"]["edge"]["ipam"]["config"][0]["subnet"]
    if trusted != f"{proxy}/32":
        yield "api: trusts the word of others than the proxy"
    if ipaddress.ip_address(proxy) not in ipaddress.ip_network(subnet):
        yield "proxy: its address is not of its network"
    given = {word for word in services["database"]["command"] if "=" in word}
    for lacking in sorted(SERVER_SETTINGS - given):
        yield f"database: lacks {lacking}"
    for unused in sorted(set(whole["secrets"]) - set().union(*HOLDS.values())):
        yield f"secrets: {unused} is nobody's"
