"""Gists the author wrote by hand, read from a file and linted before they are stored (R084)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from fonds.boundary.lint import entity_text, gist_lint
from fonds.contract.build_store import StoredEntity, StoredFragment
from fonds.contract.curator_store import CuratorStore
from fonds.contract.embed_string import content_hash
from fonds.contract.failures import MisauthoredInput, PublicSafeLintError
from fonds.contract.projection import (
    FailedProjection,
    PassedProjection,
    ProjectionBase,
    SemanticProjection,
)
from fonds.contract.search_request import is_clean_text

MAX_FILE_BYTES = 20 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class GistImport:
    """What an import did: ids and reasons, no words."""

    written: int
    unchanged: int
    refused: tuple[tuple[str, str], ...]

    def as_json(self) -> dict[str, object]:
        return {
            "written": self.written,
            "unchanged": self.unchanged,
            "refused": [{"fragment": f, "reason": r} for f, r in self.refused],
        }


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, hide_input_in_errors=True)

    gist: Annotated[str, Field(repr=False, min_length=1)]
    source: Literal["generated", "edited"] = "edited"
    review: Literal["unreviewed", "reviewed"] = "unreviewed"
    vetoed: bool | None = None  # None keeps a veto that stands; only a written false lifts it


class _GistFile(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, hide_input_in_errors=True)

    version: Literal[1]
    gists: Annotated[dict[str, _Entry], Field(repr=False)]


def import_gists(file: Path, store: CuratorStore) -> GistImport:
    """Lints each gist against its fragment and its entity, stamps the text's hash, and stores it.

    A gist that fails the lint is kept as the author's draft and serves nothing; an id the archive
    does not hold is refused. Raises MisauthoredInput naming the entry and field of a malformed
    file.
    """
    entries = _read(file)
    found: dict[str, SemanticProjection] = {}
    refused: list[tuple[str, str]] = []
    for stored in store.entities_of(tuple(entries)):
        for projection, reason in _linted(stored, entries):
            found[projection.base.fragment_id] = projection
            if reason:
                refused.append((projection.base.fragment_id, reason))
    refused += [(one, "the archive holds no such fragment") for one in entries if one not in found]
    written = store.write_projections(tuple(found.values()))
    return GistImport(written, len(found) - written, tuple(sorted(refused)))


def _read(file: Path) -> Mapping[str, _Entry]:
    try:
        if file.stat().st_size > MAX_FILE_BYTES:
            raise MisauthoredInput(f"{file.name}: larger than {MAX_FILE_BYTES} bytes")
        text = file.read_text(encoding="utf-8-sig")
        read = _GistFile.model_validate(json.loads(text, object_pairs_hook=_no_repeats))
    except OSError:
        raise MisauthoredInput(f"{file.name}: cannot be read") from None
    except ValidationError as wrong:
        place = ".".join(str(part) for part in wrong.errors(include_input=False)[0]["loc"])
        raise MisauthoredInput(f"{file.name}: {place}: not of the gist file's form") from None
    except (ValueError, RecursionError):  # not UTF-8, not JSON, a number without end
        raise MisauthoredInput(f"{file.name}: not JSON in UTF-8") from None
    for fragment_id, entry in read.gists.items():
        if not is_clean_text(entry.gist):
            raise MisauthoredInput(
                f"{file.name}: gists.{fragment_id}.gist: NUL or a lone surrogate"
            )
    return read.gists


def _no_repeats(pairs: list[tuple[str, object]]) -> dict[str, object]:
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        raise MisauthoredInput("the gist file names a key twice")
    return dict(pairs)


def _linted(
    stored: StoredEntity, entries: Mapping[str, _Entry]
) -> Iterator[tuple[SemanticProjection, str]]:
    fragments = [part.fragment for part in stored.fragments]
    whole = entity_text(fragments) if len(fragments) > 1 else None
    for part in stored.fragments:
        if part.fragment_id in entries:
            entry = entries[part.fragment_id]
            base = _base(part, entry)
            try:
                gist = gist_lint(
                    entry.gist,
                    fragment_text=part.fragment.text,
                    entity_text=whole,
                    window=stored.entity.policy.lint,
                    path=part.fragment_id,
                )
            except PublicSafeLintError as found:
                yield FailedProjection(base, entry.gist), found.rule
            else:
                yield PassedProjection(base, gist.text), ""


def _base(part: StoredFragment, entry: _Entry) -> ProjectionBase:
    stands = part.projection is not None and part.projection.base.vetoed
    return ProjectionBase(
        fragment_id=part.fragment_id,
        source=entry.source,
        review=entry.review,
        content_hash=content_hash(part.fragment.text),
        vetoed=stands if entry.vetoed is None else entry.vetoed,
    )
