"""A server by URL: its roles, passwords and database are made by the administrator alone."""

from __future__ import annotations

import secrets
from collections.abc import Generator
from dataclasses import replace

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from pydantic import SecretStr

from fonds.contract.failures import Misconfigured, StoreRefused, Unavailable
from fonds.settings import ROLE_FIELDS, Settings
from fonds.store import pools
from fonds.store.archives import open_archive
from fonds.store.databases import ROLES, drop_database
from fonds.store.errors import translated
from fonds.store.migrating import migrate, prepare_server
from fonds.store.pools import PATIENCE, open_pool, single_connection
from fonds.store.revision import head_revision
from fonds.store.scope import Login
from fonds.store.servers import Server, named_server
from fonds.wiring.migrations import migrate_server
from fonds.wiring.serving import serving
from tests.servers import TestServer


@pytest.fixture
def kept_passwords(server: TestServer) -> Generator[None]:
    """The roles belong to the whole server: other tests log in with the passwords they have."""
    with psycopg.connect(server.admin_url(), autocommit=True) as session:
        known = session.execute(
            "SELECT rolname, rolpassword FROM pg_authid WHERE rolname = ANY (%s)", (list(ROLES),)
        ).fetchall()
        yield
        for role, verifier in known:
            session.execute(
                sql.SQL("ALTER ROLE {} PASSWORD {}").format(
                    sql.Identifier(role), sql.Literal(verifier)
                )
            )


@pytest.fixture
def settings(server: TestServer) -> Generator[Settings]:
    """A database that is not there yet, and a password of its own for each role."""
    name = f"fonds_test_{secrets.token_hex(4)}"
    urls = {
        field: SecretStr(
            make_conninfo(
                server.admin_url(name), user="ignored", password=f"word of {role}", passfile=""
            )
        )
        for role, field in ROLE_FIELDS.items()
    }
    given = {**urls, "admin_url": SecretStr(server.admin_url())}
    yield Settings().model_copy(update=given)
    drop_database(server.admin_url(), name)


def test_roles_get_the_passwords_of_their_urls_and_the_schema_its_revision(
    kept_passwords: None, settings: Settings
) -> None:
    """R090, R094: twice without harm; each role logs in under its own name and password."""
    for _ in range(2):
        done = migrate_server(settings, roles=True)
        assert (done.revision, done.embedded_home) == (head_revision(), None)
    with serving(settings) as named:
        for role in ROLES:
            with psycopg.connect(named.url_of(role)) as session:
                assert session.execute("SELECT session_user").fetchone() == (role,)
        other = make_conninfo(named.url_of("fonds_reader"), password="word of fonds_build")
        with pytest.raises(Unavailable, match="its password") as refused, single_connection(other):
            pass
        assert "word of" not in str(refused.value)


def test_roles_without_an_administrator_are_refused(settings: Settings) -> None:
    without = settings.model_copy(update={"admin_url": None})
    with pytest.raises(Misconfigured, match="FONDS_ADMIN_URL"):
        migrate_server(without, roles=True)


@pytest.mark.parametrize(
    "urls",
    [
        {"fonds_reader": "host=here dbname=one", "fonds_build": "host=here dbname=other"},
        {"fonds_reader": "host=here", "fonds_build": "host=here"},
        {"fonds_reader": "host=here dbname=one", "fonds_build": "host=here"},
    ],
)
def test_roles_of_several_databases_are_refused_before_anything_is_made(
    urls: dict[str, str],
) -> None:
    with pytest.raises(Misconfigured, match="one database, the same for all"):
        prepare_server("host=127.0.0.1 port=1", urls)


def test_a_role_without_a_url_is_named() -> None:
    only_reader = Settings().model_copy(update={"reader_url": SecretStr("host=here dbname=x")})
    with serving(only_reader) as named:
        assert "user=fonds_reader" in named.url_of("fonds_reader")
        with pytest.raises(Misconfigured, match="no URL for fonds_build: set FONDS_DATABASE_URL"):
            named.url_of("fonds_build")
    empty = Settings().model_copy(update={"database_url": SecretStr("")})
    with serving(empty) as named, pytest.raises(Misconfigured, match="no URL for fonds_reader"):
        named.url_of("fonds_reader")


def test_a_server_shows_no_url() -> None:
    named = named_server(lambda role: "postgresql://ann:sesame@here/fonds")
    assert repr(named) == "Server(...)"
    assert repr(replace(named)) == "Server(...)"
    assert isinstance(named, Server)
    assert "user=fonds_reader" in named.url_of("fonds_reader")


@pytest.mark.parametrize("url", ["sesame=open", "postgresql://ann:sesame@[::1/fonds"])
def test_an_unreadable_url_names_its_role_and_is_not_repeated(url: str) -> None:
    with pytest.raises(Misconfigured, match="the URL for fonds_build cannot be read") as refused:
        named_server(lambda role: url).url_of("fonds_build")
    assert "sesame" not in str(refused.value)


def test_a_migration_without_a_server_is_an_outage_without_the_url() -> None:
    with pytest.raises(Unavailable, match="as fonds_migrator") as refused:
        migrate("host=127.0.0.1 port=1 password=sesame dbname=fonds")
    assert "sesame" not in str(refused.value)
    assert refused.value.__cause__ is None


def test_a_migration_that_the_database_refuses_says_its_sqlstate(
    server: TestServer, template: str
) -> None:
    """The reader may not act as owner: nothing is changed, and nothing of the statement is said."""
    with pytest.raises(Exception, match=r"SQLSTATE 42501; nothing was changed"):
        migrate(server.url("fonds_reader", template))


def test_a_pool_of_a_server_that_is_not_there_is_an_outage(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pools, "CONNECT_SECONDS", 1)  # how long a pool looks for a server
    pool = open_pool(
        Login("fonds_reader", "host=127.0.0.1 port=1 dbname=fonds"), name="fonds_reader"
    )
    try:
        with pytest.raises(Unavailable):
            open_archive(pool, "example")
    finally:
        pool.close()


@pytest.mark.parametrize(
    ("raised", "becomes"),
    [
        (psycopg.OperationalError("sesame"), Unavailable),
        (psycopg.errors.AdminShutdown("sesame"), Unavailable),
        (psycopg.errors.LockNotAvailable("sesame"), StoreRefused),
        (psycopg.errors.CheckViolation("sesame"), StoreRefused),
        (psycopg.InterfaceError("sesame"), StoreRefused),
    ],
)
def test_what_a_driver_raises_keeps_its_code_and_loses_its_words(
    raised: psycopg.Error, becomes: type[Exception]
) -> None:
    """R097."""
    with pytest.raises(becomes) as refused, translated():
        raise raised
    assert "sesame" not in str(refused.value)
    assert refused.value.__cause__ is None
    assert refused.value.__suppress_context__


def test_a_server_that_went_silent_is_given_up() -> None:
    """No process waits for a machine that is gone as long as a system's defaults say; what the URL
    asks for stands.
    """
    plain = named_server(lambda role: "postgresql://here/fonds").url_of("fonds_reader")
    assert {name: conninfo_to_dict(plain)[name] for name in PATIENCE} == {
        name: str(value) for name, value in PATIENCE.items()
    }
    asking = named_server(lambda role: "postgresql://here/fonds?tcp_user_timeout=7").url_of
    assert conninfo_to_dict(asking("fonds_reader"))["tcp_user_timeout"] == "7"
