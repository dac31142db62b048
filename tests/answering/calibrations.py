"""Calibrations and figures for tests of the gate, lawful and plain."""

from __future__ import annotations

from fonds.answering.gate import GateTerms
from fonds.answering.signals import SIGNAL_DEFINITION
from fonds.contract.calibration import Calibration, FusionModel
from fonds.contract.question_figures import QuestionFigures

TOP_ALONE = FusionModel((0.0,) * 5, (1.0,) * 5, (1.0, 0.0, 0.0, 0.0, 0.0), 0.0)
"""A model whose fused signal is the top score."""
TERMS = GateTerms(plugins="plain")


def calibration(**changes: object) -> Calibration:
    fields: dict[str, object] = {
        "source": "own",
        "rule": "plain",
        "alpha": 0.05,
        "counted": 40,
        "near_misses": 20,
        "threshold": 0.5,
        "hint_threshold": 0.4,
        "public_hint_threshold": 0.4,
        "signal": SIGNAL_DEFINITION,
        "model": TOP_ALONE,
        "plugins": "plain",
        "space_id": "space",
        "questions": "0" * 32,
    }
    return Calibration(**(fields | changes))  # pyright: ignore[reportArgumentType]


def figures(**changes: object) -> QuestionFigures:
    fields: dict[str, object] = {
        "background_mean": 0.1,
        "background_deviation": 0.2,
        "lexical_best": 0.6,
        "lexical_second": 0.4,
        "lexical_most": 0.8,
        "document_frequencies": {},
        "public_fragments": 10,
    }
    return QuestionFigures(**(fields | changes))  # pyright: ignore[reportArgumentType]
