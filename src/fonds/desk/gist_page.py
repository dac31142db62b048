"""The page of one gist out of a pile, and the part of it that follows the words being typed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from fastapi import Request, Response

from fonds.contract.failures import QueryRefused
from fonds.contract.gist_pile import GistPile
from fonds.contract.search_request import is_clean_text
from fonds.desk.desk import Desk
from fonds.ingestion.curating import NOT_HELD
from fonds.ingestion.gist_view import GistView
from fonds.retrieval.wire_response import hit_json
from fonds.wiring.gists import MOST_COUNTED, GistDesk, drafter_lacks

FOLLOWING: Final = 5  # ids shown after the one that is looked at
PILES: Final[dict[GistPile, str]] = {
    "unreviewed": "Unreviewed",
    "stale": "Stale",
    "failed": "Failed",
    "missing": "Without a gist",
    "vetoed": "Vetoed",
    "reviewed": "Reviewed",
    "all": "All",
}
DONE: Final = {
    "approved": "Approved.",
    "vetoed": "Vetoed: nothing of it travels from now on.",
    "unvetoed": "No longer vetoed; a build serves it once you accept that.",
    "drafting": "A draft is being made. Look again once it is done.",
}
"""What is said after an action, by the word that stands in the address."""
At = tuple[GistPile, str]


@dataclass(frozen=True, slots=True)
class _Place:
    """Where an author is in a pile: the gist looked at and those around it, by id."""

    pile: GistPile
    here: str | None
    before: str | None = None
    following: tuple[str, ...] = ()


def gists_page(
    desk: Desk,
    request: Request,
    *,
    at: At | None = None,
    line: str = "",
    typed: str | None = None,
    status: int = 200,
) -> Response:
    """The gist that the address asks for or, given `at`, that one with a line that says why nothing
    was done and the words that were typed. Raises QueryRefused for what is no pile and no gist.
    """
    gists = GistDesk(desk.house, desk.entity)
    counts = gists.counts()
    place = _place(gists, request.query_params, counts) if at is None else _around(gists, *at)
    view = None if place.here is None else gists.view(place.here)
    if place.here is not None and view is None:
        raise QueryRefused("id", NOT_HELD)
    return desk.page(
        request,
        "gists.html",
        status=status,
        piles=[(name, shown, _counted(counts.get(name))) for name, shown in PILES.items()],
        holds=bool(counts.get(place.pile)),
        place=place,
        view=view,
        said=_said(request.query_params.get("did", ""), view),
        line=line,
        typed=typed,
        address=address,
        lacks=drafter_lacks(desk.house),
        drafted=desk.runs.last("drafting"),
        hit=_hit(view),
        written=_written(view),
    )


def gist_part(desk: Desk, request: Request, view: GistView) -> Response:
    """What the words come to: the lint's word, what it marks, and what would travel."""
    return desk.page(
        request, "gist_checked.html", view=view, hit=_hit(view), written=_written(view)
    )


def asked_pile(given: str) -> GistPile:
    """The pile of that name; raises QueryRefused."""
    named: dict[str, GistPile] = {pile: pile for pile in PILES}
    found = named.get(given)
    if found is None:
        raise QueryRefused("pile", "one of " + ", ".join(PILES))
    return found


def address(**query: str) -> str:
    """An address of this section; an id holds characters that have a meaning in one."""
    return f"/gists?{urlencode(query)}"


def _said(did: str, view: GistView | None) -> str:
    said = DONE.get(did, "")
    led_on = said and view is not None and did != "drafting"
    return f"{said} This is the next one." if led_on else said


def _hit(view: GistView | None) -> dict[str, object] | None:
    """The hit as a caller receives it, but for its score, which only a question gives."""
    if view is None or view.hit is None:
        return None
    wire = hit_json(view.hit)
    return {name: value for name, value in wire.items() if name not in ("score", "breakdown")}


def _written(view: GistView | None) -> str:
    """The hit as it goes over the wire, as far as a page may quote it: character by character."""
    return json.dumps(_hit(view), ensure_ascii=False, indent=2)


def _place(
    gists: GistDesk, query: Mapping[str, str], counts: Mapping[GistPile, int | None]
) -> _Place:
    pile = asked_pile(query.get("pile", "")) if "pile" in query else _first_of(counts)
    ids = {name: query.get(name, "") for name in ("at", "after", "before")}
    if not all(is_clean_text(one) for one in ids.values()):
        raise QueryRefused("id", NOT_HELD)
    if ids["at"]:
        return _around(gists, pile, ids["at"])
    if ids["before"]:
        before = gists.before(pile, ids["before"])
        return _Place(pile, None) if before is None else _around(gists, pile, before)
    found = gists.after(pile, ids["after"], FOLLOWING + 1)
    return _found(gists, pile, found)


def _around(gists: GistDesk, pile: GistPile, here: str) -> _Place:
    return _found(gists, pile, (here, *gists.after(pile, here, FOLLOWING)))


def _found(gists: GistDesk, pile: GistPile, found: Sequence[str]) -> _Place:
    if not found:
        return _Place(pile, None)
    return _Place(pile, found[0], gists.before(pile, found[0]), tuple(found[1:]))


def _first_of(counts: Mapping[GistPile, int | None]) -> GistPile:
    """Where there is something to do; everything where there is not."""
    todo: tuple[GistPile, ...] = ("unreviewed", "stale", "failed", "missing")
    for pile in todo:
        if counts.get(pile):
            return pile
    return "all"


def _counted(count: int | None) -> str:
    if count is None:
        return ""
    return f"{count:,}" if count < MOST_COUNTED else f"{MOST_COUNTED:,} or more"
