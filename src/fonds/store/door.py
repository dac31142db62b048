"""The door of a host: lets a caller in, or says why not, in one round trip (R192)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, cast

from fonds.contract.admitted import Admitted
from fonds.contract.api_key import key_digest
from fonds.contract.archive_slug import is_archive_slug
from fonds.contract.failures import NotAdmitted, WhyNotAdmitted
from fonds.contract.key_scope import KeyScope
from fonds.store.pools import Pool, lone_row
from fonds.store.statements import statements

NO_SLUG: Final = ""  # no archive has it


@dataclass(frozen=True, slots=True)
class PostgresDoor:
    """Asks `api.admit` as the reader; keeps `fonds.contract.service_ports.Door`."""

    _pool: Pool = field(repr=False)

    def admit(self, slug: str, key: str | None, scope: KeyScope) -> Admitted:
        """Raises NotAdmitted; Unavailable when the database does not answer.

        A slug out of shape finds no archive, after the same look-ups. An empty key is a key.
        """
        asked = {
            "slug": slug if is_archive_slug(slug) else NO_SLUG,
            "hash": None if key is None else key_digest(key),
            "scope": scope,
        }
        archive_id, key_id, verdict = lone_row(self._pool, statements("hosting")["admit"], asked)
        if verdict != "admitted":
            raise NotAdmitted(cast("WhyNotAdmitted", verdict))
        return Admitted(archive_id, key_id)
