"""Why an answer is declined, as a closed set (R160-R171)."""

from __future__ import annotations

from typing import Literal, TypeAlias

RefusalReason: TypeAlias = Literal[
    "no_relevant_context",
    "below_score_floor",
    "below_coverage_floor",
    "below_calibrated_threshold",
    "calibration_infinite",
    "calibration_missing",
    "calibration_stale",
    "model_reported_no_answer",
    "fabricated_citation",
    "missing_citation",
    "unsupported_claim",
    "model_declined",
    "unparseable_response",
    "model_unavailable",
    "embedder_unavailable",
]
