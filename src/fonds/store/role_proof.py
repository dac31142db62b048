"""Proof that a login which serves has no power beyond its duty (R094, design decision 12).

Every premise is asked of the catalogue at run time, as the login itself, so that an object made
tomorrow is covered. What it may do directly is asked by `role_proof.sql`, where the rights of
others and the server's own ways would lead it by `role_reach.sql`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from psycopg import Connection

from fonds.contract.failures import ValidationRefused
from fonds.contract.sealed import sealed
from fonds.store.errors import translated
from fonds.store.forged_scopes import taken_forgeries
from fonds.store.pools import Pool
from fonds.store.role_duty import READER, Duty
from fonds.store.scope import ScopeKey
from fonds.store.shipped_functions import shipped_functions
from fonds.store.statements import statements

_DIRECT: Final = {
    "role_attributes": "it has no attribute that overrides grants",
    "memberships": "it is a member of no role",
    "owned_objects": "it owns nothing",
    "database_rights": "it creates nothing in the database, not even temporarily",
    "schema_rights": "it uses the schemas of its duty alone, and creates in none",
    "relation_rights": "it reads and writes what its duty names, and no column or sequence more",
    "relation_shape": "what it reads are plain tables, without rules and without heirs",
    "system_rights": "it reads and calls nothing of the system's that is kept from everybody",
    "function_rights": "it calls the functions of its duty alone",
    "overloads": "no second function hides under the name of one of them",
    "extension_functions": "of extensions it calls the vector's functions alone",
    "language_rights": "it may use no language",
    "large_objects": "no large object is open to it",
    "foreign_access": "it reaches no other server",
    "settings": "no parameter is its own, and its sessions begin with no archive, code or role",
}
_REACH: Final = {
    "unbound_functions": "definer functions it calls are bound by row security and by their path",
    "invoker_functions": "the others find names by a pinned path, and name nothing private",
    "owners_reach": "the owners of those functions reach no private content",
    "owners_views": "no view lends it, or them, the rights of another",
    "unguarded_relations": "row security is in force for every table of both sides",
    "policies": "every policy compares with the scope, and of builds with the live one",
    "statistics": "no statistics of a column are shown to it",
    "side_effects": "no write of its sets off a check or a trigger on the private side",
    "default_privileges": "what is made tomorrow is not given to it, nor to everybody",
    "scope_keys": "the key of a scope is read by the function that checks it, and by nobody else",
    "published": "no row leaves the database, or comes into it, past the grants",
}


_FORGED: Final = "no word for an archive is taken but what its key sealed for this transaction"
_BODIES: Final = "every function of the house says what was shipped"


@sealed
@dataclass(frozen=True, slots=True)
class Premise:
    """One thing the proof rests on; it holds when nothing in the catalogue exceeds it."""

    name: str
    sentence: str
    excess: tuple[str, ...]

    @property
    def holds(self) -> bool:
        return not self.excess


@sealed
@dataclass(frozen=True, slots=True)
class RoleProof:
    """Every premise with what exceeds it; names of roles and objects, no content."""

    role: str
    premises: tuple[Premise, ...]

    @property
    def holds(self) -> bool:
        return all(premise.holds for premise in self.premises)


def weaknesses(pool: Pool, duty: Duty = READER) -> RoleProof:
    """What the pool's login may do beyond a duty, premise by premise, whichever role it is."""
    with translated(), pool.connection() as connection:
        return weaknesses_of_session(connection, duty, pool.login.key)


def weaknesses_of_session(
    connection: Connection[Any], duty: Duty = READER, key: ScopeKey | None = None
) -> RoleProof:
    """The same of the session's login, inside its transaction, whose path is pinned by it.

    With the key it is also tried whether what the key sealed opens anything else.
    """
    terms: dict[str, object] = {
        "schemas": list(duty.schemas),
        "rights": list(duty.rights),
        "relations": list(duty.relations),
        "written": list(duty.written),
        "functions": list(duty.functions),
        "owners": list(duty.owners),
        "touched": list(duty.touched),
        "untouched": list(duty.untouched),
        "live_rows": list(duty.live_rows),
        "unscoped": list(duty.unscoped),
        "own": list(duty.own),
    }
    row = connection.execute(statements("role_proof")["session_role"]).fetchone()
    premises = tuple(
        Premise(
            name,
            sentence,
            tuple(str(found[0]) for found in connection.execute(statements(file)[name], terms)),
        )
        for file, sentences in (("role_proof", _DIRECT), ("role_reach", _REACH))
        for name, sentence in sentences.items()
    )
    bodies = Premise("function_bodies", _BODIES, _altered(connection))
    forged = Premise("forged_scopes", _FORGED, taken_forgeries(connection, key))
    return RoleProof(str(row[0]) if row else "", (*premises, bodies, forged))


def _altered(connection: Connection[Any]) -> tuple[str, ...]:
    """Functions of the house's schemas whose body no migration of this installation made."""
    shipped = shipped_functions()
    rows = connection.execute(statements("role_reach")["function_bodies"])
    return tuple(str(one) for name, one, body in rows if body not in shipped.get(name, ()))


def prove_reader(pool: Pool) -> RoleProof:
    """The proof of the serving login; raises ValidationRefused naming what it should not have."""
    return prove(pool, READER)


def prove(pool: Pool, duty: Duty) -> RoleProof:
    """The proof; raises ValidationRefused naming the first power that the duty does not need."""
    proof = weaknesses(pool, duty)
    for premise in proof.premises:
        if not premise.holds:
            raise ValidationRefused(
                f"{proof.role} has more power than {duty.task} needs ({premise.name}):"
                f" {', '.join(premise.excess)}; revoke it, or connect as {duty.role}"
            )
    return proof
