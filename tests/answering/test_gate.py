"""The gate's states, its reasons and its one comparison (R160, R168-R171)."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest

from fonds.answering.ask import AskSettings, ask
from fonds.answering.gate import GateFigures, GateState, GateTerms, gate_state, weigh_gate
from fonds.answering.prompt import AboutArchive
from fonds.answering.refusal import Answered, RefusalRecord, Refused
from fonds.answering.signals import NOTHING, fused_signal, hint_signal, signals_of
from fonds.contract.calibration import Calibration, FusionModel
from fonds.contract.evidence_hit import EvidenceHit
from fonds.contract.failures import LeakRefused, MisauthoredInput
from tests.answering.asking import ASKED, FAIR, said
from tests.answering.calibrations import TERMS, calibration, figures
from tests.answering.hits import (
    KeptRefusals,
    SayingWriter,
    UntouchableWriter,
    outcome,
    semantic_hit,
    text_hit,
)

INFINITE = float("inf")
ABOUT = AboutArchive("The Tarn Papers", "Isobel Tarn")


@pytest.mark.parametrize(
    ("made", "terms", "state"),
    [
        (calibration(), None, "off"),
        (None, TERMS, "missing"),
        (calibration(), TERMS, "fitted"),
        (calibration(source="bank"), TERMS, "provisional"),
        (calibration(threshold=INFINITE), TERMS, "infinite"),
        (calibration(), GateTerms(alpha=0.1, plugins="plain"), "stale"),
        (calibration(), GateTerms(rule="strict", plugins="plain"), "stale"),
        (calibration(), GateTerms(plugins="other"), "stale"),
        (calibration(signal="fused/0"), TERMS, "stale"),
        (calibration(signal="fused/0", threshold=INFINITE), TERMS, "stale"),
        (calibration(), GateTerms(plugins="other", when_stale="floors"), "off"),
    ],
)
def test_the_state_follows_from_calibration_and_terms(
    made: Calibration | None, terms: GateTerms | None, state: GateState
) -> None:
    """R168, R169: any mismatch is stale, and only an explicit setting falls back to the floors."""
    assert gate_state(made, terms) == state
    assert state in get_args(GateState)


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (None, "calibration_missing"),
        (calibration(threshold=INFINITE, hint_threshold=INFINITE), "calibration_infinite"),
        (calibration(plugins="other"), "calibration_stale"),
        (calibration(threshold=0.6), "below_calibrated_threshold"),
        (calibration(threshold=0.7), "below_calibrated_threshold"),
    ],
)
def test_a_closed_gate_calls_no_model_and_says_why(made: Calibration | None, reason: str) -> None:
    """R160, R171, C14: the reason is recorded, and the record is kept."""
    log = KeptRefusals()
    given = ask(
        ASKED,
        search=lambda _: outcome(text_hit(score=0.6), calibration=made),
        writer=UntouchableWriter(),
        settings=AskSettings(ABOUT, gate=TERMS),
        log=log,
    )
    assert isinstance(given, Refused)
    assert (given.reason, given.layer) == (reason, "gate")
    assert log.kept[0][1]["gate"] == given.recorded["gate"]


@pytest.mark.parametrize(("score", "passes"), [(0.5, False), (0.500001, True), (0.9, True)])
def test_only_a_signal_strictly_above_the_threshold_passes(score: float, passes: bool) -> None:
    """R168."""
    hit = text_hit(score=score)
    verdict = weigh_gate(ASKED.query, outcome(hit, calibration=calibration()), (hit,), TERMS)
    assert (verdict.passing == (hit,)) == passes
    assert (verdict.reason is None) == passes


def test_the_floors_come_first() -> None:
    """R171: with a gate that lets everything pass, a floor still refuses by its own reason."""
    given = ask(
        ASKED,
        search=lambda _: outcome(
            text_hit(text="Nothing.", title="X"), calibration=calibration(threshold=-INFINITE)
        ),
        writer=UntouchableWriter(),
        settings=AskSettings(ABOUT, gate=TERMS),
    )
    assert isinstance(given, Refused)
    assert given.reason == "below_coverage_floor"


def test_the_margin_holds_beside_the_gate() -> None:
    """R167, R171."""
    found = outcome(text_hit(score=0.7), text_hit("mills", score=0.69), calibration=calibration())
    given = ask(
        ASKED,
        search=lambda _: found,
        writer=UntouchableWriter(),
        settings=AskSettings(ABOUT, min_margin=0.1, gate=TERMS),
    )
    assert isinstance(given, Refused)
    assert given.recorded["failed"] == ["margin"]


@pytest.mark.parametrize(
    ("hits", "left"),
    [
        ((text_hit(score=0.6), semantic_hit(score=0.4)), 1),
        ((text_hit(score=0.6), semantic_hit(score=0.45)), 2),
        ((text_hit(score=0.5), semantic_hit(score=0.45)), 1),
        ((text_hit(score=0.5), semantic_hit(score=0.4)), 0),
    ],
)
def test_hints_have_a_threshold_of_their_own(hits: tuple[EvidenceHit, ...], left: int) -> None:
    """R168, R170: a hint passes by its released score alone, and a record never by a hint's."""
    verdict = weigh_gate(ASKED.query, outcome(*hits, calibration=calibration()), hits, TERMS)
    assert len(verdict.passing) == left


