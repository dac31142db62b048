"""An archive without a build or a file, a service without a database: each says so, and takes
nothing else with it (section 18, R186).
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import ExitStack

import psycopg
import pytest
from starlette.testclient import TestClient

from fonds.archive_file import read_archive_file
from fonds.settings import Settings
from fonds.wiring.hosting import Hosting
from fonds.wiring.readiness import PROVED_AGAIN_SECONDS, Readiness, Ready
from tests.api.conftest import Hosted
from tests.archives import house_of, ingested
from tests.hosts import client_of, host_of, minted, written_archive

TWO = Settings(serve_threads=2)


@pytest.fixture
def hosting(hosted: Hosted) -> Generator[Hosting]:
    """One of its own, which a test may break."""
    with host_of(hosted.database, hosted.folders, settings=TWO) as made:
        yield made


def statuses(client: TestClient, slug: str, bearer: dict[str, str]) -> dict[str, tuple[int, str]]:
    asked = {
        kind: client.post(f"/v1/archives/{slug}/{kind}", json={"q": "rye"}, headers=bearer)
        for kind in ("search", "ask")
    } | {"about": client.get(f"/v1/archives/{slug}", headers=bearer)}
    return {
        kind: (reply.status_code, reply.json().get("type", "").rpartition(":")[2])
        for kind, reply in asked.items()
    }


def test_an_archive_that_was_never_built_says_so_and_the_service_is_ready(
    hosted: Hosted, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = written_archive(tmp_path_factory.mktemp("unbuilt"), "loft")
    with house_of(folder, hosted.database) as house:
        ingested(house)
    bearer = {
        "Authorization": f"Bearer {minted(hosted.database, 'loft', 'search', 'ask', 'admin')}"
    }
    folders = {**hosted.folders, "loft": folder}
    with (
        host_of(hosted.database, folders, settings=TWO) as hosting,
        client_of(hosting) as client,
    ):
        told = statuses(client, "loft", bearer)
        assert set(told.values()) == {(503, "nothing-served")}
        standing = client.get("/v1/archives/loft/standing", headers=bearer).json()
        assert (standing["build"], standing["runs"][0]["job"]) == (None, "ingest")
        assert client.get("/v1/archives/tide").status_code == 200
        assert client.get("/readyz").status_code == 200


def test_an_archive_without_a_usable_file_says_so_to_those_it_lets_in(hosted: Hosted) -> None:
    folders = {slug: folder for slug, folder in hosted.folders.items() if slug != "mill"}
    with (
        host_of(hosted.database, folders, settings=TWO) as hosting,
        client_of(hosting) as client,
    ):
        told = statuses(client, "mill", hosted.bearer("mill"))
        assert set(told.values()) == {(503, "archive-unusable")}
        assert client.get("/v1/archives/mill").status_code == 401
        assert client.get("/v1/archives/mill", headers=hosted.bearer("tide")).status_code == 404


def test_an_archive_in_another_space_than_its_build_cannot_be_asked(
    hosted: Hosted, hosting: Hosting, tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = written_archive(tmp_path_factory.mktemp("moved"), "mill") / "archive.toml"
    file.write_text(file.read_text().replace('provider = "hashing"', 'provider = "local"'))
    current = dict(hosting.archives.current()) | {"mill": read_archive_file(file)}
    hosting.archives.read = lambda: current
    hosting.archives._looked_at = None  # pyright: ignore[reportPrivateUsage]
    with client_of(hosting) as client:
        told = statuses(client, "mill", hosted.bearer("mill"))
    assert told["search"] == (503, "archive-unusable")


def test_a_search_that_runs_away_is_ended_and_its_thread_is_free_again(hosted: Hosted) -> None:
    """What it waits for here is a lock; the same clock ends a scan."""
    settings = Settings(serve_threads=1)
    with ExitStack() as stack:
        hosting = stack.enter_context(
            host_of(hosted.database, hosted.folders, settings=settings, read_seconds=1)
        )
        client = stack.enter_context(client_of(hosting))
        with psycopg.connect(hosted.database.admin_url) as session:
            session.execute("LOCK TABLE served.embedding IN ACCESS EXCLUSIVE MODE")
            told = client.post(
                "/v1/archives/mill/search", json={"q": "rye"}, headers=hosted.bearer("mill")
            )
        assert (told.status_code, told.json()["type"]) == (503, "urn:fonds:problem:unavailable")
        assert told.headers["retry-after"]
        assert statuses(client, "mill", hosted.bearer("mill"))["search"] == (200, "")


def test_without_a_database_nothing_is_ready_and_the_process_lives(
    hosted: Hosted, hosting: Hosting
) -> None:
    with client_of(hosting) as client:
        hosting.pools.of("fonds_reader").close()
        told = statuses(client, "mill", hosted.bearer("mill"))
        assert set(told.values()) == {(503, "unavailable")}
        reply = client.get("/readyz")
        assert (reply.status_code, reply.headers["retry-after"]) == (503, "5")
        assert not any(reply.json()["checks"].values())
        assert client.get("/livez").status_code == 200


def test_a_login_that_grew_stronger_makes_the_service_unready_once_it_is_proved_again(
    hosted: Hosted, hosting: Hosting
) -> None:
    now = [0.0]
    readiness = Readiness(hosting, clock=lambda: now[0])
    assert readiness.look() == Ready(database=True, revision=True, role_proof=True, spaces=True)
    with psycopg.connect(hosted.database.admin_url, autocommit=True) as session:
        session.execute("GRANT SELECT ON private.fragment TO fonds_reader")
        try:
            assert readiness.look().role_proof
            now[0] += PROVED_AGAIN_SECONDS
            assert not readiness.look().role_proof
        finally:
            session.execute("REVOKE SELECT ON private.fragment FROM fonds_reader")
    assert readiness.look().holds
