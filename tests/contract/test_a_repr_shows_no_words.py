"""Whatever the package makes of text shows ids, figures and closed words in its repr, and no text:
neither one of an archive nor one of whoever asks (R013, C21).
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Generator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, TypeAlias, get_args, get_origin, get_type_hints

from pydantic import BaseModel

import fonds

WORD = "zebrawood"
TEXT = re.compile(r"\b(str|bytes|Path|object|Any)\b")
Holder: TypeAlias = type[Any]
# What may be words, by the name of a field: of a text, of a question, of a person, or of a file.
WORDS = frozenset(
    {
        *("text", "texts", "title", "titles", "label", "locator", "locator_label", "themes"),
        *("gist", "draft", "summary", "trail", "body", "passage", "words", "content", "phrases"),
        *("q", "query", "question", "answer", "sentences", "paragraphs", "cards", "creator"),
        *("speaker", "creators", "speakers", "default_creators", "allowed_names", "types"),
        *("date_from", "date_to", "around", "wide", "readings", "unit", "places"),
        *("path", "dir", "key", "source_key", "shown", "file", "left_out", "lists", "outcomes"),
        *("removed", "unchanged", "drafts", "lines", "instructions", "prompt", "request"),
        *("private_notes_dir", "private_books_dir", "transcripts_dir"),
    }
)
# Of these classes a field of such a name is no words of anybody's.
ELSE = {
    "ArchiveConfig.file": "where the archive file is",
    "ArchiveToml.default_creators": "published with every essay",
    "CronLine.text": "a schedule",
    "FragmentChange.content": "a digest",
    "GateSet.lines": "figures, and the names of questions",
    "HeldArchive.file": "where the archive file is",
    "Holdings.types": "kinds of what is published",
    "KeptKey.label": "what the host calls a key",
    "ScoredQuestion.passage": "an id",
    "_GistsToml.file": "where the author's gists are",
    "_ModelsJson.answer": "the name of a model",
    "_ModelsJson.gist": "the name of a model",
}
# Where what an archive is made of is declared, nothing is shown but these.
HARMLESS = frozenset(
    {
        *("fragment_id", "entity_id", "owner_id", "record_id", "hint_id", "space_id", "entity_ids"),
        *("id", "slug", "parent", "url", "base_url", "type", "scheme", "value", "end", "version"),
        *("date", "raw", "role", "reason", "detail", "status", "outcome", "gate"),
        *("text_hash", "embed_hash", "file_hash", "settings_hash", "content_hash", "fingerprint"),
        *("model", "provider", "query_prefix", "passage_prefix", "centring", "prompt_version"),
        *("generated_at", "job", "plugins", "signal", "questions", "breakdown", "record", "counts"),
        *("refusals", "actor", "action", "subject", "exposures", "fields", "refused", "author"),
    }
)
ALSO = {
    "ArchiveAbout.name": "of the archive, which is published",
    "CalibrationQuestion.name": "an id",
    **{name: ELSE[name] for name in ("FragmentChange.content", "Holdings.types", "KeptKey.label")},
}


def holders() -> Generator[Holder]:
    """Every dataclass and every model of the package, where it is made."""
    for found in pkgutil.walk_packages(fonds.__path__, "fonds."):
        if found.name.endswith("__main__"):
            continue
        module = importlib.import_module(found.name)
        for held in vars(module).values():
            if not inspect.isclass(held) or held.__module__ != found.name:
                continue
            if is_dataclass(held) or issubclass(held, BaseModel):
                yield held


def names_of(held: Holder) -> tuple[str, ...]:
    if issubclass(held, BaseModel):
        return tuple(held.model_fields)
    return tuple(one.name for one in fields(held))


def shown_by(held: Holder) -> str:
    """The repr of one whose every field is a word, made past its constructor."""
    words = {one: f"{WORD}-{one}-" for one in names_of(held)}
    if issubclass(held, BaseModel):
        return repr(held.model_construct(None, **words))
    made = object.__new__(held)
    for one, word in words.items():
        object.__setattr__(made, one, word)
    try:
        return repr(made)
    except AttributeError:
        return ""  # a repr of its own, of no more than a part's id: it is tested beside its class


def may_be_text(kind: object) -> bool:
    """Whether a value of the type may be words: text, bytes, a path, or anything at all."""
    if kind is Any or kind is object or isinstance(kind, str):
        return True
    if isinstance(kind, type) and get_origin(kind) is None:
        return issubclass(kind, str | bytes | Path)
    return any(may_be_text(one) for one in get_args(kind) if not isinstance(one, str))


def texts_of(held: Holder) -> list[str]:
    """The names of its fields that may hold text. What only a type checker imports is judged as it
    is written.
    """
    try:
        kinds: dict[str, object] = get_type_hints(held)
    except (NameError, TypeError):
        written = inspect.get_annotations(held)
        return [name for name, kind in written.items() if TEXT.search(str(kind))]
    return [name for name in names_of(held) if may_be_text(kinds[name])]


def shown_texts() -> dict[str, list[str]]:
    """The fields of text that a repr shows, by class."""
    found: dict[str, list[str]] = {}
    for held in holders():
        shown = shown_by(held)
        seen = [name for name in texts_of(held) if f"{WORD}-{name}-" in shown]
        found[f"{held.__module__}.{held.__qualname__}"] = seen
    return found


SHOWN = shown_texts()


def test_a_repr_shows_no_words() -> None:
    """Wherever a class of the package is made."""
    shown = [
        f"{of}.{name}"
        for of, names in SHOWN.items()
        for name in names
        if name in WORDS and f"{of.rpartition('.')[2]}.{name}" not in ELSE
    ]
    assert shown == []


def test_a_repr_of_the_contract_shows_ids_figures_and_closed_words() -> None:
    """A field that is new to it is looked at before it shows."""
    shown = [
        f"{of}.{name}"
        for of, names in SHOWN.items()
        if of.startswith("fonds.contract.")
        for name in names
        if name not in HARMLESS and f"{of.rpartition('.')[2]}.{name}" not in ALSO
    ]
    assert shown == []


def test_nothing_is_let_through_that_is_not_there() -> None:
    every = {f"{of.rpartition('.')[2]}.{name}" for of, names in SHOWN.items() for name in names}
    assert set(ELSE) - every == set()
    assert set(ALSO) - every == set()
    of_contract = {
        name for of, names in SHOWN.items() if of.startswith("fonds.contract.") for name in names
    }
    assert HARMLESS - of_contract == set()


def test_a_text_that_shows_would_be_found() -> None:
    """The premise: classes of every kind are looked at, and an id of each does show."""
    assert "fragment_id" in SHOWN["fonds.contract.fragment_change.FragmentChange"]
    assert "field" in SHOWN["fonds.retrieval.wire_request.FieldError"]
    assert "url" in SHOWN["fonds.providers.writer_schema._Record"]
    texts = {name for held in holders() for name in texts_of(held)}
    assert {"text", "title", "gist", "q", "source_key"} <= texts
