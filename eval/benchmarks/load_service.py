"""The service as a process of its own, over archives of a load bed, with question vectors given.

    python -m eval.benchmarks.load_service --home HOME --database NAME ...

Only the embedder is another than `fonds serve` has: a question ends in the number of its vector.
Prints one line of JSON when it listens.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from eval.benchmarks.served_bench import SPACE, Vectors, vectors_and_questions
from fonds.api.app import create_app
from fonds.api.server import address_of, bound_socket, serve
from fonds.archive_config import ArchiveConfig, GateChoice
from fonds.contract.embedding_space import EmbeddingSpace
from fonds.contract.ports import Embedder, EmbedOutcome, Vector
from fonds.settings import Settings
from fonds.store.door import PostgresDoor
from fonds.store.embedded import EmbeddedServer
from fonds.store.limiter import PostgresLimiter
from fonds.store.pools import open_pool
from fonds.store.servers import Server
from fonds.wiring.current_archives import CurrentArchives
from fonds.wiring.hosting import Hosting
from fonds.wiring.serving import RolePools
from fonds.wiring.spaces import Spaces


class NumberedQuestions:
    """An embedder that looks a question's vector up by the number at its end."""

    def __init__(self, questions: Vectors) -> None:
        self._vectors = [tuple(map(float, one.tolist())) for one in questions]

    @property
    def space(self) -> EmbeddingSpace:
        return SPACE

    def embed_passages(self, texts: Sequence[str]) -> EmbedOutcome:
        return EmbedOutcome(tuple(self.embed_query(text) for text in texts))

    def embed_query(self, text: str) -> Vector:
        return self._vectors[int(text.rpartition(" ")[2]) % len(self._vectors)]


class _GivenSpace(Spaces):
    def __init__(self, settings: Settings, embedder: Embedder) -> None:
        super().__init__(settings)
        self._given = embedder

    def of(self, config: ArchiveConfig) -> Embedder:
        return self._given


def main() -> None:
    """Serves until it is told to end."""
    parser = argparse.ArgumentParser(prog="python -m eval.benchmarks.load_service")
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--database", required=True)
    parser.add_argument("--archives", type=int, required=True)
    parser.add_argument("--fragments", type=int, required=True)
    parser.add_argument("--questions", type=int, required=True)
    asked = parser.parse_args()
    logging.getLogger("psycopg").setLevel(logging.CRITICAL)  # a restart is meant here
    settings = Settings(home=asked.home, serve_waiting=1_000)
    server = EmbeddedServer(asked.home)
    _, questions = vectors_and_questions(asked.fragments, asked.questions)

    def url_of(role: str) -> str:
        return server.url(role, asked.database)

    with ExitStack() as stack, bound_socket("127.0.0.1", 0) as bound:
        pools = RolePools(Server(url_of, None, server.key), stack, size=settings.serve_threads + 1)
        counting = stack.enter_context(
            open_pool(
                server.login("fonds_reader", asked.database),
                size=settings.serve_threads,
                name="fonds_limiter",
            )
        )
        hosting = Hosting(
            settings,
            pools,
            PostgresDoor(pools.of("fonds_reader")),
            PostgresLimiter(counting),
            CurrentArchives(lambda: {f"load-{n}": _config(n) for n in numbers(asked.archives)}),
            _GivenSpace(settings, NumberedQuestions(questions)),
        )
        serve(create_app(hosting, settings), bound, settings, lambda: _listens(address_of(bound)))


def numbers(archives: int) -> range:
    """The numbers of so many archives."""
    return range(1, archives + 1)


def _config(number: int) -> ArchiveConfig:
    return ArchiveConfig(
        Path("archive.toml"),
        name=f"Load {number}",
        author="Person A",
        base_url="https://example.org",
        slug=f"load-{number}",
        gate=GateChoice(enabled=False),
    )


def _listens(address: tuple[str, int]) -> None:
    sys.stdout.write(json.dumps({"port": address[1]}) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
