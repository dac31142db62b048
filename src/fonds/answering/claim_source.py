"""A cited record prepared for the claim check: the words shown, sentence by sentence (R152)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fonds.answering.claim_dates import DateFact, date_facts
from fonds.answering.claim_names import NOUN_CAPITALS, capital_share
from fonds.answering.claim_negation import Negation, negations
from fonds.answering.claim_numbers import NumberFact, number_facts
from fonds.answering.sentences import sentences_of
from fonds.contract.normalised_text import normalised_text
from fonds.contract.sealed import sealed
from fonds.words.folding import name_key
from fonds.words.scripts import pieces, readable_text
from fonds.words.stop_words import Language, language_of
from fonds.words.units import all_units, meaningful_units, words_of

if TYPE_CHECKING:
    from fonds.contract.answer_evidence import AnswerRecord


@sealed
@dataclass(frozen=True, slots=True)
class SourceSentence:
    """One sentence with the facts in it."""

    normalised: str = field(repr=False)
    keys: frozenset[str] = field(repr=False)
    numbers: tuple[NumberFact, ...] = field(repr=False)
    dates: tuple[DateFact, ...] = field(repr=False)
    negations: tuple[Negation, ...] = field(repr=False)


@sealed
@dataclass(frozen=True, slots=True)
class ClaimSource:
    """Everything of a record that a writer was shown, and nothing else."""

    text: str = field(repr=False)
    normalised: str = field(repr=False)
    language: Language | None
    keys: frozenset[str] = field(repr=False)
    names: frozenset[str] = field(repr=False)
    sentences: tuple[SourceSentence, ...] = field(repr=False)
    header: SourceSentence = field(repr=False)
    capitalises_nouns: bool = False


def claim_source(record: AnswerRecord) -> ClaimSource:
    """The record as the claim check reads it; title, date, summary and themes were shown too."""
    header = readable_text("\n\n".join([record.title, record.date or "", *record.themes]))
    body = readable_text("\n\n".join(part for part in (record.summary, record.body) if part))
    text = f"{header}\n\n{body}"
    language = language_of(words_of(pieces(body)))
    sentences = tuple(_sentence(sentence, language) for sentence in sentences_of(body))
    return ClaimSource(
        text=text,
        normalised=normalised_text(text),
        language=language,
        keys=all_units(text),
        names=frozenset(name_key(p.surface) for p in pieces(text) if p.script == "spaced"),
        sentences=sentences,
        header=_sentence(header, language),
        capitalises_nouns=capital_share(body) >= NOUN_CAPITALS,
    )


def _sentence(sentence: str, language: Language | None) -> SourceSentence:
    dates = date_facts(sentence)
    units = meaningful_units(sentence, language)
    return SourceSentence(
        normalised=normalised_text(sentence),
        keys=all_units(sentence),
        numbers=number_facts(sentence, language, dates),
        dates=dates,
        negations=negations(sentence, units, language),
    )
