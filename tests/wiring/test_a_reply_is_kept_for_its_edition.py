"""R188: a kept reply is found under everything it rests on, and bounded in number and in bytes."""

from __future__ import annotations

import dataclasses
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime
from pathlib import Path
from threading import Barrier

import pytest

from fonds.answering.refusal import Answered
from fonds.archive_config import ArchiveConfig, GistChoice
from fonds.contract.calibration import Calibration
from fonds.contract.search_request import Filters, SearchRequest
from fonds.contract.search_response import SearchResponse, ServedIndex
from fonds.wiring.reply_cache import Edition, KeptReply, ReplyCache, terms_of
from tests.answering.calibrations import calibration
from tests.answering.hits import text_hit

ASKED = SearchRequest("Who flew kites on the dyke?")
CONFIG = ArchiveConfig(
    Path("archive.toml"), "An Archive", "Person A", "https://example.org", "example"
)
EDITION = Edition(1, 7, 3, None, terms_of(CONFIG), date(2026, 3, 1))


def response(text: str = "Kites on the dyke.", query: str = ASKED.query) -> SearchResponse:
    hits = (text_hit(text=text),)
    return SearchResponse(query, hits, 1, 0, ServedIndex(datetime(2026, 1, 1, tzinfo=UTC), 1, 1))


def kept(text: str = "Kites on the dyke.") -> KeptReply:
    return KeptReply(response(text), private=False)


def asked(number: int) -> SearchRequest:
    return SearchRequest(f"question {number}")


def filled(cache: ReplyCache, edition: Edition, count: int, text: str = "Kites.") -> None:
    for number in range(count):
        cache.found(edition, "search", asked(number))
        cache.keep(edition, "search", asked(number), kept(text))


def test_the_same_request_of_the_same_edition_gets_the_very_reply() -> None:
    cache, reply = ReplyCache(), KeptReply(response(), private=True)

    assert cache.found(EDITION, "search", ASKED) is None
    cache.keep(EDITION, "search", ASKED, reply)

    assert cache.found(EDITION, "search", SearchRequest(ASKED.query)) == reply


@pytest.mark.parametrize(
    "other",
    [
        SearchRequest("Who flew kites on the dyke"),
        SearchRequest(ASKED.query, limit=5),
        SearchRequest(ASKED.query, limit_per_raw=(("public", 2),)),
        SearchRequest(ASKED.query, recency="none"),
        SearchRequest(ASKED.query, filters=Filters(raw="public")),
        SearchRequest(ASKED.query, filters=Filters(creator="Person B")),
        SearchRequest(ASKED.query, filters=Filters(types=("essay",))),
        SearchRequest(ASKED.query, filters=Filters(types=("essay", "note"))),
        SearchRequest(ASKED.query, filters=Filters(date_from="2019")),
    ],
)
def test_another_request_is_another_reply(other: SearchRequest) -> None:
    cache = ReplyCache()
    cache.found(EDITION, "search", ASKED)
    cache.keep(EDITION, "search", ASKED, kept())

    assert cache.found(EDITION, "search", other) is None
    assert cache.found(EDITION, "search", ASKED) is not None


def test_an_answer_is_no_search() -> None:
    cache = ReplyCache()
    answer = KeptReply(Answered("supported", "Ilse.", (), "v1", "extractive", "7"), private=False)
    cache.found(EDITION, "ask", ASKED)
    cache.keep(EDITION, "ask", ASKED, answer)

    assert cache.found(EDITION, "search", ASKED) is None
    assert cache.found(EDITION, "ask", ASKED) == answer


def _other_terms() -> bytes:
    names = {"book:ilse": ("Ilse",)}
    return terms_of(dataclasses.replace(CONFIG, gist=GistChoice(allowed_names=names)))


@pytest.mark.parametrize(
    "change",
    [
        {"build_id": 8},
        {"narrowing": 4},
        {"calibration": calibration()},
        {"terms": _other_terms()},
        {"day": date(2026, 3, 2)},
    ],
    ids=lambda change: "".join(change),
)
def test_what_rests_on_less_than_this_is_not_found_again(change: dict[str, object]) -> None:
    """A step forward gives up what was held, so that a step back finds nothing either."""
    cache = ReplyCache()
    cache.found(EDITION, "search", ASKED)
    cache.keep(EDITION, "search", ASKED, kept())
    moved = dataclasses.replace(EDITION, **change)

    assert cache.found(moved, "search", ASKED) is None
    assert cache.held() == (0, 0)
    assert cache.found(EDITION, "search", ASKED) is None


def test_a_calibration_counts_by_its_figures() -> None:
    cache = ReplyCache()
    fitted = dataclasses.replace(EDITION, calibration=calibration())
    found = fitted.calibration
    assert isinstance(found, Calibration)
    moved = dataclasses.replace(
        fitted, calibration=dataclasses.replace(found, threshold=found.threshold + 0.5)
    )
    cache.found(fitted, "ask", ASKED)
    cache.keep(fitted, "ask", ASKED, kept())

    assert cache.found(moved, "ask", ASKED) is None


