"""R044, R188: what a process keeps of an archive goes with the archive's file, and one space is one
embedder however it is spelled.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path

from fonds.archive_config import ArchiveConfig, EmbeddingChoice
from fonds.contract.search_request import SearchRequest
from fonds.providers.hashing_embedder import HashingEmbedder
from fonds.settings import Settings
from fonds.wiring.hosting import Hosting
from fonds.wiring.spaces import Spaces
from tests.api.conftest import Hosted
from tests.hosts import host_of

ASKED = SearchRequest("Which crane lifted the herring?")
PLAIN = ArchiveConfig(
    Path("archive.toml"),
    "An Archive",
    "Person A",
    "https://example.org",
    "example",
    embedding=EmbeddingChoice("hashing"),
)
SPELLED = dataclasses.replace(
    PLAIN, embedding=EmbeddingChoice("hashing", model=HashingEmbedder().space.model)
)
OTHER = dataclasses.replace(PLAIN, embedding=EmbeddingChoice("openai", model="another"))


def test_a_space_is_one_embedder_however_it_is_spelled() -> None:
    spaces = Spaces(Settings())

    assert spaces.of(PLAIN) is spaces.of(SPELLED)
    assert spaces.of(OTHER) is not spaces.of(PLAIN)


def test_an_embedder_goes_with_the_last_archive_that_asks_for_it() -> None:
    spaces = Spaces(Settings())
    plain, other = spaces.of(PLAIN), spaces.of(OTHER)
    assert spaces.is_loaded(PLAIN)

    spaces.keep([SPELLED, PLAIN])

    assert spaces.of(PLAIN) is plain
    assert spaces.of(OTHER) is not other
    spaces.keep([OTHER])
    assert spaces.of(PLAIN) is not plain
    assert spaces.is_loaded(PLAIN)


def found(hosting: Hosting, hosted: Hosted, slug: str) -> None:
    visit = hosting.admit(slug, hosted.keys[slug], "search", "192.0.2.1")
    assert visit.search(ASKED).query == ASKED.query


def test_replies_go_with_their_archives_file_and_stay_while_it_says_the_same(
    hosted: Hosted,
) -> None:
    with host_of(hosted.database, hosted.folders) as hosting:
        for slug in ("harbour", "mill"):
            found(hosting, hosted, slug)
        assert hosting.cache.held()[0] == 2

        current = dict(hosting.archives.current())
        read_again = {"harbour": dataclasses.replace(current["harbour"])}
        hosting.archives.read = lambda: read_again
        hosting.archives._looked_at = None  # pyright: ignore[reportPrivateUsage]
        found(hosting, hosted, "harbour")
        assert hosting.cache.held()[0] == 1
