"""Who is let in at which archive, and that nothing tells what has to look alike apart (R192)."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import LiteralString

import psycopg
import pytest

from fonds.contract.admitted import Admitted
from fonds.contract.allowances import Allowances
from fonds.contract.api_key import ApiKey, minted_key
from fonds.contract.failures import NotAdmitted, StoreRefused, Unavailable
from fonds.contract.kept_key import KeptKey
from fonds.contract.key_scope import KeyScope
from fonds.store.archives import register_archive
from fonds.store.door import PostgresDoor
from fonds.store.key_store import PostgresKeyStore
from fonds.store.pools import Pool, open_pool, transaction
from tests.database.rows import act, cloned, rolled_back
from tests.servers import Database, TestServer

ALL: tuple[KeyScope, ...] = ("search", "ask", "admin")
HOSTILE = (
    "one' OR true --",
    'one"; DROP TABLE private.api_key; --',
    "../one",
    "one\x00",
    "one\ud800",
    "ONE",
    "on_",
    "%",
    "",
    "x" * 10_240,
)


@dataclass(frozen=True, slots=True)
class Host:
    """Archive `one` is closed, `open` lets anybody ask; each has one key for everything."""

    database: Database
    door: PostgresDoor
    host: Pool
    reader: Pool
    ids: dict[str, int]
    keys: dict[str, ApiKey]

    def store(self, slug: str) -> PostgresKeyStore:
        return PostgresKeyStore(self.host, self.ids[slug])

    def mint(self, slug: str, *scopes: KeyScope, days: int | None = None) -> tuple[ApiKey, KeptKey]:
        key = minted_key()
        return key, self.store(slug).mint(key.digest, scopes, "a label", days)

    def outcome(self, slug: str, key: str | None, scope: KeyScope = "search") -> str:
        try:
            self.door.admit(slug, key, scope)
        except NotAdmitted as refused:
            return refused.why
        return "admitted"


@pytest.fixture(scope="module")
def at(server: TestServer, template: str) -> Generator[Host]:
    with cloned(server, template) as made:
        host = open_pool(made.login("fonds_host"), size=1)
        reader = open_pool(made.login("fonds_reader"), read_only=True, size=1)
        ids = {
            slug: register_archive(
                host,
                slug=slug,
                name="N",
                author="A",
                base_url="https://example.org",
                allowances=Allowances(anonymous=slug == "open"),
            )
            for slug in ("one", "open")
        }
        found = Host(made, PostgresDoor(reader), host, reader, ids, {})
        for slug in ids:
            found.keys[slug] = found.mint(slug, *ALL)[0]
        yield found
        host.close()
        reader.close()


def test_a_key_opens_its_own_archive_for_its_scopes(at: Host) -> None:
    key, kept = at.mint("one", "search")
    assert at.door.admit("one", key.text, "search") == Admitted(at.ids["one"], kept.key_id)
    assert at.outcome("one", key.text, "ask") == "no-scope"
    assert at.outcome("one", key.text, "admin") == "no-scope"
    everything = at.keys["one"].text
    assert [at.outcome("one", everything, scope) for scope in ALL] == ["admitted"] * 3


def test_without_a_key_only_an_open_archive_is_entered(at: Host) -> None:
    """R192: and nobody reads how an archive stands without a key."""
    assert at.door.admit("open", None, "ask") == Admitted(at.ids["open"], None)
    assert at.outcome("open", None, "search") == "admitted"
    assert at.outcome("open", None, "admin") == "no-key"
    assert at.outcome("one", None) == "no-key"
    assert at.outcome("nowhere", None) == "no-key"


def test_keys_that_do_not_open_an_archive_are_alike(at: Host) -> None:
    """R192: another's, a made-up one and one of an unknown archive, in every word of the reply."""
    other = at.keys["open"].text
    refusals: set[tuple[str, str, tuple[object, ...]]] = set()
    for slug, key in (
        ("one", other),
        ("nowhere", other),
        ("one", minted_key().text),
        ("one", ""),
        ("one", "fonds_"),
        ("one", "x" * 10_240),
        ("one", "a\x00b\ud800"),
        ("open", at.keys["one"].text),
        ("nowhere", minted_key().text),
    ):
        with pytest.raises(NotAdmitted) as refused:
            at.door.admit(slug, key, "search")
        refusals.add((str(refused.value), repr(refused.value), refused.value.args))
    assert len(refusals) == 1
    assert refusals.pop()[0] == "no such archive, or the key is not for it"


