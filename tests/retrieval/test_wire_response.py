"""A response on the wire, whole, and its fixed copy (R121, R122, R131-R134)."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from fonds.contract.attribution import Attribution
from fonds.contract.evidence_hit import HitEntity, LocatorHit, Provenance, SemanticHit, TextHit
from fonds.contract.identifier import Identifier
from fonds.contract.locator import Locator, locator_label
from fonds.contract.search_response import SearchResponse, ServedIndex
from fonds.retrieval.policy_copy import EXPOSURE_COPY, POLICY_NOTE
from fonds.retrieval.wire_response import WireResponse, hit_json, search_response_json

SCHEMA = Path(__file__).with_name("archive_search_1.schema.json")
RESPONSE = TypeAdapter(WireResponse)

CHAPTER = SemanticHit(
    Provenance(
        fragment_id="book:low-tide#ch4",
        entity=HitEntity(
            "book:low-tide",
            "book",
            "Low Tide",
            "https://adeyemi.example/books/low-tide/",
            (Attribution("R. Adeyemi", "author"),),
            "2024",
            "manuscript",
        ),
        raw="private",
        place=(Locator("chapter", "4"),),
        locator_label="ch. 4",
        score=0.6,
        date="2024",
    ),
    "Two siblings disagree over what to keep from a house being emptied.",
    "generated",
    "unreviewed",
)
WINDOW_PLACE = (Locator("timecode", "750", "845"),)
WINDOW = LocatorHit(
    Provenance(
        fragment_id="transcript:tuning-day#t750-845",
        entity=HitEntity(
            "transcript:tuning-day",
            "transcript",
            "Tuning Day",
            "https://example.org/episodes/tuning-day/",
            parent="episode:tuning-day",
        ),
        raw="private",
        place=WINDOW_PLACE,
        locator_label=locator_label(WINDOW_PLACE),
        score=0.6,
        attribution=(
            Attribution("Mina", "speaker"),
            Attribution("Other", "speaker", placeholder="unnamed"),
        ),
    )
)
SONG = TextHit(
    Provenance(
        fragment_id="song:slack-water#whole",
        entity=HitEntity(
            "song:slack-water",
            "song",
            "Slack Water",
            "https://example.org/songs/slack-water/",
            (Attribution("A. Person", identifiers=(Identifier("ipi", "00000000001"),)),),
            identifiers=(Identifier("isrc", "QZ0000000001"),),
            themes=("tides",),
        ),
        raw="public",
        place=(Locator("whole", ""),),
        locator_label="whole record",
        score=0.98,
        breakdown={"cosine": 0.68, "exactMatch": 0.30},
    ),
    "Neither in nor out, the harbour holds its breath.",
    "A song of waiting.",
)
WHOLE = SearchResponse(
    query="what is kept",
    hits=(SONG, CHAPTER, WINDOW),
    matched=7,
    excluded_undated=1,
    index=ServedIndex(datetime(2025, 11, 30, 6, 30, tzinfo=UTC), 12, 40),
)


def test_a_private_chapter_is_described_with_a_rounded_score() -> None:
    """R134: the whole hit, field by field; no breakdown, nothing null."""
    assert hit_json(CHAPTER) == {
        "fragmentId": "book:low-tide#ch4",
        "exposure": "semantic",
        "raw": "private",
        "entity": {
            "id": "book:low-tide",
            "type": "book",
            "title": "Low Tide",
            "attribution": [{"name": "R. Adeyemi", "role": "author"}],
            "date": "2024",
            "version": "manuscript",
            "url": "https://adeyemi.example/books/low-tide/",
            "identifiers": [],
        },
        "locator": [{"scheme": "chapter", "value": "4"}],
        "locatorLabel": "ch. 4",
        "date": "2024",
        "gist": "Two siblings disagree over what to keep from a house being emptied.",
        "gistSource": "generated",
        "gistReview": "unreviewed",
        "score": 0.6,
    }


def test_a_transcript_window_has_its_speakers_and_nothing_of_what_they_said() -> None:
    """R134, R005: a placeholder says that it is one."""
    assert hit_json(WINDOW) == {
        "fragmentId": "transcript:tuning-day#t750-845",
        "exposure": "locator",
        "raw": "private",
        "entity": {
            "id": "transcript:tuning-day",
            "type": "transcript",
            "title": "Tuning Day",
            "attribution": [],
            "url": "https://example.org/episodes/tuning-day/",
            "identifiers": [],
            "parent": "episode:tuning-day",
        },
        "locator": [{"scheme": "timecode", "value": "750", "end": "845"}],
        "locatorLabel": "12:30–14:05",
        "attribution": [
            {"name": "Mina", "role": "speaker"},
            {"name": "Other", "role": "speaker", "placeholder": "unnamed"},
        ],
        "score": 0.6,
    }


def test_a_public_song_is_quoted_with_its_breakdown() -> None:
    """R134, R122: public rows keep full precision."""
    assert hit_json(SONG) == {
        "fragmentId": "song:slack-water#whole",
        "exposure": "text",
        "raw": "public",
        "entity": {
            "id": "song:slack-water",
            "type": "song",
            "title": "Slack Water",
            "attribution": [
                {
                    "name": "A. Person",
                    "identifiers": [{"scheme": "ipi", "value": "00000000001"}],
                }
            ],
            "url": "https://example.org/songs/slack-water/",
            "identifiers": [{"scheme": "isrc", "value": "QZ0000000001"}],
            "themes": ["tides"],
        },
        "locator": [{"scheme": "whole", "value": ""}],
        "locatorLabel": "whole record",
        "text": "Neither in nor out, the harbour holds its breath.",
        "summary": "A song of waiting.",
        "score": 0.98,
        "breakdown": {"cosine": 0.68, "exactMatch": 0.30},
    }


def test_a_response_holds_what_the_contract_lists_and_no_more() -> None:
    """R131: counts and dates of the build, never its model or dimensions; no null anywhere."""
    wire = search_response_json(WHOLE)
    assert wire == {
        "contract": "archive-search/1",
        "query": "what is kept",
        "hits": [hit_json(SONG), hit_json(CHAPTER), hit_json(WINDOW)],
        "matched": 7,
        "excludedUndated": 1,
        "index": {
            "builtAt": "2025-11-30T06:30:00+00:00",
            "entityCount": 12,
            "fragmentCount": 40,
        },
        "policy": {"exposure": dict(EXPOSURE_COPY), "note": POLICY_NOTE},
    }
    assert "null" not in json.dumps(wire)
    RESPONSE.validate_python(wire)


def test_the_schema_of_the_response_is_the_one_agreed() -> None:
    """R133: additive only; a change of this file is a change of contract, read by a person."""
    agreed = json.loads(SCHEMA.read_text(encoding="utf-8"))
    assert RESPONSE.json_schema() == agreed


@given(score=st.floats(0, 2).map(lambda number: round(number * 20) / 20))
def test_a_private_score_leaves_in_steps(score: float) -> None:
    """R122: whatever the figure, it is a step of 0.05 and comes without a breakdown."""
    step = LocatorHit(
        Provenance(
            "note:a#whole",
            HitEntity("note:a", "note", "A", "https://example.org/a"),
            "private",
            (Locator("whole", ""),),
            "whole record",
            score,
        )
    )
    wire = hit_json(step)
    assert wire["score"] == score
    assert "breakdown" not in wire


def test_the_fixed_copy_asserts_what_it_has_to() -> None:
    """R132: each assertion by its key words; rewording is free, leaving one out is not."""
    said = {
        "text": ("public", "verbatim", "quot", "entity.url"),
        "semantic": (
            "cannot be quoted",
            "what the passage is about",
            "software",
            "ingested",
            "owner's policy",
            "gistSource",
            "edited",
            "gistReview",
            "reviewed",
            "neither a quotation nor the words of the creators",
        ),
        "locator": ("Only the location", "do not infer"),
    }
    assert set(EXPOSURE_COPY) == set(said)
    for exposure, words in said.items():
        for word in words:
            assert word in EXPOSURE_COPY[exposure], (exposure, word)  # pyright: ignore[reportArgumentType]
    for word in (
        "Nothing here was synthesised",
        "private material are rounded",
        "placeholder is not a person",
        "unnamed is a speaker who is not a creator",
        "unverified is an attribution that is not established",
        "undated material is left out",
        "undated=include",
    ):
        assert word in POLICY_NOTE, word
