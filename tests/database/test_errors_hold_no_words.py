"""What the database refuses leaves the store as a code and names, no row (R097, C21)."""

from __future__ import annotations

import logging
import pickle
import secrets
import traceback
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from fonds.contract.failures import StoreRefused
from fonds.store.embedded_places import log_file
from fonds.store.pools import Pool, transaction
from tests.database import rows
from tests.database.rows import put
from tests.scopes import scoped
from tests.servers import Database

CANARY = "CANARY-7f3 sentence"

# (role, table, row that breaks it, SQLSTATE, constraint)
REFUSED: tuple[tuple[str, str, rows.Row, str, str | None], ...] = (
    (
        "fonds_ingest",
        "private.fragment",
        rows.fragment(1, text=CANARY, exposure="text"),
        "23514",
        "private_is_not_quoted",
    ),
    ("fonds_ingest", "private.fragment", rows.fragment(1, text=CANARY, label=None), "23502", None),
    (
        "fonds_ingest",
        "private.fragment",
        rows.fragment(1, text=CANARY, entity_id="note:a", date_start=CANARY),
        "22007",
        None,
    ),
    (
        "fonds_ingest",
        "private.fragment",
        rows.fragment(1, text=CANARY, place=f"[{CANARY}"),
        "22P02",
        None,
    ),
    (
        "fonds_ingest",
        "private.entity",
        rows.entity(1, title=CANARY, raw=CANARY),
        "23514",
        "raw_is_known",
    ),
    (
        "fonds_ingest",
        "private.entity",
        rows.entity(1, source_key=f"{CANARY}.md"),
        "23503",
        "entity_archive_id_source_key_fkey",
    ),
    ("fonds_ingest", "private.entity", rows.entity(1, ngram_words=CANARY), "22P02", None),
    (
        "fonds_ingest",
        "private.entity",
        rows.entity(1, entity_id=CANARY + secrets.token_hex(6000)),
        "54000",
        None,
    ),
    ("fonds_ingest", "private.source", rows.source(1, source_key=CANARY), "23505", "source_pkey"),
    ("fonds_ingest", "private.source", rows.source(2, source_key=CANARY), "42501", None),
    (
        "fonds_ingest",
        "private.embedding",
        rows.embedding(1, embedding=f"[{CANARY}]"),
        "22P02",
        None,
    ),
    (
        "fonds_curator",
        "private.projection",
        rows.projection(1, draft=CANARY),
        "23514",
        "an_arm_holds_its_own_words",
    ),
    (
        "fonds_build",
        "served.fragment",
        rows.served_fragment(1, gist=f"{CANARY}\n"),
        "23514",
        "a_gist_is_one_paragraph",
    ),
    (
        "fonds_build",
        "served.fragment",
        rows.served_fragment(1, text=CANARY),
        "23514",
        "text_only_where_exposed",
    ),
    ("fonds_reader", "private.fragment", rows.fragment(1, text=CANARY), "42501", None),
)


@pytest.fixture
def stocked(database: Database) -> Database:
    with psycopg.connect(database.admin_url) as session:
        assert rows.registered(session, "first") == 1
        rows.act(session, "fonds_ingest", 1)
        put(session, "private.source", rows.source(1, source_key=CANARY))
    return database


def test_a_refused_row_is_in_no_exception_and_in_no_log(
    stocked: Database,
    pool_of: Callable[..., Pool],
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """C21: message, repr, arguments, traceback, pickle, the log at DEBUG, stdout and stderr."""
    caplog.set_level(logging.DEBUG)
    log = _server_log(stocked)
    begun = log.stat().st_size if log else 0
    for role, table, row, code, constraint in REFUSED:
        with pytest.raises(StoreRefused) as refusal, transaction(pool_of(role), 1) as session:
            put(session, table, row)
        failure = refusal.value
        assert (failure.sqlstate, failure.constraint) == (code, constraint), table
        shown = [str(failure), repr(failure), repr(failure.args), repr(pickle.dumps(failure))]
        shown += traceback.format_exception(failure)
        assert "CANARY" not in "".join(shown)
        assert code in str(failure)
    assert "CANARY" not in caplog.text
    assert "CANARY" not in "".join(capfd.readouterr())
    if log:
        assert "CANARY" not in log.read_text(errors="replace")[begun:]


def test_the_premise_is_that_the_driver_tells_the_row(stocked: Database) -> None:
    """There is something to keep back: in the driver's error, and in a log by default."""
    told = "PREMISE-7f3"
    with scoped(stocked.admin_url, 1) as session:
        session.execute("SET log_min_messages = 'warning'")
        session.execute("SET log_error_verbosity = 'default'")
        with pytest.raises(psycopg.errors.CheckViolation) as refusal:
            put(session, "private.fragment", rows.fragment(1, text=told, exposure="text"))
    assert told in str(refusal.value)
    log = _server_log(stocked)
    if log:
        assert told in log.read_text(errors="replace")


def test_the_server_logs_no_statement_and_no_value(stocked: Database) -> None:
    """R097: settings of the server this house starts; another's are its administrator's."""
    if _server_log(stocked) is None:
        return
    wanted = {
        "log_statement": "none",
        "log_min_duration_statement": "-1",
        "log_min_duration_sample": "-1",
        "log_parameter_max_length": "0",
        "log_parameter_max_length_on_error": "0",
        "log_min_error_statement": "panic",
        "log_error_verbosity": "terse",
    }
    with psycopg.connect(stocked.url("fonds_reader")) as session:
        found = {name: rows.one(session, f"SHOW {name}") for name in wanted}
    assert found == wanted


def _server_log(database: Database) -> Path | None:
    """The log of the embedded server; another server's is out of reach."""
    if database.server.source != "embedded":
        return None
    passwords = conninfo_to_dict(database.url("fonds_reader"))["passfile"]
    return log_file(Path(str(passwords)).parent)
