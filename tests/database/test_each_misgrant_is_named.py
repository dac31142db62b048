"""Each power planted is named by the premise it breaks, and a clean database by none (R094).

One database: a misgrant is made in a transaction of the superuser, the proof is asked in it as the
login it is about, and the transaction is rolled back.
"""

from __future__ import annotations

from collections.abc import Generator

import psycopg
import pytest

from fonds.store.role_duty import DUTIES, HOST, QUEUE, READER, Duty
from fonds.store.role_proof import RoleProof, weaknesses_of_session
from tests.database.misgrants import HOST_MISGRANTS, MISGRANTS, QUEUE_MISGRANTS, Misgrant
from tests.database.rows import Session, cloned, rolled_back
from tests.scopes import key_of
from tests.servers import Database, TestServer


@pytest.fixture(scope="module")
def shared(server: TestServer, template: str) -> Generator[Database]:
    with cloned(server, template) as made:
        yield made


def broken(proof: RoleProof) -> dict[str, tuple[str, ...]]:
    return {premise.name: premise.excess for premise in proof.premises if not premise.holds}


def proved_as(session: Session, duty: Duty) -> RoleProof:
    """The proof as its login sees the catalogue, inside the superuser's transaction."""
    session.execute("SELECT set_config('session_authorization', %s, true)", (duty.role,))
    return weaknesses_of_session(session, duty, key_of(duty.role))


@pytest.mark.parametrize("duty", DUTIES.values(), ids=lambda one: one.role)
def test_a_clean_database_raises_none(shared: Database, duty: Duty) -> None:
    """As the login itself, and as the tests below become it: the same proof."""
    with psycopg.connect(shared.url(duty.role)) as session:
        itself = weaknesses_of_session(session, duty, key_of(duty.role))
    with rolled_back(shared) as session:
        become = proved_as(session, duty)
    assert broken(itself) == {}
    assert itself == become
    assert itself.role == duty.role
    assert len({premise.name for premise in itself.premises}) == 28
    assert all(premise.sentence for premise in itself.premises)


PLANTED = (
    *((READER, one) for one in MISGRANTS),
    *((HOST, one) for one in HOST_MISGRANTS),
    *((QUEUE, one) for one in QUEUE_MISGRANTS),
)


@pytest.mark.parametrize(
    ("duty", "misgrant"), PLANTED, ids=[one.name.replace(" ", "-") for _, one in PLANTED]
)
def test_a_misgrant_is_named_by_the_premise_it_breaks(
    shared: Database, duty: Duty, misgrant: Misgrant
) -> None:
    with rolled_back(shared) as session:
        session.execute(misgrant.statement)
        found = broken(proved_as(session, duty))
    assert misgrant.found in found.get(misgrant.premise, ()), found
    assert found.keys() - {misgrant.premise} <= misgrant.also


def test_every_premise_has_a_misgrant_that_breaks_it(shared: Database) -> None:
    """A premise that nothing can break proves nothing."""
    assert len({one.name for one in MISGRANTS}) == len(MISGRANTS) >= 25
    with psycopg.connect(shared.url("fonds_reader")) as session:
        premises = {premise.name for premise in weaknesses_of_session(session).premises}
    assert premises == {one.premise for one in MISGRANTS}


@pytest.mark.parametrize(
    "login", ["fonds_build", "fonds_ingest", "fonds_curator", "fonds_migrator"]
)
def test_no_stronger_login_may_serve(shared: Database, login: str) -> None:
    """The proof is of whoever connects, not of a name."""
    with psycopg.connect(shared.url(login)) as session:
        found = broken(weaknesses_of_session(session))
    assert found


def test_the_path_of_a_session_does_not_change_what_is_named(shared: Database) -> None:
    """Names are spelled in full although the login finds its schemas without."""
    with psycopg.connect(shared.url("fonds_reader")) as session:
        session.execute("SET search_path = served, api, private, public")
        assert broken(weaknesses_of_session(session)) == {}
    with rolled_back(shared) as session:
        session.execute("GRANT SELECT ON private.source TO fonds_reader")
        session.execute("SET LOCAL search_path = private, served")
        found = broken(proved_as(session, READER))
    assert found == {"relation_rights": ("SELECT on private.source",)}
