"""Which jobs are installed: entry points of the group `fonds.jobs`, run as modules of their own."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import entry_points

from fonds.contract.failures import Misconfigured

GROUP = "fonds.jobs"


def job_modules() -> Mapping[str, str]:
    """Job -> module, each `python -m MODULE FILE`; nothing is imported."""
    return {point.name: point.module for point in entry_points(group=GROUP)}


def job_module(job: str) -> str:
    """Raises Misconfigured with the jobs there are."""
    known = job_modules()
    if job not in known:
        raise Misconfigured(f"no such job: there are {', '.join(sorted(known)) or 'none'}")
    return known[job]
