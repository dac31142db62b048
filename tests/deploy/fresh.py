"""A server of the embedded kind that has nothing but its roles, as the tests know servers."""

from __future__ import annotations

from dataclasses import dataclass

from fonds.store.embedded import EmbeddedServer


@dataclass(frozen=True, slots=True)
class Fresh:
    """Its own cluster: what is done to roles and databases in it reaches no other test's."""

    server: EmbeddedServer
    source: str = "embedded"

    def url(self, role: str, database: str = "fonds") -> str:
        return self.server.url(role, database)

    def admin_url(self, database: str = "postgres") -> str:
        return self.server.admin_url(database)
