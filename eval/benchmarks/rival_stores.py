"""One other library's store, asked over standard input; runs in the environment that has it.

    python -m eval.benchmarks.rival_stores langchain|llamaindex SOCKET_FOLDER DATABASE FILES

FILES holds `vectors.npy`, `questions.npy` and `texts.json`. Answers each line with one line of
JSON: `fill` stores every text with its vector, `ask N` searches for question N. Times are taken in
here, so that no pipe is in them. Without arguments it tells of each library what it lacks here. It
imports nothing of fonds.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Any, Protocol, TypeAlias

Vector: TypeAlias = list[float]
TABLE = "fragments"
LIMIT = 10


class Store(Protocol):
    """As its own pages show it: no index, so that it is exact like the search it is held to."""

    def fill(self, ids: Sequence[str], texts: Sequence[str], vectors: Sequence[Vector]) -> None: ...

    def nearest(self, vector: Vector) -> list[str]:
        """Ids of the ten nearest, with their texts read."""
        ...


class LangChain:
    """`PGVectorStore` over asyncpg, through its synchronous methods."""

    def __init__(self, socket: str, database: str) -> None:
        stores: Any = import_module("langchain_postgres")
        given: Any = import_module("langchain_core.embeddings")
        engine = stores.PGEngine.from_connection_string(
            f"postgresql+asyncpg://postgres@/{database}?host={socket}"
        )
        engine.init_vectorstore_table(TABLE, 384, metadata_columns=[], store_metadata=True)
        unused = given.DeterministicFakeEmbedding(size=384)
        self._store = stores.PGVectorStore.create_sync(engine, unused, TABLE)

    def fill(self, ids: Sequence[str], texts: Sequence[str], vectors: Sequence[Vector]) -> None:
        named = [{"fragment": one} for one in ids]
        self._store.add_embeddings(list(texts), list(vectors), named)

    def nearest(self, vector: Vector) -> list[str]:
        found = self._store.similarity_search_by_vector(vector, k=LIMIT)
        return [str(document.metadata["fragment"]) for document in found]


class LlamaIndex:
    """`PGVectorStore` over psycopg2."""

    def __init__(self, socket: str, database: str) -> None:
        stores: Any = import_module("llama_index.vector_stores.postgres")
        self._nodes: Any = import_module("llama_index.core.schema")
        self._asked: Any = import_module("llama_index.core.vector_stores.types")
        self._store = stores.PGVectorStore.from_params(
            connection_string=f"postgresql+psycopg2://postgres@/{database}?host={socket}",
            async_connection_string=f"postgresql+asyncpg://postgres@/{database}?host={socket}",
            table_name=TABLE,
            embed_dim=384,
        )

    def fill(self, ids: Sequence[str], texts: Sequence[str], vectors: Sequence[Vector]) -> None:
        rows = zip(ids, texts, vectors, strict=True)
        self._store.add(
            [self._nodes.TextNode(id_=one, text=text, embedding=v) for one, text, v in rows]
        )

    def nearest(self, vector: Vector) -> list[str]:
        asked = self._asked.VectorStoreQuery(query_embedding=vector, similarity_top_k=LIMIT)
        return [str(one) for one in self._store.query(asked).ids]


STORES: dict[str, Callable[[str, str], Store]] = {"langchain": LangChain, "llamaindex": LlamaIndex}
PACKAGES = {"langchain": "langchain_postgres", "llamaindex": "llama_index"}
BATCH = 500


def main() -> None:
    if len(sys.argv) == 1:
        _say({name: package for name, package in PACKAGES.items() if find_spec(package) is None})
        return
    name, socket, database, files = sys.argv[1:5]
    np: Any = import_module("numpy")
    store = STORES[name](socket, database)
    vectors, questions = (
        np.load(Path(files) / f"{which}.npy").tolist() for which in ("vectors", "questions")
    )
    texts = json.loads((Path(files) / "texts.json").read_text(encoding="utf-8"))
    _say({})
    for line in sys.stdin:
        asked, _, number = line.strip().partition(" ")
        began = perf_counter()
        if asked == "fill":
            _fill(store, texts, vectors)
            _say({"seconds": perf_counter() - began})
        else:
            ids = store.nearest(questions[int(number)])
            _say({"seconds": perf_counter() - began, "ids": ids})


def _fill(store: Store, texts: Sequence[str], vectors: Sequence[Vector]) -> None:
    for start in range(0, len(texts), BATCH):
        rows = range(start, min(start + BATCH, len(texts)))
        ids = [str(number) for number in rows]
        store.fill(ids, [texts[n] for n in rows], [vectors[n] for n in rows])


def _say(told: object) -> None:
    sys.stdout.write(json.dumps(told) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
