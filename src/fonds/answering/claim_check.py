"""Whether each sentence of an answer says no more than the passages it cites (R152).

The passages are read as they were shown to the writer.

One cited record has to carry a sentence: its names and quotations, its numbers and dates near the
words they belong to, its negations, and enough of its content words. A sentence on several records
may be carried clause by clause. What the words mean together is not judged (R150).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from fonds.answering.claim_clauses import FEW_WORDS, is_carried_in_parts
from fonds.answering.claim_dates import DateFact, date_facts, is_dated
from fonds.answering.claim_names import unsupported_names
from fonds.answering.claim_negation import agrees_on_negation, negations
from fonds.answering.claim_numbers import NumberFact, is_counted, number_facts
from fonds.answering.claim_order import is_exchanged
from fonds.answering.claim_quotes import is_quoted_from, quoted_runs
from fonds.answering.claim_source import ClaimSource, SourceSentence, claim_source, spelling
from fonds.answering.rejection import AnswerRejected
from fonds.answering.sentences import sentences_of
from fonds.contract.sealed import sealed
from fonds.words.scripts import HAN, HIRAGANA, KANA, pieces, readable_text
from fonds.words.units import Unit, all_units, meaningful_units

if TYPE_CHECKING:
    from fonds.contract.answer_evidence import AnswerEvidence, AnswerHint
    from fonds.contract.writer_reply import WrittenSentence
    from fonds.words.stop_words import Language

ClaimFault: TypeAlias = Literal[
    "link",
    "quotation",
    "name",
    "number",
    "date",
    "negation",
    "order",
    "content words",
    "pointer words",
]
CONTENT_FLOOR: Final = 0.75
"""Share of a sentence's distinct content words that one cited record has to hold."""
CHINESE_CONTENT_FLOOR: Final = 0.5
CONTEXT_FLOOR: Final = 0.34
"""Share of a sentence's content words to stand within one sentence of a figure it names."""
_MOST_TOGETHER: Final = 6
_LONGEST_CUT: Final = 1_200
"""Bounds on how many records, and how long a sentence, are tried part by part."""
_INFLECTION: Final = re.compile(f"[{HIRAGANA}]+")
_LINK: Final = re.compile(r"(?:https?://|www\.)[^\s)\]>\"”]+", re.IGNORECASE)


@sealed
@dataclass(frozen=True, slots=True)
class _Claim:
    """One sentence, or one clause of it, taken apart. `plain_keys` are no part of a figure;
    `figures` are the spans of its numbers and dates.
    """

    plain_keys: frozenset[str] = field(repr=False)
    numbers: tuple[NumberFact, ...] = field(repr=False)
    dates: tuple[DateFact, ...] = field(repr=False)
    figures: tuple[tuple[int, int], ...]


def check_claims(sentences: tuple[WrittenSentence, ...], evidence: AnswerEvidence) -> None:
    """Raises AnswerRejected("unsupported_claim") naming the sentence's position and the rule.

    Citations are grounded before. Depends on nothing but its arguments, in any script.
    """
    records = {record.record_id: record for record in evidence.records}
    hints = {hint.hint_id: hint for hint in evidence.hints}
    prepared: dict[str, ClaimSource] = {}
    for position, sentence in enumerate(sentences, 1):
        cited = [c.id for c in sentence.citations if c.kind == "record"]
        for record_id in cited:
            if record_id not in prepared:
                prepared[record_id] = claim_source(records[record_id])
        urls = {c.url for c in sentence.citations}
        if cited:
            fault = _fault(sentence.text, [prepared[record_id] for record_id in cited], urls)
        else:
            fault = _pointer_fault(sentence.text, [hints[c.id] for c in sentence.citations])
        if fault is not None:
            raise AnswerRejected("unsupported_claim", f"sentence {position}: {fault}")


def _fault(written: str, sources: list[ClaimSource], urls: set[str]) -> ClaimFault | None:
    text = readable_text(written)
    if any(link.rstrip(".,;") not in urls for link in _LINK.findall(text)):
        return "link"
    text = _LINK.sub(" ", text)
    for sentence in sentences_of(text):
        fault = _fault_of(sentence, sources)
        if fault is not None and not _is_carried_together(sentence, sources):
            return fault
    return None


def _fault_of(sentence: str, sources: list[ClaimSource]) -> ClaimFault | None:
    """None when one of the records carries the sentence, else what the last of them lacks."""
    fault: ClaimFault | None = None
    for source in sources:
        fault = _fault_in(sentence, source)
        if fault is None:
            return None
    return fault


def _is_carried_together(sentence: str, sources: list[ClaimSource]) -> bool:
    if not (2 <= len(sources) <= _MOST_TOGETHER and len(sentence) <= _LONGEST_CUT):
        return False
    return is_carried_in_parts(
        sentence,
        sources[0].language,
        lambda part: any(_carries_part(part, source) for source in sources),
    )