def test_a_revoked_key_opens_nothing_from_then_on(at: Host) -> None:
    key, kept = at.mint("one", *ALL)
    assert at.outcome("one", key.text) == "admitted"
    assert at.store("open").revoke(kept.key_id) == "unknown"
    assert at.outcome("one", key.text) == "admitted"
    assert at.store("one").revoke(kept.key_id) == "revoked"
    assert at.outcome("one", key.text) == "no-archive"
    assert at.store("one").revoke(kept.key_id) == "unchanged"
    shown = {found.key_id: found for found in at.store("one").listed()}
    assert shown[kept.key_id].revoked_at is not None


def test_a_key_ends_with_its_days(at: Host) -> None:
    key, kept = at.mint("one", *ALL, days=2)
    assert kept.expires_at is not None
    assert (kept.expires_at - kept.minted_at).days == 2
    assert at.outcome("one", key.text) == "admitted"
    with psycopg.connect(at.database.admin_url) as session:
        session.execute(
            "UPDATE private.api_key SET minted_at = minted_at - interval '2 days',"
            " expires_at = expires_at - interval '2 days' WHERE key_id = %s",
            (kept.key_id,),
        )
    assert at.outcome("one", key.text) == "no-archive"


@pytest.mark.parametrize("slug", HOSTILE, ids=range(len(HOSTILE)))
def test_a_slug_out_of_shape_is_an_unknown_archive(at: Host, slug: str) -> None:
    """C22: whatever is written there, it is no fault of the service and finds nothing."""
    assert at.outcome(slug, None) == "no-key"
    assert at.outcome(slug, at.keys["one"].text) == "no-archive"


def test_every_case_makes_the_same_look_ups(at: Host) -> None:
    """R192: no case is told by a look-up that it is spared."""
    key = at.keys["one"].digest
    cases: tuple[tuple[str, bytes | None], ...] = (
        ("one", key),
        ("one", None),
        ("one", minted_key().digest),
        ("open", None),
        ("open", key),
        ("nowhere", None),
        ("nowhere", key),
        ("", minted_key().digest),
    )
    made: list[dict[str, int]] = []
    for slug, digest in cases:
        with rolled_back(at.database) as session:
            act(session, "fonds_reader", 0)
            session.execute("SELECT verdict FROM api.admit(%s, %s, 'ask')", (slug, digest))
            session.execute("RESET ROLE")
            found = session.execute(
                "SELECT relname, seq_scan + coalesce(idx_scan, 0) FROM pg_stat_xact_user_tables"
                " WHERE schemaname = 'private' AND seq_scan + coalesce(idx_scan, 0) > 0"
            ).fetchall()
            made.append({str(table): int(scans) for table, scans in found})
    assert made == [{"archive": 1, "access": 1, "api_key": 1}] * len(cases)


def test_nothing_that_is_raised_or_shown_holds_a_key(at: Host) -> None:
    key = at.keys["one"]
    assert key.text not in repr(key)
    assert repr(at.door) == "PostgresDoor()"
    for wrong in ("one", "nowhere"):
        with pytest.raises(NotAdmitted) as refused:
            at.door.admit(wrong, key.text + "x", "search")
        assert key.text not in repr(refused.value) + str(refused.value)
    with pytest.raises(StoreRefused, match=r"api_key_key_hash_key$") as kept:
        at.store("one").mint(key.digest, ("search",), "twice", None)
    assert key.digest.hex() not in str(kept.value)


