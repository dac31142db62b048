"""A recording's transcript -> windows of it; the words stand in `text` alone (R026)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import get_args

from fonds.archive_config import ArchiveConfig
from fonds.contract.attribution import Attribution
from fonds.contract.disclosure import disclosure
from fonds.contract.entity import Entity, Policy
from fonds.contract.fragment import Fragment, SourceReview
from fonds.contract.locator import Locator
from fonds.ingestion.adapters.description import Description, described
from fonds.ingestion.corpus import FoundFile
from fonds.ingestion.cues import Cue, CueTrouble, Turn, windows
from fonds.ingestion.episode import Episode
from fonds.ingestion.fields import Fields
from fonds.ingestion.fragmenting import split_long
from fonds.ingestion.front_matter import ReadText
from fonds.ingestion.identity import entity_id
from fonds.ingestion.spoken_pages import page_cues
from fonds.ingestion.subtitles import srt_cues, vtt_cues

DEFAULT_WINDOW_SECONDS = 120
DEFAULT_FRAGMENT_CHARS = 6000
TRANSCRIPT_KEYS = frozenset(
    {"title", "about", "parent", "authors", "creators", "identifiers", "date", "version", "themes"}
    | {"exposure", "exposures", "requireReview", "lint", "slug", "draft"}
    | {"speakers", "sourceReview", "window", "maxFragmentChars"}
)
OTHER = Attribution("Other", "speaker", placeholder="unnamed")
_NOBODY = re.compile(r"(?:unknown|speaker|voice)?[ _-]*[0-9]*", re.IGNORECASE | re.ASCII)


def read_transcript(
    file: FoundFile, text: ReadText, config: ArchiveConfig, episode: Episode | None = None
) -> Description | None:
    """The transcript a file holds; None when nobody says a word in it (C10).

    `episode` is its parent, when that is a public page of the archive. With an equal title the
    transcript's is public as well; otherwise it is linted like any string that travels.
    """
    fields = Fields(file.key, text.front)
    fields.refuse_unknown(TRANSCRIPT_KEYS, config.ignore_keys)
    entity = _entity(file, fields, config, episode)
    speakers = fields.speakers()
    review = _source_review(fields)
    seconds = fields.count("window", DEFAULT_WINDOW_SECONDS)
    limit = fields.count("maxFragmentChars", DEFAULT_FRAGMENT_CHARS)
    fragments = [
        Fragment(
            entity.entity_id,
            place,
            entity.disclosure,
            part,
            attribution=_heard(window.turns, speakers),
            source_review=review,
        )
        for window in windows(_cues(file, text, fields, speakers), seconds)
        for place, part in split_long(
            (_timecode(window.start, window.end),),
            "\n\n".join(turn.text for turn in window.turns),
            limit,
        )
    ]
    if not fragments:
        return None
    return described(entity, fragments, fields, remedy="lower maxFragmentChars")


def _entity(
    file: FoundFile, fields: Fields, config: ArchiveConfig, episode: Episode | None
) -> Entity:
    exposure = fields.exposure("private", "locator")
    review = fields.flag("requireReview")
    lint = fields.lint(config.lint)
    fields.need("title", "about")
    title = fields.required("title", "the title of the recording is needed")
    creators = fields.named_creators()
    if creators is None and episode is not None:
        creators = episode.creators
    return Entity(
        entity_id=entity_id(file, fields),
        type="transcript",
        title=title,
        url=fields.address("about"),
        disclosure=disclosure("private", exposure),
        attribution=fields.creators(config.default_creators) if creators is None else creators,
        date=fields.date(),
        version=fields.text("version"),
        identifiers=fields.identifiers(),
        parent=fields.text("parent"),
        themes=fields.strict_themes(),
        policy=Policy(review, episode is not None and episode.title == title, lint),
    )


def _source_review(fields: Fields) -> SourceReview | None:
    written = fields.text("sourceReview")
    for known in get_args(SourceReview):
        if written == known:
            return known
    return None if written is None else fields.refuse("sourceReview", _REVIEWS)


_REVIEWS = f"one of {', '.join(get_args(SourceReview))}"


def _cues(
    file: FoundFile, text: ReadText, fields: Fields, speakers: Mapping[str, Attribution] | None
) -> list[Cue]:
    name = file.path.lower()
    try:
        if name.endswith(".vtt"):
            return vtt_cues(text.body, speakers or ())
        if name.endswith(".srt"):
            return srt_cues(text.body, speakers or ())
        return page_cues(text.body)
    except CueTrouble as trouble:
        fields.refuse("body", trouble.reason, line=trouble.line + text.first_line - 1)


def _heard(
    turns: Sequence[Turn], speakers: Mapping[str, Attribution] | None
) -> tuple[Attribution, ...]:
    """Each speaker once, in the order they are first heard."""
    return tuple(dict.fromkeys(_speaker(turn.voice, speakers) for turn in turns))


def _speaker(voice: str | None, speakers: Mapping[str, Attribution] | None) -> Attribution:
    """Who a voice is: a name travels, so that one the author's list lacks is not passed on."""
    label = " ".join((voice or "").split())
    if speakers is not None:
        return speakers.get(label, OTHER)
    return OTHER if _NOBODY.fullmatch(label) else Attribution(label, "speaker")


def _timecode(start: int, end: int) -> Locator:
    return Locator("timecode", str(start), str(end) if end > start else None)
