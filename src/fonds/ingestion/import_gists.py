"""Gists the author wrote by hand, read from a file and linted before they are stored (R084)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from fonds.contract.build_store import StoredFragment
from fonds.contract.curator_store import CuratorStore
from fonds.contract.embed_string import content_hash
from fonds.contract.failures import MisauthoredInput
from fonds.contract.projection import ProjectionBase, SemanticProjection
from fonds.contract.search_request import is_clean_text
from fonds.ingestion.gist_changes import GistChanges
from fonds.ingestion.projections import GistJudge, judged, words_of

MAX_FILE_BYTES = 20 * 1024 * 1024


_Name = Annotated[str | None, Field(min_length=1, max_length=200)]


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, hide_input_in_errors=True)

    gist: Annotated[str, Field(repr=False, min_length=1)]
    source: Literal["generated", "edited"] = "edited"
    review: Literal["unreviewed", "reviewed"] = "unreviewed"
    vetoed: bool | None = None  # None keeps a veto that stands; only a written false lifts it
    content_hash: Annotated[str | None, Field(alias="contentHash", pattern="^[0-9a-f]{16}$")] = None
    model: _Name = None
    prompt_version: Annotated[_Name, Field(alias="promptVersion")] = None


class _GistFile(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, hide_input_in_errors=True)

    version: Literal[1]
    gists: Annotated[dict[str, _Entry], Field(repr=False)]


def import_gists(file: Path, store: CuratorStore) -> GistChanges:
    """Lints each gist against its fragment and its entity, and stores it.

    An entry that says what is stored changes nothing; other words are the author's edit, stamped
    with the text's hash (R084). A gist that fails the lint is kept as the author's draft and serves
    nothing; an id the archive does not hold is refused. Raises MisauthoredInput naming the entry
    and field of a malformed file.
    """
    entries = _read(file)
    found: dict[str, SemanticProjection] = {}
    refused: list[tuple[str, str]] = []
    for stored in store.entities_of(tuple(entries)):
        judge = GistJudge(stored)
        for part in stored.fragments:
            if part.fragment_id in entries:
                entry = entries[part.fragment_id]
                rule = judge.rule_broken(part, entry.gist)
                found[part.fragment_id] = judged(_base(part, entry), entry.gist, rule)
                if rule:
                    refused.append((part.fragment_id, rule))
    refused += [(one, "the archive holds no such fragment") for one in entries if one not in found]
    written = store.write_projections(tuple(found.values()))
    return GistChanges(written, len(found) - written, tuple(sorted(refused)))


def _read(file: Path) -> Mapping[str, _Entry]:
    try:
        with file.open("rb") as stream:
            content = stream.read(MAX_FILE_BYTES + 1)
        if len(content) > MAX_FILE_BYTES:
            raise MisauthoredInput(f"{file.name}: larger than {MAX_FILE_BYTES} bytes")
        written = json.loads(content.decode("utf-8-sig"), object_pairs_hook=_no_repeats)
        read = _GistFile.model_validate(written)
    except OSError:
        raise MisauthoredInput(f"{file.name}: cannot be read") from None
    except ValidationError as wrong:
        place = ".".join(str(part) for part in wrong.errors(include_input=False)[0]["loc"])
        raise MisauthoredInput(f"{file.name}: {place}: not of the gist file's form") from None
    except RecursionError:
        raise MisauthoredInput(f"{file.name}: nested too deep") from None
    except ValueError:  # not UTF-8, not JSON, a number without end
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


def _base(part: StoredFragment, entry: _Entry) -> ProjectionBase:
    before = part.projection
    stands = before is not None and before.base.vetoed
    vetoed = stands if entry.vetoed is None else entry.vetoed
    if before is not None and words_of(before) == entry.gist:
        return _restated(part, before.base, entry, vetoed=vetoed)
    current = content_hash(part.fragment.text)
    # Words that replace others are an edit of the text as it stands. Where there are none, the
    # file may be a copy kept from before the text moved.
    written_for = current if before is not None else entry.content_hash or current
    return ProjectionBase(
        fragment_id=part.fragment_id,
        source="edited" if before is not None else entry.source,
        review=entry.review,
        content_hash=written_for,
        vetoed=vetoed,
        stale=written_for != current,
        model=entry.model,
        prompt_version=entry.prompt_version,
    )


def _restated(
    part: StoredFragment, before: ProjectionBase, entry: _Entry, *, vetoed: bool
) -> ProjectionBase:
    """The stored base for the stored words. Only a review that is said anew stamps the text."""
    anew = entry.review == "reviewed" and before.review == "unreviewed"
    return replace(
        before,
        source=entry.source,
        review=entry.review,
        content_hash=content_hash(part.fragment.text) if anew else before.content_hash,
        vetoed=vetoed,
        stale=before.stale and not anew,
    )
