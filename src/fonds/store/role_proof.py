"""Proof that the serving login has no power beyond its task (R094, design decision 12).

Every premise is asked of the catalogue at run time, so that an object made tomorrow is covered.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from fonds.contract.failures import ValidationRefused
from fonds.contract.sealed import sealed
from fonds.store.errors import translated
from fonds.store.pools import Pool
from fonds.store.statements import statements

SERVING_SCHEMAS: Final = ("api", "ext", "served")
SERVING_RELATIONS: Final = (
    "served.build",
    "served.calibration",
    "served.entity",
    "served.fragment",
    "served.live",
)
SERVING_FUNCTIONS: Final = (
    "api.live_build",
    "api.nearest",
    "api.nearest_content",
    "api.note_refusal",
    "api.open_archive",
    "api.revision",
    "api.scope",
    "api.served_build",
    "api.served_calibration",
    "api.undated",
)

_PREMISES: Final = {
    "role_attributes": "it has no attribute that overrides grants",
    "memberships": "it is a member of no role",
    "owned_objects": "it owns nothing",
    "database_rights": "it creates nothing in the database, not even temporarily",
    "schema_rights": "it uses the served side's schemas alone, and creates in none",
    "relation_rights": "it reads the served content alone, and writes nothing",
    "function_rights": "it calls the serving functions alone",
    "unbound_functions": "the functions it calls are bound by row security",
    "unguarded_relations": "row security is in force for all it reads",
    "language_rights": "it may use no language",
}


@sealed
@dataclass(frozen=True, slots=True)
class Premise:
    """One thing the proof rests on; it holds when nothing in the catalogue exceeds it."""

    name: str
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


def weaknesses(pool: Pool) -> RoleProof:
    """What the pool's login may do, premise by premise, whichever role it is."""
    allowed = {
        "schemas": list(SERVING_SCHEMAS),
        "relations": list(SERVING_RELATIONS),
        "functions": list(SERVING_FUNCTIONS),
    }
    with translated(), pool.connection() as connection:
        row = connection.execute("SELECT session_user::text").fetchone()
        role = str(row[0]) if row else ""
        premises = tuple(
            Premise(
                premise,
                tuple(
                    str(found[0])
                    for found in connection.execute(statements("role_proof")[name], allowed)
                ),
            )
            for name, premise in _PREMISES.items()
        )
    return RoleProof(role, premises)


def prove_reader(pool: Pool) -> RoleProof:
    """The proof; raises ValidationRefused naming the power the login should not have."""
    proof = weaknesses(pool)
    for premise in proof.premises:
        if not premise.holds:
            raise ValidationRefused(
                f"{proof.role} has more power than serving needs ({premise.name}):"
                f" {', '.join(premise.excess)}; revoke it, or serve as fonds_reader"
            )
    return proof
