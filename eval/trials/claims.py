"""What the claim check sees of answers made wrong, and refuses of right ones; prints no words.

    python -m eval.trials.claims --qa DIR [--set clapnq --set jaquad] [--most 300] [--alarms]

DIR holds NAME.docs.jsonl (id, title, text) and NAME.questions.jsonl (question, answerable, answers,
gold). Where answers are sentences they are taken as given, each against its own passage; where they
are spans, the answer is the sentence of the passage that holds the span, as it stands and said
otherwise (`claim_rewording`). Each answer that passes is made wrong in every way of
`claim_mutations`, with a citation to another passage, and spliced with another answer.

Passages are dealt in two halves by their id: `tuned`, on which the check's constants were chosen,
and `held`, which is only measured. Every rate has its count and a 95% Wilson interval.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from eval.questions import Row, rows, spaced
from eval.trials.claim_mutations import MUTATIONS, chosen, spliced
from eval.trials.claim_rewording import joined, reworded
from fonds.answering.claim_check import check_claims
from fonds.answering.rejection import AnswerRejected
from fonds.answering.sentences import sentences_of
from fonds.contract.answer_evidence import AnswerEvidence, AnswerRecord
from fonds.contract.citation import Citation
from fonds.contract.writer_reply import WrittenSentence

SETS: Final = ("clapnq", "squad2", "xquad", "fairytale", "jaquad")
FEWEST_WORDS: Final = 6
FEWEST_JAPANESE: Final = 15
GIVEN_WORDS: Final = 12
"""From so many words in its middle answer on, a set's answers are sentences and taken as given."""
_Z: Final = 1.96


@dataclass(frozen=True, slots=True)
class RightAnswer:
    """A text, the passage that says so, and another passage beside it."""

    text: str = field(repr=False)
    passage: Row = field(repr=False)
    beside: Row = field(repr=False)
    kind: str
    name: str

    @property
    def half(self) -> str:
        return "held" if chosen(str(self.passage["title"])) % 2 else "tuned"


def main() -> None:
    """One JSON object, a key a set."""
    options = _options()
    found = {
        name: measured(right_answers(options.qa, name, options.most), show=options.alarms)
        for name in options.set or SETS
    }
    sys.stdout.write(json.dumps(found, indent=2) + "\n")


