"""What the gate's signals tell apart, and whether its thresholds keep their promise; no words.

    python -m eval.trials.gate --qa DIR [--set squad2 --set clapnq] [--passages 300] [--most 200]
                               [--signals DIR]

DIR holds NAME.docs.jsonl and NAME.questions.jsonl. Every fourth article is left out, so that its
questions are out of the archive; questions without an answer on a filed article are near misses.
Each set is ingested, built and searched as any archive is, on a server of its own. `separates`:
AUROC and the share of answerable questions answered when 5% of the others pass, by signal and kind.
`model`: what the set fits, and what it separates in the other sets. `promise`: false answers over
200 random splits, for each rule. With --signals the signals of a set are kept, and searched once.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from eval.questions import Row, rows, spaced
from fonds.answering.calibration import conformal_threshold
from fonds.answering.extractive import ExtractiveWriter
from fonds.answering.signals import Signals, fused_signal, signals_of
from fonds.archive_file import read_archive_file
from fonds.contract.calibration import ConformalRule, FusionModel, QuestionKind
from fonds.contract.calibration_question import CalibrationQuestion
from fonds.contract.search_request import MAX_QUERY_CHARS
from fonds.evaluation.fusing import DEFAULT_MODEL, fitted_model
from fonds.providers.local_embedder import LocalEmbedder
from fonds.settings import Settings
from fonds.store.servers import embedded_server
from fonds.wiring.house import House
from fonds.wiring.serving import RolePools

ALPHA: Final = 0.05
SPLITS: Final = 200
LEFT_OUT: Final = 4
NAMES: Final = ("topScore", "topDistance", "coverage", "lexicalScore", "lexicalMargin")
ARCHIVE: Final = """\
name = "Passages"
author = "Nobody"
base_url = "https://example.org"
slug = "{name}"

[[collections]]
dir = "pages"
url_prefix = "/"
type = "page"

[gate]
enabled = false
"""


@dataclass(frozen=True, slots=True)
class Seen:
    """A question's kind and signals; None where nothing matched."""

    kind: QuestionKind
    signals: Signals | None


def main() -> None:
    """One JSON object, a key a set."""
    options = _options()
    seen = {name: _signals(options, name) for name in options.set}
    models = {name: _fitted(found) for name, found in seen.items()}
    report = {name: _measured(name, found, models) for name, found in seen.items()}
    sys.stdout.write(json.dumps(report, indent=2) + "\n")


def _measured(
    name: str, seen: Sequence[Seen], models: Mapping[str, FusionModel]
) -> dict[str, object]:
    kinds = ("near-miss", "out-of-archive")
    held = [one for one in seen if one.kind == "answerable"]
    counts = {kind: sum(one.kind == kind for one in seen) for kind in ("answerable", *kinds)}
    by: dict[str, FusionModel] = {f"fitted on {other}": model for other, model in models.items()}
    by["bundled"] = DEFAULT_MODEL
    by |= {NAMES[at]: _alone(at) for at in range(len(NAMES))}
    separates: dict[str, object] = {}
    for label, model in by.items():
        high = [fused_signal(model, one.signals) for one in held]
        of: dict[str, object] = {}
        for kind in kinds:
            low = [fused_signal(model, one.signals) for one in seen if one.kind == kind]
            if low and high:
                of[kind] = {"auroc": _auroc(high, low), "answeredAt5": _answered(high, low)}
        separates[label] = of
    return {
        "questions": counts,
        "separates": separates,
        "model": asdict(models[name]),
        "promise": {rule: _promise(seen, rule) for rule in ("plain", "strict")},
    }


def _promise(seen: Sequence[Seen], rule: ConformalRule) -> dict[str, object]:
    """Both kinds together; half of the unanswerable calibrate, the other half is asked."""
    low = [fused_signal(DEFAULT_MODEL, one.signals) for one in seen if one.kind != "answerable"]
    high = [fused_signal(DEFAULT_MODEL, one.signals) for one in seen if one.kind == "answerable"]
    chance = random.Random(1)  # noqa: S311 - splits, no secrets
    rates: list[float] = []
    answered: list[float] = []
    for _ in range(SPLITS):
        chance.shuffle(low)
        half = len(low) // 2
        threshold = conformal_threshold(low[:half], ALPHA, rule)
        rates.append(sum(one > threshold for one in low[half:]) / (len(low) - half))
        answered.append(sum(one > threshold for one in high) / len(high))
    return {
        "calibratedOn": len(low) // 2,
        "falseAnswersMean": round(sum(rates) / SPLITS, 4),
        "splitsAboveAlpha": round(sum(rate > ALPHA for rate in rates) / SPLITS, 4),
        "answered": round(sum(answered) / SPLITS, 4),
    }


