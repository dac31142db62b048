"""`archive.toml` -> `ArchiveConfig`: the terms of one archive, read strictly (R195).

An unknown key is refused with the nearest known one; no message repeats a value.
"""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import ValidationError

from fonds.archive_config import (
    AnswerChoice,
    ArchiveConfig,
    Collection,
    EmbeddingChoice,
    FloorChoice,
    GateChoice,
    GistChoice,
    PrivateFolder,
    RetrievalChoice,
)
from fonds.archive_toml import (
    TABLES,
    ArchiveToml,
)
from fonds.contract.allowances import Allowances
from fonds.contract.archive_slug import is_archive_slug, slug_of
from fonds.contract.entity import LintWindow
from fonds.contract.failures import Misconfigured
from fonds.cron_line import CronLine

LONGEST_KEY = 100  # characters of a key that a message shows
_PLACE_IN_TOML = re.compile(r"\(at (line \d+, column \d+|end of document)\)")


def read_archive_file(path: Path) -> ArchiveConfig:
    """The archive that `path` describes; a folder stands for the `archive.toml` in it.

    Raises Misconfigured naming file and key, never a value.
    """
    file = path / "archive.toml" if path.is_dir() else path
    try:
        content = file.read_bytes()
    except OSError:
        raise Misconfigured(f"cannot read {path}: name the archive with --archive") from None
    return parsed_archive(file, content)


def parsed_archive(file: Path, content: bytes) -> ArchiveConfig:
    """The archive that `content` describes, as if it stood in `file`; raises Misconfigured."""
    try:
        document = tomllib.loads(content.decode("utf-8-sig").replace("\r\n", "\n"))
        written = ArchiveToml.model_validate(document)
    except UnicodeDecodeError:
        raise Misconfigured(f"{file}: not UTF-8") from None
    except RecursionError:
        raise Misconfigured(f"{file}: nested too deep") from None
    except tomllib.TOMLDecodeError as trouble:
        place = _PLACE_IN_TOML.search(str(trouble))
        shown = place.group(1) if place else "some line"
        raise Misconfigured(f"{file}: not TOML at {shown}") from None
    except ValidationError as trouble:
        raise Misconfigured(f"{file}: {_first_trouble(trouble)}") from None
    except ValueError:  # a number of more digits than Python reads
        raise Misconfigured(f"{file}: not TOML: a number is too long") from None
    return _config(file.absolute(), written)


def is_inside(path: Path, base: str) -> bool:
    """Whether a path leads into a folder, or to it, once its links are followed; `base` is
    resolved already.
    """
    return os.path.realpath(path) == base or os.path.realpath(path).startswith(
        os.path.join(base, "")
    )


def _config(file: Path, written: ArchiveToml) -> ArchiveConfig:
    creators = written.default_creators
    return ArchiveConfig(
        file=file,
        name=written.name.strip(),
        author=written.author.strip(),
        base_url=_base_url(file, written.base_url),
        slug=_slug(file, written.slug, written.name),
        collections=tuple(_collection(file, written, c.model_dump()) for c in written.collections),
        private_notes=_private_folder(file, written, "private_notes"),
        private_books=_private_folder(file, written, "private_books"),
        transcripts=_private_folder(file, written, "transcripts"),
        default_creators=(written.author.strip(),) if creators is None else tuple(creators),
        ignore_keys=tuple(sorted(set(written.ignore_keys))),
        sources=tuple(dict.fromkeys(written.sources)),
        embedding=EmbeddingChoice(**written.embedding.model_dump()),
        answer=AnswerChoice(**written.answer.model_dump()),
        floors=FloorChoice(**written.floors.model_dump()),
        lint=LintWindow(**written.lint.model_dump()),
        retrieval=_retrieval(written),
        gist=_gist(written),
        gate=GateChoice(**written.gate.model_dump()),
        gold=_placed_if(file, written.evaluation.gold),
        canaries=_placed_if(file, written.evaluation.canaries),
        admit=written.evaluation.admit,
        calibration=_placed_if(file, written.evaluation.calibration),
        gists=_placed_if(file, written.gists.file),
        question_days=written.refusals.keep_days if written.refusals.keep_questions else None,
        widen=written.schedule.widen,
        schedule=_schedule(written),
        allowances=_allowances(written),
    )


