"""Which phrases a question can name, so that titles and themes are looked up, not compared (R107).

`contains_phrase` is the rule; what stands here finds by equality exactly what that rule finds by
search, among the normalised phrases a build stores.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fonds.contract.normalised_text import has_unspaced_script

SHORTEST_CONTAINED = 2  # characters, where words are not spaced
# What one question may look up: 5,000 runs cost about as much as comparing 10,000 vectors. It holds
# every run of 512 characters for ten lengths of phrase, of 100 characters for fifty.
MAX_RUNS = 5_000


def query_phrases(
    normalised_query: str, *, word_lengths: Iterable[int], char_lengths: Iterable[int]
) -> tuple[str, ...]:
    """Every run of the question that can be a phrase of these lengths, each once.

    The lengths are those of a build's phrases, in words and in characters. A normalised phrase of
    these lengths is among the runs exactly when `contains_phrase` finds it in the question, as
    long as the runs are within MAX_RUNS; beyond, the shorter lengths are looked up.
    """
    if not normalised_query:
        return ()
    if has_unspaced_script(normalised_query):
        return _character_runs(normalised_query, char_lengths)
    # A phrase with an unspaced script cannot stand in a question that has none.
    return _word_runs(normalised_query, word_lengths)


def _word_runs(query: str, sizes: Iterable[int]) -> tuple[str, ...]:
    words = query.split(" ")
    runs = (
        " ".join(words[start : start + size])
        for size in _affordable(len(words), sizes, 1)
        for start in range(len(words) - size + 1)
    )
    return tuple(dict.fromkeys(runs))


def _character_runs(query: str, sizes: Iterable[int]) -> tuple[str, ...]:
    runs = (
        query[start : start + size]
        for size in _affordable(len(query), sizes, SHORTEST_CONTAINED)
        for start in range(len(query) - size + 1)
    )
    # A normalised phrase neither starts nor ends with its separator.
    return tuple(dict.fromkeys(run for run in runs if run[0] != " " != run[-1]))


def _affordable(length: int, sizes: Iterable[int], least: int) -> Iterator[int]:
    """The sizes of runs to look up, shortest first, until the runs are too many."""
    left = MAX_RUNS
    for size in sorted({size for size in sizes if least <= size <= length}):
        left -= length - size + 1
        if left < 0:
            return
        yield size
