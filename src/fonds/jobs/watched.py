"""A job that a worker started ends with it: its stdin is the worker's to close, and dies with it.

Else a worker killed outright would leave jobs behind that hold their archive while the queue gives
them to another.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from typing import Final

GRACE_SECONDS: Final = 30.0


def end_with_worker(grace: float = GRACE_SECONDS) -> None:
    """Tells this process to end, as SIGTERM does, once its stdin is closed; one that still runs
    after so many seconds is ended.
    """
    threading.Thread(target=_watch, args=(sys.stdin.fileno(), grace), daemon=True).start()


def _watch(stdin: int, grace: float) -> None:
    while os.read(stdin, 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    # Its worker would do the same, and is not there: a job that hangs would hold its archive.
    time.sleep(grace)
    os.kill(os.getpid(), signal.SIGKILL)
