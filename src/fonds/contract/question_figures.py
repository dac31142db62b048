"""What a search says of its question as a whole: the figures a gate's signals are made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from fonds.contract.sealed import sealed


@sealed
@dataclass(frozen=True, slots=True)
class QuestionFigures:
    """Taken from public served rows under the request's filters, so that nothing private shifts
    them (R112, R168).

    `background_*` are of the cosines of those rows to the question. `lexical_*` are ranks on one
    scale: the two best, and the most any passage could have for this question; all 0 when no word
    of it occurs. `document_frequencies` says by folded word of the question on how many of the
    `public_fragments` it stands, 0 included.
    """

    background_mean: float
    background_deviation: float
    lexical_best: float
    lexical_second: float
    lexical_most: float
    document_frequencies: Mapping[str, int] = field(repr=False)
    public_fragments: int
