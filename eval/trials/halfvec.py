"""Vectors of half precision against those of single precision, as the local space makes them.

    python -m eval.trials.halfvec [--corpora DIR] [--qa DIR] [--only NAME ...] [--most 300]

The example archive is ingested and built on a temporary server; the gold suite is asked with its
answers twice: as the engine does, which keeps `halfvec`, and with every cosine computed from the
vectors the embedder gave, in single precision. `verdicts` counts cases and those that end
otherwise. Rankings are of every gold and calibration question over every passage, exact both ways:
see `eval.trials.halfvec_ranking`. --corpora is the folder of `eval.trials.corpora`: of each corpus
so many passages are embedded, and asked for by the titles of their works. --qa is a folder of
question sets, NAME.docs.jsonl and NAME.questions.jsonl: every passage of a set, and at most so many
questions that some of them answer. --only names what is tried, `example`, a corpus or a set; unless
told, all there is. Prints JSON: counts and figures, no words.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np
from pgvector import HalfVector

from eval.questions import rows, spaced
from eval.trials.corpora_material import MATERIAL, Material
from eval.trials.halfvec_ranking import Figures, ranked, units
from fonds.answering.extractive import ExtractiveWriter
from fonds.contract.embedding_space import EmbeddingSpace
from fonds.contract.near_query import LiveBuild, NearFilters, NearQuery, NearRows
from fonds.contract.ports import Embedder, EmbedOutcome, ServedReader, Vector
from fonds.contract.released_score import released_score
from fonds.contract.search_request import SearchRequest
from fonds.contract.served_fragment import ServedEntity, ServedFragment
from fonds.evaluation.report import EvalReport
from fonds.providers.hashing_embedder import HashingEmbedder
from fonds.providers.local_embedder import LocalEmbedder
from fonds.retrieval.search import Searched, searched
from fonds.settings import Settings
from fonds.store.archives import open_archive
from fonds.store.pools import transaction
from fonds.store.served_store import PostgresServedStore
from fonds.wiring.evaluating import EvalWishes, archive_suite, evaluate
from fonds.wiring.house import House
from fonds.wiring.opening import opened

_EXAMPLE = Path(__file__).resolve().parents[2] / "example_content"
_DOCS = ".docs.jsonl"
Floats = Mapping[str, Vector]


def main() -> None:
    """Runs the trial and prints what it found."""
    parser = argparse.ArgumentParser(prog="python -m eval.trials.halfvec")
    parser.add_argument("--corpora", type=Path)
    parser.add_argument("--qa", type=Path)
    parser.add_argument("--only", nargs="+")
    parser.add_argument("--most", type=int, default=300)
    asked = parser.parse_args()
    report = {name: found() for name, found in _trials(asked).items() if _is_wanted(asked, name)}
    json.dump(report, sys.stdout, indent=2)
    sys.stdout.write("\n")


def _trials(asked: argparse.Namespace) -> dict[str, Callable[[], Figures]]:
    """What there is to try, by name."""
    trials: dict[str, Callable[[], Figures]] = {"example": _example}
    if asked.corpora is not None:
        there = [one for one in MATERIAL if (asked.corpora / one.name).is_dir()]
        trials |= {one.name: partial(_corpus, one, asked.corpora, asked.most) for one in there}
    if asked.qa is not None:
        named = [file.name.removesuffix(_DOCS) for file in sorted(asked.qa.glob(f"*{_DOCS}"))]
        trials |= {name: partial(question_set, asked.qa, name, asked.most) for name in named}
    return trials


def _is_wanted(asked: argparse.Namespace, name: str) -> bool:
    return asked.only is None or name in asked.only


@dataclass(frozen=True, slots=True)
class Remembering:
    """An embedder that is asked each text once, and keeps what it gave."""

    inner: Embedder
    passages: dict[str, Vector] = field(default_factory=dict[str, Vector], repr=False)
    questions: dict[str, Vector] = field(default_factory=dict[str, Vector], repr=False)

    @property
    def space(self) -> EmbeddingSpace:
        return self.inner.space

    def embed_passages(self, texts: Sequence[str]) -> EmbedOutcome:
        if self.passages.keys() >= {*texts}:
            return EmbedOutcome(tuple(self.passages[text] for text in texts))
        outcome = self.inner.embed_passages(texts)
        for text, vector in zip(texts, outcome.vectors, strict=True):
            if vector is not None:
                self.passages[text] = vector
        return outcome

    def embed_query(self, text: str) -> Vector:
        if text not in self.questions:
            self.questions[text] = self.inner.embed_query(text)
        return self.questions[text]

    def by_half(self) -> Mapping[bytes, Vector]:
        """What it gave of passages, by what half precision makes of it."""
        return {_half(vector): vector for vector in self.passages.values()}


@dataclass(slots=True)
class FloatHouse(House):
    """A house whose cosines are those of single precision."""

    floats: Floats = field(default_factory=dict[str, Vector], repr=False)

    def search(self, request: SearchRequest, *, exactly: bool = False) -> Searched:
        pool = self.pool("fonds_reader")
        served = PostgresServedStore(pool, open_archive(pool, self.config.slug), exactly=True)
        return searched(request, FloatStore(served, self.floats), self.embedder, self.retrieval)


@dataclass(frozen=True, slots=True)
class FloatStore:
    """Serves what another serves, with cosines of its own."""

    inner: PostgresServedStore
    floats: Floats = field(repr=False)

    @contextmanager
    def reading(self) -> Generator[ServedReader]:
        with self.inner.reading() as reader:
            yield FloatReader(reader, self.floats)


@dataclass(frozen=True, slots=True)
class FloatReader:
    """Has every row shipped, and compares it again."""

    inner: ServedReader
    floats: Floats = field(repr=False)

    @property
    def build(self) -> LiveBuild:
        return self.inner.build

    def nearest(self, query: NearQuery) -> NearRows:
        every = self.inner.nearest(replace(query, floor=-1.0, everything=True))
        asked = units([query.vector])[0]
        exact = {
            row.fragment_id: float(units([self.floats[row.fragment_id]])[0] @ asked)
            for row in every.rows
        }
        rows = tuple(
            replace(row, cosine=released_score(row.raw, exact[row.fragment_id]))
            for row in every.rows
        )
        public = [row.cosine for row in rows if row.raw == "public"]
        figures = every.figures
        if figures is not None and public:
            background = {
                "background_mean": float(np.mean(public)),
                "background_deviation": float(np.std(public)),
            }
            figures = replace(figures, **background)
        best = max((row.cosine for row in rows), default=None)
        return replace(every, rows=rows, best_cosine=best, figures=figures)

    def excluded_undated(self, filters: NearFilters) -> int:
        return self.inner.excluded_undated(filters)

    def content(
        self, fragment_ids: Sequence[str]
    ) -> Mapping[str, tuple[ServedFragment, ServedEntity]]:
        return self.inner.content(fragment_ids)

    def done(self) -> None:
        self.inner.done()


def _example() -> Figures:
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="fonds-halfvec-"))
        house = stack.enter_context(opened(Settings(home=Path(folder) / "home"), _EXAMPLE))
        keeping = Remembering(LocalEmbedder())
        house.embedder = keeping
        house.writer = ExtractiveWriter(house.config.author, keeping)
        _published(house)
        given = keeping.by_half()
        floats = {one: given[half] for one, half in _halves(house).items()}
        ours = evaluate(house, EvalWishes(full=True), warn=lambda said: None)
        floating = FloatHouse(
            house.settings,
            house.config,
            house.server,
            house.embedder,
            house.writer,
            house._role_pools,  # pyright: ignore[reportPrivateUsage]
            floats=floats,
        )
        theirs = evaluate(floating, EvalWishes(full=True), warn=lambda said: None)
        stored = (one.question.question for one in house.calibrator.store.questions())
        said = [*stored, *(case.query for case in archive_suite(house).cases)]
        questions = [keeping.embed_query(one) for one in dict.fromkeys(said)]
    return {"verdicts": _verdicts(ours, theirs)} | ranked(list(floats.values()), questions)


def _published(house: House) -> None:
    house.ingest(progress=lambda step, done, total: None)
    if house.config.gists is not None:
        house.import_gists()
    house.build(yes=True)


def _halves(house: House) -> dict[str, bytes]:
    """What is stored of every served fragment."""
    pool = house.pool("fonds_build")
    with transaction(pool, open_archive(pool, house.config.slug)) as connection:
        found: list[tuple[str, HalfVector]] = connection.execute(
            "SELECT e.fragment_id, e.embedding FROM served.embedding e JOIN served.live l"
            " USING (archive_id, build_id)"
        ).fetchall()
    return {one: _half(vector.to_list()) for one, vector in found}


def _verdicts(ours: EvalReport, theirs: EvalReport) -> dict[str, int]:
    pairs = list(zip(ours.results, theirs.results, strict=True))
    return {
        "cases": len(pairs),
        "failed": sum(one.failed for one, _ in pairs),
        "differ": sum(
            (one.issues, one.mode, one.reason) != (other.issues, other.mode, other.reason)
            for one, other in pairs
        ),
    }


def _corpus(material: Material, corpora: Path, most: int) -> Figures:
    """Passages as an ingest cuts them, and the titles of their works as questions."""
    with tempfile.TemporaryDirectory(prefix="fonds-halfvec-") as work:
        folder = Path(work) / material.name
        material.copied(corpora, folder)
        with opened(Settings(home=Path(work) / "home"), folder) as house:
            house.embedder = HashingEmbedder()
            _published(house)
            pool = house.pool("fonds_reader")
            store = PostgresServedStore(pool, open_archive(pool, house.config.slug))
            ids = sorted(_halves(house))
            chosen = ids[:: max(1, len(ids) // most)][:most]
            with store.reading() as reader:
                content = reader.content(chosen)
    embedder = LocalEmbedder()
    texts = [fragment.text for fragment, _ in content.values() if fragment.text]
    titles = dict.fromkeys(entity.title for _, entity in content.values())
    passages = [one for one in embedder.embed_passages(texts).vectors if one is not None]
    return ranked(passages, [embedder.embed_query(title) for title in titles])


def question_set(folder: Path, name: str, most: int, embedder: Embedder | None = None) -> Figures:
    """Every passage of a set, and questions of it whose answers are known to lie in some."""
    given = embedder or LocalEmbedder()
    documents = rows(folder / f"{name}{_DOCS}")
    asked = [row for row in rows(folder / f"{name}.questions.jsonl") if row["gold"]]
    chosen = spaced(asked, most)
    outcome = given.embed_passages([f"{row['title']}\n{row['text']}" for row in documents])
    kept = [
        (row["id"], vector)
        for row, vector in zip(documents, outcome.vectors, strict=True)
        if vector is not None
    ]
    place_of = {key: place for place, (key, _) in enumerate(kept)}
    gold = [{place_of[key] for key in row["gold"] if key in place_of} for row in chosen]
    questions = [given.embed_query(row["question"]) for row in chosen]
    passages = [vector for _, vector in kept]
    return ranked(passages, questions, gold=gold, floor=given.space.default_floor)


def _half(vector: Sequence[float]) -> bytes:
    return np.asarray(vector, np.float16).tobytes()


if __name__ == "__main__":
    main()
