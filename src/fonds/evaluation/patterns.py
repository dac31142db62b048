"""Whether an answer matches the patterns of a gold case, within a bound of time (R180, R181).

A pattern is the author's and may take for ever on an answer that nobody has seen yet: matching
happens in a process of its own, which is ended when the time is up. Pattern and answer go through
its input; neither stands in a command line, an error or a log.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import warnings
from collections.abc import Sequence

MAX_PATTERN_CHARS = 1_000
SECONDS = 5.0  # for one pattern; its process takes some 25 ms, ten times that on a busy machine

_MATCHER = """
import json, re, sys
asked = json.load(sys.stdin)
found = re.search(asked["pattern"], asked["text"], re.IGNORECASE)
sys.stdout.write("no" if found is None else "yes")
"""


def pattern_trouble(pattern: str) -> str | None:
    """Why this is no usable pattern, in words that hold nothing of it; or None."""
    if len(pattern) > MAX_PATTERN_CHARS:
        return f"longer than {MAX_PATTERN_CHARS} characters"
    try:
        with warnings.catch_warnings():
            # A pattern that Python is going to read otherwise is no promise.
            warnings.simplefilter("error")
            re.compile(pattern, re.IGNORECASE)
    except (re.error, RecursionError, OverflowError, Warning):
        return "not a regular expression"
    return None


def matches(
    patterns: Sequence[str], text: str, *, seconds: float = SECONDS
) -> tuple[bool | None, ...]:
    """For each pattern whether it occurs in `text`, case ignored; None where time ran out."""
    return tuple(_occurs(pattern, text, seconds) for pattern in patterns)


def _occurs(pattern: str, text: str, seconds: float) -> bool | None:
    asked = json.dumps({"pattern": pattern, "text": text}).encode()
    try:
        ended = subprocess.run(  # noqa: S603  a fixed program; nothing of the caller's is in it
            [sys.executable, "-I", "-S", "-c", _MATCHER],
            input=asked,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None
    return {b"yes": True, b"no": False}.get(ended.stdout)
