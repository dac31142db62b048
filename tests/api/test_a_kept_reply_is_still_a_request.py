"""R187, R188, R164: what is kept spares the search, and neither the count nor the charge."""

from __future__ import annotations

import dataclasses
from collections.abc import Generator
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

import pytest

from fonds.answering.refusal import Answered, Refused
from fonds.archive_config import ArchiveConfig
from fonds.contract.caller import Caller
from fonds.contract.evidence_hit import LocatorHit, SemanticHit
from fonds.contract.failures import ProviderUnavailable, TooMany
from fonds.contract.ports import Vector
from fonds.contract.search_request import SearchRequest
from fonds.providers.hashing_embedder import HashingEmbedder
from fonds.retrieval.retrieval_settings import RetrievalSettings
from fonds.wiring.choosing import chosen_retrieval
from fonds.wiring.gists import GistDesk
from fonds.wiring.hosting import Hosting
from fonds.wiring.visit import Visit
from tests.archives import essay, house_of, ingested, note, written
from tests.database.ingesting import rows_of
from tests.database.rows import cloned
from tests.hosts import host_of, minted
from tests.servers import Database, TestServer

NOTE = "note:ilse#p-4"
SLUG = "example"
DAY = date(2026, 3, 1)
RECORDED = "SELECT reason FROM private.refusal"
BOTH = SearchRequest("Who flew kites on the dyke, and who owed Tolliver forty crowns?")
ANSWERED = SearchRequest("Who flew kites on the dyke at Norden?")
ABSENT = SearchRequest("Which zeppelin hangar stood at Lakehurst?")


class Counting(HashingEmbedder):
    """Counts the questions it embeds, and fails when it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.questions = 0
        self.away = False

    def embed_query(self, text: str) -> Vector:
        self.questions += 1
        if self.away:
            raise ProviderUnavailable("the embedder is away")
        return super().embed_query(text)


@dataclass
class Allowing:
    """A limiter that lets so many pass, and remembers what it was asked."""

    allowed: int = 1_000
    taken: int = 0
    charged: list[bytes] = field(default_factory=list[bytes])

    def take(self, archive_id: int, caller: Caller) -> None:
        if self.taken == self.allowed:
            raise TooMany("day", 60)
        self.taken += 1

    def charge_private(self, archive_id: int, caller: Caller, question: bytes) -> None:
        self.charged.append(question)


@dataclass(frozen=True)
class Kept:
    """One archive hosted, with what is behind it."""

    hosting: Hosting
    embedder: Counting
    limiter: Allowing
    database: Database
    folder: Path
    key: str

    @property
    def visit(self) -> Visit:
        """A new one for each request, as over HTTP."""
        return self.hosting.admit(SLUG, self.key, "search", "192.0.2.1")


@pytest.fixture(scope="module")
def built(
    server: TestServer, template: str, tmp_path_factory: pytest.TempPathFactory
) -> Generator[tuple[Database, Path, str]]:
    files = {
        "essays/kites.md": essay("On Kites", "Aunt Ilse flew kites on the dyke at Norden."),
        "notes/ilse.md": note("A note", "She owed Tolliver forty crowns.", exposure="semantic"),
    }
    folder = written(tmp_path_factory.mktemp("kept") / SLUG, files, SLUG)
    with cloned(server, template) as database:
        with house_of(folder, database) as house:
            ingested(house)
            GistDesk(house).edit(NOTE, "A debt, and how it was settled.", reviewed=True)
            house.build(yes=True)
        yield database, folder, minted(database, SLUG, "search", "ask")


@pytest.fixture
def kept(built: tuple[Database, Path, str], monkeypatch: pytest.MonkeyPatch) -> Generator[Kept]:
    """On one day whatever the time is: a reply is of its day."""

    def on_one_day(config: ArchiveConfig) -> RetrievalSettings:
        return dataclasses.replace(chosen_retrieval(config), as_of=lambda: DAY)

    monkeypatch.setattr("fonds.wiring.house.chosen_retrieval", on_one_day)
    database, folder, key = built
    embedder, limiter = Counting(), Allowing()
    with host_of(database, {SLUG: folder}, embedder=embedder) as made:
        hosting = dataclasses.replace(made, limiter=limiter)
        yield Kept(hosting, embedder, limiter, database, folder, key)


def test_a_search_is_embedded_once_and_counted_and_charged_each_time(kept: Kept) -> None:
    first, second = kept.visit.search(BOTH), kept.visit.search(BOTH)

    assert first == second
    assert kept.embedder.questions == 1
    assert kept.limiter.taken == 2
    assert len(kept.limiter.charged) == 2
    assert len(set(kept.limiter.charged)) == 1


def test_an_answer_is_kept_and_is_no_search(kept: Kept) -> None:
    first, second = kept.visit.ask(ANSWERED), kept.visit.ask(ANSWERED)
    asked = kept.embedder.questions

    assert isinstance(first, Answered)
    assert first == second
    kept.visit.search(ANSWERED)
    assert kept.embedder.questions == asked + 1
    assert kept.limiter.taken == 3


def test_a_refusal_is_found_again_and_recorded_each_time(kept: Kept) -> None:
    """R164: how often an archive declines is its owner's to see."""
    before = len(rows_of(kept.database, RECORDED))

    given = [kept.visit.ask(ABSENT) for _ in range(2)]

    assert all(isinstance(one, Refused) for one in given)
    assert len(rows_of(kept.database, RECORDED)) == before + 2


def test_an_outage_is_not_kept(kept: Kept) -> None:
    kept.embedder.away = True
    with pytest.raises(ProviderUnavailable):
        kept.visit.search(BOTH)
    assert isinstance(kept.visit.ask(ANSWERED), Refused)
    kept.embedder.away = False

    assert kept.visit.search(BOTH).hits
    assert isinstance(kept.visit.ask(ANSWERED), Answered)


def test_a_used_up_limit_gives_nothing_of_what_is_kept(kept: Kept) -> None:
    kept.limiter.allowed = 1
    kept.visit.search(BOTH)

    with pytest.raises(TooMany):
        kept.visit.search(BOTH)
    assert kept.hosting.cache.held()[0] == 1


def test_a_veto_is_in_the_next_reply(kept: Kept) -> None:
    """Last: the archive is another one afterwards."""
    shown = {type(hit) for hit in kept.visit.search(BOTH).hits}
    assert SemanticHit in shown
    assert kept.visit.search(BOTH)

    with house_of(kept.folder, kept.database) as house:
        GistDesk(house).veto((NOTE,), vetoed=True)

    hits = {hit.provenance.fragment_id: type(hit) for hit in kept.visit.search(BOTH).hits}
    assert hits[NOTE] is LocatorHit
