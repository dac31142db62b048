"""What the keyless answer path does with questions of known answers; prints figures, no words.

    python -m eval.trials.answering --qa DIR [--set squad2 --set jaquad] [--most 60]

DIR holds NAME.docs.jsonl (id, title, text) and NAME.questions.jsonl (question, answerable, answers,
gold, near_miss). Three things are printed for each set: how many answerable questions the coverage
floor refuses on their own passage, how many given answers the claim check refuses against it, and
how many questions `ask` answers over the passages of the sample, by kind, with the reasons.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from eval.questions import Row, rows, spaced
from fonds.answering.ask import AskSettings, ask
from fonds.answering.claim_check import check_claims
from fonds.answering.coverage import coverage, quotable_words
from fonds.answering.evidence import gathered_evidence
from fonds.answering.extractive import ExtractiveWriter
from fonds.answering.floors import DEFAULT_COVERAGE_FLOOR
from fonds.answering.prompt import AboutArchive
from fonds.answering.refusal import Refused
from fonds.answering.rejection import AnswerRejected
from fonds.answering.search_outcome import SearchOutcome
from fonds.contract.citation import Citation
from fonds.contract.evidence_hit import HitEntity, Provenance, TextHit
from fonds.contract.locator import Locator
from fonds.contract.ports import Vector
from fonds.contract.search_request import DEFAULT_PER_RAW, MAX_QUERY_CHARS, SearchRequest
from fonds.contract.writer_reply import WrittenSentence
from fonds.providers.local_embedder import LocalEmbedder

FEWEST_WORDS = 6  # a given answer of fewer is a name or a figure, and no sentence to check


@dataclass(frozen=True, slots=True)
class Sample:
    """Some questions of a set, with every passage they name."""

    passages: dict[str, Row]
    questions: tuple[Row, ...]


def main() -> None:
    """One JSON object, a key a set."""
    options = _options()
    embedder = LocalEmbedder()
    found = {
        name: measured(sampled(options.qa, name, options.most), embedder) for name in options.set
    }
    sys.stdout.write(json.dumps(found, indent=2) + "\n")


def sampled(folder: Path, name: str, most: int) -> Sample:
    """At most `most` questions of each kind, spread over the file."""
    passages = {row["id"]: row for row in rows(folder / f"{name}.docs.jsonl")}
    kinds: dict[str, list[Row]] = {"answerable": [], "near-miss": [], "absent": []}
    for row in rows(folder / f"{name}.questions.jsonl"):
        if row["answerable"] is not None and len(row["question"]) <= MAX_QUERY_CHARS:
            kinds[_kind(row)].append(row)
    chosen = [one for found in kinds.values() for one in spaced(found, most)]
    named = {one for row in chosen for one in (*row["gold"], *row["near_miss"])}
    kept = {key: row for key, row in passages.items() if key in named}
    return Sample(kept, tuple(chosen))


def measured(sample: Sample, embedder: LocalEmbedder) -> Row:
    """Counts for one set."""
    own = [(row, hit_of(sample.passages[row["gold"][0]], 1.0)) for row in _with_passage(sample)]
    uncovered = sum(
        coverage(row["question"], quotable_words(hit)) < DEFAULT_COVERAGE_FLOOR for row, hit in own
    )
    answers = [(text, hit) for row, hit in own for text in row["answers"] if _is_sentence(text)]
    return {
        "passages": len(sample.passages),
        "uncoveredOnOwnPassage": {"count": uncovered, "of": len(own)},
        "givenAnswersRefused": {
            "count": sum(_is_refused(text, hit) for text, hit in answers),
            "of": len(answers),
        },
        "asked": _asked(sample, embedder),
    }


def _asked(sample: Sample, embedder: LocalEmbedder) -> Row:
    texts = [f"{row['title']}\n\n{row['text']}" for row in sample.passages.values()]
    vectors = embedder.embed_passages(texts).vectors
    writer = ExtractiveWriter("", embedder)
    settings = AskSettings(AboutArchive("A trial", "Nobody"))
    outcomes: dict[str, Counter[str]] = {}
    for row in sample.questions:
        outcome = _outcome(sample, vectors, embedder, row["question"])
        request = SearchRequest(row["question"])
        given = ask(request, search=lambda _, o=outcome: o, writer=writer, settings=settings)
        what = given.reason if isinstance(given, Refused) else "answered"
        outcomes.setdefault(_kind(row), Counter())[what] += 1
    return {kind: dict(counts.most_common()) for kind, counts in outcomes.items()}


def _outcome(
    sample: Sample, vectors: Sequence[Vector | None], embedder: LocalEmbedder, question: str
) -> SearchOutcome:
    asked = embedder.embed_query(question)
    cosines = [_cosine(asked, vector) for vector in vectors]
    ranked = sorted(zip(cosines, sample.passages.values(), strict=True), key=lambda one: -one[0])
    floor = embedder.space.default_floor
    best = ranked[0][0]
    return SearchOutcome(
        hits=tuple(hit_of(row, c) for c, row in ranked[:DEFAULT_PER_RAW] if c >= floor),
        score_floor=floor,
        coverage_floor=DEFAULT_COVERAGE_FLOOR,
        build_id="trial",
        best_cosine=best,
        best_score=best,
        best_raw="public",
    )


def _is_refused(answer: str, hit: TextHit) -> bool:
    evidence = gathered_evidence((hit,)).evidence
    record = evidence.records[0]
    cited = (Citation("record", record.record_id, record.url),)
    try:
        check_claims((WrittenSentence(answer, cited),), evidence)
    except AnswerRejected:
        return True
    return False


def hit_of(row: Row, score: float) -> TextHit:
    """A passage of a set as a search would hand it over."""
    url = f"https://example.org/{row['id']}/"
    entity = HitEntity(f"page:{row['id']}", "page", row["title"] or "Untitled", url)
    at = Provenance(
        fragment_id=f"page:{row['id']}#whole",
        entity=entity,
        raw="public",
        place=(Locator("whole", ""),),
        locator_label="whole record",
        score=score,
    )
    return TextHit(at, row["text"])


def _cosine(asked: Vector, vector: Vector | None) -> float:
    return sum(a * b for a, b in zip(asked, vector, strict=True)) if vector is not None else 0.0


def _kind(row: Row) -> str:
    if row["answerable"]:
        return "answerable"
    return "near-miss" if row["near_miss"] else "absent"


def _with_passage(sample: Sample) -> Iterator[Row]:
    return (row for row in sample.questions if row["answerable"] and row["gold"])


def _is_sentence(text: str) -> bool:
    return len(text.split()) >= FEWEST_WORDS


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--qa", type=Path, required=True)
    parser.add_argument("--set", action="append", required=True, help="name of a set; may repeat")
    parser.add_argument("--most", type=int, default=60, help="questions of each kind")
    return parser.parse_args()


if __name__ == "__main__":
    main()
