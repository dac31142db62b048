"""What `fonds gate` does, over one opened archive (R168-R170, R196)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from fonds.answering.gate import GateState, GateTerms, gate_state
from fonds.contract.calibration import Calibration, GatePrice
from fonds.contract.calibration_question import CalibrationQuestion
from fonds.contract.failures import Misconfigured
from fonds.evaluation.calibrating import price_set, priced
from fonds.evaluation.calibration_file import check_disjoint, read_calibration
from fonds.wiring.calibrator import gate_terms
from fonds.wiring.evaluating import archive_suite
from fonds.wiring.house import House

NO_PRICE = (
    "no held-out answerable question: a price is counted on questions that have an answer; add some"
    " to [evaluation] calibration, or name a file of them"
)


@dataclass(frozen=True, slots=True)
class GateDesk:
    """The gate of the live build; `fit` and `measure` run one at a time with builds."""

    house: House

    def fit(self) -> Mapping[str, object]:
        """Reads the questions and calibrates the live build on them; what a report says of it."""
        with self.house.building():
            return self.house.calibrator.fit(self.house.live_build().build_id)

    def measure(self, file: Path | None = None) -> GatePrice:
        """The price on the questions the calibration left for it, or on those of a file, none of
        which may be a calibration question or a gold case. It is stored with the calibration.

        Raises Misconfigured where there is no calibration, no answerable question or an overlap.
        """
        calibrator, terms = self.house.calibrator, self._terms()
        with self.house.building():
            live = self.house.live_build().build_id
            calibration = calibrator.store.build(live).calibration
            if calibration is None or gate_state(calibration, terms) == "stale":
                raise Misconfigured("no calibration to measure: run fonds gate fit")
            stored = [one.question for one in calibrator.store.questions()]
            asked = price_set(stored, terms) if file is None else self._held_out(file, stored)
            made_under = calibrator.terms(terms, calibration.source)
            with calibrator.looking(live, asked) as look:
                price = priced(asked, look, calibration, made_under)
            if price is not None:
                calibrator.store.write_price(live, price)
                return price
        raise Misconfigured(NO_PRICE)

    def shown(self) -> tuple[GateState, Calibration | None]:
        """How the gate of the live build stands, as a reader meets it; NothingServed without."""
        calibration = self.house.live_build().calibration
        terms = gate_terms(self.house.config, self.house.retrieval)
        return gate_state(calibration, terms), calibration

    def _held_out(
        self, file: Path, stored: list[CalibrationQuestion]
    ) -> tuple[CalibrationQuestion, ...]:
        questions = read_calibration(file, author=self.house.config.author)
        check_disjoint(questions, ((one.name, one.question) for one in stored), "calibration")
        if self.house.config.gold is not None:
            gold = ((one.case_id, one.query) for one in archive_suite(self.house).cases)
            check_disjoint(questions, gold, "gold case")
        return questions

    def _terms(self) -> GateTerms:
        terms = gate_terms(self.house.config, self.house.retrieval)
        if terms is None:
            raise Misconfigured("the gate is off: set enabled under [gate] in the archive file")
        return terms
