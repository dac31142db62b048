"""What a login that serves is there for: everything its proof lets it have (R094)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from fonds.contract.sealed import sealed


@sealed
@dataclass(frozen=True, slots=True)
class Duty:
    """`task` is what `role` does, as a refusal says it. Names are those of the catalogue where
    nothing but `pg_catalog` is on the path.

    `rights` are a verb and a relation, with columns where it is not the whole. `owners` may own the
    definer functions it calls; they read `touched`, and of that no column that is `untouched` by
    the owner named. `live_rows` are cut to the live build, `unscoped` are policies that find an
    archive before there is a scope. What lies in a schema of `own` is the login's to use, whatever
    it is called; a definer function is not.
    """

    role: str
    task: str
    schemas: tuple[str, ...]
    rights: tuple[str, ...]
    functions: tuple[str, ...]
    owners: tuple[str, ...]
    touched: tuple[str, ...] = ()
    untouched: tuple[str, ...] = ()
    live_rows: tuple[str, ...] = ()
    unscoped: tuple[str, ...] = ()
    own: tuple[str, ...] = ()

    @property
    def relations(self) -> tuple[str, ...]:
        """Those it has any right on."""
        return tuple(sorted({right.split(" ")[2] for right in self.rights}))

    @property
    def written(self) -> tuple[str, ...]:
        """Those it may change."""
        changing = (right for right in self.rights if not right.startswith("SELECT "))
        return tuple(sorted({right.split(" ")[2] for right in changing}))


SERVING_FUNCTIONS: Final = (
    "api.admit",
    "api.charge_private",
    "api.live_build",
    "api.narrowings",
    "api.nearest",
    "api.nearest_content",
    "api.note_refusal",
    "api.open_archive",
    "api.revision",
    "api.scope",
    "api.served_build",
    "api.served_calibration",
    "api.standing",
    "api.take",
    "api.undated",
)
SERVING_RELATIONS: Final = (
    "served.build",
    "served.calibration",
    "served.entity",
    "served.fragment",
    "served.live",
)
_TOUCHED_BY_REGISTRAR: Final = ("private.access", "private.archive", "private.job_lock")
_FOUND_BY_REGISTRAR: Final = (
    "private.access: terms_are_registered",
    "private.archive: archives_are_found_by_slug",
    "private.job_lock: archives_get_their_locks",
)
_FOUND_AT_THE_DOOR: Final = (
    "private.access: the_door_finds_terms",
    "private.api_key: the_door_finds_keys",
    "private.archive: the_door_finds_archives",
)
_SERVING_OWNERS: Final = (
    "fonds_clerk",
    "fonds_doorkeeper",
    "fonds_limiter",
    "fonds_nearest",
    "fonds_registrar",
)
_KEYS: Final = "seal.scope_key"
_FOUND_BY_SEALER: Final = (
    f"{_KEYS}: a_login_is_checked_by_its_key",
    f"{_KEYS}: the_migrator_registers_keys",
)
_KEY_COLUMNS: Final = ("login", "inner_pad", "outer_pad", "inner_before", "outer_before")


def _keyless(*owners: str) -> tuple[str, ...]:
    """Every column of the keys, for every owner but the one that checks them."""
    return tuple(f"{owner}: {_KEYS}.{column}" for owner in owners for column in _KEY_COLUMNS)


# The door compares hashes; who mints, lists and removes reads none.
_HASHLESS_OWNERS: Final = ("fonds_keysmith", "fonds_lister", "fonds_registrar", "fonds_remover")
READER: Final = Duty(
    role="fonds_reader",
    task="serving",
    schemas=("api", "ext", "served"),
    rights=tuple(f"SELECT on {relation}" for relation in SERVING_RELATIONS),
    functions=SERVING_FUNCTIONS,
    owners=(
        "fonds_clerk",
        "fonds_doorkeeper",
        "fonds_limiter",
        "fonds_nearest",
        "fonds_overseer",
        "fonds_registrar",
        "fonds_sealer",
    ),
    touched=(
        *_TOUCHED_BY_REGISTRAR,
        _KEYS,
        "private.api_key",
        "private.caller_day",
        "private.charged_question",
        "private.limit_day",
        "private.refusal",
        "private.run",
        "served.build",
        "served.embedding",
        "served.index_spread",
        "served.live",
        "served.name",
        "served.near_index",
        "served.phrase",
        "served.posting",
    ),
    untouched=tuple(
        f"{owner}: {column}"
        for owner in _SERVING_OWNERS
        for column in ("private.refusal.question", "private.refusal.record", "private.run.report")
    )
    + _keyless(*_SERVING_OWNERS, "fonds_overseer"),
    live_rows=("served.build", "served.calibration", "served.entity", "served.fragment"),
    unscoped=(
        *_FOUND_BY_REGISTRAR,
        *_FOUND_AT_THE_DOOR,
        *_FOUND_BY_SEALER,
        "private.caller_day: days_that_are_over_go",
        "private.charged_question: days_that_are_over_go",
        "private.limit_day: days_that_are_over_go",
    ),
)
HOST: Final = Duty(
    role="fonds_host",
    task="hosting",
    schemas=("api", "ext"),
    rights=(),
    functions=(
        "api.begin_removal",
        "api.find_key",
        "api.finish_removal",
        "api.hold_jobs",
        "api.list_archives",
        "api.list_keys",
        "api.list_removals",
        "api.mint_key",
        "api.open_archive",
        "api.register_archive",
        "api.remove_portion",
        "api.revision",
        "api.revoke_key",
        "api.scope",
        "api.unremovable",
    ),
    owners=("fonds_doorkeeper", "fonds_sealer", *_HASHLESS_OWNERS),
    touched=(
        *_TOUCHED_BY_REGISTRAR,
        _KEYS,
        "private.api_key",
        "private.removal",
        "served.build",
        "served.live",
    ),
    untouched=tuple(f"{owner}: private.api_key.key_hash" for owner in _HASHLESS_OWNERS)
    + _keyless("fonds_doorkeeper", *_HASHLESS_OWNERS),
    unscoped=(
        *_FOUND_BY_REGISTRAR,
        *_FOUND_AT_THE_DOOR,
        *_FOUND_BY_SEALER,
        "private.access: terms_are_listed",
        "private.api_key: keys_are_counted",
        "private.archive: archives_are_listed",
        "private.removal: removals_are_listed",
        "served.build: builds_are_listed",
        "served.live: pointers_are_listed",
    ),
)
QUEUE: Final = Duty(
    role="fonds_queue",
    task="queueing",
    schemas=("api", "ext", "jobs"),
    rights=(),
    functions=("api.open_archive", "api.revision", "api.scope"),
    owners=("fonds_registrar",),
    touched=_TOUCHED_BY_REGISTRAR,
    unscoped=_FOUND_BY_REGISTRAR,
    own=("jobs",),
)
DutyName: TypeAlias = Literal["reader", "host", "queue"]
DUTIES: Final[Mapping[DutyName, Duty]] = {"reader": READER, "host": HOST, "queue": QUEUE}
