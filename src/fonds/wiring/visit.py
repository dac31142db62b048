"""One caller at one archive, let in for one thing: what may be asked, in the order that keeps its
limits (R187, R190, R192).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

from fonds.answering.refusal import Answered, Refused
from fonds.contract.archive_about import ArchiveAbout
from fonds.contract.archive_state import ArchiveState
from fonds.contract.caller import Caller
from fonds.contract.holdings import Holdings
from fonds.contract.near_query import LiveBuild
from fonds.contract.search_request import SearchRequest
from fonds.contract.search_response import SearchResponse
from fonds.contract.service_ports import Limiter
from fonds.observing.events import CacheAsked
from fonds.observing.observer import SILENT, Observer
from fonds.observing.vocabulary import CacheOutcome
from fonds.retrieval.search import Searched
from fonds.store.standing_store import read_standing
from fonds.wiring.elsewhere import OF_THIS_MACHINE
from fonds.wiring.house import House
from fonds.wiring.known_holdings import KnownHoldings
from fonds.wiring.reply_cache import (
    Edition,
    KeptReply,
    Reply,
    ReplyCache,
    ReplyKind,
    edition_of,
)
from fonds.wiring.standing import live_figures

REFUSAL_DAYS = 30  # over which refusals are counted for whoever keeps the archive


@dataclass(frozen=True, slots=True)
class Visit:
    """Good for one request. A question is counted before anything is done for it, looked for among
    the kept replies then, and charged before its reply leaves where that tells of private material.
    """

    house: House = field(repr=False)
    archive_id: int
    caller: Caller
    limiter: Limiter = field(repr=False)
    cache: ReplyCache = field(repr=False)
    terms: bytes = field(repr=False)
    observer: Observer = field(default=SILENT, repr=False)
    shows_figures: bool = False
    known: KnownHoldings = field(default_factory=KnownHoldings, repr=False)

    def search(self, request: SearchRequest) -> SearchResponse:
        """Hits within their policies; raises TooMany, Unavailable, and what retrieval raises."""
        self.limiter.take(self.archive_id, self.caller)
        kept = self._kept("search", request)
        if kept is not None and isinstance(kept.reply, SearchResponse):
            self._charge(request, private=kept.private)
            return kept.reply
        found = self.house.search(request)
        self._keep("search", request, found, found.response)
        self._charge(request, private=found.private_matched)
        return found.response

    def ask(self, request: SearchRequest) -> Answered | Refused:
        """A cited answer or a refusal; raises TooMany, Unavailable, NothingServed."""
        self.limiter.take(self.archive_id, self.caller)
        kept = self._kept("ask", request)
        if kept is not None and isinstance(kept.reply, Answered):
            self._charge(request, private=kept.private)
            return kept.reply
        searches: list[Searched] = []
        given: Answered | Refused | None = None
        try:
            return (given := self.house.ask(request, on_found=searches.append))
        finally:  # that a writer was called tells that floors and gate were passed
            for found in searches:
                if isinstance(given, Answered):
                    self._keep("ask", request, found, given)
                self._charge(request, private=self._tells_private(found, given))

    def about(self) -> ArchiveAbout:
        """The archive's names and what it serves, in numbers; raises NothingServed."""
        config, live = self.house.config, self.house.live_build()
        return ArchiveAbout(
            slug=config.slug,
            name=config.name,
            author=config.author,
            base_url=config.base_url,
            built_at=live.built_at,
            entity_count=live.entity_count,
            fragment_count=live.fragment_count,
        )

    @property
    def stays_here(self) -> bool:
        """Whether a question leaves the machine for no provider: neither to embed nor to write."""
        at_work = {self.house.embedder.space.provider, self.house.writer.name}
        return at_work <= OF_THIS_MACHINE

    def holdings(self) -> Holdings:
        """What is published in the archive; raises NothingServed, Unavailable."""
        return self.known.of(self.house.pool("fonds_reader"), self.archive_id)

    def standing(self) -> ArchiveState:
        """How the archive stands, for a key of the scope `admin`: figures, no text."""
        house = self.house
        found = read_standing(house.pool("fonds_reader"), self.archive_id, REFUSAL_DAYS)
        return ArchiveState(
            slug=house.config.slug,
            live=live_figures(house),
            runs=found.runs,
            days=REFUSAL_DAYS,
            refusals=found.refusals,
            allowances=found.allowances,
        )

    def _kept(self, kind: ReplyKind, request: SearchRequest) -> KeptReply | None:
        """The reply to the same request, by the build and the narrowings of this moment (R188)."""
        found = None
        if self.cache.holds(self.archive_id, kind, request):
            found = self.cache.found(self._edition(self.house.live_build()), kind, request)
        outcome: CacheOutcome = "miss" if found is None else "hit"
        self.observer.note(CacheAsked(self.archive_id, kind, outcome))
        return found

    def _keep(self, kind: ReplyKind, request: SearchRequest, found: Searched, reply: Reply) -> None:
        kept = KeptReply(reply, found.private_matched)
        self.cache.keep(self._edition(found.build), kind, request, kept)

    def _edition(self, build: LiveBuild) -> Edition:
        return edition_of(self.archive_id, build, self.terms, self.house.retrieval.as_of())

    def _tells_private(self, found: Searched, given: Answered | Refused | None) -> bool:
        """A refusal tells of the best passage, whether or not that clears the floor: by figures,
        and by its reason alone whether a cosine was above zero. Signs of enough questions make a
        vector as scores do. So does a failure after the search: None for what was given.
        """
        told = found.private_decides or (self.shows_figures and found.best_raw == "private")
        return found.private_matched or (not isinstance(given, Answered) and told)

    def _charge(self, request: SearchRequest, *, private: bool) -> None:
        """Filters are no part of what is charged: the same words tell the same of a vector."""
        if private:
            question = hashlib.sha256(request.query.encode()).digest()
            self.limiter.charge_private(self.archive_id, self.caller, question)
