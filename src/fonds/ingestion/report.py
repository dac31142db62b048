"""What a run of ingest did: counts, names, fields and reasons; no text (R069, R191)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from fonds.contract.failures import (
    Failure,
    MisauthoredFile,
    ProviderUnavailable,
    PublicSafeLintError,
)
from fonds.contract.stored_source import RowCounts
from fonds.ingestion.drafting import DraftReport

Standing: TypeAlias = Literal["kept", "withdrawn", "not stored"]
FileOutcome: TypeAlias = Literal["done", "unchanged", "no text", "draft", "left out", "refused"]


@dataclass(frozen=True, slots=True)
class RefusedFile:
    """A file that was not read in. `standing` is what happened to the version stored before."""

    file: str = field(repr=False)
    field: str = field(repr=False)
    line: int | None
    reason: str
    standing: Standing

    @classmethod
    def of(cls, refusal: MisauthoredFile, standing: Standing) -> RefusedFile:
        return cls(refusal.path, refusal.field, refusal.line, refusal.reason, standing)

    def as_line(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        reason = f"{self.field}: {self.reason}" if self.field else self.reason
        return f"refused, {self.standing}: {place}: {reason}"

    def as_json(self) -> dict[str, object]:
        return {
            "file": self.file,
            "field": self.field,
            "line": self.line,
            "reason": self.reason,
            "standing": self.standing,
        }


@dataclass(frozen=True, slots=True)
class RefusedText:
    """A fragment whose text the embedding provider does not take; it cannot be found."""

    fragment_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class FileRemark:
    """Something an author may want to change; the file was read in."""

    file: str = field(repr=False)
    remark: str


@dataclass(slots=True)
class IngestReport:
    """Grows while a run goes on.

    `found` counts what the folders hold of the kinds they are read for, a folder left out as one;
    each has one outcome. `removed` names what was stored before and is no longer. `waiting` counts
    fragments that still lack a vector, `gists_waiting` those that `fonds gist draft` would draft;
    `gists` is there when a drafter was asked.
    """

    found: int = 0
    outcomes: dict[str, FileOutcome] = field(repr=False, default_factory=dict[str, FileOutcome])
    removed: list[str] = field(repr=False, default_factory=list[str])
    refused: list[RefusedFile] = field(default_factory=list[RefusedFile])
    refused_texts: list[RefusedText] = field(default_factory=list[RefusedText])
    remarks: list[FileRemark] = field(default_factory=list[FileRemark])
    rows: RowCounts = field(default_factory=RowCounts)
    embedded: int = 0
    calls: int = 0
    waiting: int = 0
    gists: DraftReport | None = None
    gists_waiting: int = 0

    def note(self, files: Iterable[str], outcome: FileOutcome) -> None:
        """What became of these files."""
        self.outcomes |= dict.fromkeys(files, outcome)

    def note_refused(self, refused: RefusedFile) -> None:
        """A file that was not read in, and why."""
        self.outcomes[refused.file] = "refused"
        self.refused.append(refused)

    def named(self, outcome: FileOutcome) -> list[str]:
        """The files with this outcome, in the order they were met."""
        return [file for file, one in self.outcomes.items() if one == outcome]

    @property
    def done(self) -> int:
        return len(self.named("done"))

    @property
    def unchanged(self) -> int:
        return len(self.named("unchanged"))

    @property
    def drafts(self) -> int:
        return len(self.named("draft"))

    @property
    def no_text(self) -> list[str]:
        return self.named("no text")

    @property
    def failed(self) -> bool:
        """Whether something was refused or waits; the command then ends with 1 (R020)."""
        return bool(self.refused or self.refused_texts or self.waiting)

    @property
    def changed_nothing(self) -> bool:
        """Whether the run left every row as it was, made no call, and has nothing to put right."""
        return not (self.rows.total or self.calls or self.failed)

    def add(self, other: IngestReport) -> None:
        """Take in what another run of the same archive did; files and fragments are apart."""
        self.found += other.found
        self.outcomes |= other.outcomes
        self.removed += other.removed
        self.refused += other.refused
        self.refused_texts += other.refused_texts
        self.rows += other.rows
        self.embedded += other.embedded
        self.calls += other.calls
        self.waiting += other.waiting

    @property
    def outcome(self) -> str:
        return "failed" if self.failed else "done"

    @property
    def exit_code(self) -> int:
        """Of a run that no provider stopped: an edit of the author's that fails comes first."""
        if self.gists is not None and self.gists.edits_failed:
            return PublicSafeLintError.exit_code
        return int(self.failed or (self.gists is not None and self.gists.undrafted > 0))

    def as_lines(self) -> list[str]:
        """The report for a person: what was refused and why comes last, where it is read."""
        rows = self.rows
        drafts = f", {self.drafts} drafts left out" if self.drafts else ""
        gists = f"; {self.gists_waiting} wait for fonds gist draft" if self.gists_waiting else ""
        lines = [
            f"{self.done} done, {self.unchanged} unchanged, {len(self.removed)} removed, "
            f"{len(self.no_text)} without text, {len(self.refused)} refused{drafts}{gists}"
        ]
        if rows.total:
            lines.append(
                f"{rows.entities} entities, {rows.fragments} fragments and {rows.vectors} vectors"
                " written"
            )
        if self.gists is not None:
            head, *more = self.gists.as_lines()
            lines += [f"gists: {head}", *more]
        lines += [f"no text: {name}" for name in self.no_text]
        lines += [f"remark: {one.file}: {one.remark}" for one in self.remarks]
        lines += [f"removed: {name}" for name in self.removed]
        lines += [f"no vector: {one.fragment_id}: {one.reason}" for one in self.refused_texts]
        lines += [one.as_line() for one in self.refused]
        if self.waiting:
            lines.append(f"{self.waiting} fragments wait for vectors: run fonds ingest again")
        return lines

    def as_json(self) -> dict[str, object]:
        """The report as `fonds ingest --json` prints it and the run record keeps it."""
        return {
            "found": self.found,
            "done": self.done,
            "unchanged": self.unchanged,
            "drafts": self.drafts,
            "leftOut": len(self.named("left out")),
            "removed": list(self.removed),
            "noText": self.no_text,
            "refused": [one.as_json() for one in self.refused],
            "refusedTexts": [
                {"fragment": one.fragment_id, "reason": one.reason} for one in self.refused_texts
            ],
            "remarks": [{"file": one.file, "remark": one.remark} for one in self.remarks],
            "rowsWritten": {
                "sources": self.rows.sources,
                "entities": self.rows.entities,
                "fragments": self.rows.fragments,
                "vectors": self.rows.vectors,
            },
            "embedded": self.embedded,
            "calls": self.calls,
            "waiting": self.waiting,
            "gists": None if self.gists is None else self.gists.as_json(),
            "gistsWaiting": self.gists_waiting,
        }

    def as_file_json(self) -> dict[str, object]:
        """The report as `--report` writes it: every file by name with what became of it."""
        why = {one.file: one.as_json() for one in self.refused}
        files = [{"outcome": one} | why.get(name, {"file": name}) for name, one in self._accounts()]
        return self.as_json() | {"files": files}

    def _accounts(self) -> list[tuple[str, str]]:
        gone = dict.fromkeys(self.removed, "removed")
        return sorted((gone | self.outcomes).items())


class EmbeddingStopped(ProviderUnavailable):
    """The provider gave up on a run whose rows are kept; `report` says how far it came (R191).

    Its exit code is that of the trouble it met: 69 for an outage, 1 for an unusable answer.
    """

    def __init__(self, report: IngestReport, trouble: Failure) -> None:
        self.report = report
        self.trouble = trouble
        self.exit_code = trouble.exit_code
        super().__init__(
            f"{trouble}; {report.waiting} fragments wait for vectors: run fonds ingest again"
        )

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.report, self.trouble))


class DraftingStopped(Failure):
    """The drafter gave up on a run whose files are ingested; `report` says how far it came (R080).

    Its exit code is that of the trouble it met: 69 for an outage, 2 for a key that is refused.
    """

    def __init__(self, report: IngestReport, trouble: Failure) -> None:
        self.report = report
        self.trouble = trouble
        self.exit_code = trouble.exit_code
        super().__init__(
            f"{trouble}; {report.gists_waiting} fragments wait for gists: run fonds ingest again"
        )

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.report, self.trouble))