def _carries_part(part: str, source: ClaimSource) -> bool:
    """Its first and last words are the record's: a part may borrow neither end of another."""
    units = [u for u in meaningful_units(part, source.language) if not _INFLECTION.fullmatch(u.key)]
    ends = {units[0].key, units[-1].key} if units else set[str]()
    return _fault_in(part, source) is None and ends <= source.keys


def _fault_in(sentence: str, source: ClaimSource) -> ClaimFault | None:
    """What one record does not carry of a sentence; its own sentences need no proof."""
    whole = spelling(sentence)
    if any(whole == known.spelling for known in source.sentences):
        return None
    units = meaningful_units(sentence, source.language)
    claim = _claim(sentence, units, source.language)
    if not all(is_quoted_from(run, source.normalised) for run in quoted_runs(sentence)):
        return "quotation"
    if unsupported_names(sentence, source, claim.figures):
        return "name"
    fault = _figure_fault(claim, source)
    if fault is not None:
        return fault
    if not agrees_on_negation(units, negations(sentence, units, source.language), source):
        return "negation"
    if is_exchanged(sentence, source.order, source.language):
        return "order"
    if len(claim.plain_keys & source.keys) < _content_floor(sentence) * len(claim.plain_keys):
        return "content words"
    return None


def _content_floor(sentence: str) -> float:
    """Pairs of Chinese characters straddle words: leaving a word out makes other pairs."""
    is_chinese = not KANA.search(sentence) and re.search(f"[{HAN}]", sentence) is not None
    return CHINESE_CONTENT_FLOOR if is_chinese else CONTENT_FLOOR


def _claim(sentence: str, units: tuple[Unit, ...], language: Language | None) -> _Claim:
    dates = date_facts(sentence)
    numbers = number_facts(sentence, language, dates)
    spans = tuple((figure.start, figure.end) for figure in (*dates, *numbers))
    return _Claim(
        plain_keys=frozenset(
            unit.key
            for unit in units
            if not any(unit.start < end and start < unit.end for start, end in spans)
        ),
        numbers=numbers,
        dates=dates,
        figures=spans,
    )


def _figure_fault(claim: _Claim, source: ClaimSource) -> ClaimFault | None:
    places = _places(claim, source)
    for number in claim.numbers:
        if not any(_holds_number(number, place) for place in places):
            return "number"
    for date in claim.dates:
        known = tuple(other for s in (*source.sentences, source.header) for other in s.dates)
        here = any(_holds_date(date, place, known) for place in places)
        if not here:
            return "date"
    return None


def _places(claim: _Claim, source: ClaimSource) -> tuple[SourceSentence, ...]:
    """The source sentences a figure of the claim may come from, and the header of the record."""
    if len(claim.plain_keys) < FEW_WORDS:
        return (*source.sentences, source.header)
    near: list[SourceSentence] = []
    for position, sentence in enumerate(source.sentences):
        window = source.sentences[max(0, position - 1) : position + 2]
        keys = frozenset[str]().union(*(s.keys for s in window), source.header.keys)
        if len(claim.plain_keys & keys) / len(claim.plain_keys) >= CONTEXT_FLOOR:
            near.append(sentence)
    return (*near, source.header)


def _holds_number(number: NumberFact, place: SourceSentence) -> bool:
    years = {str(date.year) for date in place.dates if date.year is not None}
    return is_counted(number, place.numbers) or bool(number.readings & years)


def _holds_date(date: DateFact, place: SourceSentence, known: tuple[DateFact, ...]) -> bool:
    if is_dated(date, place.dates):
        return True
    if date.month is None and date.day is None:
        return any(str(date.year) in number.readings for number in place.numbers)
    # A day and month stand here, their year elsewhere in the record.
    dayless = DateFact(None, date.month, date.day, date.start, date.end)
    yearless = tuple(other for other in place.dates if other.year is None)
    return is_dated(dayless, yearless) and any(other.year == date.year for other in known)


def _pointer_fault(written: str, hints: list[AnswerHint]) -> ClaimFault | None:
    """A sentence that only points holds words of the hints' titles and labels, and nothing else."""
    text = readable_text(written)
    allowed_text = readable_text("\n".join(f"{hint.label}\n{hint.locator}" for hint in hints))
    allowed = all_units(allowed_text)
    if _LINK.search(text) and not all(
        link.rstrip(".,;") in {hint.url for hint in hints} for link in _LINK.findall(text)
    ):
        return "link"
    plain = _LINK.sub(" ", text)
    words = {unit.key for unit in meaningful_units(plain)}
    if not words <= allowed:
        return "pointer words"
    figures = {p.surface for p in pieces(plain) if any(c.isdecimal() for c in p.surface)}
    known = {p.surface for p in pieces(allowed_text)}
    if not figures <= known or (
        negations(plain, (), None) and not negations(allowed_text, (), None)
    ):
        return "pointer words"
    return None