def right_answers(folder: Path, name: str, most: int) -> list[RightAnswer]:
    """Answers of at most `most` questions, spread over the file."""
    passages = rows(folder / f"{name}.docs.jsonl")
    places = {row["id"]: at for at, row in enumerate(passages)}
    asked = [
        row
        for row in rows(folder / f"{name}.questions.jsonl")
        if row["answerable"] and row["gold"] and row.get("lang", "en") == "en"
    ]
    lengths = sorted(len(row["answers"][0].split()) for row in asked)
    given = lengths[len(lengths) // 2] >= GIVEN_WORDS
    found: list[RightAnswer] = []
    seen: set[tuple[str, str]] = set()
    for row in spaced(asked, most):
        at = places[row["gold"][0]]
        beside = passages[at + 1 if at + 1 < len(passages) else 0]
        for kind, text in _texts(row, passages[at], given=given):
            if (text, row["gold"][0]) not in seen:
                seen.add((text, row["gold"][0]))
                found.append(RightAnswer(text, passages[at], beside, kind, f"{row['id']} {kind}"))
    return found


def _texts(row: Row, passage: Row, *, given: bool) -> Iterator[tuple[str, str]]:
    if given:
        yield from (("given", text) for text in row["answers"] if _is_sentence(text))
        return
    for sentence in sentences_of(passage["text"]):
        if row["answers"][0] in sentence and _is_sentence(sentence):
            yield "verbatim", sentence
            other = reworded(sentence)
            if other != sentence and _is_sentence(other):
                yield "reworded", other
            return


def measured(answers: list[RightAnswer], *, show: bool) -> Row:
    """Rates of one set, a half at a time."""
    alarms: dict[tuple[str, str], Counter[bool]] = defaultdict(Counter)
    classes: Counter[str] = Counter()
    named: list[str] = []
    passing: list[RightAnswer] = []
    for answer in answers:
        fault = _fault(answer.text, answer.passage)
        alarms[answer.half, answer.kind][fault is not None] += 1
        if fault is None:
            passing.append(answer)
        else:
            classes[f"{answer.half}: {fault}"] += 1
            named.append(f"{answer.half} {answer.name}: {fault}")
    for answer, fault in _joined(passing):
        alarms[answer.half, "joined"][fault is not None] += 1
        classes[f"{answer.half}: joined: {fault}"] += fault is not None
    caught = _caught(passing)
    found: Row = {
        "falseAlarms": {
            f"{half} {kind}": rate(c.elements()) for (half, kind), c in sorted(alarms.items())
        },
        "alarmClasses": dict(classes.most_common()),
        "caught": {
            f"{half} {kind}": rate(c.elements()) for (half, kind), c in sorted(caught.items())
        },
    }
    if show:
        found["alarms"] = named
    return found


def _joined(answers: list[RightAnswer]) -> Iterator[tuple[RightAnswer, str | None]]:
    """Two right answers of one sentence each, said as one sentence that cites both passages."""
    for answer, other in _pairs(answers):
        text = joined(answer.text, other.text)
        if (
            text is not None
            and len(sentences_of(answer.text)) == len(sentences_of(other.text)) == 1
        ):
            yield answer, _fault(text, answer.passage, other.passage)


def _pairs(answers: list[RightAnswer]) -> Iterator[tuple[RightAnswer, RightAnswer]]:
    """Each answer with one on another passage."""
    for at, answer in enumerate(answers):
        other = answers[(at + 1 + len(answers) // 2) % len(answers)]
        if other.passage["id"] != answer.passage["id"]:
            yield answer, other


def _caught(answers: list[RightAnswer]) -> dict[tuple[str, str], Counter[bool]]:
    counts: dict[tuple[str, str], Counter[bool]] = defaultdict(Counter)
    for answer, (kind, is_caught) in wrong_answers(answers):
        counts[answer.half, kind][is_caught] += 1
        counts[answer.half, "all"][is_caught] += 1
    return counts


def wrong_answers(
    answers: list[RightAnswer],
) -> Iterator[tuple[RightAnswer, tuple[str, bool]]]:
    """Every change of every answer: its class, and whether it was caught."""
    for answer in answers:
        for kind, mutation in MUTATIONS.items():
            for changed in dict.fromkeys(mutation(answer.text)):
                if changed != answer.text:
                    yield answer, (kind, _fault(changed, answer.passage) is not None)
        swapped = _fault(answer.text, answer.beside) is not None
        yield answer, ("citation swapped", swapped)
    for answer, other in _pairs(answers):
        text = spliced(sentences_of(answer.text)[0], sentences_of(other.text)[0])
        if text is not None:
            is_caught = _fault(text, answer.passage, other.passage) is not None
            yield answer, ("spliced, both cited", is_caught)
            yield answer, ("spliced, one cited", _fault(text, answer.passage) is not None)


def _fault(text: str, *passages: Row) -> str | None:
    """The rule a text breaks against the passages it cites."""
    records = tuple(
        AnswerRecord(
            f"page:{row['id']}#whole",
            "page",
            str(row["id"]),
            row["title"] or "Untitled",
            f"https://example.org/{row['id']}/",
            row["text"],
        )
        for row in passages
    )
    cited = tuple(Citation("record", record.record_id, record.url) for record in records)
    try:
        check_claims((WrittenSentence(text, cited),), AnswerEvidence(records))
    except AnswerRejected as rejected:
        return rejected.detail.rpartition(": ")[2]
    return None


def rate(found: Iterable[bool]) -> Row:
    """A share with its count and 95% interval."""
    counts = Counter(found)
    count, of = counts[True], counts.total()
    low, high = wilson(count, of) if of else (0.0, 1.0)
    return {"count": count, "of": of, "rate": round(count / max(1, of), 3), "interval": [low, high]}


def wilson(count: int, of: int) -> tuple[float, float]:
    """The 95% interval of a rate."""
    share, square = count / of, _Z**2 / of
    middle = (share + square / 2) / (1 + square)
    reach = _Z * math.sqrt(share * (1 - share) / of + square / (4 * of)) / (1 + square)
    return round(max(0.0, middle - reach), 3), round(min(1.0, middle + reach), 3)


def _is_sentence(text: str) -> bool:
    if re.search("[ぁ-ん]", text):
        return len(text) >= FEWEST_JAPANESE
    return len(text.split()) >= FEWEST_WORDS


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--qa", type=Path, required=True)
    parser.add_argument("--set", action="append", help="name of a set; may repeat; default: all")
    parser.add_argument("--most", type=int, default=300, help="questions of each set")
    parser.add_argument("--alarms", action="store_true", help="name each refused right answer")
    return parser.parse_args()


if __name__ == "__main__":
    main()
