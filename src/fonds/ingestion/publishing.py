"""Which ids the owner may say were private and are to be public (R191)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from fonds.contract.disclosure import Raw
from fonds.contract.failures import Misconfigured
from fonds.contract.stored_source import StoredSource

_MOST_COMPARED = 10_000


def check_published(
    publish: frozenset[str],
    stored: Mapping[str, StoredSource],
    claimed: Iterable[tuple[Raw, tuple[str, ...]]] = (),
) -> None:
    """Raises Misconfigured for an id that no public material has, stored or claimed by a file that
    is to be read, and says what to do.

    What was typed in the place of an id may be anything and is not repeated; the nearest id is.
    """
    held = [*claimed, *((one.raw, one.entity_ids) for one in stored.values())] if publish else []
    public = dict.fromkeys(one for raw, ids in held if raw == "public" for one in ids)
    private = {one for raw, ids in held if raw == "private" for one in ids}
    for asked in publish:
        if asked in public:
            continue
        if asked in private:
            raise Misconfigured(
                f"--publish: {asked} lies in a private folder: move its file to a collection,"
                " and publish the id that fonds ingest then names"
            )
        near = get_close_matches(asked, list(public)[:_MOST_COMPARED], n=1)
        remedy = f"did you mean {near[0]}?" if near else "use the id that fonds ingest names"
        raise Misconfigured(f"--publish: no public file has an id given: {remedy}")
