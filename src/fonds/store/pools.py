"""One pool a role, and the one way a transaction begins (design decision 4)."""

from __future__ import annotations

import select
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from time import monotonic
from typing import Any, Final, LiteralString

import psycopg
from pgvector.psycopg import register_vector
from psycopg import ClientCursor, Connection, IsolationLevel
from psycopg.errors import error_from_result
from psycopg.generators import execute
from psycopg.pq import ExecStatus, TransactionStatus
from psycopg_pool import ConnectionPool

from fonds.store.errors import translated
from fonds.store.scope import ASK_MOMENT, SET_BOUNDED_SCOPE, SET_SCOPE, Login, enter, moment_in

CONNECT_SECONDS = 5
# A machine or a network that went says nothing: without these, whoever waits for its reply waits
# for a quarter of an hour, or two hours. What a URL says of them stands.
PATIENCE: Final[Mapping[str, int]] = {
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,  # milliseconds
}
ASKED_AFTER_SECONDS = 1.0  # at rest for longer, a connection is asked whether it still answers

_BEGIN: LiteralString = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_BEGIN_WRITING: LiteralString = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
# What DISCARD ALL does, but for cached plans: they hold no session's values, and are made again
# when a table, policy, role or setting they rest on changes.
_WIPE_TEXT: Final[LiteralString] = (
    "CLOSE ALL; SET SESSION AUTHORIZATION DEFAULT; RESET ALL; DEALLOCATE ALL; UNLISTEN *;"
    " SELECT pg_advisory_unlock_all(); DISCARD TEMP; DISCARD SEQUENCES"
)
_WIPE: Final = _WIPE_TEXT.encode()
_COMMIT: Final = b"COMMIT; "


class PooledConnection(Connection[Any]):
    """A connection that knows when it was last wiped, and whether it was told to commit and wipe
    itself.
    """

    wiped_at: float = 0.0
    is_ending: bool = False

    def end(self) -> None:
        """Commits what was read and forgets the session, and does not wait for it: whoever takes
        the connection back does. Nothing can be asked of it meanwhile.
        """
        self.pgconn.send_query(_COMMIT + _WIPE)
        self.is_ending = True


class Pool(ConnectionPool[PooledConnection]):
    """Connections are checked when borrowed; whoever returns one wipes it first, in one round trip.

    Nothing a borrower left behind is there for the next: no setting, so no archive, no temporary
    table, cursor, prepared statement, lock or subscription (C02).
    """

    login: Login
    longest_seconds: int | None = None
    """How long a statement of a `snapshot` may run; as the server has it where it is None."""

    def putconn(self, conn: PooledConnection) -> None:
        """Takes a connection back; a transaction somebody left open is rolled back."""
        at_rest = conn.info.transaction_status == TransactionStatus.IDLE
        _wipe(conn, b"" if at_rest else b"ROLLBACK; ")
        super().putconn(conn)

    def put_committed(self, conn: PooledConnection) -> None:
        """Takes a connection back and commits what it has read, in the same round trip."""
        _wipe(conn, _COMMIT)
        super().putconn(conn)

    def put_wiped(self, conn: PooledConnection) -> None:
        """Takes a connection back that has wiped itself already."""
        conn.autocommit = False
        conn.wiped_at = monotonic()
        super().putconn(conn)


def open_pool(login: Login, *, read_only: bool = False, size: int = 4, name: str = "fonds") -> Pool:
    """A pool whose connections are checked when borrowed and wiped when returned.

    `read_only` sessions are REPEATABLE READ, READ ONLY: one request sees one build. All others are
    READ COMMITTED, READ WRITE, whatever the login's defaults are; a standby refuses those. It opens
    lazily; a server that is not there shows at the first transaction as Unavailable.
    """

    def configure(connection: Connection[Any]) -> None:
        register_vector(connection)
        connection.rollback()
        connection.prepare_threshold = None  # none survives the return, so preparing only costs
        # Said in any case: what a login begins with, whoever holds its password may change.
        connection.isolation_level = (
            IsolationLevel.REPEATABLE_READ if read_only else IsolationLevel.READ_COMMITTED
        )
        connection.read_only = read_only

    pool = Pool(
        login.url,
        connection_class=PooledConnection,
        configure=configure,
        check=_check,
        open=False,
        min_size=0,
        max_size=size,
        timeout=CONNECT_SECONDS,
        reconnect_timeout=CONNECT_SECONDS,
        name=name,
        kwargs={"connect_timeout": CONNECT_SECONDS},
    )
    pool.login = login
    pool.open()
    return pool


@contextmanager
def transaction(pool: Pool, archive_id: int) -> Generator[Connection[Any]]:
    """One unit of work for one archive; commits at its end. The scope is the first thing it sets
    and ends with it.

    Raises StoreRefused or Unavailable, never a driver's own error.
    """
    with translated(), pool.connection() as connection, connection.transaction():
        enter(connection, pool.login, archive_id)
        yield connection


