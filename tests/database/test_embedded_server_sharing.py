"""Commands share one server, and what a kill leaves behind is found by the next command."""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psycopg
import pytest
from psycopg.pq import PGconn, Ping

from fonds.store.embedded import EmbeddedServer, running

# A command that uses the server until its standard input ends.
COMMAND = """
import sys
from pathlib import Path
from fonds.store.embedded import running
with running(Path(sys.argv[1])):
    print("up", flush=True)
    sys.stdin.read()
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home whose first start has been; its server is stopped."""
    folder = tmp_path_factory.mktemp("shared") / "home"
    with running(folder):
        pass
    return folder


@contextmanager
def command(home: Path) -> Generator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-c", COMMAND, str(home)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "up\n"
            yield process
        finally:
            process.kill()


def leave(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait(timeout=60) == 0


def answers(home: Path) -> bool:
    return PGconn.ping(EmbeddedServer(home).admin_url().encode()) == Ping.OK


def postmaster(home: Path) -> int:
    return int((home / "data" / "postmaster.pid").read_text(encoding="ascii").split("\n")[0])


def test_commands_at_once_share_one_server_and_the_last_one_stops_it(home: Path) -> None:
    with command(home) as first, command(home) as second:
        shared = postmaster(home)
        leave(first)
        assert answers(home)
        with running(home):
            assert postmaster(home) == shared
        assert answers(home)
        leave(second)
    assert not answers(home)


def test_commands_that_meet_at_a_first_start_that_died_make_one_database(tmp_path: Path) -> None:
    """Its initdb lives on for a while after a kill, and nobody begins before it has ended."""
    home = tmp_path / "home"
    with subprocess.Popen([sys.executable, "-c", COMMAND, str(home)]) as dying:
        while not (home / "data.partial" / "PG_VERSION").exists():
            assert dying.poll() is None
            time.sleep(0.01)
        dying.kill()
    assert not (home / "data").exists()
    starting = [
        subprocess.Popen(
            [sys.executable, "-c", COMMAND, str(home)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        for _ in range(2)
    ]
    assert [process.wait(timeout=60) for process in starting] == [0, 0]
    assert not (home / "data.partial").exists()
    assert not answers(home)


def test_a_killed_command_leaves_a_server_that_the_next_one_adopts_and_stops(home: Path) -> None:
    with command(home) as killed:
        left = postmaster(home)
        killed.send_signal(signal.SIGKILL)
        killed.wait(timeout=60)
    assert answers(home)
    with running(home):
        assert postmaster(home) == left
    assert not answers(home)


def test_a_killed_server_is_started_again_under_the_commands_that_use_it(home: Path) -> None:
    with running(home) as server, psycopg.connect(server.url("fonds_reader")):
        killed = postmaster(home)
        os.kill(killed, signal.SIGKILL)
        with running(home):
            assert postmaster(home) != killed
            with psycopg.connect(server.url("fonds_reader")) as session:
                assert session.execute("SELECT 1").fetchone() == (1,)
        assert answers(home)
    assert not answers(home)


@pytest.mark.skipif(sys.platform != "linux", reason="corpses are gathered by a Linux call")
def test_a_corpse_that_nobody_buries_does_not_stop_the_start(home: Path) -> None:
    """In a container the first process seldom buries what others leave; here it is this one."""
    set_child_subreaper = 36
    prctl = ctypes.CDLL(None).prctl
    prctl(set_child_subreaper, 1)
    with running(home):
        killed = postmaster(home)
        try:
            os.kill(killed, signal.SIGKILL)
            with running(home):
                assert postmaster(home) != killed
                status = Path(f"/proc/{killed}/stat").read_text(encoding="ascii")
                assert "(postgres) Z" in status
        finally:
            prctl(set_child_subreaper, 0)
            os.waitpid(killed, 0)
    assert not answers(home)


@pytest.mark.parametrize("occupant", ["a stranger", "another home's server"])
def test_a_number_that_is_somebody_elses_by_now_does_not_stop_the_start(
    home: Path, tmp_path: Path, occupant: str
) -> None:
    """As after a restart of a container, where numbers are few."""
    other = tmp_path / "other"
    with ExitStack() as stack:
        if occupant == "a stranger":
            sleeping = stack.enter_context(subprocess.Popen(["/bin/sleep", "60"]))
            stack.callback(sleeping.kill)
            number = sleeping.pid
        else:
            shutil.copytree(home, other)
            stack.enter_context(running(other))
            number = postmaster(other)
        lines = (str(number), str(home / "data"), str(int(time.time())), "5432", str(home / "s"))
        for claim in (home / "data" / "postmaster.pid", home / "s" / ".s.PGSQL.5432.lock"):
            claim.write_text("\n".join(lines) + "\n", encoding="ascii")
        with running(home):
            assert postmaster(home) != number
        os.kill(number, 0)  # it is still there


def test_a_failing_block_still_stops_the_server(home: Path) -> None:
    with pytest.raises(ZeroDivisionError), running(home):
        raise ZeroDivisionError
    assert not answers(home)
