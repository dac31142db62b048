"""Contract values -> rows of the private schema, in the order of the staging tables' columns."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import date
from typing import TypeAlias

from psycopg.types.json import Jsonb

from fonds.contract.date_interval import date_interval
from fonds.contract.embed_string import content_hash, embed_string, quotable_string
from fonds.contract.entity import Entity
from fonds.contract.fragment import Fragment
from fonds.contract.stored_source import ReadSource
from fonds.store.codecs import attribution_json, identifiers_json, place_json
from fonds.words.lexical import weighted_words

Row: TypeAlias = tuple[object, ...]

SOURCE_TYPES = ("text", "text", "text", "text", "int4")
ENTITY_TYPES = (
    *("text",) * 7,
    *("jsonb", "text", "date", "date", "text", "jsonb", "text", "text[]", "bool", "bool"),
    *("int4", "int4", "int4", "text"),
)
FRAGMENT_TYPES = (
    *("text",) * 4,
    *("jsonb", "text", "text", "jsonb", "text", "date", "date", "text", "text[]", "text[]"),
    *("text", "text", "text", "text[]", "int2[]", "text"),
)
VECTOR_TYPES = ("text", "text", "halfvec")


def source_row(source: ReadSource) -> Row:
    count = sum(len(fragments) for _, fragments in source.pairs)
    return (source.source_key, source.raw, source.file_hash, source.settings_hash, count)


def entity_row(source_key: str, entity: Entity) -> Row:
    """An entity's columns; the last hashes all others and decides whether it is written."""
    policy, lint = entity.policy, entity.policy.lint
    return _hashed(
        (
            entity.entity_id,
            source_key,
            entity.disclosure.raw,
            entity.disclosure.exposure,
            entity.type,
            entity.title,
            entity.url,
            Jsonb(attribution_json(entity.attribution)),
            entity.date,
            *_days(entity.date),
            entity.version,
            Jsonb(identifiers_json(entity.identifiers)),
            entity.parent,
            list(entity.themes),
            policy.require_review,
            policy.public_title,
            lint.ngram_words,
            lint.ngram_chars,
            lint.gist_max_chars,
        )
    )


def fragment_row(entity: Entity, fragment: Fragment) -> Row:
    """A fragment's columns; `text_hash` is what a gist describes, `embed_hash` what is embedded."""
    words = _words(entity, fragment)
    return _hashed(
        (
            fragment.fragment_id,
            fragment.entity_id,
            fragment.disclosure.raw,
            fragment.disclosure.exposure,
            Jsonb(place_json(fragment.place)),
            fragment.label,
            fragment.text,
            Jsonb(attribution_json(fragment.attribution)),
            fragment.date,
            *_days(fragment.date),
            fragment.summary,
            list(fragment.themes),
            list(fragment.trail),
            fragment.source_review,
            content_hash(fragment.text),
            content_hash(embed_string(entity, fragment)),
            list(words),
            list(words.values()),
        )
    )


def _words(entity: Entity, fragment: Fragment) -> Mapping[str, int]:
    """The words of what may be quoted; anything else has none (R112)."""
    if (fragment.disclosure.raw, fragment.disclosure.exposure) != ("public", "text"):
        return {}
    return weighted_words(quotable_string(entity, fragment))


def tell_tale_hashes(source: ReadSource) -> list[str]:
    """Hashes under which the bodies of a public file may have been private before (R191).

    A text is known by the hash it is stored with, and, as a private text begins with a title of its
    own, by that of all that follows one: a note that moves to a public folder is known under any
    title.
    """
    texts = [fragment.text for _, fragments in source.pairs for fragment in fragments]
    bare = [hashlib.sha256(text.encode()).hexdigest() for text in texts]
    return [*(content_hash(text) for text in texts), *bare]


def _days(written: str | None) -> tuple[date | None, date | None]:
    if written is None:
        return (None, None)
    covered = date_interval(written)
    return (covered.start, covered.end)


def _hashed(columns: Sequence[object]) -> Row:
    canonical = json.dumps([_plain(column) for column in columns], sort_keys=True)
    return (*columns, hashlib.sha256(canonical.encode()).hexdigest()[:32])


def _plain(column: object) -> object:
    if isinstance(column, Jsonb):
        return column.obj
    return column.isoformat() if isinstance(column, date) else column
