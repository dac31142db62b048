"""What deploy/Dockerfile has to keep beyond what hadolint asks: its last stage builds nothing and
is not root.
"""

from __future__ import annotations

import re

_SECRET = re.compile(r"\b(?:ARG|ENV)\b.*(?:PASSWORD|_KEY|_URL|TOKEN)\b", re.IGNORECASE)


def image_findings(text: str) -> list[str]:
    """One line a fault."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    stages = [at for at, line in enumerate(lines) if line.startswith("FROM ")]
    last = lines[stages[-1] :]
    users = [line.split()[1] for line in last if line.startswith("USER ")]
    found: list[str] = []
    if len(stages) < 2:
        found.append("what is built is shipped with what built it")
    if not users or not re.fullmatch(r"[1-9]\d+(:[1-9]\d+)?", users[-1]):
        found.append("the last USER is not a number other than 0")
    if any(re.search(r"\bpip install\b", line) for line in last):
        found.append("the last stage installs")
    found.extend(
        f"{line.split()[1]} is not pinned to a version"
        for line in lines
        if line.startswith("FROM ") and not re.search(r":\d+\.\d+", line)
    )
    if any(line.startswith("ADD ") for line in lines):
        found.append("ADD fetches and unpacks: use COPY")
    if any(_SECRET.search(line) for line in lines):
        found.append("a secret would stand in the image")
    return found
