"""What a run of ingest did: counts, names, fields and reasons; no text (R069, R191)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from fonds.contract.failures import Failure, MisauthoredFile, ProviderUnavailable
from fonds.contract.stored_source import RowCounts

Standing: TypeAlias = Literal["kept", "withdrawn", "not stored"]


@dataclass(frozen=True, slots=True)
class RefusedFile:
    """A file that was not read in. `standing` is what happened to the version stored before."""

    file: str
    field: str
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


@dataclass(frozen=True, slots=True)
class RefusedText:
    """A fragment whose text the embedding provider does not take; it cannot be found."""

    fragment_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class FileRemark:
    """Something an author may want to change; the file was read in."""

    file: str
    remark: str


@dataclass(slots=True)
class IngestReport:
    """Grows while a run goes on. `waiting` counts fragments that still lack a vector."""

    done: int = 0
    unchanged: int = 0
    drafts: int = 0
    removed: list[str] = field(default_factory=list[str])
    no_text: list[str] = field(default_factory=list[str])
    refused: list[RefusedFile] = field(default_factory=list[RefusedFile])
    refused_texts: list[RefusedText] = field(default_factory=list[RefusedText])
    remarks: list[FileRemark] = field(default_factory=list[FileRemark])
    rows: RowCounts = field(default_factory=RowCounts)
    embedded: int = 0
    calls: int = 0
    waiting: int = 0

    @property
    def failed(self) -> bool:
        """Whether something was refused or waits; the command then ends with 1 (R020)."""
        return bool(self.refused or self.refused_texts or self.waiting)

    def add(self, other: IngestReport) -> None:
        """Take in what another run of the same archive did; files and fragments are apart."""
        self.done += other.done
        self.unchanged += other.unchanged
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
        return int(self.failed)

    def as_lines(self) -> list[str]:
        """The report for a person: what was refused and why comes last, where it is read."""
        rows = self.rows
        drafts = f", {self.drafts} drafts left out" if self.drafts else ""
        lines = [
            f"{self.done} done, {self.unchanged} unchanged, {len(self.removed)} removed, "
            f"{len(self.no_text)} without text, {len(self.refused)} refused{drafts}",
            f"{rows.entities} entities, {rows.fragments} fragments and {rows.vectors} vectors"
            " written",
        ]
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
            "done": self.done,
            "unchanged": self.unchanged,
            "drafts": self.drafts,
            "removed": list(self.removed),
            "noText": list(self.no_text),
            "refused": [
                {
                    "file": one.file,
                    "field": one.field,
                    "line": one.line,
                    "reason": one.reason,
                    "standing": one.standing,
                }
                for one in self.refused
            ],
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
        }


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
