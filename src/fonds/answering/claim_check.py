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

from fonds.answering.claim_dates import DateFact, date_facts, is_dated
from fonds.answering.claim_names import unsupported_names
from fonds.answering.claim_negation import agrees_on_negation, negations
from fonds.answering.claim_numbers import NumberFact, is_counted, number_facts
from fonds.answering.claim_quotes import is_quoted_from, quoted_runs
from fonds.answering.claim_source import ClaimSource, SourceSentence, claim_source
from fonds.answering.rejection import AnswerRejected
from fonds.answering.sentences import sentences_of
from fonds.contract.normalised_text import normalised_text
from fonds.contract.sealed import sealed
from fonds.words.scripts import HAN, KANA, pieces, readable_text
from fonds.words.stop_words import stop_words_of
from fonds.words.units import Unit, all_units, meaningful_units

if TYPE_CHECKING:
    from fonds.contract.answer_evidence import AnswerEvidence, AnswerHint
    from fonds.contract.writer_reply import WrittenSentence
    from fonds.words.stop_words import Language

ClaimFault: TypeAlias = Literal[
    "link", "quotation", "name", "number", "date", "negation", "content words", "pointer words"
]
CONTENT_FLOOR: Final = 0.75
"""Share of a sentence's distinct content words that one cited record has to hold."""
CHINESE_CONTENT_FLOOR: Final = 0.5
CONTEXT_FLOOR: Final = 0.34
"""Share of a sentence's content words to stand within one sentence of a figure it names."""
_FEW_WORDS: Final = 3
_CLAUSE: Final = re.compile(
    r"[,;:()–—、，；：（）]|(?<!\w)(?:and|but|while|whereas|und|aber|während|et|mais|tandis que|y"
    r"|pero|e|ma|mas|en|maar|och|men|og|oraz|ale|и|а|но)(?!\w)"
)
_LINK: Final = re.compile(r"(?:https?://|www\.)[^\s)\]>\"”]+", re.IGNORECASE)


@sealed
@dataclass(frozen=True, slots=True)
class _Claim:
    """One sentence, or one clause of it, taken apart. `plain_keys` are no part of a figure;
    `figures` are the spans of its numbers and dates.
    """

    keys: frozenset[str] = field(repr=False)
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
        if fault is not None and not _is_carried_by_clauses(sentence, sources):
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


def _is_carried_by_clauses(sentence: str, sources: list[ClaimSource]) -> bool:
    clauses = _clauses(sentence, sources[0].language)
    if len(sources) < 2 or len(clauses) < 2:
        return False
    if not all(_names_its_subject(clause, sources[0].language) for clause in clauses):
        return False
    return all(any(_fault_in(clause, s) is None for s in sources) for clause in clauses)


def _clauses(sentence: str, language: Language | None) -> tuple[str, ...]:
    """Clauses of at least _FEW_WORDS content words; a shorter one stays with its neighbour."""
    clauses: list[str] = []
    start = 0
    for cut in _CLAUSE.finditer(sentence):
        if len(meaningful_units(sentence[start : cut.start()], language)) >= _FEW_WORDS:
            clauses.append(sentence[start : cut.start()])
            start = cut.end()
    rest = sentence[start:]
    if clauses and len(meaningful_units(rest, language)) < _FEW_WORDS:
        clauses[-1] += f", {rest}"
    else:
        clauses.append(rest)
    return tuple(clauses)


def _names_its_subject(clause: str, language: Language | None) -> bool:
    """Whether a clause can stand alone; one without a subject borrows that of another record.

    It starts with a small word, a capital or a figure, or, in Japanese, holds a subject's particle.
    """
    if KANA.search(clause):
        return re.search("[はがも]", clause) is not None
    words = pieces(clause)
    if not words:
        return False
    first = words[0].surface
    if first.lower() in stop_words_of(language) or not first[0].isalpha():
        return True
    return first[0].isupper() or first[0].lower() == first[0].upper()


def _fault_in(sentence: str, source: ClaimSource) -> ClaimFault | None:
    """What one record does not carry of a sentence; its own sentences need no proof."""
    whole = normalised_text(sentence)
    if any(whole == known.normalised for known in source.sentences):
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
    if not agrees_on_negation(claim.keys, negations(sentence, units, source.language), source):
        return "negation"
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
        keys=frozenset(unit.key for unit in units),
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
    if len(claim.plain_keys) < _FEW_WORDS:
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
