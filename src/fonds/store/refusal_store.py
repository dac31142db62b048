"""Refusal records: kept by the reader, which reads none, and read by the curator (R164)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from psycopg.types.json import Jsonb

from fonds.contract.refusal_page import KeptRefusal, RefusalDay, RefusalPage, RefusalWish
from fonds.store.errors import translated
from fonds.store.pools import Pool, transaction
from fonds.store.scope import enter
from fonds.store.statements import Row, dict_rows, statements


class PostgresRefusalLog:
    """Appends refusal records over a pool of the reader role, which can read none (R164).

    `question` is the text asked, for an author who has questions kept, and `days` for how many, as
    readers are told; the database drops it where the archive's own row does not ask for it, and
    keeps it no longer than either says.
    """

    def __init__(
        self, pool: Pool, archive_id: int, question: str | None = None, days: int | None = None
    ) -> None:
        self._pool = pool
        self._archive_id = archive_id
        self._question = question
        self._days = days

    def note_refusal(self, reason: str, record: Mapping[str, object]) -> None:
        """Commits one record in a transaction of its own."""
        values = {
            "reason": reason,
            "record": Jsonb(dict(record)),
            "question": self._question,
            "days": self._days,
        }
        with translated(), self._pool.connection() as connection:
            kept = connection.read_only
            # A session of the reader is read-only; its one insertion is a function's.
            connection.read_only = False
            try:
                with connection.transaction():
                    enter(connection, self._pool.login, self._archive_id)
                    connection.execute(statements("served")["note_refusal"], values)
            finally:
                if not connection.closed:
                    connection.read_only = kept


def keep_questions(pool: Pool, archive_id: int, days: int | None) -> int:
    """For how many days questions of refusals are kept from here on, None for not at all.

    Erases those that are over by their own end or by `days`; returns how many. Safe to repeat, as
    the ingest, build or curator role.
    """
    with transaction(pool, archive_id) as connection:
        row = connection.execute(
            statements("refusals")["keep_questions"], {"days": days}
        ).fetchone()
    assert row is not None  # noqa: S101 - a function call answers one row
    return int(row[0])


@dataclass(frozen=True, slots=True)
class PostgresRefusalStore:
    """One archive's refusal records, over a pool of the curator role."""

    pool: Pool
    archive_id: int

    def page(self, wish: RefusalWish) -> RefusalPage:
        asked = {"reason": wish.reason, "days": wish.days}
        found = {"before": wish.before, "only": None, "limit": wish.limit + 1}
        with transaction(self.pool, self.archive_id) as connection:
            rows = dict_rows(connection, "refusals", "refusals", **asked, **found)
            counted = dict_rows(connection, "refusals", "refusal_counts", **asked)
        kept = tuple(_kept(row) for row in rows[: wish.limit])
        older = kept[-1].refusal_id if len(rows) > wish.limit else None
        return RefusalPage(kept, {row["reason"]: row["times"] for row in counted}, older)

    def days(self, reason: str | None, days: int | None) -> tuple[RefusalDay, ...]:
        """In the order of days; a day without a refusal is not among them."""
        asked = {"reason": reason, "days": days}
        with transaction(self.pool, self.archive_id) as connection:
            rows = dict_rows(connection, "refusals", "refusal_days", **asked)
        return tuple(RefusalDay(row["day"], row["reason"], row["times"]) for row in rows)

    def one(self, refusal_id: int) -> KeptRefusal | None:
        asked = {"reason": None, "days": None, "before": None, "only": refusal_id, "limit": 1}
        with transaction(self.pool, self.archive_id) as connection:
            rows = dict_rows(connection, "refusals", "refusals", **asked)
        return _kept(rows[0]) if rows else None


def _kept(row: Row) -> KeptRefusal:
    return KeptRefusal(
        row["refusal_id"],
        row["refused_at"],
        row["reason"],
        row["record"],
        row["question"],
        row["question_until"],
    )
