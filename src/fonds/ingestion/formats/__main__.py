"""The process that reads one book: bytes in, JSON out, bounded in memory and time."""

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
    ):
        with suppress(ValueError, OSError):  # some systems do not know every bound
            resource.setrlimit(what, (most, most))
    sys.stdout.write(json.dumps(outcome(kind, sys.stdin.buffer.read())))


if __name__ == "__main__":
    main()
