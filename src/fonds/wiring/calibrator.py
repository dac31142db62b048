"""Calibrates the gate of a build: which questions, how they are embedded, where it is kept (R169).

The one place that knows both the calibration run and the database.
"""

from __future__ import annotations

import hashlib
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields

from fonds.answering.gate import GateTerms, gate_state
from fonds.archive_config import ArchiveConfig
from fonds.contract.calibration import CalibrationSource
from fonds.contract.calibration_question import CalibrationQuestion
from fonds.contract.calibration_store import CalibrationStore
from fonds.contract.failures import Misconfigured
from fonds.contract.ports import Embedder, Vector
from fonds.contract.search_request import SearchRequest
from fonds.evaluation.calibrating import (
    CalibrationTerms,
    Look,
    calibrated,
    questions_hash,
)
from fonds.evaluation.calibration_file import check_disjoint, question_bank, read_calibration
from fonds.evaluation.gate_report import calibration_json
from fonds.retrieval.retrieval_settings import RetrievalSettings
from fonds.retrieval.search import searched_by_vector
from fonds.wiring.outcome import outcome_of
from fonds.wiring.watching import suite_of


@dataclass(frozen=True, slots=True)
class Calibrator:
    """One archive's calibration, as the build role."""

    config: ArchiveConfig
    store: CalibrationStore
    embedder: Embedder
    retrieval: RetrievalSettings

    def keep_fitted(self, build_id: int) -> Mapping[str, object]:
        """Fits the build unless its calibration is for these questions, terms and plugins; what a
        report says of it. With the gate disabled nothing is asked.
        """
        terms = gate_terms(self.config, self.retrieval)
        if terms is None:
            return {"state": "off"}
        source, questions = self._questions()
        kept = self.store.build(build_id).calibration
        wanted = (questions_hash(questions), self.embedder.space.space_id)
        if (
            kept is not None
            and (kept.questions, kept.space_id) == wanted
            and gate_state(kept, terms) in ("provisional", "fitted", "infinite")
        ):
            return calibration_json(gate_state(kept, terms), kept)
        return self._fit(build_id, source, questions, terms)

    def fit(self, build_id: int) -> Mapping[str, object]:
        """Reads the questions anew and fits the build to them; without a file of its own an
        archive goes back to the bundled bank. Raises Misconfigured with the gate disabled.
        """
        terms = gate_terms(self.config, self.retrieval)
        if terms is None:
            raise Misconfigured("the gate is off: set enabled under [gate] in the archive file")
        if self.config.calibration is None:
            self.store.replace_questions("bank", self._bank())
        source, questions = self._questions()
        return self._fit(build_id, source, questions, terms)

    @contextmanager
    def looking(self, build_id: int, questions: Sequence[CalibrationQuestion]) -> Generator[Look]:
        """A search of one build for each of these questions; what lacks a vector is embedded."""
        vectors = self._vectors(questions)
        space = self.embedder.space
        with self.store.as_if_live(build_id) as served:
            yield lambda one: outcome_of(
                searched_by_vector(
                    SearchRequest(one.question), vectors[one.key], space, served, self.retrieval
                )
            )

    def terms(self, gate: GateTerms, source: CalibrationSource) -> CalibrationTerms:
        return CalibrationTerms(gate, source, self.embedder.space.space_id, self.config.author)

    def _fit(
        self,
        build_id: int,
        source: CalibrationSource,
        questions: Sequence[CalibrationQuestion],
        terms: GateTerms,
    ) -> Mapping[str, object]:
        before = {one.question.key for one in self.store.questions() if one.passed is False}
        with self.looking(build_id, questions) as look:
            done = calibrated(questions, look, self.terms(terms, source))
        self.store.write_calibration(build_id, done.calibration, done.passed)
        # Of the author's own questions: what a bundled one passes, no file of theirs answers.
        rose = sorted(
            one.name
            for one in questions
            if source == "own" and one.kind != "answerable" and one.key in before & done.passed
        )
        state = gate_state(done.calibration, terms)
        return calibration_json(state, done.calibration) | {"rose": rose}

    def _questions(self) -> tuple[CalibrationSource, Sequence[CalibrationQuestion]]:
        """The archive's own, from its file or as stored from it; else the bundled bank."""
        file = self.config.calibration
        stored = [one.question for one in self.store.questions() if one.source == "own"]
        if file is not None and (file.exists() or not stored):
            own = read_calibration(file, author=self.config.author)
            check_disjoint(own, self._gold(), "gold case")
            self.store.replace_questions("own", own)
            return "own", own
        if stored:
            return "own", stored
        bank = self._bank()
        self.store.replace_questions("bank", bank)
        return "bank", bank

    def _bank(self) -> Sequence[CalibrationQuestion]:
        """Without what the archive's own suite asks."""
        gold = {CalibrationQuestion("gold", asked, "answerable").key for _, asked in self._gold()}
        return [one for one in question_bank() if one.key not in gold]

    def _gold(self) -> list[tuple[str, str]]:
        suite = suite_of(self.config)
        return [] if suite is None else [(case.case_id, case.query) for case in suite.cases]

    def _vectors(self, questions: Sequence[CalibrationQuestion]) -> Mapping[str, Vector]:
        space = self.embedder.space
        kept = dict(self.store.vectors(space))
        lacking = {one.key: one.question for one in questions if one.key not in kept}
        made = {key: self.embedder.embed_query(asked) for key, asked in lacking.items()}
        stored = {one.question.key for one in self.store.questions()}
        if made:
            self.store.write_vectors(space, {key: made[key] for key in made.keys() & stored})
        return kept | made


def gate_terms(config: ArchiveConfig, retrieval: RetrievalSettings) -> GateTerms | None:
    """What the archive file asks of the gate; None when it turns it off (R171)."""
    wanted = config.gate
    if not wanted.enabled:
        return None
    return GateTerms(wanted.alpha, wanted.rule, plugin_set(retrieval), wanted.when_stale)


def plugin_set(retrieval: RetrievalSettings) -> str:
    """16 hex digits over everything that scores and rearranges hits; the day of asking apart."""
    parts: list[str] = []
    for field in fields(retrieval):
        value: object = getattr(retrieval, field.name)
        if field.name == "others":
            value = [(one.name, one.max_boost) for one in retrieval.others]
        elif field.name == "passes":
            value = [one.name for one in retrieval.passes]
        elif callable(value):
            continue
        parts.append(f"{field.name}={value!r}")
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
