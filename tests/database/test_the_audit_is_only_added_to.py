"""Who minted, revoked, vetoed and forgot stays as it was noted, whoever asks otherwise (R192)."""

from __future__ import annotations

from collections.abc import Generator
from typing import LiteralString

import psycopg
import pytest

from fonds.store.databases import ROLES
from tests.database import rows
from tests.database.rows import act, cloned, column, one, put, rolled_back
from tests.scopes import enter
from tests.servers import Database, TestServer

CHANGES: tuple[LiteralString, ...] = (
    "UPDATE private.audit SET actor = 'nobody'",
    "UPDATE private.audit SET subject = 'another'",
    "DELETE FROM private.audit",
    "TRUNCATE private.audit",
    "MERGE INTO private.audit a USING (SELECT 1) o ON true WHEN MATCHED THEN DELETE",
)
# What notes who and when under another's name or time.
FORGERIES: tuple[LiteralString, ...] = (
    "INSERT INTO private.audit (archive_id, action, subject, actor) VALUES (1, 'a', 's', 'host')",
    "INSERT INTO private.audit (archive_id, action, subject, noted_at) VALUES (1, 'a', 's', now())",
    "INSERT INTO private.audit (archive_id, action, subject) VALUES (2, 'a', 's')",
)


@pytest.fixture(scope="module")
def shared(server: TestServer, template: str) -> Generator[Database]:
    with cloned(server, template) as made, psycopg.connect(made.admin_url) as session:
        for slug in ("one", "two"):
            rows.registered(session, slug)
        session.execute("RESET ROLE")
        put(session, "private.audit", {"archive_id": 1, "action": "veto", "subject": "x#1"})
        session.commit()
        yield made


@pytest.mark.parametrize("role", ROLES)
def test_no_login_changes_or_forges_an_entry(shared: Database, role: str) -> None:
    for statement in (*CHANGES, *FORGERIES):
        with rolled_back(shared) as session:
            act(session, role, 1)
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                session.execute(statement)
    with rolled_back(shared) as session:
        assert column(session, "SELECT subject FROM private.audit") == ["x#1"]


@pytest.mark.parametrize("role", ["fonds_ingest", "fonds_build", "fonds_curator"])
def test_an_entry_says_who_connected_and_when_it_was(shared: Database, role: str) -> None:
    """The premise: those that note something do, under the name they connected with."""
    with psycopg.connect(shared.url(role)) as session:
        enter(session, 1)
        session.execute(
            "INSERT INTO private.audit (archive_id, action, subject) VALUES (1, 'a', 'mine')"
        )
        assert one(session, "SELECT actor FROM private.audit WHERE subject = 'mine'") == role
        assert one(session, "SELECT noted_at = now() FROM private.audit WHERE subject = 'mine'")
        session.rollback()