def test_an_answer_carries_what_the_gate_went_by() -> None:
    """R164: shown where an explanation is asked for, and no part of the plain answer."""
    given = ask(
        ASKED,
        search=lambda _: outcome(text_hit(score=0.6), calibration=calibration()),
        writer=SayingWriter(said(FAIR)),
        settings=AskSettings(ABOUT, gate=TERMS),
    )
    assert isinstance(given, Answered)
    assert given.gate == GateFigures("fitted", 0.6, 0.5)
    assert "gate" not in given.as_json()


def test_a_gate_that_fell_back_to_the_floors_says_that_it_is_off() -> None:
    """R169: a response under hand floors must not look gated."""
    terms = GateTerms(plugins="other", when_stale="floors")
    given = ask(
        ASKED,
        search=lambda _: outcome(text_hit(score=0.6), calibration=calibration()),
        writer=SayingWriter(said(FAIR)),
        settings=AskSettings(ABOUT, gate=terms),
    )
    assert isinstance(given, Answered)
    assert given.gate == GateFigures("off")


def test_where_a_private_hit_decides_the_figures_are_coarse() -> None:
    """R122, R164: a released score and the threshold for hints; the fused signal stays inside."""
    found = outcome(semantic_hit(score=0.35), text_hit(score=0.3), calibration=calibration())
    verdict = weigh_gate(ASKED.query, found, found.hits, TERMS)
    assert verdict.figures == GateFigures("fitted", 0.35, 0.4)


def test_an_exact_private_signal_cannot_be_recorded() -> None:
    """R164: the record refuses it as it refuses an exact private score."""
    with pytest.raises(LeakRefused, match="released"):
        RefusalRecord(best_score=0.35, best_raw="private", gate=GateFigures("fitted", 0.337, 0.4))


def test_a_public_hint_goes_by_public_hints_alone() -> None:
    """R097: a private row that raises the threshold for hints hides nothing of public layers."""
    raised = calibration(hint_threshold=0.9, public_hint_threshold=0.3)
    private = semantic_hit(score=0.5)
    seen = replace(private.provenance, raw="public", score=0.35, breakdown=None)
    public = replace(private, provenance=seen)
    found = outcome(private, public, calibration=raised)
    verdict = weigh_gate(ASKED.query, found, found.hits, TERMS)
    assert verdict.passing == (public,)
    alone = outcome(public, calibration=raised)
    assert weigh_gate(ASKED.query, alone, alone.hits, TERMS).figures.threshold == 0.3


def test_infinite_figures_have_no_number() -> None:
    """R164: a record is JSON, which has no infinity."""
    found = outcome(semantic_hit(score=0.35), calibration=calibration(hint_threshold=-INFINITE))
    assert weigh_gate(ASKED.query, found, found.hits, TERMS).figures.threshold is None