def test_an_archive_that_leaves_lets_nobody_in(at: Host) -> None:
    with psycopg.connect(at.database.admin_url) as session:
        session.execute("UPDATE private.archive SET leaving_at = now() WHERE slug = 'open'")
    try:
        assert at.outcome("open", None) == "no-key"
        assert at.outcome("open", at.keys["open"].text) == "no-archive"
    finally:
        with psycopg.connect(at.database.admin_url) as session:
            session.execute("UPDATE private.archive SET leaving_at = NULL")


def test_the_door_leaves_no_archive_in_scope(at: Host) -> None:
    """C02: the connection that let somebody in, or did not, is of no archive afterwards."""
    for slug, key in (("one", at.keys["one"].text), ("one", "wrong"), ("open", None)) * 20:
        at.outcome(slug, key)
        with at.reader.connection() as connection:
            assert connection.info.transaction_status.name == "IDLE"
            with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState):
                connection.execute("SELECT count(*) FROM served.fragment")
        with transaction(at.reader, at.ids["open"]) as scoped:
            assert scoped.execute("SELECT api.scope()").fetchone() == (at.ids["open"],)


READER: tuple[LiteralString, ...] = (
    "SELECT key_hash FROM private.api_key",
    "SELECT count(*) FROM private.access",
    "INSERT INTO private.api_key (archive_id, key_hash, scopes) VALUES (1, '', '{ask}')",
    "UPDATE private.access SET anonymous = true",
    "DELETE FROM private.api_key",
    "SELECT api.list_keys()",
    "SELECT api.list_archives()",
    "SELECT api.find_key('')",
    "SELECT api.mint_key('', '{ask}', 'k', NULL)",
    "SELECT api.revoke_key(1)",
    "SELECT api.register_archive('x', 'N', 'A', 'https://e.org', true)",
    "SELECT api.begin_removal()",
    "SELECT api.remove_portion(1)",
    "COPY private.api_key TO STDOUT",
)


@pytest.mark.parametrize("role", ["fonds_reader", "fonds_queue", "fonds_build", "fonds_curator"])
def test_no_other_login_reaches_keys_or_terms(at: Host, role: str) -> None:
    """R094: what the host may do is the host's alone."""
    for statement in READER:
        with rolled_back(at.database) as session:
            act(session, role, at.ids["one"])
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                session.execute(statement)


def test_the_host_reads_no_digest_and_no_content(at: Host) -> None:
    for statement in (
        "SELECT key_hash FROM private.api_key",
        "SELECT key_id FROM private.api_key",
        "SELECT text FROM private.fragment",
        "SELECT text FROM served.fragment",
        "SELECT api.admit('one', NULL, 'search')",
        "SELECT reason FROM private.refusal",
    ):
        with rolled_back(at.database) as session:
            act(session, "fonds_host", at.ids["one"])
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                session.execute(statement)


def test_keys_of_one_archive_are_listed_there_alone(at: Host) -> None:
    """R094: and what is listed holds neither a key nor a digest."""
    mine = {found.key_id for found in at.store("one").listed()}
    others = {found.key_id for found in at.store("open").listed()}
    assert mine
    assert others
    assert mine.isdisjoint(others)
    assert {found.label for found in at.store("one").listed()} == {"a label"}


def test_a_database_that_is_not_there_lets_nobody_in(at: Host) -> None:
    """Fails closed: Unavailable, never an admission."""
    pool = open_pool(at.database.login("fonds_reader"))
    pool.close()
    with pytest.raises(Unavailable):
        PostgresDoor(pool).admit("open", None, "search")


def test_minting_and_revoking_are_noted_by_id(at: Host) -> None:
    """R192: who and which key, never the key."""
    key, kept = at.mint("one", "ask")
    at.store("one").revoke(kept.key_id)
    with rolled_back(at.database) as session:
        noted = session.execute(
            "SELECT actor, action FROM private.audit WHERE archive_id = %s AND subject = %s"
            " ORDER BY audit_id",
            (at.ids["one"], str(kept.key_id)),
        ).fetchall()
        everything = str(session.execute("SELECT * FROM private.audit").fetchall())
    assert noted == [("fonds_host", "key mint"), ("fonds_host", "key revoke")]
    assert key.text not in everything
    assert key.digest.hex() not in everything
