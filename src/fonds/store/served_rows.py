"""Rows of the served schema as contract values, and a question as the arguments of its scan."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date
from functools import lru_cache
from typing import Any

from pgvector import HalfVector

from fonds.contract.attribution import Attribution
from fonds.contract.disclosure import Raw, disclosure
from fonds.contract.embedding_space import EmbeddingSpace
from fonds.contract.locator import Place
from fonds.contract.near_query import LiveBuild, NearFilters, NearQuery, NearRow, NearRows
from fonds.contract.normalised_text import has_unspaced_script
from fonds.contract.question_figures import QuestionFigures
from fonds.contract.served_fragment import ServedEntity, ServedFragment, ServedGist
from fonds.store.calibration_rows import calibration_from
from fonds.store.codecs import attribution_from, identifiers_from, place_from

Row = tuple[Any, ...]
MANY = 256  # places and lists of people kept as values
_NEAR = 10  # columns of a row of the scan before its content
_ENTITY = 14  # where the entity's columns begin in a row of content


def build_from(row: Row) -> LiveBuild:
    """The space's default floor is the build's own: no other was measured for it."""
    (build_id, provider, model, dimensions, query_prefix, passage_prefix, centring, *rest) = row
    (
        score_floor,
        coverage_floor,
        built_at,
        entities,
        fragments,
        public,
        words,
        chars,
        narrowing,
        texts,
        *calibration,
    ) = rest
    return LiveBuild(
        build_id=build_id,
        space=EmbeddingSpace(
            provider, model, dimensions, query_prefix, passage_prefix, centring, score_floor
        ),
        score_floor=score_floor,
        coverage_floor=coverage_floor,
        built_at=built_at,
        entity_count=entities,
        fragment_count=fragments,
        public_entity_count=public,
        phrase_word_lengths=tuple(words),
        phrase_char_lengths=tuple(chars),
        narrowing=narrowing,
        text_count=texts,
        calibration=calibration_from(tuple(calibration)),
    )


def near_arguments(query: NearQuery, *, exactly: bool) -> dict[str, Any]:
    """Every value bound, none written into the statement."""
    boosts = query.boosts
    return filter_arguments(query.filters) | {
        "vector": HalfVector(list(query.vector)),
        "phrases": _as_array(query.phrases),
        "floor": query.floor,
        "public_cap": query.public_cap,
        "private_cap": query.private_cap,
        "everything": query.everything,
        "title_max": boosts.title_max,
        "theme_max": boosts.theme_max,
        "phrase_raws": _as_array(boosts.phrase_raws),
        "theme_cap": boosts.theme_cap,
        "recency_max": boosts.recency_max,
        "recency_raws": _as_array(boosts.recency_raws),
        "recent_after": boosts.recent_after,
        "disclosure_max": boosts.disclosure_max,
        "other_max": boosts.other_max,
        "words": _as_array(query.words),
        "texts": query.texts,
        "lexical_max": boosts.lexical_max,
        "exactly": exactly,
        "with_content": _likely_shown(query),
    }


def _likely_shown(query: NearQuery) -> int:
    """How many rows, best first, bring their content along; a boost of others asks for all."""
    if query.everything or query.boosts.other_max > 0:
        return 0
    return max(query.public_cap, query.private_cap)


def filter_arguments(filters: NearFilters) -> dict[str, Any]:
    return {
        "raws": _listed(filters.raws),
        "types": _listed(filters.types),
        "exposures": _listed(filters.exposures),
        "first_day": filters.first_day,
        "last_day": filters.last_day,
        "include_undated": filters.include_undated,
        "creator": filters.creator,
        "creator_unspaced": has_unspaced_script(filters.creator or ""),
        "speaker": filters.speaker,
        "speaker_unspaced": has_unspaced_script(filters.speaker or ""),
    }


def near_rows_from(rows: list[Row], texts: int) -> NearRows:
    """The counts stand on every row, the figures on the first; without a row nothing clears the
    floor.
    """
    if not rows:
        return NearRows((), 0, 0)
    told = json.loads(rows[0][9])
    return NearRows(
        rows=tuple(_near_row(*row[:7]) for row in rows),
        certain_public=rows[0][7],
        certain_private=rows[0][8],
        best_cosine=max(row[3] for row in rows),
        figures=_figures(told, texts),
        by_index=told["by_index"],
    )


def _near_row(
    fragment_id: str,
    raw: Raw,
    date_start: date | None,
    cosine: float,
    lexical: float,
    titled: bool,
    themed: bool,
) -> NearRow:
    return NearRow(fragment_id, raw, date_start, cosine, titled, themed, lexical)


def _figures(told: Mapping[str, Any], texts: int) -> QuestionFigures:
    most = told["most"] if told["best"] else 0.0
    return QuestionFigures(
        background_mean=told["mean"] or 0.0,
        background_deviation=told["deviation"] or 0.0,
        lexical_best=most * (told["best"] or 0.0),
        lexical_second=most * (told["second"] or 0.0),
        lexical_most=most,
        document_frequencies=told["frequencies"],
        public_fragments=texts,
    )


def content_rows_from(rows: list[Row]) -> dict[str, Row]:
    """Rows of content by fragment, of those rows of a scan that brought theirs."""
    return {row[0]: row[:2] + row[_NEAR:] for row in rows if row[_NEAR] is not None}


def content_from(row: Row) -> tuple[ServedFragment, ServedEntity]:
    """Raises LeakRefused, naming the fragment, for a row that breaks the strip."""
    (fragment_id, raw, entity_id, exposure, place, text, summary, trail, gist, source, review) = (
        row[:11]
    )
    (attribution, date, themes) = row[11:14]
    fragment = ServedFragment(
        fragment_id=fragment_id,
        entity_id=entity_id,
        place=_place(place),
        disclosure=disclosure(raw, exposure),
        text=text,
        summary=summary,
        gist=None if gist is None else ServedGist(gist, source, review),
        attribution=_people(attribution),
        date=date,
        themes=tuple(themes),
        trail=tuple(trail),
    )
    return fragment, _entity_from(entity_id, raw, row[_ENTITY:])


def _entity_from(entity_id: str, raw: str, row: Row) -> ServedEntity:
    (type_, title, url, attribution, date, version, identifiers, parent, themes) = row
    return ServedEntity(
        entity_id=entity_id,
        type=type_,
        title=title,
        url=url,
        raw=raw,
        attribution=_people(attribution),
        date=date,
        version=version,
        identifiers=identifiers_from(_items(identifiers)),
        parent=parent,
        themes=tuple(themes),
    )


def _as_array(words: Sequence[str]) -> str:
    """An array as Postgres reads it from text. The driver's own takes as long as the rest."""
    quoted = (word.replace("\\", "\\\\").replace('"', '\\"') for word in words)
    return '{"' + '","'.join(quoted) + '"}' if words else "{}"


# The rows of an archive name the same few people and places over and over: values of text alone,
# the same whoever asks.
@lru_cache(maxsize=MANY)
def _place(written: str) -> Place:
    return place_from(_items(written))


@lru_cache(maxsize=MANY)
def _people(written: str) -> tuple[Attribution, ...]:
    return attribution_from(_items(written))


def _items(written: str) -> Sequence[Mapping[str, Any]]:
    return () if written == "[]" else json.loads(written)


def _listed(values: tuple[str, ...] | None) -> list[str] | None:
    return None if values is None else list(values)
