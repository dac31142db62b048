"""What can go wrong, as one closed family.

Every message is one line, names places and never content (R069, R097). Each can be pickled, so
that it crosses a process whole.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, cast

WhyNotAdmitted: TypeAlias = Literal["no-key", "no-archive", "no-scope"]
LimitName: TypeAlias = Literal["minute", "day", "archive", "private"]


class _ExitCode:
    """The exit code of a failure or of its kind, out of the one table that has them."""

    def __get__(self, failure: Failure | None, kind: type[Failure]) -> int:
        # The table names the failures, so it is met only when somebody asks.
        from fonds.contract.outcomes import kind_outcome

        return kind_outcome(kind).exit_code


class Failure(Exception):
    """An expected failure: one line with its remedy, safe to print, log and store.

    `exit_code` is what the command line returns for it (R196); how each kind ends, over HTTP too,
    stands in `contract/outcomes.py`.
    """

    exit_code: int = cast("int", _ExitCode())


class Misconfigured(Failure):
    """The archive file, a setting or a root folder is wrong; nothing was written."""


class MisauthoredInput(Failure):
    """A value the author wrote cannot be read; the message names the field, never the value."""


class MisauthoredFile(Failure):
    """One file of the corpus is refused; the rest of the run goes on (R020).

    `disclosure_known` is False when not even the file's disclosure could be read: what it
    served before is withdrawn at once.
    """

    def __init__(
        self,
        path: str,
        field: str,
        reason: str,
        *,
        line: int | None = None,
        disclosure_known: bool = True,
    ) -> None:
        self.path = path
        self.field = field
        self.reason = reason
        self.line = line
        self.disclosure_known = disclosure_known
        place = f"{path}:{line}" if line is not None else path
        super().__init__(f"{place}: {field}: {reason}" if field else f"{place}: {reason}")

    def __reduce__(self) -> tuple[object, ...]:
        return (
            _misauthored_file,
            (self.path, self.field, self.reason, self.line, self.disclosure_known),
        )


def _misauthored_file(
    path: str,
    field: str,
    reason: str,
    line: int | None,
    disclosure_known: bool,
) -> MisauthoredFile:
    return MisauthoredFile(path, field, reason, line=line, disclosure_known=disclosure_known)


class PublicSafeLintError(Failure):
    """A travelling string repeats private text, or is out of shape (R069).

    `path` is the entity, fragment or file; `field` the string; `rule` says what and where,
    by unit and position ("quotes private text at words 3-7"), never the run.
    """

    def __init__(self, path: str, field: str, rule: str) -> None:
        self.path = path
        self.field = field
        self.rule = rule
        super().__init__(f"{path}: {field} {rule}")

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.path, self.field, self.rule))


class IllegalDisclosure(Failure):
    """A fragment asks for a cell the contract does not have (R051)."""


class LeakRefused(Failure):
    """The crossing was handed something its policy does not let travel (R120). A defect."""


class ValidationRefused(Failure):
    """Stored rows break a rule of R091 or R093; the served build is left as it was."""


class AcceptanceNeeded(Failure):
    """A build would disclose something the owner has to accept first (R191)."""


class Unavailable(Failure):
    """A service this command needs does not answer: database, embedder or model."""


class ProviderUnavailable(Unavailable):
    """A provider cannot be reached, times out, is rate limited or answers 5xx."""


class ProviderMisbehaved(Failure):
    """A provider answered something unusable: counts, order, dimensions, not-a-number."""


class QueryRefused(Failure):
    """A request is out of shape. `field` is a path, `rule` what the field has to be (R130)."""

    def __init__(self, field: str, rule: str) -> None:
        self.field = field
        self.rule = rule
        super().__init__(f"{field}: {rule}")

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.field, self.rule))


class NothingServed(Failure):
    """The archive has no live build yet: run `fonds ingest`, then `fonds build`."""


class Busy(Failure):
    """Another run of the same job holds this archive; try again when it has ended."""


class StoreRefused(Failure):
    """The database refused a statement: SQLSTATE, table and constraint, never a value (R097)."""

    def __init__(self, sqlstate: str | None, table: str | None, constraint: str | None) -> None:
        self.sqlstate = sqlstate
        self.table = table
        self.constraint = constraint
        parts = [f"SQLSTATE {sqlstate or 'unknown'}"]
        if table:
            parts.append(f"table {table}")
        if constraint:
            parts.append(f"constraint {constraint}")
        super().__init__("the database refused a statement: " + ", ".join(parts))

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.sqlstate, self.table, self.constraint))


class NotAdmitted(Failure):
    """The caller may not do this at this archive.

    `why`: `no-key` where one is needed (a closed archive and an unknown one alike), `no-archive`
    for a key that does not open it (another's, revoked, made up, or of an unknown archive: alike),
    `no-scope` for a key that opens it and not this.
    """

    def __init__(self, why: WhyNotAdmitted) -> None:
        self.why: WhyNotAdmitted = why
        super().__init__(_NOT_ADMITTED[why])

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.why,))


_NOT_ADMITTED = {
    "no-key": "a key is needed",
    "no-archive": "no such archive, or the key is not for it",
    "no-scope": "the key does not allow this",
}


class TooMany(Failure):
    """A limit is used up (R187). `limit` names it; `retry_after` is in whole seconds, from 1."""

    def __init__(self, limit: LimitName, retry_after: int) -> None:
        self.limit: LimitName = limit
        self.retry_after = retry_after
        super().__init__(f"too many requests: the limit '{limit}' is used up")

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.limit, self.retry_after))


class Overloaded(Unavailable):
    """Everything that may work at once is at work: come back in `retry_after` seconds."""

    def __init__(self, retry_after: int = 1) -> None:
        self.retry_after = retry_after
        super().__init__("too much at once: try again")

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.retry_after,))
