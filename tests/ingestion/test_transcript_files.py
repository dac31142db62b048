"""A transcript becomes one private entity and windows that name who was heard (R026)."""

from __future__ import annotations

from pathlib import Path

import pytest

from fonds.contract.attribution import Attribution
from fonds.contract.disclosure import PrivateDisclosure
from fonds.contract.entity import Entity
from fonds.contract.failures import MisauthoredFile
from fonds.contract.fragment import Fragment
from tests.ingestion.corpora import ARCHIVE_TOML, described, put

VTT = """WEBVTT

12:30.000 --> 12:50.000
<v Mina>We sold the zebrawood frame.

12:50.000 --> 14:05.000
It had begun to sag.
"""
FIELDS = """
title = "Tuning day"
about = "https://example.org/episodes/tuning-day/"
"""
OTHER = Attribution("Other", "speaker", placeholder="unnamed")


def transcript(
    folder: Path, fields: str = FIELDS, words: str = VTT, ending: str = ".vtt"
) -> tuple[Entity, tuple[Fragment, ...]]:
    put(folder, "talks/tuning-day.toml", fields)
    return described(folder, f"talks/tuning-day{ending}", words)


def refused(folder: Path, fields: str = FIELDS, words: str = VTT) -> MisauthoredFile:
    with pytest.raises(MisauthoredFile) as refusal:
        transcript(folder, fields, words)
    assert "zebra" not in str(refusal.value)
    assert refusal.value.path == "talks/tuning-day.vtt"
    return refusal.value


def test_a_window_names_its_place_and_who_is_heard(tmp_path: Path) -> None:
    """R026's own example: two cues, a voice and an unknown one."""
    entity, fragments = transcript(tmp_path)
    assert entity == Entity(
        entity_id="transcript:tuning-day",
        type="transcript",
        title="Tuning day",
        url="https://example.org/episodes/tuning-day/",
        disclosure=PrivateDisclosure("locator"),
        attribution=(Attribution("Person A", "author"),),
    )
    (window,) = fragments
    assert window.fragment_id == "transcript:tuning-day#t750-845"
    assert window.label == "12:30\u201314:05"
    assert window.attribution == (Attribution("Mina", "speaker"), OTHER)
    assert window.text == "We sold the zebrawood frame.\n\nIt had begun to sag."


def test_the_fields_beside_a_recording_say_the_rest(tmp_path: Path) -> None:
    fields = FIELDS + (
        "parent = 'episode:tuning-day'\ncreators = ['Person B']\ndate = '2019-03'\n"
        "exposure = 'semantic'\nrequireReview = true\nsourceReview = 'in-review'\nwindow = 10\n"
        "exposures = { t750-770 = 'none' }\n"
        "speakers = { Mina = { name = 'Mina Example', role = 'tuner' } }\n"
    )
    entity, fragments = transcript(tmp_path, fields)
    assert (entity.parent, entity.date, entity.policy.require_review) == (
        "episode:tuning-day",
        "2019-03",
        True,
    )
    assert entity.attribution == (Attribution("Person B", "author"),)
    assert not entity.policy.public_title
    assert [(one.fragment_id.partition("#")[2], one.disclosure.exposure) for one in fragments] == [
        ("t750-770", "none"),
        ("t770-845", "semantic"),
    ]
    assert fragments[0].attribution == (Attribution("Mina Example", "tuner"),)
    assert {one.source_review for one in fragments} == {"in-review"}


def test_a_voice_the_list_of_speakers_lacks_is_not_passed_on(tmp_path: Path) -> None:
    """A name travels with a locator: only names the author wrote down do."""
    _, fragments = transcript(tmp_path, FIELDS + "speakers = ['Jo']\n")
    assert fragments[0].attribution == (OTHER,)
    yaml = "title: T\nabout: https://example.org/\nspeakers: [Jo]\n"
    put(tmp_path / "y", "talks/a.yaml", yaml)
    _, fragments = described(tmp_path / "y", "talks/a.vtt", VTT.replace("Mina", "Jo"))
    assert fragments[0].attribution == (Attribution("Jo", "speaker"), OTHER)


@pytest.mark.parametrize("voice", ["Speaker 1", "unknown", "SPEAKER_00", "Voice 2", "3"])
def test_a_label_that_names_nobody_is_a_placeholder(tmp_path: Path, voice: str) -> None:
    _, fragments = transcript(tmp_path, words=VTT.replace("Mina", voice))
    assert fragments[0].attribution == (OTHER,)


