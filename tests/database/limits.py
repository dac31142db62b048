"""The counting as a clock that a test moves sees it: what is behind `api.take`, by its role."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import TypeAlias

from psycopg import sql

from tests.database import rows
from tests.database.rows import Session, act, one, put

Counted: TypeAlias = tuple[str | None, int]

NOON = datetime(2031, 5, 6, 12, 0, 0, tzinfo=UTC)
AT_HOME = ("address", "203.0.113.7", None)
KEY = ("key", "1", None)
TERMS: dict[str, object] = {
    "anonymous": True,
    "caller_per_minute": 60,
    "caller_per_day": 2000,
    "archive_per_day": 20000,
    "private_per_day": None,
}


def allow(session: Session, archive_id: int, **changes: object) -> None:
    """Gives an archive its terms of access, whatever it had."""
    act(session, rows.ADMINISTRATOR, archive_id)
    session.execute("DELETE FROM private.access WHERE archive_id = %s", (archive_id,))
    put(session, "private.access", {"archive_id": archive_id} | TERMS | changes)


def served_with(session: Session, archive_id: int, dimensions: int, build_id: int = 1) -> None:
    """A live build without a row, of so many dimensions."""
    act(session, rows.ADMINISTRATOR, archive_id)
    made = rows.build(archive_id, dimensions=dimensions, build_id=build_id)
    put(session, "served.build", made)
    rows.go_live(session, archive_id, build_id)


def digest(question: str) -> bytes:
    return sha256(question.encode()).digest()


@dataclass(slots=True)
class Counting:
    """One archive's counting, at a moment the test moves."""

    session: Session
    archive_id: int
    at: datetime = NOON

    def later(self, **delta: float) -> None:
        self.at += timedelta(**delta)

    def take(self, caller: tuple[str, str, str | None] = KEY) -> Counted:
        act(self.session, "fonds_limiter", self.archive_id)
        (found,) = self.session.execute(
            "SELECT limit_hit, retry_after FROM private.take_at(%s, %s, %s, %s)",
            (self.at, *caller),
        ).fetchall()
        return found

    def takes(self, times: int, caller: tuple[str, str, str | None] = KEY) -> int:
        """How many of so many requests are counted."""
        return sum(self.take(caller)[0] is None for _ in range(times))

    def charge(self, question: str, caller: tuple[str, str, str | None] = KEY) -> Counted:
        act(self.session, "fonds_limiter", self.archive_id)
        (found,) = self.session.execute(
            "SELECT limit_hit, retry_after FROM private.charge_at(%s, %s, %s, %s, %s)",
            (self.at, *caller, digest(question)),
        ).fetchall()
        return found

    def asks(self, question: str, caller: tuple[str, str, str | None] = KEY) -> str | None:
        """A request whose reply holds private hits: which limit refuses it, if one does."""
        return self.take(caller)[0] or self.charge(question, caller)[0]

    def day(self) -> Mapping[str, object]:
        """The archive's row, as an administrator sees it."""
        act(self.session, rows.ADMINISTRATOR, self.archive_id)
        told = one(
            self.session,
            "SELECT to_jsonb(d) FROM private.limit_day d WHERE archive_id = %(archive_id)s",
            archive_id=self.archive_id,
        )
        assert isinstance(told, dict)
        return told  # pyright: ignore[reportUnknownVariableType]

    def count(self, table: str) -> int:
        """How many rows a table of counts has, of every archive."""
        act(self.session, rows.ADMINISTRATOR, self.archive_id)
        counted = sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier("private", table))
        (row,) = self.session.execute(counted).fetchall()
        return int(row[0])


@contextmanager
def counting(session: Session, slug: str = "counted", **terms: object) -> Generator[Counting]:
    """A new archive with these terms, in the session's transaction."""
    archive_id = rows.registered(session, slug)
    allow(session, archive_id, **terms)
    yield Counting(session, archive_id)
