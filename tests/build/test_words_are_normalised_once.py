"""Titles, slugs, themes and names as questions are compared with them (R106-R109)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fonds.build.words import normalised_words
from fonds.contract.build_store import (
    BuildSummary,
    NormalisedWords,
    PreviewRow,
    ServableGist,
    StoredEntity,
)
from fonds.contract.fragment_change import FragmentChange
from fonds.contract.search_request import MAX_QUERY_CHARS


@dataclass(frozen=True, slots=True)
class Metadata:
    """A session that knows words alone."""

    titles: tuple[tuple[str, str], ...] = ()
    themes: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    build_id: int = 1
    fingerprint: str = ""

    def entity_titles(self) -> Iterator[tuple[str, str]]:
        return iter(self.titles)

    def distinct_themes(self) -> Sequence[str]:
        return self.themes

    def distinct_names(self) -> Sequence[str]:
        return self.names

    def lacking_vectors(self) -> int:
        raise NotImplementedError

    def entities_to_check(self) -> Iterator[StoredEntity]:
        raise NotImplementedError

    def serve(
        self, gists: Sequence[ServableGist], words: NormalisedWords
    ) -> tuple[FragmentChange, ...]:
        raise NotImplementedError

    def changes(self) -> tuple[FragmentChange, ...]:
        raise NotImplementedError

    def previewed(self, entity_ids: Sequence[str]) -> Iterator[PreviewRow]:
        raise NotImplementedError

    def finish(self, withheld: Sequence[FragmentChange]) -> BuildSummary:
        raise NotImplementedError


def test_an_entity_is_named_by_its_title_and_its_slug() -> None:
    words = normalised_words(Metadata(titles=(("essay:on-kites", "Ärger, über  KITES!"),)))
    assert words.titles == (
        ("essay:on-kites", "on kites"),
        ("essay:on-kites", "ärger über kites"),
    )


def test_a_title_that_is_its_slug_is_one_phrase() -> None:
    words = normalised_words(Metadata(titles=(("essay:on-kites", "On Kites"),)))
    assert words.titles == (("essay:on-kites", "on kites"),)


def test_what_no_question_can_hold_is_left_out() -> None:
    """R107: longer than a question, nothing but signs, or one character of an unspaced script."""
    long = "x" * (MAX_QUERY_CHARS + 1)
    words = normalised_words(
        Metadata(
            titles=(("essay:風", long), ("essay:風景", "!!!")),
            themes=(long, "?!", "風", "風景", "Tides & Tables"),
            names=(long, "—", "村上", "Ann O'Neil"),
        )
    )
    assert words.titles == (("essay:風景", "風景"),)
    assert words.themes == (("風景", "風景"), ("Tides & Tables", "tides tables"))
    assert words.names == (("村上", "村上", True), ("Ann O'Neil", "ann o neil", False))
    assert "Neil" not in repr(words)
