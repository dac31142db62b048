"""The approximate index of an archive: made where it is asked for, and used once it is admitted
(R114, design decision 8).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from fonds.archive_config import ArchiveConfig
from fonds.contract.calibration_store import CalibrationStore
from fonds.contract.failures import Failure, Misconfigured
from fonds.contract.near_index import IndexShape, NearIndex
from fonds.contract.ports import Embedder, Vector
from fonds.contract.search_request import SearchRequest
from fonds.evaluation.gold import GoldCase
from fonds.evaluation.index_check import IndexCheck, Seen, index_check, seen
from fonds.retrieval.retrieval_settings import RetrievalSettings
from fonds.retrieval.search import Searched, searched_by_vector
from fonds.store.index_store import PostgresIndexStore
from fonds.wiring.known_questions import knowing_embedder
from fonds.wiring.watching import suite_of

MOST_PHRASES = 200  # titles and themes a check asks; at 100,000 fragments it takes half a minute
UNASKED: Mapping[str, object] = {"state": "off"}


@dataclass(frozen=True, slots=True)
class Indexing:
    """One archive's indexes, as the build role; whoever calls holds the build job."""

    config: ArchiveConfig
    indexes: PostgresIndexStore
    store: CalibrationStore
    embedder: Embedder
    retrieval: RetrievalSettings

    def create(self, build_id: int, shape: IndexShape) -> IndexCheck:
        """Makes and checks the index of a build; one that is not admitted is dropped again, and the
        one it was to replace is made again in its place.

        Raises Misconfigured for a build of too few public vectors.
        """
        vectors = self.indexes.public_vectors(build_id)
        if vectors < shape.least:
            raise Misconfigured(
                f"{vectors} public vectors: below {shape.least} an exact search takes milliseconds"
                " and misses nothing; no index was made"
            )
        earlier = self.indexes.index_of(build_id)
        try:
            check = self._made(build_id, shape)
            if not check.admitted:
                self._bring_back(build_id, earlier)
        except BaseException:  # an interruption too: minutes are long
            with suppress(Failure):
                self._wish_again(build_id, earlier)
            raise
        return check

    def _bring_back(self, build_id: int, earlier: NearIndex | None) -> None:
        """The index that was in use, made again: it earns its admission anew."""
        in_use = earlier is not None and earlier.admitted
        if earlier is None or not in_use or not self._made(build_id, earlier.shape).admitted:
            self._wish_again(build_id, earlier)

    def _wish_again(self, build_id: int, earlier: NearIndex | None) -> None:
        """Without an index, as it was before but for what is gone; the next build tries again."""
        self.indexes.drop(build_id)
        if earlier is not None:
            self.indexes.note_wish(earlier)

    def check(self, build_id: int) -> IndexCheck:
        """Measures an index anew, its background included, and admits it or takes it out of use.

        Raises Misconfigured where there is none.
        """
        kept = self.indexes.index_of(build_id)
        if kept is None or kept.size is None:
            raise Misconfigured(f"build {build_id} has no index: fonds index create makes one")
        self.indexes.measure_background(build_id)
        return self._noted(build_id)

    def drop(self) -> int:
        """Drops the index of every kept build; how many there were."""
        return sum(self.indexes.drop(build_id) for build_id in self.indexes.indexed_builds())

    def keep(self, build_id: int) -> Mapping[str, object]:
        """What a build does before it is live, and what its report says: an index of its own where
        the live build was to have one, which earns its admission anew.

        A build whose index finds too little goes live without one, and so does one that has become
        small; the build after it tries again.
        """
        live = self.indexes.live_build_id()
        wish = None if live is None else self.indexes.index_of(live)
        if wish is None:
            return UNASKED
        if live == build_id:
            return self._kept(wish)
        vectors = self.indexes.public_vectors(build_id)
        if vectors < wish.shape.least:
            self._note_wish(build_id, wish.shape, vectors, IndexCheck(0, 0, None, 0, ()))
            return {"state": "too small"}
        check = self._made(build_id, wish.shape)
        if not check.admitted:
            self.indexes.drop(build_id)
            self._note_wish(build_id, wish.shape, vectors, check)
        return _told(check)

    def _kept(self, index: NearIndex) -> Mapping[str, object]:
        """Of a build that is live already: checked again only where something was withdrawn."""
        if index.admitted:
            return {"state": "admitted", "recall": index.recall, "byIndex": index.by_index}
        if index.size is None:
            return {"state": "not admitted", "recall": index.recall, "byIndex": index.by_index}
        return _told(self.check(index.build_id))

    def _made(self, build_id: int, shape: IndexShape) -> IndexCheck:
        self.indexes.make(build_id, shape)
        return self._noted(build_id)

    def _noted(self, build_id: int) -> IndexCheck:
        check = self._measured(build_id)
        self.indexes.note_check(
            build_id,
            questions=check.questions,
            by_index=check.by_index,
            recall=check.recall,
            admitted=check.admitted,
        )
        return check

    def _note_wish(self, build_id: int, shape: IndexShape, vectors: int, check: IndexCheck) -> None:
        counts = (vectors, check.questions, check.by_index, check.recall)
        self.indexes.note_wish(NearIndex(build_id, shape, *counts, None, False, None))

    def _measured(self, build_id: int) -> IndexCheck:
        """Gold cases, calibration questions, titles and themes, searched both ways."""
        suite = suite_of(self.config)
        cases = () if suite is None else tuple(one for one in suite.cases if one.names_sources)
        said = [one.question.question for one in self.store.questions()]
        said += self.indexes.phrases_to_ask(build_id, MOST_PHRASES)
        if suite is not None:
            said += [case.query for case in suite.cases if not case.names_sources]
        questions = [SearchRequest(one) for one in dict.fromkeys(said)]
        asked = [*(one.query for one in questions), *(case.query for case in cases)]
        embedder = knowing_embedder(self.embedder, asked)
        vectors = {query: embedder.embed_query(query) for query in dict.fromkeys(asked)}
        exact = self._seen(build_id, questions, cases, vectors, by_index=False)
        indexed = self._seen(build_id, questions, cases, vectors, by_index=True)
        return index_check(cases, exact, indexed)

    def _seen(
        self,
        build_id: int,
        questions: Sequence[SearchRequest],
        cases: Sequence[GoldCase],
        vectors: Mapping[str, Vector],
        *,
        by_index: bool,
    ) -> tuple[tuple[Seen, ...], tuple[Seen, ...]]:
        """A transaction a question: a withdrawal waits for one search of a check, not for all."""
        space = self.embedder.space

        def search(request: SearchRequest) -> Searched:
            with self.store.as_if_live(build_id, by_index=by_index) as served:
                vector = vectors[request.query]
                return searched_by_vector(request, vector, space, served, self.retrieval)

        return seen(questions, cases, search)


def _told(check: IndexCheck) -> Mapping[str, object]:
    state = "admitted" if check.admitted else "not admitted"
    return {"state": state, "recall": check.recall, "byIndex": check.by_index}
