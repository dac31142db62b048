"""What a build of an archive is made under (R102)."""

from __future__ import annotations

from fonds.answering.floors import DEFAULT_COVERAGE_FLOOR
from fonds.archive_config import FloorChoice
from fonds.build.build_served import BUILD_RULES
from fonds.contract.build_store import BuildTerms
from fonds.contract.embedding_space import EmbeddingSpace


def terms_of(space: EmbeddingSpace, floors: FloorChoice) -> BuildTerms:
    """The space, and the floors of the archive file; where it names none, the space's own."""
    return BuildTerms(
        space=space,
        score_floor=space.default_floor if floors.score is None else floors.score,
        coverage_floor=DEFAULT_COVERAGE_FLOOR if floors.coverage is None else floors.coverage,
        rules=BUILD_RULES,
    )
