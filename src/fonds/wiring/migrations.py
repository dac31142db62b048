"""Migrating the server the settings name."""

from __future__ import annotations

from dataclasses import dataclass

from fonds.contract.failures import Misconfigured
from fonds.settings import Settings
from fonds.store.databases import ROLES
from fonds.store.queue_schema import REMEDY as QUEUE_REMEDY
from fonds.store.queue_schema import QueueVersion, install_queue, installed_library
from fonds.store.revision import head_revision
from fonds.store.scope import SCOPED_ROLES
from fonds.wiring.serving import scope_key_of, serving

__all__ = ["QUEUE_REMEDY", "Migrated", "migrate_server"]


@dataclass(frozen=True, slots=True)
class Migrated:
    """`embedded_home` is None for a server by URL, `queue` without the extra `jobs`; else it is
    the version of the queue's library. `keyless` are roles for which no scope key was given.
    """

    revision: str
    queue: str | None
    embedded_home: str | None
    keyless: tuple[str, ...] = ()


def migrate_server(settings: Settings, *, roles: bool = False) -> Migrated:
    """Schema to head and scope keys registered; with `roles` also roles, database and extension, as
    the administrator.

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
            queue = install_queue(server.url_of("fonds_migrator"))
            return Migrated(head_revision(), _version(queue), str(server.embedded_home))
        if roles:
            if settings.admin_url is None:
                raise Misconfigured("--roles needs FONDS_ADMIN_URL, a superuser's URL")
            urls = {role: server.url_of(role) for role in ROLES}
            prepare_server(settings.admin_url.get_secret_value(), urls)
        found = {role: scope_key_of(settings, role) for role in SCOPED_ROLES}
        keys = {role: key for role, key in found.items() if key is not None}
        revision = migrate(server.url_of("fonds_migrator"), keys)
        keyless = tuple(role for role in SCOPED_ROLES if role not in keys)
        return Migrated(revision, _version(installed_library()), None, keyless)


def _version(queue: QueueVersion | None) -> str | None:
    return None if queue is None else queue.version
