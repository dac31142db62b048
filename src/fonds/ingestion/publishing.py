"""Which ids the owner may say were private and are to be public (R191)."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from difflib import get_close_matches

from fonds.contract.failures import Misconfigured

_MOST_COMPARED = 10_000


def check_published(
    publish: Iterable[str], *, public: Collection[str], private: Collection[str]
) -> None:
    """Raises Misconfigured for an id that no public material of this run has, with what to do.

    What was typed in the place of an id may be anything and is not repeated; the nearest id is.
    """
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
