"""compose.yaml: what it refers to is there, and no service has a secret it does not need."""

from __future__ import annotations

from typing import Any, cast

import yaml

from tests.house.tree import ROOT

COMPOSE = cast(
    "dict[str, Any]", yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
)
SERVICES = cast("dict[str, dict[str, Any]]", COMPOSE["services"])


def test_database_roles_migrate_and_jobs_are_there() -> None:
    assert {"database", "roles", "migrate", "jobs"} <= set(SERVICES)


def test_every_reference_has_its_declaration() -> None:
    for name, service in SERVICES.items():
        assert set(service.get("secrets", ())) <= set(COMPOSE["secrets"]), name
        assert set(service.get("networks", ())) <= set(COMPOSE["networks"]), name
        assert set(service.get("depends_on", ())) <= set(SERVICES), name


def test_only_the_roles_service_holds_the_administrators_url() -> None:
    holders = [
        name
        for name, service in SERVICES.items()
        if "fonds_admin_url" in service.get("secrets", ())
    ]
    assert holders == ["roles"]


def test_the_server_logs_no_content() -> None:
    """R097: the settings that keep rows and parameters out of its log."""
    given = {word for word in SERVICES["database"]["command"] if "=" in word}
    assert {
        "log_parameter_max_length=0",
        "log_parameter_max_length_on_error=0",
        "log_min_error_statement=panic",
        "log_error_verbosity=terse",
        "log_statement=none",
        "log_min_messages=log",
    } <= given


def test_the_built_image_runs_without_privileges() -> None:
    for name in ("roles", "migrate", "jobs"):
        assert SERVICES[name]["cap_drop"] == ["ALL"], name
        assert SERVICES[name]["read_only"] is True, name