def test_every_word_of_an_archive_file_is_among_its_terms() -> None:
    for one in dataclasses.fields(ArchiveConfig):
        other = dataclasses.replace(CONFIG, **{one.name: "something else"})
        assert terms_of(other) != terms_of(CONFIG), one.name


def test_a_reply_of_a_snapshot_that_is_over_is_dropped() -> None:
    """A slow request cannot bring back what the archive served before."""
    cache = ReplyCache()
    cache.found(EDITION, "search", ASKED)
    vetoed = dataclasses.replace(EDITION, narrowing=4)
    cache.keep(vetoed, "search", asked(1), kept())

    cache.keep(EDITION, "search", ASKED, kept())

    assert cache.held()[0] == 1
    assert not cache.holds(1, "search", ASKED)
    assert cache.found(vetoed, "search", ASKED) is None


def test_what_is_held_under_another_edition_is_held_and_not_found() -> None:
    """Whether anything is held needs no edition, and gives nothing away."""
    cache = ReplyCache()
    assert not cache.holds(1, "search", ASKED)
    cache.keep(EDITION, "search", ASKED, kept())

    assert cache.holds(1, "search", SearchRequest(ASKED.query))
    assert not cache.holds(1, "ask", ASKED)
    assert not cache.holds(2, "search", ASKED)
    assert cache.found(dataclasses.replace(EDITION, build_id=8), "search", ASKED) is None
    assert not cache.holds(1, "search", ASKED)


def test_a_reply_under_another_edition_takes_the_place_of_all_that_was_held() -> None:
    cache = ReplyCache()
    filled(cache, EDITION, 3)
    cache.keep(dataclasses.replace(EDITION, build_id=8), "search", ASKED, kept())

    assert cache.held()[0] == 1
    assert cache.found(EDITION, "search", asked(0)) is None


def test_archives_with_the_same_numbers_are_apart() -> None:
    cache = ReplyCache()
    other = dataclasses.replace(EDITION, archive_id=2)
    for edition in (EDITION, other):
        cache.found(edition, "search", ASKED)
    cache.keep(EDITION, "search", ASKED, kept())

    assert cache.found(other, "search", ASKED) is None
    cache.keep(other, "search", ASKED, kept())
    cache.forget(1)
    assert cache.held()[0] == 1
    assert cache.found(other, "search", ASKED) is not None


def test_what_was_longest_unasked_makes_room() -> None:
    cache = ReplyCache(entries=3)
    filled(cache, EDITION, 3)
    assert cache.found(EDITION, "search", asked(0)) is not None
    cache.found(EDITION, "search", asked(3))
    cache.keep(EDITION, "search", asked(3), kept())

    there = [cache.found(EDITION, "search", asked(n)) is not None for n in range(4)]
    assert there == [True, False, True, True]


def test_bytes_are_bounded_and_counted_back_to_nothing() -> None:
    cache = ReplyCache(size=40_000)
    filled(cache, EDITION, 50, text="k" * 5_000)
    count, size = cache.held()
    assert 1 <= count <= 8
    assert size <= 40_000

    cache.keep(EDITION, "search", ASKED, kept("k" * 50_000))
    assert cache.held() == (count, size)

    cache.keep(EDITION, "search", asked(49), kept("k"))
    assert cache.held()[0] == count
    assert cache.held()[1] < size
    cache.found(dataclasses.replace(EDITION, build_id=8), "search", ASKED)
    assert cache.held() == (0, 0)


def test_an_archive_that_is_asked_much_takes_no_other_ones_room() -> None:
    cache = ReplyCache(entries=10)
    quiet = dataclasses.replace(EDITION, archive_id=2)
    filled(cache, quiet, 2)
    filled(cache, EDITION, 100)

    assert cache.held()[0] == 10
    assert all(cache.found(quiet, "search", asked(n)) is not None for n in range(2))


def test_a_process_holds_no_question_and_its_keys_are_its_own() -> None:
    one, other = ReplyCache(), ReplyCache()
    for cache in (one, other):
        cache.found(EDITION, "search", ASKED)
        cache.keep(EDITION, "search", ASKED, kept())

    shelves = [cache._shelves[1].replies for cache in (one, other)]  # pyright: ignore[reportPrivateUsage]
    assert set(shelves[0]) != set(shelves[1])
    for shelf in shelves:
        for key, held in shelf.items():
            assert len(key) == 32
            assert ASKED.query.encode() not in held
            assert b"Kites on the dyke." in held


def test_threads_share_it_without_losing_count() -> None:
    cache = ReplyCache(entries=20)
    start = Barrier(4)

    def work(archive_id: int) -> None:
        edition = dataclasses.replace(EDITION, archive_id=archive_id)
        start.wait(60)
        for round_ in range(60):
            moved = dataclasses.replace(edition, narrowing=round_ // 20)
            answer = Answered("supported", "a", (), "v1", "w", str(archive_id))
            found = cache.found(moved, "ask", asked(round_ % 12))
            assert found is None or found.reply == answer
            cache.keep(moved, "ask", asked(round_ % 12), KeptReply(answer, private=False))

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(work, (1, 1, 2, 3)))

    assert cache.held()[0] <= 20
    for archive_id in (1, 2, 3):
        cache.forget(archive_id)
    assert cache.held() == (0, 0)