def _fitted(seen: Sequence[Seen]) -> FusionModel:
    """Against what is out of the archive: no weights tell a near miss apart (see `separates`)."""
    there = [(one.signals, one.kind == "answerable") for one in seen if one.kind != "near-miss"]
    kept = [(signals, side) for signals, side in there if signals is not None]
    return fitted_model([signals for signals, _ in kept], [side for _, side in kept])


def _alone(at: int) -> FusionModel:
    weights = tuple(float(position == at) for position in range(len(NAMES)))
    return FusionModel((0.0,) * len(NAMES), (1.0,) * len(NAMES), weights, 0.0)


def _auroc(high: Sequence[float], low: Sequence[float]) -> float:
    won = sum((a > b) + (a == b) / 2 for a in high for b in low)
    return round(won / (len(high) * len(low)), 3)


def _answered(high: Sequence[float], low: Sequence[float]) -> float:
    threshold = sorted(low, reverse=True)[int(ALPHA * len(low))]
    return round(sum(one > threshold for one in high) / len(high), 3)


def _signals(options: argparse.Namespace, name: str) -> list[Seen]:
    kept = None if options.signals is None else options.signals / f"{name}.signals.json"
    if kept is not None and kept.exists():
        return [
            Seen(row["kind"], None if row["signals"] is None else Signals(**row["signals"]))
            for row in json.loads(kept.read_text(encoding="utf-8"))
        ]
    seen = _searched(options, name)
    if kept is not None:
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps([asdict(one) for one in seen]), encoding="utf-8")
    return seen


def _searched(options: argparse.Namespace, name: str) -> list[Seen]:
    documents = rows(options.qa / f"{name}.docs.jsonl")
    titles = sorted({row["title"] for row in documents})
    absent = set(titles[LEFT_OUT - 1 :: LEFT_OUT])
    filed = spaced([row for row in documents if row["title"] not in absent], options.passages)
    held = {row["id"] for row in filed}
    questions = _questions(
        options, name, held, {r["id"] for r in documents if r["title"] in absent}
    )
    with tempfile.TemporaryDirectory(prefix="fonds-trial-") as made, ExitStack() as stack:
        folder = Path(made)
        (folder / "pages").mkdir()
        (folder / "archive.toml").write_text(ARCHIVE.format(name=name), encoding="utf-8")
        for number, row in enumerate(filed):
            title = json.dumps(row["title"] or "Untitled", ensure_ascii=False)
            page = f"---\ntitle: {title}\n---\n{row['text']}\n"
            (folder / "pages" / f"p{number:05}.md").write_text(page, encoding="utf-8")
        server = stack.enter_context(embedded_server(folder / "home", lambda home: None))
        embedder = LocalEmbedder()
        writer = ExtractiveWriter("", embedder)
        settings = Settings(home=folder / "home")
        config = read_archive_file(folder)
        house = House(settings, config, server, embedder, writer, RolePools(server, stack))
        house.ingest(progress=lambda step, done, total: None)
        build = house.build().build_id or 0
        with house.calibrator.looking(build, questions) as look:
            return [Seen(one.kind, signals_of(one.question, look(one))) for one in questions]


def _questions(
    options: argparse.Namespace, name: str, held: set[str], absent: set[str]
) -> list[CalibrationQuestion]:
    """Of each kind at most so many, spread over the file; of other articles none."""
    kinds: dict[QuestionKind, list[Row]] = {"answerable": [], "near-miss": [], "out-of-archive": []}
    for row in rows(options.qa / f"{name}.questions.jsonl"):
        named = {*row["gold"], *row["near_miss"]}
        if row["answerable"] is None or len(row["question"]) > MAX_QUERY_CHARS or not named:
            continue
        if named <= absent:
            kinds["out-of-archive"].append(row)
        elif row["answerable"] and held & set(row["gold"]):
            kinds["answerable"].append(row)
        elif not row["answerable"] and held & named:
            kinds["near-miss"].append(row)
    return [
        CalibrationQuestion(f"{kind}-{number}", row["question"], kind)
        for kind, found in kinds.items()
        for number, row in enumerate(spaced(found, options.most))
    ]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--qa", type=Path, required=True)
    parser.add_argument("--set", action="append", required=True, help="name of a set; may repeat")
    parser.add_argument("--passages", type=int, default=300)
    parser.add_argument("--most", type=int, default=200, help="questions of each kind")
    parser.add_argument("--signals", type=Path, help="where signals are kept between runs")
    return parser.parse_args()


if __name__ == "__main__":
    main()
