"""How much of what a writer can get wrong is seen, and how often too much is seen (R152)."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from fonds.answering.claim_check import check_claims
from fonds.answering.rejection import AnswerRejected
from fonds.contract.answer_evidence import AnswerEvidence, AnswerRecord
from fonds.contract.citation import Citation
from fonds.contract.writer_reply import WrittenSentence
from tests.answering.claim_texts import ANSWERS, NAMES, NEGATIONS, PASSAGES

Sentences = tuple[tuple[str, tuple[str, ...]], ...]
EVIDENCE = AnswerEvidence(
    tuple(
        AnswerRecord(key, "essay", key, f"Essay {key}", f"https://example.org/{key}/", body)
        for key, body in PASSAGES.items()
    )
)
MONTHS = {
    "April": "October",
    "March": "August",
    "September": "February",
    "June": "January",
    "November": "May",
    "Juni": "Januar",
    "4月": "8月",
    "9月": "2月",
}


def is_caught(sentences: Sentences) -> bool:
    written = tuple(
        WrittenSentence(
            text, tuple(Citation("record", key, f"https://example.org/{key}/") for key in keys)
        )
        for text, keys in sentences
    )
    try:
        check_claims(written, EVIDENCE)
    except AnswerRejected as rejected:
        return rejected.reason == "unsupported_claim"
    return False


def replaced(sentences: Sentences, at: int, text: str) -> Sentences:
    return (*sentences[:at], (text, sentences[at][1]), *sentences[at + 1 :])


def with_another_number(sentences: Sentences) -> Iterator[Sentences]:
    for at, (text, _) in enumerate(sentences):
        for figure in re.finditer(
            r"(?<!\d)\d{1,3}(?![\d年月日.]| (?:March|June|September|Juni))", text
        ):
            for changed in (str(int(figure.group()) + 1), figure.group() + "0"):
                yield replaced(
                    sentences, at, text[: figure.start()] + changed + text[figure.end() :]
                )
        for word, other in (
            ("eleven", "twelve"),
            ("three", "five"),
            ("十一人", "十四人"),
            ("三人", "六人"),
        ):
            if word in text:
                yield replaced(sentences, at, text.replace(word, other))


def with_another_name(sentences: Sentences) -> Iterator[Sentences]:
    for at, (text, _) in enumerate(sentences):
        for name, other in NAMES.items():
            if name in text:
                yield replaced(sentences, at, text.replace(name, other))


def with_another_date(sentences: Sentences) -> Iterator[Sentences]:
    for at, (text, _) in enumerate(sentences):
        for year in re.finditer(r"(?<!\d)\d{4}(?!\d)", text):
            for changed in (
                str(int(year.group()) + 3),
                "1" + year.group()[1] + "1" + year.group()[3],
            ):
                if changed != year.group():
                    yield replaced(
                        sentences, at, text[: year.start()] + changed + text[year.end() :]
                    )
        for month, other in MONTHS.items():
            if month in text:
                yield replaced(sentences, at, text.replace(month, other))
        for day in re.finditer(r"(?<!\d)(\d{1,2})(?=日|\.? (?:March|June|September|Juni))", text):
            yield replaced(
                sentences, at, f"{text[: day.start()]}{int(day[1]) + 2}{text[day.end() :]}"
            )


def without_negation(sentences: Sentences) -> Iterator[Sentences]:
    for at, (text, _) in enumerate(sentences):
        for negated, plain in NEGATIONS:
            if negated in text:
                yield replaced(sentences, at, text.replace(negated, plain))


def with_swapped_citations(sentences: Sentences) -> Iterator[Sentences]:
    (first, first_keys), (second, second_keys) = sentences
    if not set(first_keys) & set(second_keys):
        yield ((first, second_keys), (second, first_keys))


def spliced(sentences: Sentences) -> Iterator[Sentences]:
    """The beginning of one sentence with the end of the other, citing one passage or both."""
    (first, first_keys), (second, second_keys) = sentences
    if set(first_keys) & set(second_keys):
        return
    joint = "" if re.search("[ぁ-ん]", first) else " "
    heads, tails = _halves(first), _halves(second)
    text = heads[0] + joint + tails[1]
    for keys in (first_keys, second_keys, (*first_keys, *second_keys)):
        yield ((text, keys),)


def _halves(text: str) -> tuple[str, str]:
    if re.search("[ぁ-ん]", text):
        cuts = [m.end() for m in re.finditer("[はがをに、]", text)]
        cut = min(cuts, key=lambda end: abs(end - len(text) // 2))
        return text[:cut], text[cut:]
    words = text.split()
    middle = len(words) // 2
    return " ".join(words[:middle]), " ".join(words[middle:])


CLASSES = {
    "number": with_another_number,
    "name": with_another_name,
    "date": with_another_date,
    "negation": without_negation,
    "swapped citations": with_swapped_citations,
    "spliced passages": spliced,
}


def mutations(kind: str) -> list[Sentences]:
    return [changed for answer in ANSWERS for changed in CLASSES[kind](answer.sentences)]


def test_a_fair_answer_is_not_refused() -> None:
    """R152: at most 2% false alarms on answers that restate their passages."""
    alarms = [a.sentences for a in ANSWERS if is_caught(a.sentences)]
    assert len(alarms) <= 0.02 * len(ANSWERS), alarms


def test_a_sentence_of_a_passage_is_never_refused() -> None:
    """R152: quoting a passage whole is always supported."""
    for key, body in PASSAGES.items():
        assert not is_caught(((body, (key,)),))


@pytest.mark.parametrize("kind", CLASSES)
def test_a_changed_answer_is_refused(kind: str) -> None:
    """R152: each class of change is caught nineteen times in twenty."""
    changed = mutations(kind)
    missed = [sentences for sentences in changed if not is_caught(sentences)]
    assert len(changed) >= 10
    assert len(missed) <= 0.05 * len(changed), missed


def test_changes_are_refused_as_a_whole() -> None:
    """R152: at least 95% of all changed answers are caught."""
    changed = [sentences for kind in CLASSES for sentences in mutations(kind)]
    caught = sum(is_caught(sentences) for sentences in changed)
    assert len(changed) >= 200
    assert caught >= 0.95 * len(changed)