def test_pages_and_subrip_are_read_too(tmp_path: Path) -> None:
    page = "---\ntitle: T\nabout: https://example.org/\n---\nMina: 0:05\nHello.\n\nJo: 0:10\nYes.\n"
    entity, fragments = described(tmp_path, "talks/2019/opening.md", page)
    assert entity.entity_id == "transcript:2019/opening"
    assert [one.fragment_id.partition("#")[2] for one in fragments] == ["t5-10"]
    srt = "1\n00:00:01,000 --> 00:00:02,000\nHello.\n"
    _, fragments = transcript(tmp_path / "srt", words=srt, ending=".srt")
    assert (fragments[0].fragment_id, fragments[0].attribution) == (
        "transcript:tuning-day#t1-2",
        (OTHER,),
    )


def test_a_long_window_is_cut_and_none_of_its_words_is_lost(tmp_path: Path) -> None:
    _, fragments = transcript(tmp_path, FIELDS + "maxFragmentChars = 30\n")
    assert [one.fragment_id.partition("#")[2] for one in fragments] == [
        "t750-845.s1",
        "t750-845.s2",
    ]
    assert [one.text for one in fragments] == [
        "We sold the zebrawood frame.",
        "It had begun to sag.",
    ]


@pytest.mark.parametrize(
    ("fields", "name", "said", "known"),
    [
        (FIELDS + "exposre = 'none'\n", "exposre", "did you mean exposure?", False),
        (FIELDS + "publicTitle = true\n", "publicTitle", "unknown key", False),
        (FIELDS + "exposure = 'text'\n", "exposure", "semantic, locator, none", False),
        (FIELDS + "sourceReview = 'zebra'\n", "sourceReview", "in-review", True),
        (FIELDS + "speakers = 'zebra'\n", "speakers", "a list of names", True),
        (FIELDS + "speakers = { Mina = ['zebra'] }\n", "speakers[0]", "a name", True),
        (FIELDS + "window = 0\n", "window", "positive whole number", True),
        (FIELDS + "exposures = { t1 = 'none' }\n", "exposures[0]", "no fragment", False),
        ("about = 'https://example.org/'\n", "title", "is needed", True),
        ("title = 'T'\n", "about", "is needed", True),
        ("title = zebra\n", "", "tuning-day.toml, line 1: front matter cannot be read", False),
    ],
)
def test_fields_are_read_as_strictly_as_a_notes(
    tmp_path: Path, fields: str, name: str, said: str, known: bool
) -> None:
    """R022: a mistyped exposure refuses the file; a value is never repeated."""
    refusal = refused(tmp_path, fields)
    assert (refusal.field, refusal.disclosure_known) == (name, known)
    assert said in refusal.reason


def test_a_cue_that_cannot_be_read_is_refused_by_its_line(tmp_path: Path) -> None:
    refusal = refused(tmp_path, words=VTT.replace("12:50.000 -->", "12:50 -->"))
    assert (refusal.field, refusal.line) == ("body", 6)
    page = "---\ntitle: T\nabout: https://example.org/\n---\nA: 9:00\nzebra\n\nB: 1:00\nzebra\n"
    with pytest.raises(MisauthoredFile) as trouble:
        described(tmp_path / "page", "talks/a.md", page)
    assert (trouble.value.field, trouble.value.line) == ("body", 8)


def test_without_its_fields_a_recording_is_withdrawn(tmp_path: Path) -> None:
    """Whether it may be served at all stands there: no default takes their place."""
    with pytest.raises(MisauthoredFile, match="fields are missing") as refusal:
        described(tmp_path, "talks/tuning-day.vtt", VTT)
    assert not refusal.value.disclosure_known
    put(tmp_path, "talks/tuning-day.yaml", "title: T\n")
    assert "two files" in refused(tmp_path).reason


def test_fields_that_are_a_link_or_too_long_are_refused(tmp_path: Path) -> None:
    put(tmp_path, "elsewhere.yaml", "title: T\nabout: https://example.org/\n")
    (tmp_path / "talks").mkdir()
    (tmp_path / "talks/tuning-day.yaml").symlink_to(tmp_path / "elsewhere.yaml")
    with pytest.raises(MisauthoredFile, match="a regular file is needed"):
        described(tmp_path, "talks/tuning-day.vtt", VTT)
    assert "64 KiB" in refused(tmp_path / "b", FIELDS + "#" * 70_000).reason


def test_a_title_that_quotes_the_recording_is_refused_before_anything_is_embedded(
    tmp_path: Path,
) -> None:
    """R026: the title of a transcript without a public page is linted."""
    from fonds.boundary.lint import metadata_lint_findings

    entity, fragments = transcript(
        tmp_path, FIELDS.replace("Tuning day", "We sold the zebrawood frame at last")
    )
    assert [found.field for found in metadata_lint_findings(entity, fragments)] == ["title"]


def test_the_archive_file_names_the_folder(tmp_path: Path) -> None:
    toml = ARCHIVE_TOML.replace('transcripts_dir = "talks"\n', "")
    with pytest.raises(StopIteration):
        described(tmp_path, "talks/tuning-day.vtt", VTT, toml)
