"""The entity an author looks at, read and prepared once for as long as its texts stay as they
are.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from fonds.contract.build_store import StoredEntity
from fonds.contract.curator_store import GistStore, HeldFragment
from fonds.ingestion.projections import GistJudge

Prepared: TypeAlias = tuple[StoredEntity, GistJudge]


@dataclass(slots=True)
class KnownEntity:
    """One entity, the last. Safe to share between threads: two that read at once read the same.

    What is known is of one imprint, which the database makes of the entity and of all its texts. A
    verdict that is stored or served is never of here: whoever writes reads them again.
    """

    _known: tuple[str, Prepared] | None = field(default=None, repr=False)

    def of(self, store: GistStore, held: HeldFragment) -> Prepared | None:
        """The entity of a fragment, its gists as they were when it was read; None where it is gone
        by now.
        """
        known = self._known
        if known is not None and known[0] == held.imprint:
            return known[1]
        for stored in store.entities_of((held.part.fragment_id,)):
            prepared = (stored, GistJudge(stored))
            self._known = (held.imprint, prepared)
            return prepared
        return None
