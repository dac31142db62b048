"""`fonds serve` as a process: it says where it listens once it does, finishes what runs when told
to end, and does not begin where it could do more than serve (R186, R094).
"""

from __future__ import annotations

import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx2
import psycopg
import pytest
from pydantic import SecretStr

from fonds.contract.failures import ValidationRefused
from fonds.settings import Settings
from fonds.store.revision import WrongRevision
from fonds.wiring.hosting import hosting
from tests.api.conftest import Hosted
from tests.database.rows import one
from tests.hosts import WORDS
from tests.scopes import COMMON

CEILING = 60  # seconds; ends a test that hangs, and decides nothing else


def environment(hosted: Hosted, **more: str) -> dict[str, str]:
    """Each role's URL, and the folder the three archives are in."""
    urls = hosted.database.environment
    kept = {name: one for name, one in os.environ.items() if name.startswith(("PATH", "COV"))}
    return {**kept, **urls, "FONDS_HOME": "/nowhere", "FONDS_ARCHIVES": str(hosted.root), **more}


def command() -> list[str]:
    return [str(Path(sys.executable).with_name("fonds")), "serve", "--port", "0"]


def said_when_listening(settings: dict[str, str]) -> dict[str, object]:
    """The line of a service, which is then told to end."""
    with listening(settings) as (_, line):
        return json.loads(line)


@contextmanager
def serving(hosted: Hosted, **more: str) -> Generator[tuple[subprocess.Popen[str], str]]:
    """A service of the three archives, and its address."""
    with listening(environment(hosted, **more)) as (process, line):
        yield process, f"http://{json.loads(line)['listening']}"


@contextmanager
def listening(settings: dict[str, str]) -> Generator[tuple[subprocess.Popen[str], str]]:
    """A service, and the line it says once it listens."""
    process = subprocess.Popen(
        command(),
        env=settings,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert select.select([process.stdout], [], [], CEILING)[0], "it never listened"
        line = process.stdout.readline()
        assert line, process.communicate(timeout=CEILING)[1]
        yield process, line
    finally:
        process.kill()
        process.communicate(timeout=CEILING)


def test_it_answers_for_every_archive_and_ends_when_told(hosted: Hosted) -> None:
    with (
        serving(hosted) as (process, base),
        httpx2.Client(base_url=base, timeout=CEILING) as client,
    ):
        assert client.get("/readyz").json() == {"status": "ready"}
        for slug, words in WORDS.items():
            reply = client.post(
                f"/v1/archives/{slug}/search", json={"q": words}, headers=hosted.bearer(slug)
            )
            assert reply.json()["hits"][0]["text"] == words
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=CEILING)
    assert (process.returncode, out) == (0, "")
    events = [json.loads(line) for line in err.splitlines()]
    assert [e["moment"] for e in events if e["event"] == "process.stands"] == [
        "started",
        "ready",
        "ending",
        "ended",
    ]
    assert not any(
        word in err for words in WORDS.values() for word in words.split() if len(word) > 6
    )


def test_the_page_of_one_archive_is_told(hosted: Hosted) -> None:
    """Its slug stands nowhere else that its author looks; of several there is no one page."""
    assert said_when_listening(environment(hosted)).keys() == {"listening", "archives"}
    for slug, told in (("tide", {"page": "/below/tide/"}), ("mill", {})):
        alone = environment(
            hosted, FONDS_ARCHIVE=str(hosted.folders[slug]), FONDS_SERVE_ROOT_PATH="/below"
        )
        del alone["FONDS_ARCHIVES"]
        line = said_when_listening(alone)
        assert line.pop("listening")
        assert line == {"archives": 1, **told}


def test_what_runs_when_it_is_told_to_end_is_finished(hosted: Hosted) -> None:
    """A request waits for a lock of this test, so that it runs for certain when the signal comes;
    it is answered once the lock is given back.
    """
    with (
        serving(hosted, FONDS_SHUTDOWN_SECONDS="600") as (process, base),
        psycopg.connect(hosted.database.admin_url) as session,
        ThreadPoolExecutor(1) as threads,
    ):
        session.execute("LOCK TABLE served.live IN ACCESS EXCLUSIVE MODE")
        asked = threads.submit(httpx2.get, f"{base}/v1/archives/tide", timeout=CEILING)
        until(lambda: _waits_for_a_lock(hosted.database.admin_url))
        process.send_signal(signal.SIGTERM)
        until(lambda: _refuses_connections(base))
        session.rollback()
        assert asked.result(CEILING).json()["archive"] == "tide"
        process.communicate(timeout=CEILING)
    assert process.returncode == 0


def test_it_does_not_begin_where_it_could_do_more_than_serve(hosted: Hosted) -> None:
    with psycopg.connect(hosted.database.admin_url, autocommit=True) as session:
        session.execute("GRANT SELECT ON private.fragment TO fonds_reader")
        try:
            with pytest.raises(ValidationRefused, match="more power than serving needs"):
                begun(hosted)
        finally:
            session.execute("REVOKE SELECT ON private.fragment FROM fonds_reader")


def test_it_does_not_begin_on_a_database_of_another_revision(hosted: Hosted) -> None:
    with psycopg.connect(hosted.database.admin_url, autocommit=True) as session:
        defined = str(one(session, "SELECT pg_get_functiondef('api.revision'::regproc)"))
        session.execute(re.sub(r"'\d{4}'", "'9999'", defined).encode())
        try:
            with pytest.raises(WrongRevision, match="at revision 9999"):
                begun(hosted)
        finally:
            session.execute(defined.encode())


def begun(hosted: Hosted) -> None:
    """What `fonds serve` opens before it listens."""
    url = SecretStr(hosted.database.url("fonds_reader"))
    with hosting(Settings(archives=hosted.root, reader_url=url, scope_key=SecretStr(COMMON))):
        pass


def until(holds: Callable[[], bool]) -> None:
    """Waits for something another process does; the ceiling only ends a hung test."""
    given_up = time.monotonic() + CEILING
    while not holds():
        assert time.monotonic() < given_up, "it never came to that"
        time.sleep(0.02)


def _waits_for_a_lock(admin_url: str) -> bool:
    with psycopg.connect(admin_url) as session:
        return (
            session.execute(
                "SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database"
                " WHERE d.datname = current_database() AND NOT l.granted"
            ).fetchone()
            is not None
        )


def _refuses_connections(base: str) -> bool:
    host, port = base.removeprefix("http://").split(":")
    try:
        socket.create_connection((host, int(port)), timeout=CEILING).close()
    except ConnectionRefusedError:
        return True
    return False
