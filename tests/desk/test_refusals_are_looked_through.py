"""Refusals over time and one by one, as quick at many as at few (R164, R199)."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator
from datetime import date
from typing import cast

import psycopg
import pytest

from fonds.contract.refusal_page import RefusalDay
from fonds.desk.day_plot import HEIGHT, MOST_DAYS, WIDTH, day_plot
from fonds.store.pools import Pool, transaction
from fonds.store.refusal_store import PostgresRefusalStore
from fonds.store.statements import statements
from fonds.wiring.house import House
from tests.database.ingesting import rows_of
from tests.desk.asked_archive import ABSENT, MARKUP, asked_house
from tests.desks import Sitting
from tests.servers import Database

MANY = 4_000
RARE = "unsupported_claim"
WRITTEN = """
INSERT INTO private.refusal (archive_id, refused_at, reason, record, question, question_until)
SELECT %(archive)s, now() - make_interval(mins => 30 * (%(many)s - n)),
       CASE WHEN n %% 500 = 0 THEN 'unsupported_claim' ELSE 'below_score_floor' END,
       '{"layer": "floor", "bestScore": 0.125, "bestRaw": "public", "failed": ["score"]}',
       CASE WHEN n = %(many)s THEN %(question)s END,
       CASE WHEN n = %(many)s THEN now() + interval '1 day' END
  FROM generate_series(1, %(many)s) AS n
"""


@pytest.fixture(scope="module")
def house(desk_database: Database, tmp_path_factory: pytest.TempPathFactory) -> Generator[House]:
    with asked_house(tmp_path_factory.mktemp("asked"), desk_database) as opened:
        yield opened


def archive_of(house: House) -> int:
    return house.curator_store().archive_id


@pytest.fixture
def many(house: House, desk_database: Database) -> Generator[None]:
    """Half an hour between one refusal and the next, the last of them just now."""
    values = {"archive": archive_of(house), "many": MANY, "question": MARKUP + ABSENT}
    with psycopg.connect(desk_database.admin_url, autocommit=True) as session:
        session.execute(WRITTEN, values)
        session.execute("ANALYZE private.refusal")
        yield
        session.execute("DELETE FROM private.refusal")


def ids(page: str) -> list[int]:
    return [int(found) for found in re.findall(r'href="/refusals/(\d+)"', page)]


def test_without_a_refusal_the_page_says_so(sitting: Sitting) -> None:
    assert "No refusal is recorded." in sitting.get("/refusals")


@pytest.mark.usefixtures("many")
def test_reasons_are_counted_over_time_and_lead_to_their_refusals(sitting: Sitting) -> None:
    page = sitting.get("/refusals?days=all")
    assert re.search(rf"{RARE}</a></th><td>verifier</td><td>{MANY // 500}</td>", page)
    assert 'role="img" aria-label="Refusals a day from ' in page
    assert f"reason={RARE}&amp;days=all" in page
    narrowed = sitting.get(f"/refusals?reason={RARE}&days=all")
    assert len(ids(narrowed)) == MANY // 500
    assert len(ids(sitting.get("/refusals?days=7"))) == 50


@pytest.mark.usefixtures("many")
def test_pages_follow_one_another_and_none_stands_twice(sitting: Sitting) -> None:
    seen: list[int] = []
    page = sitting.get("/refusals?days=all")
    for _ in range(3):
        seen += ids(page)
        (older,) = re.findall(r'href="(/refusals\?[^"]*before=\d+)"', page)
        page = sitting.get(older.replace("&amp;", "&"))
    assert seen == sorted(set(seen), reverse=True)
    assert len(seen) == 150


@pytest.mark.usefixtures("many")
def test_a_question_is_shown_where_it_is_kept_and_as_text(sitting: Sitting) -> None:
    page = sitting.get("/refusals?days=all")
    assert "Questions are kept for 30 days." in page
    shown = sitting.get(f"/refusals/{ids(page)[0]}")
    for where in (page, shown):
        assert "compiler flags" in where
        assert "<img" not in where
    assert 'action="/ask"' in shown
    other = sitting.get(f"/refusals/{ids(page)[1]}")
    assert "Its question was not kept." in other
    assert "0.125" in other


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/refusals?reason=because", 422),
        ("/refusals?days=8", 422),
        ("/refusals?before=now", 422),
        ("/refusals/none", 422),
        ("/refusals/99999999999999999999999", 422),
        ("/refusals/4444444", 422),
    ],
)
def test_what_no_page_leads_to_is_one_line(sitting: Sitting, path: str, status: int) -> None:
    reply = sitting.client.get(path)
    assert (reply.status_code, reply.text.count('role="alert"')) == (status, 1)


@pytest.mark.usefixtures("many")
def test_a_page_costs_as_many_statements_however_many_refusals_there_are(
    house: House, sitting: Sitting, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[object] = []
    plain = cast("Callable[..., object]", psycopg.Cursor.execute)

    def counting(cursor: object, query: object, *terms: object, **more: object) -> object:
        counted.append(query)
        return plain(cursor, query, *terms, **more)

    monkeypatch.setattr(psycopg.Cursor, "execute", counting)
    sitting.get(f"/refusals?reason={RARE}")
    few = len(counted)
    sitting.get("/refusals?days=all")
    assert (few, len(counted) - few) == (10, 10), "three visits, each in its archive's scope"


@pytest.mark.usefixtures("many")
def test_a_rare_reason_and_every_count_are_found_by_an_index(house: House) -> None:
    """R199: neither walks the records, which are as long as the figures in them."""
    pool: Pool = house.pool("fonds_curator")
    terms = {"reason": RARE, "days": None, "before": None, "only": None, "limit": 51}
    with transaction(pool, archive_of(house)) as connection:
        for name in ("refusals", "refusal_counts", "refusal_days"):
            statement = statements("refusals")[name]
            plan = connection.execute(f"EXPLAIN {statement}", terms).fetchall()
            said = "\n".join(row[0] for row in plan)
            assert "refusal_by_reason" in said, said
            assert "Seq Scan" not in said, said


def test_days_are_bars_without_a_gap_and_never_too_many() -> None:
    assert day_plot(()) is None
    counted = [
        RefusalDay(date(2031, 5, 1), "below_score_floor", 1),
        RefusalDay(date(2031, 5, 3), "below_score_floor", 2),
        RefusalDay(date(2031, 5, 3), "model_declined", 2),
    ]
    plot = day_plot(counted)
    assert plot is not None
    assert [(bar.day.day, bar.times, bar.height) for bar in plot.bars] == [
        (1, 1, HEIGHT / 4),
        (2, 0, 0),
        (3, 4, HEIGHT),
    ]
    years = day_plot([RefusalDay(date(year, 1, 1), "model_declined", 1) for year in (2020, 2031)])
    assert years is not None
    assert len(years.bars) == MOST_DAYS
    assert years.bars[-1].x + years.bars[-1].width <= WIDTH


@pytest.mark.usefixtures("many")
def test_days_are_those_of_utc(house: House, desk_database: Database) -> None:
    store = PostgresRefusalStore(house.pool("fonds_curator"), archive_of(house))
    found = store.days(None, None)
    youngest = "SELECT max(refused_at AT TIME ZONE 'UTC')::date FROM private.refusal"
    assert rows_of(desk_database, youngest) == [(found[-1].day,)]
    assert sum(one.times for one in found) == MANY
    assert len({(one.day, one.reason) for one in found}) == len(found)
