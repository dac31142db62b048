"""Migrating the server the settings name."""

from __future__ import annotations

from dataclasses import dataclass

from fonds.contract.failures import Misconfigured
from fonds.settings import Settings
from fonds.store.databases import ROLES
from fonds.store.revision import head_revision
from fonds.wiring.serving import serving


@dataclass(frozen=True, slots=True)
class Migrated:
    """`embedded_home` is None for a server by URL."""

    revision: str
    embedded_home: str | None


def migrate_server(settings: Settings, *, roles: bool = False) -> Migrated:
    """Schema to head; with `roles` also roles, database and extension, as the administrator.

    The embedded server is its own administrator and is at head whenever it runs.
    """
    if roles and settings.admin_url is not None and settings.is_embedded:
        raise Misconfigured(
            "--roles with FONDS_ADMIN_URL needs FONDS_DATABASE_URL or the roles' URLs beside it"
        )
    # The migration tool is loaded by this command alone.
    from fonds.store.migrating import migrate, prepare_server

    with serving(settings) as server:
        if server.embedded_home is not None:
            return Migrated(head_revision(), str(server.embedded_home))
        if roles:
            if settings.admin_url is None:
                raise Misconfigured("--roles needs FONDS_ADMIN_URL, a superuser's URL")
            urls = {role: server.url_of(role) for role in ROLES}
            prepare_server(settings.admin_url.get_secret_value(), urls)
        return Migrated(migrate(server.url_of("fonds_migrator")), None)
