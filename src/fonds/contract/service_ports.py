"""What serving callers needs of the database, beside what is served (R187, R192)."""

from __future__ import annotations

from typing import Protocol

from fonds.contract.admitted import Admitted
from fonds.contract.caller import Caller
from fonds.contract.key_scope import KeyScope


class Door(Protocol):
    """Lets callers in, archive and key in one answer, in one round trip."""

    def admit(self, slug: str, key: str | None, scope: KeyScope) -> Admitted:
        """Raises NotAdmitted; Unavailable when the database does not answer."""
        ...


class Limiter(Protocol):
    """Counts before anything is embedded or looked up in a cache; committed apart from the work.

    Each raises TooMany, and Unavailable when nothing can be counted: no count, no search.
    """

    def take(self, archive_id: int, caller: Caller) -> None:
        """One request of this caller at this archive."""
        ...

    def charge_private(self, archive_id: int, caller: Caller, question: bytes) -> None:
        """A reply that holds private hits; `question` is a digest, each distinct one counts once
        a day.
        """
        ...
