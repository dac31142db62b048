"""What an archive finds, answers, routes and refuses, on questions whose passages are known.

    python -m eval.benchmarks.answerability --qa DIR [--set squad2 ...] [--cache DIR]

DIR holds NAME.docs.jsonl and NAME.questions.jsonl. Each set becomes an archive of a temporary
server: most articles published, some private, some left out. JSON on stdout, a table on stderr;
figures alone, no words of a set. With --cache a vector is made once, whatever runs follow.

`retrieval`: over questions with a public passage. `signals`: what each tells apart, by kind of
unanswerable question, and the share answered at 5% false. `promise`: 200 splits of a conformal
threshold. `asked`: the whole keyless way, false answers, false refusals and false routes by kind of
question, and the false answers at the writer's floor that answers 60% (`atSixtyAnswered`). The gate
goes by the bundled questions, with --calibrated by others of the set itself.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from eval.benchmarks.asked_figures import Json, Measured, WatchedWriter, asked_figures
from eval.benchmarks.cached_embedder import CachedEmbedder
from eval.benchmarks.gate_figures import answered_at, auroc, ndcg, promise_kept
from eval.benchmarks.qa_archive import AUTHOR, served
from eval.benchmarks.qa_sets import KINDS, Kind, QaQuestion, sampled
from fonds.answering.coverage import covered_fraction, meaningful_words, quotable_words
from fonds.answering.extractive import ExtractiveWriter
from fonds.answering.search_outcome import SearchOutcome
from fonds.contract.evidence_hit import TextHit
from fonds.contract.ports import Embedder
from fonds.contract.search_request import SearchRequest
from fonds.providers.hashing_embedder import HashingEmbedder
from fonds.providers.local_embedder import LocalEmbedder
from fonds.store.servers import Server, embedded_server
from fonds.wiring.house import House
from fonds.wiring.outcome import outcome_of
from fonds.words.units import all_units

SETS = ("squad2", "clapnq", "jaquad", "xquad")
DEPTH = 10
ALPHA = 0.05
_PROMISED: dict[str, tuple[Kind, ...]] = {
    "absent": ("absent",),
    "near-miss": ("near-miss",),
    "both": ("absent", "near-miss"),
}
NOTHING = -2.0  # the signal of a question that nothing matched: below every score


def main() -> None:
    """One JSON object, a key a set."""
    options = _options()
    inner: Embedder = LocalEmbedder() if options.embedder == "local" else HashingEmbedder()
    embedder = CachedEmbedder(inner, options.cache)
    report: Json = {"space": embedder.space.model, "sets": {}}
    with (
        tempfile.TemporaryDirectory(prefix="fonds-bench-") as folder,
        embedded_server(Path(folder) / "home", lambda home: None) as server,
    ):
        for name in options.set or SETS:
            report["sets"][name] = measured_set(options, name, Path(folder), server, embedder)
            sys.stderr.write("\n".join(table(name, report["sets"][name])) + "\n")
    sys.stdout.write(json.dumps(report, indent=2) + "\n")


def measured_set(
    options: argparse.Namespace, name: str, folder: Path, server: Server, embedder: Embedder
) -> Json:
    """The figures of one set, and of each of its languages where it has several."""
    sample = sampled(
        options.qa,
        name,
        passages=options.passages,
        questions=options.questions,
        calibrated=options.calibrated,
    )
    writer = WatchedWriter(ExtractiveWriter(AUTHOR, embedder))
    with served(sample, folder / name, server, embedder, writer) as (house, entities):
        counted: dict[tuple[str, Kind], int] = {}
        done: list[Measured] = []
        for question in sample.questions:
            group = (question.language, question.kind)
            counted[group] = counted.get(group, 0) + 1
            ask = counted[group] <= options.asked
            done.append(measured(question, house, entities, writer if ask else None))
        gate = house.live_build().calibration
    languages = sorted({one.question.language for one in done})
    figures: Json = {"passages": len(sample.passages), "private": len(sample.private)}
    figures["calibratedOn"] = None if gate is None else {"source": gate.source, "of": gate.counted}
    figures |= summary(done)
    if len(languages) > 1:
        figures["languages"] = {
            language: summary([one for one in done if one.question.language == language])
            for language in languages
        }
    else:
        figures["language"] = languages[0]
    return figures


def measured(
    question: QaQuestion, house: House, entities: Mapping[str, str], writer: WatchedWriter | None
) -> Measured:
    """Search for ten, the outcome the answer path gets, and where the writer is given the reply."""
    searched = house.search(SearchRequest(question.text, limit=DEPTH))
    keys = [entities[hit.provenance.entity.id] for hit in searched.hits if isinstance(hit, TextHit)]
    request = SearchRequest(question.text)
    outcome = outcome_of(house.search(request))
    reply = best = None
    if writer is not None:
        writer.best = None
        reply = house.ask_unrecorded(request)
        best = writer.best
    cited = () if reply is None else reply.citations
    return Measured(
        question,
        tuple(key in question.gold for key in keys),
        len(question.gold),
        signals_of(question.text, outcome),
        reply,
        tuple(entities[one.id.partition("#")[0]] in question.gold for one in cited),
        best,
    )


def signals_of(question: str, outcome: SearchOutcome) -> dict[str, float]:
    """Named signals of public material before any floor; those of figures only where a search
    brings them (R168).
    """
    quotable = [hit for hit in outcome.hits if isinstance(hit, TextHit)]
    best = max(quotable, key=lambda hit: hit.provenance.score, default=None)
    top = outcome.best_score if best is None else best.provenance.score
    words = meaningful_words(question, author=AUTHOR)
    held = frozenset[str]() if best is None else all_units(quotable_words(best))
    found = {
        "topScore": NOTHING if top is None else top,
        "coverage": covered_fraction(words, held),
    }
    figures = outcome.figures
    if figures is not None:
        spread = figures.background_deviation or 1.0
        most = figures.lexical_most or 1.0
        found |= {
            "topDistance": (found["topScore"] - figures.background_mean) / spread,
            "lexicalScore": figures.lexical_best / most,
            "lexicalMargin": (figures.lexical_best - figures.lexical_second) / most,
        }
    return found


def summary(done: Sequence[Measured]) -> Json:
    """Counts, retrieval, signals, promise and end to end of some questions."""
    by_kind: dict[Kind, list[Measured]] = {
        kind: [one for one in done if one.question.kind == kind] for kind in KINDS
    }
    return {
        "questions": {kind: len(found) for kind, found in by_kind.items()},
        "retrieval": _retrieval(by_kind["answerable"]),
        "signals": _signals(by_kind),
        "promise": _promise(by_kind),
        "asked": asked_figures(by_kind),
    }


def _retrieval(answerable: Sequence[Measured]) -> Json:
    if not answerable:
        return {}
    count = len(answerable)
    gained = sum(ndcg(one.found, one.golds, DEPTH) for one in answerable)
    return {
        "r@1": _share(any(one.found[:1]) for one in answerable),
        "r@5": _share(any(one.found[:5]) for one in answerable),
        "nDCG@10": round(gained / count, 3),
    }


def _signals(by_kind: Mapping[Kind, Sequence[Measured]]) -> Json:
    found: Json = {}
    answerable = by_kind["answerable"]
    for name in answerable[0].signals if answerable else ():
        high = [one.signals[name] for one in answerable]
        for kind in _PROMISED["both"]:
            low = [one.signals[name] for one in by_kind[kind]]
            if low and high:
                found.setdefault(name, {})[kind] = {
                    "auroc": _rounded(auroc(high, low)),
                    "answeredAt5": _rounded(answered_at(high, low, ALPHA)),
                }
    return found


def _promise(by_kind: Mapping[Kind, Sequence[Measured]]) -> Json:
    """For each kind of unanswerable question, and for both together, as a suite should hold."""
    found: Json = {}
    high = _matrix(by_kind["answerable"])
    for name, kinds in _PROMISED.items():
        low = _matrix([one for kind in kinds for one in by_kind[kind]])
        if len(high) and len(low):
            kept = promise_kept(high, low, ALPHA)
            found[name] = None if kept is None else kept.as_json()
    return found


def _matrix(done: Sequence[Measured]) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.asarray([list(one.signals.values()) for one in done], dtype=np.float64)


def _share(them: Iterable[bool]) -> float:
    given = list(them)
    return round(sum(given) / len(given), 3)


def _rounded(figure: float | None) -> float | None:
    return None if figure is None or not isfinite(figure) else round(figure, 3)


def table(name: str, figures: Json) -> list[str]:
    """A line a set or language: retrieval, then both rates side by side."""
    parts = {name: figures} | {
        f"{name}/{language}": of for language, of in figures.get("languages", {}).items()
    }
    return [f"{label:14} {_line(of)}" for label, of in parts.items()]


def _line(figures: Json) -> str:
    asked, found = figures["asked"], figures["retrieval"]
    rates = {f"false answers ({kind})": of for kind, of in asked["falseAnswers"].items()}
    rates["false refusals"] = asked["falseRefusals"]
    rates |= {f"false routes ({kind})": of for kind, of in asked["falseRoutes"].items()}
    rates["cites its passage"] = asked["citesItsPassage"]
    if (at := asked["atSixtyAnswered"]) is not None:
        rates[f"answered at floor {at['floor']}"] = at["answered"]
        rates["false there (near-miss)"] = at["falseAnswers"]["near-miss"]
    shown = [f"{what} {value}" for what, value in found.items()]
    shown += [f"{what} {rate['count']}/{rate['of']}" for what, rate in rates.items() if rate["of"]]
    top = figures["signals"].get("topScore", {})
    shown += [f"AUROC ({kind}) {of['auroc']}" for kind, of in top.items()]
    return ", ".join(shown)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m eval.benchmarks.answerability")
    parser.add_argument("--qa", type=Path, required=True)
    parser.add_argument("--set", action="append", help="name of a set; may repeat")
    parser.add_argument("--passages", type=int, default=150, help="at least, with those named")
    parser.add_argument("--questions", type=int, default=40, help="of each kind and language")
    parser.add_argument("--asked", type=int, default=15, help="of them, asked to the end")
    parser.add_argument(
        "--calibrated", type=int, default=0, help="own questions, of either kind, for the gate"
    )
    parser.add_argument("--cache", type=Path, help="a folder for vectors, outside the project")
    parser.add_argument("--embedder", choices=("local", "hashing"), default="local")
    return parser.parse_args()


if __name__ == "__main__":
    main()
