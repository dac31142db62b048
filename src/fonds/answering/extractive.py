"""The writer that needs no key: it quotes whole sentences of the passages it was given (R172)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from fonds.answering.sentence_signals import (
    PassageSentence,
    SentenceSignals,
    covered_share,
    named_words,
    passage_sentences,
    question_signals,
    sentence_signals,
)
from fonds.contract.citation import Citation
from fonds.contract.failures import ProviderMisbehaved, ProviderUnavailable
from fonds.contract.sealed import sealed
from fonds.contract.writer_reply import NotWritten, WriterReply, Written, WrittenSentence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fonds.contract.answer_evidence import AnswerEvidence, AnswerHint, AnswerRecord
    from fonds.contract.ports import Embedder
    from fonds.contract.writer_reply import WriterTask

MAX_SENTENCES: Final = 3  # R172
MAX_WEIGHED: Final = 24
"""Sentences looked at closely, best covered first; a cosine costs some 15 ms in the local space."""
SENTENCE_COVERAGE: Final = 0.34
"""Weighted share of the question's words that a sentence and its title have to hold."""
SENTENCE_FLOOR: Final = 0.5
"""Floor of the combined signal. What `python -m eval.benchmarks.answerability` counts of this
writer behind floors and gate is in docs/evaluation.md. Near-misses need a writer that reads."""
LEXICAL_FLOOR: Final = 0.55
"""The same without an embedder, where the signal is coverage."""
FULL_COSINE: Final = 5.0
"""A cosine of so many times the space's floor counts in full: at .2 only the same words do."""
COSINE_WEIGHT: Final = 0.6
"""What a sentence means counts for more than the words it shares, which is the rest. At .8 fewer
near-misses are answered, and two cases of the example's suite are not."""
NEAR_BEST: Final = 0.85
"""A further sentence is quoted only at this share of the best one's signal."""
_LEAST_FULL: Final = 0.2  # a space whose floor is 0 still has a scale
MISSING_WEIGHT: Final = 0.5
NEGATION_WEIGHT: Final = 0.25


@sealed
@dataclass(frozen=True, slots=True)
class WeighedSentence:
    """A sentence with the one number that decides whether it is quoted."""

    sentence: PassageSentence
    signal: float


@dataclass(frozen=True, slots=True)
class ExtractiveWriter:
    """An AnswerWriter that invents nothing: each sentence stands in a record, and cites it.

    With an embedder, a sentence's cosine to the question is one of its signals; an embedder that is
    out of reach makes the reply NotWritten. `author` is the archive's author, whose name says
    nothing about which passage is meant.
    """

    author: str = ""
    embedder: Embedder | None = field(default=None, repr=False)

    @property
    def name(self) -> str:
        return "extractive"

    def write(self, task: WriterTask) -> WriterReply:
        evidence = task.evidence
        if not evidence.records:
            return _routed(evidence.hints)
        try:
            chosen = self._chosen(task.question, evidence.records)
        except (ProviderUnavailable, ProviderMisbehaved) as failure:
            return NotWritten("model_unavailable", type(failure).__name__)
        if not chosen:
            return Written("not-found", ())
        return _quoted(chosen, evidence)

    def _chosen(
        self, question: str, records: tuple[AnswerRecord, ...]
    ) -> tuple[WeighedSentence, ...]:
        floor = LEXICAL_FLOOR if self.embedder is None else SENTENCE_FLOOR
        return _best(self.weighed(question, records), floor)

    def weighed(self, question: str, records: tuple[AnswerRecord, ...]) -> list[WeighedSentence]:
        """The sentences looked at closely with their signals, above any floor or below it."""
        sentences = [
            sentence
            for rank, record in enumerate(records)
            for sentence in passage_sentences(record, rank)
        ]
        asked = question_signals(question, sentences, self.author)
        covered = [s for s in sentences if covered_share(asked, s) >= SENTENCE_COVERAGE]
        covered.sort(key=lambda s: (-covered_share(asked, s), s.record_rank, s.position))
        near = covered[:MAX_WEIGHED]
        cosines = self._cosines(question, near)
        named = {records[s.record_rank].record_id: records[s.record_rank] for s in near}
        words = {record_id: named_words(record) for record_id, record in named.items()}
        floor = self._cosine_floor
        return [
            WeighedSentence(
                s, combined_signal(sentence_signals(asked, s, words[s.record_id], c), floor)
            )
            for s, c in zip(near, cosines, strict=True)
        ]

    @property
    def _cosine_floor(self) -> float:
        return self.embedder.space.default_floor if self.embedder is not None else 0.0

    def _cosines(
        self, question: str, sentences: Sequence[PassageSentence]
    ) -> Sequence[float | None]:
        if self.embedder is None or not sentences:
            return [None] * len(sentences)
        asked = self.embedder.embed_query(question)
        outcome = self.embedder.embed_passages([sentence.text for sentence in sentences])
        return [_cosine(asked, vector) if vector else 0.0 for vector in outcome.vectors]


