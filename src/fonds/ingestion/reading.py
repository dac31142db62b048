"""One changed file -> its rows, or why it is refused (R020, R024, R070)."""

from __future__ import annotations

from dataclasses import dataclass, field

from fonds.archive_config import ArchiveConfig
from fonds.boundary.lint import metadata_lint_findings
from fonds.contract.failures import MisauthoredFile, MisauthoredInput
from fonds.contract.stored_source import ReadSource
from fonds.ingestion.adapters.book import read_book
from fonds.ingestion.adapters.description import Description
from fonds.ingestion.adapters.note import NOTE_FIELDS, read_note
from fonds.ingestion.adapters.record import read_record
from fonds.ingestion.adapters.transcript import read_transcript
from fonds.ingestion.contents import read_contents
from fonds.ingestion.corpus import FoundFile
from fonds.ingestion.episode import Episode
from fonds.ingestion.fields import Fields
from fonds.ingestion.front_matter import ReadText
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
    contents = read_contents(file)
    text = contents.text()
    fields = Fields(file.key, text.front)
    # Read before the body: while they are wrong, the file serves nothing.
    fields.exposures(file.root.raw)
    try:
        description = describe(file, text, config, candidate.episode)
    except MisauthoredInput as refusal:
        # A rule of the contract that no reader of fields knows: it names a field, never a value.
        name, _, reason = str(refusal).partition(": ")
        fields.refuse(name, reason)
    if description is None:
        return ReadFile(None)
    if (description.entity.entity_id,) != candidate.entity_ids:
        raise MisauthoredFile(file.key, "", "changed while it was read: run again")
    _check_travelling(file, description, fields)
    source = ReadSource(
        file.key,
        file.root.raw,
        candidate.digest_of(contents),
        file.root.settings_hash,
        ((description.entity, description.fragments),),
    )
    remarks = [description.remark] if description.remark else []
    remarks += contents.remarks(text)
    return ReadFile(source, "; ".join(remarks) or None)


def describe(
    file: FoundFile, text: ReadText, config: ArchiveConfig, episode: Episode | None = None
) -> Description | None:
    """What a file of any kind describes; None when it holds no words."""
    match file.root.kind:
        case "note":
            return read_note(file, text, config)
        case "book":
            return read_book(file, text, config)
        case "transcript":
            return read_transcript(file, text, config, episode)
        case _:
            assert file.root.collection is not None  # noqa: S101 - a record root has one
            return read_record(file, text, config, file.root.collection)


def _check_travelling(file: FoundFile, description: Description, fields: Fields) -> None:
    findings = metadata_lint_findings(description.entity, description.fragments)
    if not findings:
        return
    first = findings[0]
    name = NOTE_FIELDS.get(first.field, first.field) if file.root.kind == "note" else first.field
    more = f", and {len(findings) - 1} more" if len(findings) > 1 else ""
    fields.refuse(name, f"{first.rule}{more}: reword it")
