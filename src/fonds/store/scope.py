"""Which archive a transaction is for, in a way that the database verifies (R094).

The setting `fonds.archive` holds ARCHIVE:SEAL. The seal is HMAC-SHA256, by a key that is this
login's alone, over the archive, the server's process, the start of the transaction and the login.
`api.scope()` works it out anew each time it is asked, so that a login without its key reads no
archive, and what is copied out of one transaction opens no other.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass, field
from typing import Any, Final, LiteralString

from psycopg import Connection, Cursor
from psycopg.pq import Escaping
from psycopg.pq.abc import PGresult

from fonds.contract.failures import Misconfigured
from fonds.store.statements import statements

SET_SCOPE: Final[LiteralString] = statements("scope")["set_scope"]
SET_BOUNDED_SCOPE: Final[LiteralString] = statements("scope")["set_bounded_scope"]
ASK_MOMENT: Final[LiteralString] = statements("scope")["moment"]
# Those that read or write rows of an archive. The others, the migrator and the queue, name none.
SCOPED_ROLES: Final = (
    "fonds_ingest",
    "fonds_build",
    "fonds_curator",
    "fonds_reader",
    "fonds_host",
)
_BLOCK: Final = 64  # bytes that SHA-256 takes at a time
_ARCHIVE_BYTES: Final = 4


@dataclass(frozen=True, slots=True)
class ScopeKey:
    """The secret by which one login says which archive it reads. Its repr shows nothing."""

    _secret: bytes = field(repr=False)

    @classmethod
    def of(cls, text: str) -> ScopeKey:
        """A key of one login, as it is written in a setting."""
        return cls(text.encode())

    @classmethod
    def derived(cls, common: str, login: str) -> ScopeKey:
        """The key of a login out of a secret that all share: from one, no other is found."""
        return cls(hmac.digest(common.encode(), login.encode(), "sha256"))

    def pads(self) -> tuple[bytes, bytes]:
        """The inner and outer block of HMAC (RFC 2104), which is what the database keeps."""
        secret = self._secret
        block = hashlib.sha256(secret).digest() if len(secret) > _BLOCK else secret
        block = block.ljust(_BLOCK, b"\0")
        return bytes(byte ^ 0x36 for byte in block), bytes(byte ^ 0x5C for byte in block)

    def sealed(self, archive_id: int, moment: bytes) -> str:
        """ARCHIVE:SEAL for the transaction whose moment this is."""
        message = archive_id.to_bytes(_ARCHIVE_BYTES, "big") + moment
        return f"{archive_id}:{hmac.digest(self._secret, message, 'sha256').hex()}"


@dataclass(frozen=True, slots=True)
class Login:
    """How one role connects, and the key it says archives by. Its repr shows the role alone."""

    role: str
    url: str = field(repr=False)
    key: ScopeKey | None = field(default=None, repr=False)

    def sealed(self, archive_id: int, moment: bytes) -> str:
        """As `ScopeKey.sealed`; raises Misconfigured where there is no key."""
        if self.key is None:
            raise Misconfigured(
                f"no scope key for {self.role}: set {self.role.upper()}_SCOPE_KEY, or"
                " FONDS_SCOPE_KEY, as fonds migrate had it"
            )
        return self.key.sealed(archive_id, moment)


def enter(connection: Connection[Any], login: Login, archive_id: int) -> None:
    """Sets the archive until the transaction ends, in two round trips; one has to be open."""
    moment = moment_of(connection.execute(ASK_MOMENT))
    connection.execute(SET_SCOPE, {"archive": login.sealed(archive_id, moment)})


def moment_of(cursor: Cursor[Any]) -> bytes:
    """What the server said of its process, the transaction's start and who logged in."""
    row = cursor.fetchone()
    assert row is not None  # noqa: S101 - a SELECT without a table answers one row
    return bytes(row[0])


def moment_in(result: PGresult) -> bytes:
    """The same of a result as it came, in text."""
    return Escaping().unescape_bytea(result.get_value(0, 0) or b"")
