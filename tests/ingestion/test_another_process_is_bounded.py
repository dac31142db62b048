"""The process that reads another format: what it may use, and what is heard of it (C04)."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import sleep

import pytest

from fonds.contract.failures import MisauthoredFile
from fonds.ingestion.formats import reading_apart
from fonds.ingestion.formats.reading_apart import ReadApart, read_apart
from fonds.ingestion.formats.trouble import REASONS

Speak = Callable[[str], None]


@pytest.fixture
def child_that(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Speak:
    """Puts a program of the test in the place of the reader, as a hostile file might."""
    program = tmp_path / "child"

    def speaks(code: str) -> None:
        program.write_text(f"#!{sys.executable}\nimport os, sys, time\n{code}\n")
        program.chmod(0o755)
        monkeypatch.setattr(reading_apart.sys, "executable", str(program))

    return speaks


def refused(**bounds: int) -> str:
    with pytest.raises(MisauthoredFile) as refusal:
        read_apart(b"x" * 3_000_000, "epub", "books/a.epub", **bounds)
    assert (refusal.value.path, refusal.value.field) == ("books/a.epub", "body")
    return refusal.value.reason


def test_no_more_is_heard_than_a_text_may_be_long(child_that: Speak) -> None:
    """A child that says ten gigabytes fills nobody's memory, and is ended."""
    child_that("while True: os.write(1, b'zebra' * 100_000)")
    assert refused(most=2_000_000) == "it cannot be read as EPUB"


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"zebra",
        b"[1]",
        b"{}",
        b'{"text": 7}',
        b'{"text": "a\\ud800"}',
        b'{"reason": "zebra"}',
        b'{"reason": ["zebra"]}',
        b"[" * 100_000,
        b'{"text": "a", "fields": "zebra"}',
        b'{"text": "a", "fields": {"title": 7}}',
        b"\xff",
    ],
)
def test_nothing_but_a_text_or_a_reason_of_ours_is_believed(child_that: Speak, said: bytes) -> None:
    child_that(f"os.write(1, {said!r})")
    assert refused() == "it cannot be read as EPUB"


@pytest.mark.parametrize("reason", sorted(REASONS))
def test_each_reason_of_ours_is_passed_on(child_that: Speak, reason: str) -> None:
    child_that(f"os.write(1, {json.dumps({'reason': reason}).encode()!r})")
    assert refused() == reason


def test_what_is_heard_is_clean_text(child_that: Speak) -> None:
    said = json.dumps({"text": "a\0be\u0301", "fields": {"k": ["e\u0301"], "t": "\0"}})
    child_that(f"os.write(1, {said.encode()!r})")
    read = read_apart(b"", "html", "a.html")
    assert read == ReadApart("ab\u00e9", {"k": ["\u00e9"], "t": ""})


def test_a_child_that_hangs_is_ended_with_all_it_started(child_that: Speak, tmp_path: Path) -> None:
    """Also one that never listens, and whose own child holds the pipes open."""
    child_that(
        f"if os.fork() == 0:\n    open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))\n"
        "time.sleep(60)"
    )
    assert refused(seconds=4) == "it takes more than 4 seconds to read"
    grandchild = int((tmp_path / "pid").read_text())
    for _ in range(1200):
        if not is_running(grandchild):
            return
        sleep(0.05)
    raise AssertionError("the grandchild outlives the reading")


def test_a_grandchild_in_a_session_of_its_own_cannot_hold_the_run_up(
    child_that: Speak, tmp_path: Path
) -> None:
    """It holds the pipe open, and the reading ends without waiting for it."""
    child_that(
        "if os.fork() == 0:\n    os.setsid()\n"
        f"    open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))\n"
        "    time.sleep(300)\n    sys.exit()\nos.write(1, b'{')"
    )
    assert refused(seconds=4) == "it takes more than 4 seconds to read"
    grandchild = int((tmp_path / "pid").read_text())
    assert is_running(grandchild)
    os.kill(grandchild, signal.SIGKILL)


def is_running(process: int) -> bool:
    """Whether it lives; what nobody has waited for yet is gone all the same."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    state = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(process)], capture_output=True, text=True, check=False
    )
    return not state.stdout.startswith("Z") and bool(state.stdout.strip())


BOUNDS = """
import io, json, os, resource, sys
sys.argv = ["formats", "html", "7", "900000000"]
sys.stdin = io.TextIOWrapper(io.BytesIO(b"<p>a"))
from fonds.ingestion.formats.__main__ import main
main()
kinds = ("AS", "CPU", "CORE", "FSIZE", "NPROC")
seen = [resource.getrlimit(getattr(resource, "RLIMIT_" + kind)) for kind in kinds]
try:
    with open(sys.argv[0] + ".written", "w") as written:
        written.write("x")
except OSError:
    seen.append("no file")
sys.stdout.flush()
sys.stderr.write(json.dumps(seen))
"""


def test_the_reader_is_bounded_in_memory_time_files_and_children(tmp_path: Path) -> None:
    """Limits of a process are those of its children too: each is inherited and cannot be raised."""
    run = subprocess.run(
        [sys.executable, "-c", BOUNDS],
        capture_output=True,
        cwd=tmp_path,
        env={},  # nor what counts lines, which could not write a file either
        text=True,
        check=True,
    )
    assert json.loads(run.stdout) == {"text": "a", "fields": {}}
    assert json.loads(run.stderr) == [
        [900_000_000, 900_000_000],
        [7, 7],
        [0, 0],
        [0, 0],
        [0, 0],
        "no file",
    ]


def test_the_reader_gets_no_word_of_the_environment(
    child_that: Speak, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A key of the archive's provider is none of its business."""
    monkeypatch.setenv("OPENAI_API_KEY", "sesame")
    child_that('os.write(1, ("{\\"text\\": \\"%s\\"}" % ",".join(os.environ)).encode())')
    assert "OPENAI" not in read_apart(b"", "pdf", "a.pdf").text