def _retrieval(written: ArchiveToml) -> RetrievalChoice:
    boosts = written.retrieval.boosts
    return RetrievalChoice(written.retrieval.theme_cap, None if boosts is None else tuple(boosts))


def _gist(written: ArchiveToml) -> GistChoice:
    allowed = written.gist.allowed_names.items()
    return GistChoice(written.gist.model, {entity: tuple(names) for entity, names in allowed})


def _allowances(written: ArchiveToml) -> Allowances:
    return Allowances(
        caller_per_minute=written.limits.per_minute,
        caller_per_day=written.limits.per_day,
        archive_per_day=written.limits.archive_per_day,
        private_per_day=written.limits.private_per_day,
        anonymous=written.access.anonymous,
    )


def _schedule(written: ArchiveToml) -> tuple[tuple[str, CronLine], ...]:
    lines = (("ingest", written.schedule.ingest), ("build", written.schedule.build))
    return tuple((job, when) for job, when in lines if when is not None)


def _collection(file: Path, written: ArchiveToml, terms: dict[str, Any]) -> Collection:
    terms["encoding"] = terms["encoding"] or written.encoding
    terms["annotations"] = terms["annotations"] or written.annotations
    terms["formats"] = tuple(terms["formats"])
    terms["fields"] = tuple(sorted(terms["fields"].items()))
    return Collection(path=_placed(file, terms["dir"]), **terms)


def _private_folder(
    file: Path,
    written: ArchiveToml,
    name: Literal["private_notes", "private_books", "transcripts"],
) -> PrivateFolder | None:
    folder: str | None = getattr(written, f"{name}_dir")
    if folder is None:
        return None
    terms = getattr(written, name)
    return PrivateFolder(
        folder,
        _placed(file, folder),
        terms.encoding or written.encoding,
        terms.annotations or written.annotations,
    )


def _placed(file: Path, written: str) -> Path:
    return Path(os.path.normpath(file.parent / written))


def _placed_if(file: Path, written: str | None) -> Path | None:
    return None if written is None else _placed(file, written)


def _base_url(file: Path, written: str) -> str:
    try:
        parts = urlsplit(written.strip())
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise Misconfigured(f"{file}: base_url: an http or https address")
    if parts.query or parts.fragment or parts.username or parts.password:
        raise Misconfigured(f"{file}: base_url: no query, fragment or user name")
    return written.strip().rstrip("/")


def _slug(file: Path, written: str | None, name: str) -> str:
    slug = slug_of(name) if written is None else written
    if slug is None or not is_archive_slug(slug):
        raise Misconfigured(
            f"{file}: slug: write one of a-z, 0-9 and hyphens, at most 63 characters"
        )
    return slug


def _first_trouble(trouble: ValidationError) -> str:
    """One line about the first error: unknown keys before anything else, they explain the rest."""
    errors: list[Any] = sorted(
        trouble.errors(include_url=False, include_input=False, include_context=False),
        key=lambda error: error["type"] != "extra_forbidden",
    )
    first = errors[0]
    key = _spelled(first["loc"])
    if first["type"] == "missing":
        return f"{key}: a value is needed"
    if first["type"] != "extra_forbidden":
        return f"{key}: {str(first['msg']).lower()}"
    table = str(first["loc"][0]) if len(first["loc"]) > 1 else ""
    model = TABLES.get(table, ArchiveToml)
    near = difflib.get_close_matches(str(first["loc"][-1]), model.model_fields, n=1)
    return f"unknown key {key}" + (f": did you mean {near[0]}?" if near else "")


def _spelled(place: tuple[str | int, ...]) -> str:
    shown = ""
    for part in place:
        shown += f"[{part}]" if isinstance(part, int) else f".{part}" if shown else part
    # Keys are the owner's words, and the line is somebody else's to read.
    cut = shown if len(shown) <= LONGEST_KEY else f"{shown[:LONGEST_KEY]}..."
    return "".join(c if c.isprintable() else "?" for c in cut) or "the file"
