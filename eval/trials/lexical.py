"""What the lexical boost is worth, asked of the served passages of a set; prints figures, no words.

    python -m eval.trials.lexical --qa DIR --set squad2 [--docs 300] [--most 200] [--absent clapnq]
                                  [--weight 0.3] [--vectors FILE]

DIR holds NAME.docs.jsonl (id, title, text) and NAME.questions.jsonl (question, answerable, gold,
near_miss). A sample of the passages is ingested and built on a temporary server, each set alone,
and every question goes through the search, without the boost and with it at each weight. Absent
questions name no document of the sample, or are of the set --absent names; `auroc` is how often the
best score of an answerable question is above that of an absent one, and `atFloor` which part of
each kind has a hit at the space's score floor. --vectors keeps what was embedded for another run.
"""

from __future__ import annotations

import argparse
import json
import math
import secrets
import sys
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from eval.questions import Row, rows, spaced
from fonds.build.acceptance import Acceptance
from fonds.build.build_served import build_served
from fonds.contract.build_store import BuildTerms
from fonds.contract.disclosure import disclosure
from fonds.contract.embed_string import content_hash, embed_string
from fonds.contract.entity import Entity
from fonds.contract.fragment import Fragment
from fonds.contract.locator import Locator
from fonds.contract.ports import Vector, VectorRow
from fonds.contract.search_request import MAX_QUERY_CHARS, SearchRequest
from fonds.contract.stored_source import ReadSource
from fonds.providers.local_embedder import LocalEmbedder
from fonds.retrieval.boosts import Lexical
from fonds.retrieval.retrieval_settings import RetrievalSettings
from fonds.retrieval.search import searched_by_vector
from fonds.store.archives import register_archive
from fonds.store.build_store import PostgresBuildStore
from fonds.store.databases import create_database
from fonds.store.embedded import running
from fonds.store.migrating import migrate
from fonds.store.pools import Pool, open_pool
from fonds.store.private_store import PostgresPrivateStore
from fonds.store.served_store import PostgresServedStore

ROLES = ("fonds_ingest", "fonds_build", "fonds_reader")
FEWEST_ABSENT = 40
HITS = 10


@dataclass
class Vectors:
    """Embeds what it has not met; what it has met may come from a file."""

    embedder: LocalEmbedder
    known: dict[str, list[float]] = field(default_factory=dict[str, list[float]])

    def passages(self, texts: Sequence[str]) -> list[Vector]:
        new = [text for text in texts if _key("p", text) not in self.known]
        for text, vector in zip(new, self.embedder.embed_passages(new).vectors, strict=True):
            self.known[_key("p", text)] = list(vector or ())
        return [tuple(self.known[_key("p", text)]) for text in texts]

    def question(self, text: str) -> Vector:
        if _key("q", text) not in self.known:
            self.known[_key("q", text)] = list(self.embedder.embed_query(text))
        return tuple(self.known[_key("q", text)])


@dataclass(frozen=True, slots=True)
class Sample:
    """Passages of a set, questions they answer and questions on none of them."""

    passages: list[Row]
    answerable: list[Row]
    absent: list[Row]


def main() -> None:
    """One JSON object, a key a set."""
    options = _options()
    vectors = Vectors(LocalEmbedder())
    if options.vectors is not None and options.vectors.exists():
        vectors.known = json.loads(options.vectors.read_text(encoding="utf-8"))
    found = {name: measured(sampled(options, name), vectors, options) for name in options.set}
    if options.vectors is not None:
        options.vectors.write_text(json.dumps(vectors.known), encoding="utf-8")
    sys.stdout.write(json.dumps(found, indent=2) + "\n")