def combined_signal(signals: SentenceSignals, cosine_floor: float) -> float:
    """One number for a sentence; 0 when a floor of a single signal is missed."""
    if signals.coverage < SENTENCE_COVERAGE or signals.missing >= 1.0:
        return 0.0
    if signals.cosine is None:
        base = signals.coverage
    elif signals.cosine < cosine_floor:
        return 0.0
    else:
        full = max(FULL_COSINE * cosine_floor, _LEAST_FULL)
        near = min(1.0, signals.cosine / full)
        base = COSINE_WEIGHT * near + (1 - COSINE_WEIGHT) * signals.coverage
    return base - MISSING_WEIGHT * signals.missing - NEGATION_WEIGHT * signals.negation_differs


def _best(scored: list[WeighedSentence], floor: float) -> tuple[WeighedSentence, ...]:
    """At most MAX_SENTENCES above the floor and near the best, in the order they are read."""
    ranked = sorted(
        (one for one in scored if one.signal >= floor),
        key=lambda one: (-one.signal, one.sentence.record_rank, one.sentence.position),
    )
    kept: dict[str, WeighedSentence] = {}
    for one in ranked:
        if one.signal >= NEAR_BEST * ranked[0].signal:
            kept.setdefault(one.sentence.text, one)
    nearest = list(kept.values())[:MAX_SENTENCES]
    return tuple(sorted(nearest, key=lambda o: (o.sentence.record_rank, o.sentence.position)))


def _quoted(chosen: tuple[WeighedSentence, ...], evidence: AnswerEvidence) -> Written:
    urls = {record.record_id: record.url for record in evidence.records}
    sentences = [
        WrittenSentence(
            one.sentence.text,
            (Citation("record", one.sentence.record_id, urls[one.sentence.record_id]),),
        )
        for one in chosen
    ]
    best = max(record.score for record in evidence.records)
    beside = [hint for hint in evidence.hints if hint.score >= best]
    sentences += [_pointer(hint) for hint in beside]
    return Written("supported" if beside else "partial", tuple(sentences))


def _routed(hints: tuple[AnswerHint, ...]) -> Written:
    if not hints:
        return Written("not-found", ())
    return Written("related-material", tuple(_pointer(hint, text="") for hint in hints))


def _pointer(hint: AnswerHint, text: str | None = None) -> WrittenSentence:
    """A sentence of nothing but a hint's title and label (R152)."""
    words = f"{hint.label} ({hint.locator})." if text is None else text
    return WrittenSentence(words, (Citation("hint", hint.hint_id, hint.url),))


def _cosine(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    lengths = sum(a * a for a in one) * sum(b * b for b in other)
    dot = sum(a * b for a, b in zip(one, other, strict=True))
    return dot / lengths**0.5 if lengths > 0 else 0.0