def test_the_five_signals_are_made_before_any_floor() -> None:
    """R168: whatever the coverage floor makes of the hit they are taken from."""
    hit = text_hit(score=0.25, text="Mills.", title="X")
    made = signals_of("kites and string", outcome(hit, figures=figures()))
    assert made is not None
    assert made.top_score == 0.25
    shares = (made.coverage, made.lexical_score, made.lexical_margin)
    assert tuple(round(one or 0.0, 9) for one in shares) == (0.0, 0.75, 0.25)


def test_no_private_row_moves_a_signal() -> None:
    """R112, R168: with nothing quotable there is none, whatever stands behind a hint."""
    for raw, score in (("private", 0.9), ("public", 0.15)):
        found = outcome(best_score=score, best_raw=raw, best_cosine=score, figures=figures())
        assert signals_of("kites and string", found) is None


def test_coverage_weighs_rare_words_more() -> None:
    """R166, R168: holding the rare word of two counts for more than half of them."""
    hit = text_hit(text="Fog signals and much else.")
    counts = figures(document_frequencies={"fog": 1, "pian": 9})
    rare = signals_of("Fog? Piano?", outcome(hit, figures=counts))
    common = signals_of(
        "Fog? Piano?",
        outcome(hit, figures=figures(document_frequencies={"fog": 9, "pian": 1})),
    )
    assert rare is not None
    assert common is not None
    assert rare.coverage > 0.5 > common.coverage


def test_nothing_matched_is_below_every_threshold() -> None:
    """R168."""
    nothing = outcome()
    assert signals_of("Kites?", nothing) is None
    assert fused_signal(calibration().model, None) == NOTHING == hint_signal(nothing)


def test_a_signal_that_is_not_there_counts_as_its_mean() -> None:
    """R168: a search without figures moves the fused signal by what it has alone."""
    model = FusionModel((0.5, 9.0, 0.0, 9.0, 9.0), (0.5, 1.0, 1.0, 1.0, 1.0), (2.0,) * 5, 1.0)
    bare = signals_of("Kites?", outcome(text_hit(score=1.0, text="Mills.", title="X")))
    assert fused_signal(model, bare) == 1.0 + 2.0


@pytest.mark.parametrize(
    ("background", "distance"),
    [
        ({"background_deviation": 0.0}, None),
        ({"public_fragments": 9}, None),
        ({"background_deviation": 1e-6}, 10.0),
        ({"background_deviation": 1e-6, "background_mean": 0.9}, -10.0),
    ],
)
def test_a_distance_needs_a_background_and_is_bounded(
    background: dict[str, object], distance: float | None
) -> None:
    """Two fragments that are alike would put every question hundreds of deviations away."""
    made = signals_of("Kites?", outcome(text_hit(), figures=figures(**background)))
    assert made is not None
    assert made.top_distance == distance


def test_a_question_without_a_known_word_has_no_lexical_rank() -> None:
    made = signals_of("Kites?", outcome(text_hit(), figures=figures(lexical_most=0.0)))
    assert made is not None
    assert (made.lexical_score, made.lexical_margin) == (0.0, 0.0)


@pytest.mark.parametrize(
    "broken",
    [
        {"threshold": float("nan")},
        {"hint_threshold": float("nan")},
        {"alpha": 0.0},
        {"alpha": 1.0},
        {"near_misses": 41},
        {"source": "guess"},
        {"rule": "loose"},
    ],
)
def test_a_calibration_that_promises_nothing_is_refused(broken: dict[str, object]) -> None:
    with pytest.raises(MisauthoredInput):
        calibration(**broken)


def test_a_model_is_five_finite_weights_over_positive_deviations() -> None:
    with pytest.raises(MisauthoredInput):
        FusionModel((0.0,) * 4, (1.0,) * 5, (1.0,) * 5, 0.0)
    with pytest.raises(MisauthoredInput):
        FusionModel((0.0,) * 5, (0.0,) * 5, (1.0,) * 5, 0.0)
    with pytest.raises(MisauthoredInput):
        FusionModel((0.0,) * 5, (1.0,) * 5, (float("nan"),) * 5, 0.0)
