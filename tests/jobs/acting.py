"""A job that does what `act.txt` beside its file says: `exit N`, `pid FILE` and then waits for its
end, `tidy FILE`, which leaves a file `.tidied` on its way out, or `stubborn FILE`, which is told to
end in vain. Run as a module by a worker under test.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from fonds.jobs.watched import end_with_worker


def act(written: str) -> int:
    verb, argument = written.split(maxsplit=1)
    if verb == "exit":
        return int(argument)
    if verb == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    said = Path(argument)
    if verb == "tidy":
        signal.signal(signal.SIGTERM, lambda number, _: _tidy(said, number))
    part = said.with_suffix(".part")
    part.write_text(str(os.getpid()), encoding="utf-8")
    part.rename(said)
    while True:
        signal.pause()


def _tidy(said: Path, number: int) -> None:
    said.with_suffix(".tidied").touch()
    sys.exit(128 + number)


if __name__ == "__main__":
    said_to_do = Path(sys.argv[1]).with_name("act.txt").read_text(encoding="utf-8")
    end_with_worker(grace=0.1 if said_to_do.startswith("stubborn") else 600.0)
    sys.exit(act(said_to_do))
