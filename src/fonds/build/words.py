"""Metadata in the form questions are compared with: normalised here, so that both sides agree
(R107-R109).
"""

from __future__ import annotations

from collections.abc import Iterator

from fonds.contract.build_store import BuildSession, NormalisedWords
from fonds.contract.entity import slug_of
from fonds.contract.normalised_text import has_unspaced_script, normalised_text
from fonds.contract.search_request import MAX_QUERY_CHARS

MIN_UNSPACED_CHARS = 2  # R107: a single character of such a script stands everywhere


def normalised_words(session: BuildSession) -> NormalisedWords:
    """Titles and slugs by entity, distinct themes and names; what no question can hold is left
    out.
    """
    return NormalisedWords(
        titles=tuple(
            sorted({row for title in session.entity_titles() for row in _title_phrases(*title)})
        ),
        themes=tuple(
            (theme, phrase) for theme in session.distinct_themes() if (phrase := _phrase(theme))
        ),
        names=tuple(
            (name, normal, has_unspaced_script(normal))
            for name in session.distinct_names()
            if (normal := normalised_text(name)) and len(normal) <= MAX_QUERY_CHARS
        ),
    )


def _title_phrases(entity_id: str, title: str) -> Iterator[tuple[str, str]]:
    for words in (title, slug_of(entity_id)):
        if phrase := _phrase(words):
            yield entity_id, phrase


def _phrase(words: str) -> str:
    """Empty when a question could not hold it: too long, or one character of an unspaced script."""
    normal = normalised_text(words)
    if len(normal) > MAX_QUERY_CHARS or (
        has_unspaced_script(normal) and len(normal) < MIN_UNSPACED_CHARS
    ):
        return ""
    return normal