@contextmanager
def snapshot(
    pool: Pool, archive_id: int, opening: LiteralString, values: Mapping[str, object]
) -> Generator[tuple[PooledConnection, list[tuple[Any, ...]]]]:
    """A `transaction` that reads, REPEATABLE READ and READ ONLY, with the rows of its `opening`.

    Beginning and the question for the moment go to the server together, then scope and opening,
    the commit with the wiping: each is a round trip of its own otherwise, which is most of a small
    archive's search. Who needs nothing more of it says so by `PooledConnection.end`. A statement
    that runs longer than the pool lets it is ended, as Unavailable.
    """
    with translated():
        connection = pool.getconn()
        try:
            connection.autocommit = True  # else the driver begins, in a round trip of its own
            scope = _begun(connection, _BEGIN, pool.login, archive_id)
            cursor = ClientCursor(connection)
            longest = pool.longest_seconds
            setting = SET_SCOPE if longest is None else SET_BOUNDED_SCOPE
            bounds = {"longest": f"{longest}s"}
            cursor.execute("; ".join((setting, opening)), scope | bounds | dict(values))
            while cursor.nextset():
                pass
            yield connection, cursor.fetchall()
        finally:
            pool.put_committed(connection)


def one_row(
    pool: Pool, archive_id: int, statement: LiteralString, values: Mapping[str, object]
) -> tuple[Any, ...]:
    """The one row of a statement that is a transaction of its own, READ COMMITTED and READ WRITE
    whatever the login's default is; it has committed when this returns.

    Beginning goes to the server first, with the question for the moment; then scope, statement,
    commit and wiping together. Raises StoreRefused or Unavailable.
    """
    with translated():
        connection = pool.getconn()
        put_back = pool.putconn
        try:
            connection.autocommit = True  # else the driver begins, in a round trip of its own
            scope = _begun(connection, _BEGIN_WRITING, pool.login, archive_id)
            cursor = ClientCursor(connection)
            sent = "; ".join((SET_SCOPE, statement, "COMMIT", _WIPE_TEXT))
            cursor.execute(sent, scope | dict(values))
            cursor.nextset()
            (row,) = cursor.fetchall()
            put_back = pool.put_wiped
        finally:
            put_back(connection)
    return row


def lone_row(pool: Pool, statement: LiteralString, values: Mapping[str, object]) -> tuple[Any, ...]:
    """The one row of a statement that is of no archive and a transaction of its own, READ COMMITTED
    as the server begins one. Raises StoreRefused or Unavailable.

    Its values go beside it: what callers make up is in the text of no statement, so in no log.
    """
    with translated(), pool.connection() as connection:
        connection.autocommit = True  # one statement: no round trip to begin and to commit
        row = connection.execute(statement, values).fetchone()
    assert row is not None  # noqa: S101 - a function call answers one row
    return row


@contextmanager
def single_connection(url: str, *, autocommit: bool = False) -> Generator[Connection[Any]]:
    """A connection of its own, for what lives longer than a transaction: migrations, locks,
    proofs.
    """
    with (
        translated(),
        psycopg.connect(url, autocommit=autocommit, connect_timeout=CONNECT_SECONDS) as connection,
    ):
        connection.prepare_threshold = None
        yield connection


@contextmanager
def scoped_connection(login: Login, archive_id: int) -> Generator[Connection[Any]]:
    """A connection of its own in one transaction of an archive, which commits where the block
    ends well.
    """
    with single_connection(login.url) as connection:
        enter(connection, login, archive_id)
        yield connection


def _begun(
    connection: PooledConnection, begin: LiteralString, login: Login, archive_id: int
) -> dict[str, object]:
    """Begins a transaction; what `SET_SCOPE` takes to be of the archive in it."""
    # Past the driver's cursors: for one value they cost more than the server takes for it.
    done = connection.pgconn.exec_("; ".join((begin, ASK_MOMENT)).encode())
    if connection.closed:
        raise psycopg.OperationalError("the session ended")
    if done.status != ExecStatus.TUPLES_OK:
        raise error_from_result(done)
    return {"archive": login.sealed(archive_id, moment_in(done))}


def _wipe(connection: PooledConnection, ending: bytes) -> None:
    """Ends the transaction and forgets the session; a connection that cannot is closed."""
    try:
        if connection.is_ending:
            connection.is_ending = False
            done = connection.wait(execute(connection.pgconn))[-1]
        elif connection.info.transaction_status == TransactionStatus.ACTIVE:
            connection.close()  # interrupted in a statement: waiting for its end could take long
            return
        else:
            done = connection.pgconn.exec_(ending + _WIPE)
        if done.status != ExecStatus.COMMAND_OK:
            connection.close()
            return
        if connection.autocommit:
            connection.autocommit = False
    except psycopg.Error:
        connection.close()
    connection.wiped_at = monotonic()


def _check(connection: PooledConnection) -> None:
    """Raises when the server is gone, so that the pool brings another.

    A server that ends a session closes its socket, and sends nothing else to one at rest: after a
    short rest, looking costs no round trip. A network that drops a session in silence does so after
    a long one, so then it is asked.
    """
    watched = select.poll()
    watched.register(connection.fileno(), select.POLLIN)
    if watched.poll(0) or monotonic() - connection.wiped_at > ASKED_AFTER_SECONDS:
        Pool.check_connection(connection)
