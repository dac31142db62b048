"""A login serves only once it is proved to have no power beyond its task (R094).

What breaks which premise is `test_each_misgrant_is_named.py`; here is who is refused, and how.
"""

from __future__ import annotations

from collections.abc import Callable

import psycopg
import pytest

from fonds.contract.failures import ValidationRefused
from fonds.store.pools import Pool, open_pool
from fonds.store.role_proof import RoleProof, prove_reader, weaknesses
from fonds.store.scope import Login
from tests.servers import Database


def excess(proof: RoleProof) -> set[str]:
    return {found for premise in proof.premises for found in premise.excess}


def test_the_reader_as_it_is_made_passes(pool_of: Callable[..., Pool]) -> None:
    """R094: the premise of every other permission test."""
    proof = prove_reader(pool_of("fonds_reader"))
    assert proof.holds
    assert proof.role == "fonds_reader"
    assert excess(proof) == set()


def test_no_other_role_may_serve(pool_of: Callable[..., Pool]) -> None:
    """R094: serving with a stronger login is refused by name."""
    for role in ("fonds_build", "fonds_ingest", "fonds_curator"):
        with pytest.raises(ValidationRefused, match=f"^{role} has more power than serving needs"):
            prove_reader(pool_of(role))


def test_a_superuser_fails_the_attributes(database: Database) -> None:
    """R094: SUPERUSER is named, whatever else it brings."""
    pool = open_pool(Login("postgres", database.admin_url))
    try:
        proof = weaknesses(pool)
    finally:
        pool.close()
    assert {"SUPERUSER", "BYPASSRLS", "fonds_owner"} <= excess(proof)
    assert not proof.holds


def test_a_refusal_names_role_premise_object_and_remedy(
    database: Database, pool_of: Callable[..., Pool]
) -> None:
    """R094: one line, and the pool serves on once the power is taken back."""
    pool = pool_of("fonds_reader")
    with psycopg.connect(database.admin_url, autocommit=True) as session:
        session.execute("GRANT SELECT (title) ON private.entity TO fonds_reader")
        with pytest.raises(ValidationRefused) as refused:
            prove_reader(pool)
        session.execute("REVOKE SELECT (title) ON private.entity FROM fonds_reader")
    assert str(refused.value) == (
        "fonds_reader has more power than serving needs (relation_rights):"
        " SELECT on private.entity (title); revoke it, or connect as fonds_reader"
    )
    assert prove_reader(pool).holds


def test_a_proof_leaves_the_session_as_it_was(pool_of: Callable[..., Pool]) -> None:
    """The path it pins ends with its transaction."""
    pool = pool_of("fonds_reader", size=1)
    with pool.connection() as connection:
        before = connection.execute("SHOW search_path").fetchone()
    prove_reader(pool)
    with pool.connection() as connection:
        assert connection.execute("SHOW search_path").fetchone() == before
