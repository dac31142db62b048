"""How well one sentence of a passage meets a question, however that is worded (R172)."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fonds.answering.claim_negation import denied_words, negations
from fonds.answering.coverage import meaningful_words
from fonds.answering.evidence import CUT_MARK
from fonds.answering.sentences import sentences_of
from fonds.contract.sealed import sealed
from fonds.words.folding import name_key
from fonds.words.scripts import pieces, readable_text
from fonds.words.stop_words import stop_words_of
from fonds.words.units import all_units

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fonds.contract.answer_evidence import AnswerRecord


@sealed
@dataclass(frozen=True, slots=True)
class PassageSentence:
    """A whole sentence of a record and its words; `frame` holds those of the title."""

    record_id: str
    record_rank: int
    position: int
    text: str = field(repr=False)
    words: frozenset[str] = field(repr=False)
    frame: frozenset[str] = field(repr=False)


@sealed
@dataclass(frozen=True, slots=True)
class QuestionSignals:
    """What is compared of a question: weighted words, names and figures, negation."""

    weights: tuple[tuple[str, float], ...] = field(repr=False)
    names: frozenset[str] = field(repr=False)
    is_negated: bool


@sealed
@dataclass(frozen=True, slots=True)
class SentenceSignals:
    """Shares in 0..1. `missing` counts names and figures of the question that the record lacks;
    `cosine` is None without an embedder."""

    coverage: float
    missing: float
    negation_differs: bool
    cosine: float | None = None


def passage_sentences(record: AnswerRecord, rank: int) -> tuple[PassageSentence, ...]:
    """Every whole sentence of the body, in order; not the one a cut went through."""
    frame = all_units("\n".join([record.title, *record.themes]))
    whole = sentences_of(record.body.removesuffix(CUT_MARK))
    if record.body.endswith(CUT_MARK):
        whole = whole[:-1]
    return tuple(
        PassageSentence(record.record_id, rank, position, sentence, all_units(sentence), frame)
        for position, sentence in enumerate(whole)
    )


def question_signals(
    question: str, sentences: Sequence[PassageSentence], author: str
) -> QuestionSignals:
    """Weights are inverse frequencies among the sentences: a word in all of them tells little.

    A word in none of them weighs as little: the passage floors judged it, and another word for the
    same thing must not outweigh the words that are there.
    """
    words = meaningful_words(question, author=author)
    frequency = Counter(word for s in sentences for word in words & (s.words | s.frame))
    total = len(sentences)
    weights = {
        word: math.log(1 + (total + 1) / ((frequency[word] or total) + 0.5)) for word in words
    }
    readable = readable_text(question)
    return QuestionSignals(
        weights=tuple(sorted(weights.items())),
        names=_names_and_figures(readable) - _name_keys(author),
        is_negated=bool(negations(readable, (), None)),
    )


def covered_share(question: QuestionSignals, sentence: PassageSentence) -> float:
    """The weighted share of the question's words that a sentence and its title hold."""
    total = sum(weight for _, weight in question.weights)
    held = sentence.words | sentence.frame
    covered = sum(weight for word, weight in question.weights if word in held)
    return covered / total if total else 0.0


def sentence_signals(
    question: QuestionSignals,
    sentence: PassageSentence,
    record_words: frozenset[str],
    cosine: float | None,
) -> SentenceSignals:
    """The signals of one sentence. A name counts as present where its record names it anywhere."""
    missing = question.names - record_words
    return SentenceSignals(
        coverage=covered_share(question, sentence),
        missing=len(missing) / len(question.names) if question.names else 0.0,
        negation_differs=_negation_differs(question, readable_text(sentence.text)),
        cosine=cosine,
    )


def _negation_differs(question: QuestionSignals, text: str) -> bool:
    """Whether a plain question meets a sentence that denies words of it, or a negated question one
    without negation. Words that stand there as asked are denied by none of its clauses.
    """
    if question.is_negated:
        return not negations(text, (), None)
    denied = denied_words(text)
    return any(word in denied for word, _ in question.weights)


def named_words(record: AnswerRecord) -> frozenset[str]:
    """Every word of a record as names and figures are compared."""
    shown = "\n".join(
        [record.title, record.date or "", record.summary, *record.themes, record.body]
    )
    return _name_keys(readable_text(shown)) | all_units(shown)


def _names_and_figures(question: str) -> frozenset[str]:
    """Words with a digit, and words with a capital that do not start the question."""
    found: set[str] = set()
    stops = stop_words_of("en")
    for position, piece in enumerate(pieces(question)):
        if piece.script == "katakana" and len(piece.surface) > 1:
            found |= {piece.surface[i : i + 2] for i in range(len(piece.surface) - 1)}
        if piece.script != "spaced":
            continue
        has_digit = any(character.isdecimal() for character in piece.surface)
        is_capital = piece.surface[0].isupper() and position > 0
        if has_digit or (is_capital and piece.surface.lower() not in stops):
            found.add(name_key(piece.surface))
    return frozenset(found)


def _name_keys(text: str) -> frozenset[str]:
    return frozenset(name_key(p.surface) for p in pieces(text) if p.script == "spaced")
