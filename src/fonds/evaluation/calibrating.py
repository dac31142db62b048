"""A run of the calibration questions over one build: thresholds and price (R168-R170)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from fonds.answering.calibration import conformal_threshold
from fonds.answering.floors import weigh_floors
from fonds.answering.gate import GateTerms, weigh_gate
from fonds.answering.search_outcome import SearchOutcome
from fonds.answering.signals import (
    SIGNAL_DEFINITION,
    Signals,
    fused_signal,
    hint_signal,
    public_hint_signal,
    signals_of,
)
from fonds.contract.calibration import Calibration, CalibrationSource, FusionModel, GatePrice
from fonds.contract.calibration_question import CalibrationQuestion
from fonds.contract.evidence_hit import TextHit
from fonds.contract.sealed import sealed
from fonds.evaluation.fusing import DEFAULT_MODEL, fitted_model
from fonds.evaluation.splits import split_questions

Look = Callable[[CalibrationQuestion], SearchOutcome]
"""Searches the build under calibration for one question."""


@sealed
@dataclass(frozen=True, slots=True)
class CalibrationTerms:
    """Under what a calibration is made. `author` is the name a question may hold for nothing."""

    gate: GateTerms
    source: CalibrationSource
    space_id: str
    author: str = ""


@sealed
@dataclass(frozen=True, slots=True)
class Calibrated:
    """`passed` are keys of questions that floors and gate let through."""

    calibration: Calibration
    passed: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Seen:
    question: CalibrationQuestion
    outcome: SearchOutcome = field(repr=False)
    signals: Signals | None


def calibrated(
    questions: Sequence[CalibrationQuestion], look: Look, terms: CalibrationTerms
) -> Calibrated:
    """Asks every question once. The same questions over the same build give the same thresholds.

    Raises what `look` raises: a calibration with holes promises nothing.
    """
    gate, author = terms.gate, terms.author
    split = split_questions(questions, gate.alpha, gate.rule)
    seen = [_seen(one, look, author) for one in sorted(questions, key=lambda one: one.key)]
    model = _model(one for one in seen if one.question.key in split.fusion)
    counted = [one for one in seen if one.question.key in split.conformal]
    bare = Calibration(
        source=terms.source,
        rule=gate.rule,
        alpha=gate.alpha,
        counted=len(counted),
        near_misses=sum(one.question.kind == "near-miss" for one in counted),
        threshold=conformal_threshold(
            [fused_signal(model, one.signals) for one in counted], gate.alpha, gate.rule
        ),
        hint_threshold=conformal_threshold(
            [hint_signal(one.outcome) for one in counted], gate.alpha, gate.rule
        ),
        public_hint_threshold=conformal_threshold(
            [public_hint_signal(one.outcome) for one in counted], gate.alpha, gate.rule
        ),
        signal=SIGNAL_DEFINITION,
        model=model,
        plugins=gate.plugins,
        space_id=terms.space_id,
        questions=questions_hash(questions),
    )
    verdicts = [(one.question, _verdict(one, bare, terms)) for one in seen]
    held = [(one, what) for one, what in verdicts if one.key in split.price]
    passed = frozenset(one.key for one, what in verdicts if what in ("record", "hint"))
    return Calibrated(replace(bare, price=gate_price(held)), passed)


def priced(
    questions: Sequence[CalibrationQuestion],
    look: Look,
    calibration: Calibration,
    terms: CalibrationTerms,
) -> GatePrice | None:
    """What the gate costs and lets through on questions it was not calibrated on (R170)."""
    seen = (_seen(one, look, terms.author) for one in questions)
    return gate_price([(one.question, _verdict(one, calibration, terms)) for one in seen])


def price_set(
    questions: Sequence[CalibrationQuestion], terms: GateTerms
) -> tuple[CalibrationQuestion, ...]:
    """Those a calibration on `questions` leaves for its price."""
    kept = split_questions(questions, terms.alpha, terms.rule).price
    return tuple(one for one in questions if one.key in kept)


def gate_price(verdicts: Sequence[tuple[CalibrationQuestion, str]]) -> GatePrice | None:
    """Counts of verdicts; None without an answerable question: there is no price to tell."""
    of = {kind: [what for one, what in verdicts if one.kind == kind] for kind in _KINDS}
    answerable, near, absent = (of[kind] for kind in _KINDS)
    if not answerable:
        return None
    return GatePrice(
        refused=sum(what in ("floor", "gate") for what in answerable),
        below_floors=answerable.count("floor"),
        answerable=len(answerable),
        near_miss_passed=near.count("record"),
        near_miss=len(near),
        absent_passed=absent.count("record"),
        absent=len(absent),
        routed=(near + absent).count("hint"),
    )


def questions_hash(questions: Iterable[CalibrationQuestion]) -> str:
    """The same for the same set in whatever order; a word, a kind or a name more is another."""
    lines = sorted(f"{one.key}:{one.kind}:{one.question}" for one in questions)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:32]


_KINDS = ("answerable", "near-miss", "out-of-archive")


def _seen(question: CalibrationQuestion, look: Look, author: str) -> _Seen:
    outcome = look(question)
    return _Seen(question, outcome, signals_of(question.question, outcome, author=author))


def _model(rows: Iterable[_Seen]) -> FusionModel:
    there = [(one.signals, one.question.kind == "answerable") for one in rows]
    signals = [one for one, _ in there if one is not None]
    sides = [side for one, side in there if one is not None]
    return fitted_model(signals, sides) if len(set(sides)) == 2 else DEFAULT_MODEL


def _verdict(seen: _Seen, calibration: Calibration, terms: CalibrationTerms) -> str:
    """What a question meets before a model is called: floor, gate, record or hint."""
    question, outcome = seen.question.question, replace(seen.outcome, calibration=calibration)
    floors = weigh_floors(question, outcome, author=terms.author)
    if floors.reason is not None:
        return "floor"
    gated = weigh_gate(question, outcome, floors.passing, terms.gate, author=terms.author)
    if gated.reason is not None:
        return "gate"
    return "record" if any(isinstance(hit, TextHit) for hit in gated.passing) else "hint"
