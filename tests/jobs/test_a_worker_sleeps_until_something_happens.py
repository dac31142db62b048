"""Signals end a worker's sleep and are not lost before it; what was set is put back (R191)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

from fonds.jobs.waking import ENDING, waking
from tests.jobs.queue_bed import CEILING


def test_a_word_to_end_is_kept_and_ends_the_sleep() -> None:
    before = {number: signal.getsignal(number) for number in (*ENDING, signal.SIGCHLD)}
    with waking() as signals:
        os.kill(os.getpid(), signal.SIGTERM)
        signals.sleep(CEILING)
        assert signals.told_to_end
    assert {number: signal.getsignal(number) for number in before} == before
    assert signal.set_wakeup_fd(-1) == -1


def test_a_child_that_ends_is_a_reason_to_wake_and_none_to_end() -> None:
    with waking() as signals:
        child = subprocess.Popen([sys.executable, "-c", ""])
        signals.sleep(CEILING)
        assert child.wait(CEILING) == 0
        assert not signals.told_to_end