def sampled(options: argparse.Namespace, name: str) -> Sample:
    """Passages from all over the file, and at most `most` questions of either kind."""
    docs = rows(options.qa / f"{name}.docs.jsonl")
    size = min(options.docs, len(docs))
    passages: list[Row] = [docs[place * len(docs) // size] for place in range(size)]
    ids, titles = {row["id"] for row in passages}, {row["title"] for row in passages}
    title_of = {row["id"]: row["title"] for row in docs}
    asked = _questions(options.qa, name)
    absent = [
        row
        for row in asked
        if not any(title_of.get(one) in titles for one in (*row["gold"], *row["near_miss"]))
    ]
    if len(absent) < FEWEST_ABSENT and options.absent:
        absent = _questions(options.qa, options.absent)
    answerable = [row for row in asked if row["answerable"] and ids & set(row["gold"])]
    return Sample(passages, spaced(answerable, options.most), spaced(absent, options.most))


def measured(sample: Sample, vectors: Vectors, options: argparse.Namespace) -> Row:
    """Figures without the boost and with each weight of it."""
    with _served(sample, vectors) as store:
        return {
            "passages": len(sample.passages),
            "answerable": len(sample.answerable),
            "absent": len(sample.absent),
            **{
                f"lexical {weight}": _figures(sample, vectors, store, weight)
                for weight in (0.0, *options.weight)
            },
        }


def _figures(
    sample: Sample, vectors: Vectors, store: PostgresServedStore, weight: float
) -> dict[str, float]:
    settings = RetrievalSettings(boosts=(Lexical(weight),))
    space = vectors.embedder.space

    def asked(row: Row) -> tuple[list[str], float]:
        request = SearchRequest(row["question"], limit=HITS, recency="none")
        found = searched_by_vector(
            request, vectors.question(row["question"]), space, store, settings
        )
        ids = [hit.provenance.entity.id for hit in found.hits]
        return ids, found.best_score or 0.0

    right = [asked(row) for row in sample.answerable]
    wrong = [asked(row)[1] for row in sample.absent]
    held = {_entity_id(row["id"]) for row in sample.passages}
    places = [
        [one in gold for one in ids]
        for (ids, _), row in zip(right, sample.answerable, strict=True)
        if (gold := {_entity_id(one) for one in row["gold"]} & held)
    ]
    best = [score for _, score in right]
    return {
        "r@1": _mean([any(hits[:1]) for hits in places]),
        "r@5": _mean([any(hits[:5]) for hits in places]),
        "nDCG@10": _mean([_gain(hits) for hits in places]),
        "auroc": _mean([(a > b) + (a == b) / 2 for a in best for b in wrong]),
        "answerable atFloor": _mean([score >= space.default_floor for score in best]),
        "absent atFloor": _mean([score >= space.default_floor for score in wrong]),
    }


@contextmanager
def _served(sample: Sample, vectors: Vectors) -> Generator[PostgresServedStore]:
    with (
        tempfile.TemporaryDirectory(prefix="fonds-trial-") as folder,
        running(Path(folder) / "home") as server,
    ):
        name = f"fonds_trial_{secrets.token_hex(4)}"
        create_database(server.admin_url(), name)
        migrate(server.url("fonds_migrator", name), server.keys)
        pools = {
            role: open_pool(server.login(role, name), read_only=role == "fonds_reader")
            for role in ROLES
        }
        try:
            yield _filled(pools, sample, vectors)
        finally:
            for pool in pools.values():
                pool.close()


def _filled(pools: dict[str, Pool], sample: Sample, vectors: Vectors) -> PostgresServedStore:
    archive_id = register_archive(
        pools["fonds_ingest"],
        slug="trial",
        name="A trial",
        author="Nobody",
        base_url="https://example.org",
    )
    space = vectors.embedder.space
    pairs = [_pair(row) for row in sample.passages]
    strings = [embed_string(entity, fragment) for entity, fragment in pairs]
    private = PostgresPrivateStore(pools["fonds_ingest"], archive_id)
    private.write_sources(
        [
            ReadSource(entity.entity_id, "public", "", "", ((entity, (fragment,)),))
            for entity, fragment in pairs
        ]
    )
    private.write_vectors(
        space,
        [
            VectorRow(fragment.fragment_id, content_hash(string), vector)
            for (_, fragment), string, vector in zip(
                pairs, strings, vectors.passages(strings), strict=True
            )
        ],
    )
    terms = BuildTerms(space, space.default_floor, 0.5, 1)
    build_served(
        PostgresBuildStore(pools["fonds_build"], archive_id),
        terms,
        lambda _: (),
        acceptance=Acceptance("all"),
    )
    return PostgresServedStore(pools["fonds_reader"], archive_id)


def _pair(row: Row) -> tuple[Entity, Fragment]:
    entity_id = _entity_id(row["id"])
    shown = disclosure("public", "text")
    url = f"https://example.org/{entity_id}/"
    entity = Entity(entity_id, "page", row["title"] or "Untitled", url, shown)
    return entity, Fragment(entity_id, (Locator("whole", ""),), shown, row["text"])


def _entity_id(passage: str) -> str:
    return f"page:{content_hash(passage)}"


def _questions(folder: Path, name: str) -> list[Row]:
    found = rows(folder / f"{name}.questions.jsonl")
    return [row for row in found if len(row["question"]) <= MAX_QUERY_CHARS]


def _gain(hits: Sequence[bool]) -> float:
    """nDCG with one right passage, as almost every question has."""
    return sum(hit / math.log2(place + 2) for place, hit in enumerate(hits)) if hits else 0.0


def _mean(values: Sequence[float]) -> float:
    return round(sum(values) / max(1, len(values)), 3)


def _key(side: str, text: str) -> str:
    return f"{side}{content_hash(text)}"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--qa", type=Path, required=True)
    parser.add_argument("--set", action="append", required=True, help="name of a set; may repeat")
    parser.add_argument("--docs", type=int, default=300, help="passages of each set")
    parser.add_argument("--most", type=int, default=200, help="questions of each kind")
    parser.add_argument("--absent", help="a set whose questions no passage answers")
    parser.add_argument("--weight", type=float, nargs="+", default=[Lexical().max_boost])
    parser.add_argument("--vectors", type=Path, help="a file to keep vectors in between runs")
    return parser.parse_args()


if __name__ == "__main__":
    main()
