"""The process that reads one file: bytes in, JSON out, bounded in memory and time.

Bounds hold for what it starts, too: they are inherited, and it may start nothing and write no file.
"""

from __future__ import annotations

import json
import logging
import resource
import sys
from contextlib import suppress

from fonds.ingestion.formats.outcome import outcome


def main() -> None:
    kind, seconds, memory = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    logging.disable()
    for what, most in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NPROC, 0),
    ):
        with suppress(ValueError, OSError):  # some systems do not know every bound
            resource.setrlimit(what, (most, most))
    said = json.dumps(outcome(kind, sys.stdin.buffer.read()), ensure_ascii=False)
    sys.stdout.buffer.write(said.encode("utf-8", "ignore"))


if __name__ == "__main__":
    main()
