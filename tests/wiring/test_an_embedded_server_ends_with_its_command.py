"""Whatever ends a command, the embedded server is stopped, or found and stopped by the next."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fonds.contract.failures import Busy, Misconfigured
from fonds.settings import Settings
from fonds.store.servers import remove_embedded_server
from fonds.wiring.demonstration import DEMO_FOLDER, demonstrate
from fonds.wiring.migrations import migrate_server
from fonds.wiring.serving import serving
from tests.wiring.left_behind import left_behind

HOLDING = """\
import sys, time
from pathlib import Path
from fonds.cli.main import prepare_process, run_guarded
from fonds.settings import read_settings
from fonds.wiring.serving import serving

def hold() -> int:
    with serving(read_settings()):
        sys.stdout.write("up\\n")
        sys.stdout.flush()
        time.sleep(600)
    return 0

prepare_process()
sys.exit(run_guarded(hold))
"""


@contextmanager
def holding(home: Path) -> Generator[subprocess.Popen[str]]:
    """A command that uses the server of this home and does not end by itself."""
    environment = {**os.environ, "FONDS_HOME": str(home)}
    with subprocess.Popen(
        [sys.executable, "-c", HOLDING],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "up\n"
        try:
            yield child
        finally:
            child.kill()


def test_a_told_command_stops_its_server_and_a_killed_ones_is_stopped_by_the_next(
    tmp_path: Path,
) -> None:
    """SIGTERM is how a supervisor or a container ends a process; SIGKILL leaves it no word."""
    home = tmp_path / DEMO_FOLDER
    with holding(home) as told:
        assert left_behind(home) != []
        told.send_signal(signal.SIGTERM)
        assert told.wait(120) == 128 + signal.SIGTERM
        assert told.stderr is not None
        assert told.stderr.read().splitlines() == [
            f"fonds: first start: the embedded server keeps its data in {home}",
            "fonds: stopped; what was committed is kept, run it again to go on",
        ]
    assert left_behind(home) == []
    (home / "letters.txt").write_text("not ours", encoding="utf-8")
    with holding(home) as killed:
        with pytest.raises(Busy, match="another command uses"):
            demonstrate(
                Settings(home=tmp_path), fresh=True, progress=lambda step, done, total: None
            )
        killed.kill()
        killed.wait(120)
        assert left_behind(home) != []
    remove_embedded_server(home)
    assert left_behind(home) == []
    assert not (home / "data").exists()
    assert (home / "letters.txt").read_text(encoding="utf-8") == "not ours"


def test_migrate_brings_the_embedded_server_up_and_says_where(tmp_path: Path) -> None:
    home = tmp_path / "home"
    done = migrate_server(Settings(home=home), roles=True)
    assert (done.revision, done.embedded_home) == ("0001", str(home))
    assert left_behind(home) == []
    remove_embedded_server(home)
    assert not (home / "data").exists()


def test_a_home_that_is_not_there_has_nothing_to_remove(tmp_path: Path) -> None:
    remove_embedded_server(tmp_path / "nowhere")
    assert list(tmp_path.iterdir()) == []


def test_a_home_that_cannot_be_one_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file", encoding="utf-8")
    with pytest.raises(Misconfigured, match="set FONDS_HOME"):
        remove_embedded_server(tmp_path / "home")
    with (
        pytest.raises(Misconfigured, match="set FONDS_HOME"),
        serving(Settings(home=tmp_path / "home")),
    ):
        pass
