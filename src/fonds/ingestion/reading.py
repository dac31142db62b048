"""One changed file -> its rows, or why it is refused (R020, R024, R070)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

from fonds.archive_file import ArchiveConfig
from fonds.boundary.lint import metadata_lint_findings
from fonds.contract.failures import MisauthoredFile, MisauthoredInput
from fonds.contract.stored_source import ReadSource
from fonds.ingestion.adapters.book import read_book
from fonds.ingestion.adapters.description import Description
from fonds.ingestion.adapters.note import NOTE_FIELDS, read_note
from fonds.ingestion.adapters.record import read_record
from fonds.ingestion.corpus import FoundFile, read_bytes
from fonds.ingestion.front_matter import ReadText, read_text
from fonds.ingestion.inventory import Candidate


@dataclass(frozen=True, slots=True)
class ReadFile:
    """What one file gave. Without a `source` it holds no text, which is a note (C10)."""

    source: ReadSource | None = field(repr=False)
    remark: str | None = None


def read_file(candidate: Candidate, config: ArchiveConfig) -> ReadFile:
    """Read a candidate of the inventory again and lint what would travel from it.

    Nothing is embedded before a private file passed: a quoting title costs no call (R024). Raises
    MisauthoredFile, also when the file changed its identity since the inventory was taken.
    """
    file = candidate.file
    content = read_bytes(file)
    text = read_text(content, file.key)
    try:
        description = _describe(file, text, config)
    except MisauthoredInput as refusal:
        # A rule of the contract that no reader of fields knows: it names a field, never a value.
        name, _, reason = str(refusal).partition(": ")
        raise MisauthoredFile(file.key, name, reason) from None
    if description is None:
        return ReadFile(None)
    if (description.entity.entity_id,) != candidate.entity_ids:
        raise MisauthoredFile(file.key, "", "changed while it was read: run again")
    _check_travelling(file, description)
    source = ReadSource(
        file.key,
        file.root.raw,
        hashlib.sha256(content).hexdigest(),
        file.root.settings_hash,
        ((description.entity, description.fragments),),
    )
    return ReadFile(source, description.remark)


def _describe(file: FoundFile, text: ReadText, config: ArchiveConfig) -> Description | None:
    if file.root.collection is not None:
        return read_record(file, text, config, file.root.collection)
    return (
        read_note(file, text, config) if file.root.kind == "note" else read_book(file, text, config)
    )


def _check_travelling(file: FoundFile, description: Description) -> None:
    findings = metadata_lint_findings(description.entity, description.fragments)
    if not findings:
        return
    first = findings[0]
    name = NOTE_FIELDS.get(first.field, first.field) if file.root.kind == "note" else first.field
    more = f", and {len(findings) - 1} more" if len(findings) > 1 else ""
    # A file that asks to be withheld is, whatever else is wrong with it.
    known = description.entity.disclosure.exposure != "none"
    raise MisauthoredFile(file.key, name, f"{first.rule}{more}", disclosure_known=known)
